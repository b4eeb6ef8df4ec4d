//! Events as sentences for people.

use std::collections::BTreeMap;

use tyer_engine::{EventKind, Timestamp, Wanted};
use tyer_model::Process;

/// What people call the nodes of a process.
pub(crate) struct Speaker {
    names: BTreeMap<String, String>,
    begun: Option<Timestamp>,
}

/// Where an event happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) token: Option<u32>,
    pub(crate) node: Option<String>,
    pub(crate) flow: Option<String>,
}

impl Speaker {
    pub(crate) fn new(process: &Process) -> Speaker {
        let named = process.nodes().filter_map(|(_, node)| Some((node.id.clone(), node.name.clone()?)));
        Speaker { names: named.collect(), begun: None }
    }

    /// One line: number, time since the start, what happened.
    pub(crate) fn line(&mut self, seq: u64, at: Timestamp, place: &Place, kind: &EventKind) -> String {
        let begun = *self.begun.get_or_insert(at);
        let passed = match at.0 - begun.0 {
            ms @ ..10_000 => format!("+{ms} ms"),
            ms => format!("+{} s", ms / 1_000),
        };
        format!("{seq:>4} {passed:>9}  {}", self.sentence(place, kind))
    }

    fn node(&self, place: &Place) -> String {
        let id = place.node.as_deref().unwrap_or("?");
        self.names.get(id).map_or_else(|| id.to_owned(), |name| format!("\"{name}\" ({id})"))
    }

    fn sentence(&self, place: &Place, kind: &EventKind) -> String {
        let node = self.node(place);
        let token = place.token.map_or_else(|| "nobody".to_owned(), |token| format!("token {token}"));
        let by = place.flow.as_deref().map(|flow| format!(" by {flow}")).unwrap_or_default();
        match kind {
            EventKind::WorkflowStarted(started) => {
                format!("{} version {} begins", started.process, started.version)
            }
            EventKind::WorkflowCompleted => "the instance is completed".to_owned(),
            EventKind::WorkflowFailed { message, .. } => format!("the instance has failed: {message}"),
            EventKind::WorkflowPaused { .. } => "the instance is paused".to_owned(),
            EventKind::WorkflowResumed => "the instance goes on".to_owned(),
            EventKind::WorkflowCancelled { .. } => "the instance is cancelled".to_owned(),
            EventKind::WorkflowMigrated(to) => format!("the instance goes on in version {}", to.version),
            EventKind::WorkflowRolledBack { name } => format!("the instance goes back to {name}"),
            EventKind::SnapshotTaken { name } => format!("bookmark {name}"),
            EventKind::TokenCreated(born) => match born.parent {
                None => format!("{token} is born before {node}{by}"),
                Some(parent) => format!("{token} is born of token {parent} before {node}{by}"),
            },
            EventKind::TokenMoved => format!("{token} stands before {node}{by}"),
            EventKind::TokenWaiting => format!("{token} waits at {node}{by} for the other flows"),
            EventKind::TokenListening => format!("{token} waits at {node}"),
            EventKind::TokenQueued => format!("{token} waits at {node} for its sibling"),
            EventKind::TokenMarked => format!("{token} will be absorbed by {node}"),
            EventKind::TokenSpared => format!("{token} may finish its step"),
            EventKind::TokenUnmarked => format!("{token} belongs to no wave any more"),
            EventKind::TokenAbsorbed => format!("{token} is absorbed by {node}"),
            EventKind::TokenCompleted => format!("{token} ends at {node}"),
            EventKind::TokenTerminated => format!("{token} is taken away at {node}"),
            EventKind::TokenFailed => format!("{token} cannot go on at {node}"),
            EventKind::NodeStarted => format!("{token} enters {node}{by}"),
            EventKind::NodeCompleted => format!("{token} is through with {node}"),
            EventKind::ScopeOpened { scope, .. } => format!("scope {scope} is opened at {node}"),
            EventKind::ScopeClosed { scope, .. } => format!("scope {scope} is closed"),
            EventKind::RoundCounted { started, completed, .. } => {
                format!("rounds begun {started}, done {completed}")
            }
            EventKind::JobCreated { job, job_type } => {
                format!("job {job} of type {job_type} waits for a worker")
            }
            EventKind::JobCompleted { job, .. } => format!("job {job} is done"),
            EventKind::JobFailed { job, error, .. } => format!("job {job} failed: {error}"),
            EventKind::JobRetries { retries } => format!("{token} gets {retries} more tries at {node}"),
            EventKind::TaskCreated(asked) => format!("task {} waits for a person", asked.task),
            EventKind::TaskAssigned { task, assignee: Some(who), .. } => format!("{who} has task {task}"),
            EventKind::TaskAssigned { task, assignee: None, .. } => format!("nobody has task {task}"),
            EventKind::TaskChanged { task, .. } => format!("task {task} is more or less urgent now"),
            EventKind::TaskCompleted { task, .. } => format!("task {task} is done"),
            EventKind::TaskCancelled { task } => format!("task {task} need not be done any more"),
            EventKind::TimerCreated { timer, due, .. } => format!("timer {timer} is set to {due}"),
            EventKind::TimerFired { timer } => format!("timer {timer} has come"),
            EventKind::TimerCancelled { timer } => format!("timer {timer} is off"),
            EventKind::SubscriptionOpened { wanted, .. } => {
                format!("{node} waits for {}", waited_for(wanted))
            }
            EventKind::SubscriptionTriggered { subscription, .. } => {
                format!("what subscription {subscription} waits for has come")
            }
            EventKind::ConditionUnmet { subscription } => {
                format!("condition {subscription} is not met any more")
            }
            EventKind::SubscriptionClosed { subscription } => {
                format!("subscription {subscription} is closed")
            }
            EventKind::VariableUpdated { values, .. } => format!("variables become {}", values.to_json()),
            EventKind::VariableRemoved { names, .. } => format!("variables are gone: {}", names.join(", ")),
            EventKind::EventThrown { code, caught, .. } => {
                let what = code.as_deref().map_or(String::new(), |code| format!(" {code}"));
                let by = if *caught { "is caught" } else { "is caught by nobody" };
                format!("what {node} throws{what} {by}")
            }
            EventKind::MessageSent { name, .. } => format!("message {name} is sent"),
            EventKind::SignalSent { name, .. } => format!("signal {name} is sent"),
            EventKind::CallStarted(call) => format!("call {} begins {}", call.call, call.process),
            EventKind::CallCancelled { call } => format!("call {call} is not wanted any more"),
            EventKind::CallEnded { call } => format!("call {call} has ended"),
            EventKind::CallAnswered { instance, .. } => format!("{instance} is told how it ended"),
            EventKind::CompensationRecorded { .. } => format!("{node} can be undone"),
            EventKind::SagaStarted { saga, .. } => format!("saga {saga} undoes what was done"),
            EventKind::SagaStepStarted { .. } => "a step is being undone".to_owned(),
            EventKind::SagaStepCompensated { .. } => "a step is undone".to_owned(),
            EventKind::SagaStepFailed { error, .. } => format!("a step could not be undone: {error}"),
            EventKind::SagaStepSkipped { .. } => "a step is left as it is".to_owned(),
            EventKind::SagaCompleted { saga } => format!("saga {saga} is over"),
            EventKind::IncidentOpened { incident, message, .. } => format!("incident {incident}: {message}"),
            EventKind::IncidentResolved { incident } => format!("incident {incident} is resolved"),
        }
    }
}

fn waited_for(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Message { name, key: Some(key) } => format!("message {name} with key {key}"),
        Wanted::Message { name, key: None } => format!("message {name}"),
        Wanted::Signal { name } => format!("signal {name}"),
        Wanted::Condition { .. } => "its condition".to_owned(),
    }
}

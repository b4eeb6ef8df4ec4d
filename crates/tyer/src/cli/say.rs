//! Events as sentences for people.

use std::collections::BTreeMap;

use tyer_engine::{EventKind, Timestamp};
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
            EventKind::WorkflowPaused { .. } => "the instance is paused".to_owned(),
            EventKind::WorkflowResumed => "the instance goes on".to_owned(),
            EventKind::WorkflowCancelled { .. } => "the instance is cancelled".to_owned(),
            EventKind::TokenCreated { parent: None, .. } => format!("{token} is born before {node}{by}"),
            EventKind::TokenCreated { parent: Some(parent), .. } => {
                format!("{token} is born of token {parent} before {node}{by}")
            }
            EventKind::TokenMoved => format!("{token} stands before {node}{by}"),
            EventKind::TokenWaiting => format!("{token} waits at {node}{by} for the other flows"),
            EventKind::TokenCompleted => format!("{token} ends at {node}"),
            EventKind::TokenTerminated => format!("{token} is taken away at {node}"),
            EventKind::TokenFailed => format!("{token} cannot go on at {node}"),
            EventKind::NodeStarted => format!("{token} enters {node}{by}"),
            EventKind::NodeCompleted => format!("{token} is through with {node}"),
            EventKind::JobCreated { job, job_type } => {
                format!("job {job} of type {job_type} waits for a worker")
            }
            EventKind::JobCompleted { job, .. } => format!("job {job} is done"),
            EventKind::JobFailed { job, error, .. } => format!("job {job} failed: {error}"),
            EventKind::TaskCreated(asked) => format!("task {} waits for a person", asked.task),
            EventKind::TaskCompleted { task, .. } => format!("task {task} is done"),
            EventKind::TaskCancelled { task } => format!("task {task} need not be done any more"),
            EventKind::TimerCreated { timer, due, .. } => format!("timer {timer} is set to {due}"),
            EventKind::TimerFired { timer } => format!("timer {timer} has come"),
            EventKind::TimerCancelled { timer } => format!("timer {timer} is off"),
            EventKind::VariableUpdated { values, .. } => format!("variables become {}", values.to_json()),
            EventKind::IncidentOpened { incident, message, .. } => format!("incident {incident}: {message}"),
            EventKind::IncidentResolved { incident } => format!("incident {incident} is resolved"),
        }
    }
}

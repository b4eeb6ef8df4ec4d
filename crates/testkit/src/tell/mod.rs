//! Events as sentences that a person who knows no Rust can read.
//!
//! **Invariant:** made from events alone (and the state they were applied to), so every stage gives the same text.
//! **Invariant:** no event is without a trace in the text, but for the opening and closing of scopes: tokens that enter
//! and leave tell of those.

mod moment;
mod scope;
mod show;
mod token;
mod walk;
mod words;

use std::collections::BTreeMap;

use tyer_engine::{Event, EventKind, Instance, Number, Timestamp};
use tyer_model::{FlowIx, Process};

pub(crate) use moment::offset;
pub(crate) use show::{explained, show};
use walk::Walk;
use words::{answered, failed, held, kind_in_words, listed, with_reason};

/// Tells what happened, line by line.
pub(crate) struct Teller<'a> {
    process: &'a Process,
    began: Timestamp,
    lines: Vec<String>,
    walk: Option<Walk>,
    /// Tokens that a join has just consumed.
    joined: Vec<Number>,
    /// New tokens until they enter their node.
    newborn: BTreeMap<Number, Newborn>,
    /// Variables of scopes whose token has not come yet.
    given: BTreeMap<Number, String>,
    /// The subscription that has just come.
    triggered: Option<Number>,
}

/// A token that stands before its first node.
#[derive(Default)]
struct Newborn {
    node: String,
    flow: Option<FlowIx>,
    /// What is special about it: a round, an undoing.
    role: String,
}

impl<'a> Teller<'a> {
    /// `began`: the moment that is called +0s.
    pub(crate) fn new(process: &'a Process, began: Timestamp) -> Teller<'a> {
        Teller {
            process,
            began,
            lines: Vec::new(),
            walk: None,
            joined: Vec::new(),
            newborn: BTreeMap::new(),
            given: BTreeMap::new(),
            triggered: None,
        }
    }

    pub(crate) fn finish(mut self) -> Vec<String> {
        self.pause();
        let waiting = std::mem::take(&mut self.newborn);
        let lines =
            waiting.into_iter().map(|(token, born)| format!("token {token} stands before {}", born.node));
        self.lines.extend(lines);
        self.lines
    }

    /// One event; `before` is the instance that it is about to change.
    pub(crate) fn tell(&mut self, before: &Instance, at: Timestamp, event: &Event) {
        match &event.kind {
            EventKind::WorkflowStarted(started) => {
                let by = started.started_by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
                let key = started.business_key.as_ref().map(|key| format!(", key {key}")).unwrap_or_default();
                self.say(&format!("instance of {} started{by}{key}", started.process));
            }
            EventKind::WorkflowCompleted => self.say("instance completed"),
            EventKind::WorkflowFailed { message, code, compensated } => {
                self.say(&failed(message, code.as_deref(), *compensated));
            }
            EventKind::WorkflowPaused { reason } => {
                self.say(&with_reason("instance paused", reason.as_deref()));
            }
            EventKind::WorkflowResumed => self.say("instance resumed"),
            EventKind::WorkflowCancelled { reason } => {
                self.say(&with_reason("instance cancelled", reason.as_deref()));
            }
            EventKind::WorkflowMigrated(to) => self.say(&format!("instance runs version {} now", to.version)),
            EventKind::SnapshotTaken { name } => self.say(&format!("snapshot {name} taken")),
            EventKind::WorkflowRolledBack { name } => self.say(&format!("instance goes back to {name}")),
            EventKind::VariableUpdated { scope, values } => self.updated(before, *scope, values),
            EventKind::VariableRemoved { scope, names } => {
                let place = self.place(before, *scope);
                self.say(&format!("{} removed{place}", names.join(", ")));
            }
            EventKind::RoundCounted { scope, completed, terminated, .. } => {
                self.counted(before, *scope, *completed, *terminated);
            }
            EventKind::CallAnswered { answer, .. } => self.say(&format!("caller told: {}", answered(answer))),
            EventKind::IncidentOpened { incident, kind, message } => {
                self.say(&format!("incident {incident} ({}): {message}", kind_in_words(*kind)));
            }
            EventKind::IncidentResolved { incident } => self.say(&format!("incident {incident} resolved")),
            EventKind::SagaStepStarted { .. }
            | EventKind::SagaStepCompensated { .. }
            | EventKind::SagaStepFailed { .. }
            | EventKind::SagaStepSkipped { .. }
            | EventKind::SagaCompleted { .. } => self.tell_of_saga(before, event),
            EventKind::JobCompleted { .. }
            | EventKind::JobFailed { .. }
            | EventKind::TaskAssigned { .. }
            | EventKind::TaskChanged { .. }
            | EventKind::TaskCompleted { .. }
            | EventKind::TaskCancelled { .. }
            | EventKind::TimerFired { .. }
            | EventKind::TimerCancelled { .. }
            | EventKind::SubscriptionTriggered { .. }
            | EventKind::ConditionUnmet { .. }
            | EventKind::SubscriptionClosed { .. }
            | EventKind::CallCancelled { .. }
            | EventKind::CallEnded { .. } => self.tell_of_work(before, at, event),
            EventKind::TokenCreated(_)
            | EventKind::TokenMoved
            | EventKind::TokenWaiting
            | EventKind::TokenListening
            | EventKind::TokenQueued
            | EventKind::TokenMarked
            | EventKind::TokenUnmarked
            | EventKind::TokenSpared
            | EventKind::TokenAbsorbed
            | EventKind::TokenCompleted
            | EventKind::TokenTerminated
            | EventKind::TokenFailed
            | EventKind::NodeStarted
            | EventKind::NodeCompleted
            | EventKind::ScopeOpened { .. }
            | EventKind::ScopeClosed { .. }
            | EventKind::JobCreated { .. }
            | EventKind::JobRetries { .. }
            | EventKind::TaskCreated(_)
            | EventKind::TimerCreated { .. }
            | EventKind::SubscriptionOpened { .. }
            | EventKind::EventThrown { .. }
            | EventKind::MessageSent { .. }
            | EventKind::SignalSent { .. }
            | EventKind::CallStarted(_)
            | EventKind::CompensationRecorded { .. }
            | EventKind::SagaStarted { .. } => self.tell_of_token(before, at, event),
        }
    }

    /// What workers, people, clocks and others did.
    #[allow(clippy::wildcard_enum_match_arm, reason = "`tell` lists every kind")]
    fn tell_of_work(&mut self, before: &Instance, at: Timestamp, event: &Event) {
        let line = match &event.kind {
            EventKind::JobCompleted { job, worker, since } => {
                format!("job {job} completed{}", held(worker.as_deref(), *since, at))
            }
            EventKind::JobFailed { job, error, worker, since } => {
                format!("job {job} failed{}: {error}", held(worker.as_deref(), *since, at))
            }
            EventKind::TaskCompleted { task, by } => {
                format!(
                    "task {task} completed{}",
                    by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default()
                )
            }
            EventKind::TaskAssigned { task, assignee, by } => {
                words::assigned(*task, assignee.as_deref(), by.as_deref())
            }
            EventKind::TaskChanged { task, priority, due } => {
                words::changed(*task, *priority, *due, self.began)
            }
            EventKind::TaskCancelled { task } => format!("task {task} cancelled"),
            EventKind::TimerFired { timer } => format!("timer {timer} fired"),
            EventKind::TimerCancelled { timer } => format!("timer {timer} disarmed"),
            EventKind::CallCancelled { call } => format!("call {call} cancelled"),
            EventKind::CallEnded { call } => format!("call {call} ended"),
            EventKind::SubscriptionTriggered { subscription, .. } => {
                self.triggered = Some(*subscription);
                let wanted = &before.subscriptions[subscription].wanted;
                format!("{} (subscription {subscription})", words::came(wanted))
            }
            EventKind::ConditionUnmet { subscription } => {
                format!("condition does not hold any more (subscription {subscription})")
            }
            EventKind::SubscriptionClosed { subscription } => {
                if self.triggered.take() == Some(*subscription) {
                    return;
                }
                format!("subscription {subscription} closed")
            }
            other => unreachable!("{other:?} is told elsewhere"),
        };
        self.say(&line);
    }

    /// How steps are undone.
    #[allow(clippy::wildcard_enum_match_arm, reason = "`tell` lists every kind")]
    fn tell_of_saga(&mut self, before: &Instance, event: &Event) {
        let step = |record: &Number| {
            let node =
                before.records.get(record).map_or("a step", |record| &self.process.node(record.node).id);
            node.to_owned()
        };
        let line = match &event.kind {
            // The token of the handler tells what it undoes.
            EventKind::SagaStepStarted { .. } => return,
            EventKind::SagaStepCompensated { record, .. } => {
                format!("{} undone (record {record})", step(record))
            }
            EventKind::SagaStepFailed { record, error, .. } => {
                format!("{} could not be undone (record {record}): {error}", step(record))
            }
            EventKind::SagaStepSkipped { record, .. } => {
                format!("{} left as it is (record {record})", step(record))
            }
            EventKind::SagaCompleted { saga } => format!("saga {saga} completed"),
            other => unreachable!("{other:?} is told elsewhere"),
        };
        self.say(&line);
    }

    fn walk(&mut self, token: Number) -> &mut Walk {
        if self.walk.as_ref().is_none_or(|walk| walk.token != token) {
            self.pause();
            self.walk = Some(Walk::of(token));
        }
        self.walk.as_mut().expect("set just now")
    }

    fn pause(&mut self) {
        self.lines.extend(self.walk.take().and_then(Walk::line));
    }

    fn say(&mut self, line: &str) {
        self.pause();
        self.lines.push(line.to_owned());
    }
}

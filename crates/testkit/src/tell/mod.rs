//! Events as sentences that a person who knows no Rust can read.
//!
//! **Invariant:** made from events alone (and the state they were applied to), so every stage gives the same text.
//! **Invariant:** no event is without a trace in the text.

mod moment;
mod show;
mod walk;

use std::collections::BTreeMap;

use tyer_engine::{
    Event, EventKind, IncidentKind, Instance, Number, TaskCreated, TimerKind, Timestamp, Wait,
};
use tyer_model::{Backoff, FlowIx, NodeIx, NodeKind, Process};

pub(crate) use moment::offset;
pub(crate) use show::show;
use walk::Walk;

/// Tells what happened, line by line.
pub(crate) struct Teller<'a> {
    process: &'a Process,
    began: Timestamp,
    lines: Vec<String>,
    walk: Option<Walk>,
    /// Tokens that a join has just consumed.
    joined: Vec<Number>,
    /// By which flow a new token came, until it enters its node.
    newborn: BTreeMap<Number, Option<FlowIx>>,
}

impl<'a> Teller<'a> {
    /// `began`: the moment that is called +0s.
    pub(crate) fn new(process: &'a Process, began: Timestamp) -> Teller<'a> {
        let (lines, walk, joined) = (Vec::new(), None, Vec::new());
        Teller { process, began, lines, walk, joined, newborn: BTreeMap::new() }
    }

    pub(crate) fn finish(mut self) -> Vec<String> {
        self.pause();
        self.lines
    }

    /// One event; `before` is the instance that it is about to change.
    pub(crate) fn tell(&mut self, before: &Instance, at: Timestamp, event: &Event) {
        match &event.kind {
            EventKind::WorkflowStarted(started) => {
                self.say(&format!("instance of {} started", started.process))
            }
            EventKind::WorkflowCompleted => self.say("instance completed"),
            EventKind::WorkflowPaused { reason } => {
                self.say(&with_reason("instance paused", reason.as_deref()))
            }
            EventKind::WorkflowResumed => self.say("instance resumed"),
            EventKind::WorkflowCancelled { reason } => {
                self.say(&with_reason("instance cancelled", reason.as_deref()));
            }
            EventKind::VariableUpdated { scope, values } => {
                let values: Vec<String> =
                    values.iter().map(|(name, json)| format!("{} = {json}", name_in_words(name))).collect();
                let place = if *scope == 0 { String::new() } else { format!(" in scope {scope}") };
                self.say(&format!("{}{place}", values.join(", ")));
            }
            EventKind::JobCompleted { job, worker, since } => {
                let held = held(worker.as_deref(), *since, at);
                self.say(&format!("job {job} completed{held}"));
            }
            EventKind::JobFailed { job, error, worker, since } => {
                let held = held(worker.as_deref(), *since, at);
                self.say(&format!("job {job} failed{held}: {error}"));
            }
            EventKind::TaskCompleted { task, by } => {
                let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
                self.say(&format!("task {task} completed{by}"));
            }
            EventKind::TaskCancelled { task } => self.say(&format!("task {task} cancelled")),
            EventKind::TimerFired { timer } => self.say(&format!("timer {timer} fired")),
            EventKind::TimerCancelled { timer } => self.say(&format!("timer {timer} disarmed")),
            EventKind::IncidentOpened { incident, kind, message } => {
                self.say(&format!("incident {incident} ({}): {message}", kind_in_words(*kind)));
            }
            EventKind::IncidentResolved { incident } => self.say(&format!("incident {incident} resolved")),
            EventKind::TokenCreated { .. }
            | EventKind::TokenMoved
            | EventKind::TokenWaiting
            | EventKind::TokenCompleted
            | EventKind::TokenTerminated
            | EventKind::TokenFailed
            | EventKind::NodeStarted
            | EventKind::NodeCompleted
            | EventKind::JobCreated { .. }
            | EventKind::TaskCreated(_)
            | EventKind::TimerCreated { .. } => self.tell_of_token(before, at, event),
        }
    }

    #[allow(clippy::wildcard_enum_match_arm, reason = "`tell` lists every kind")]
    fn tell_of_token(&mut self, before: &Instance, at: Timestamp, event: &Event) {
        let token = event.token.expect("such an event has a token");
        let node = event.node.expect("such an event has a node");
        let name = self.process.node(node).id.as_str();
        match &event.kind {
            EventKind::TokenCreated { parent, .. } => self.created(token, name, event.flow, *parent),
            EventKind::TokenCompleted if before.tokens.get(&token).is_some_and(|t| t.wait == Wait::Join) => {
                self.pause_unless_joining();
                self.joined.push(token);
            }
            EventKind::TokenCompleted => self.walk(token).ended(name),
            EventKind::NodeStarted => {
                let by = self.by(token, event.flow);
                self.walk(token).entered(name, &by);
            }
            EventKind::NodeCompleted => self.walk(token).left(name),
            EventKind::TokenMoved => {
                let by = self.by(token, event.flow);
                self.walk(token).did(format!("stopped before {name}{by}"));
            }
            EventKind::TokenWaiting => {
                self.newborn.remove(&token);
                let flow = event.flow.or_else(|| before.tokens.get(&token).and_then(|token| token.flow));
                let flow = flow.map_or("?", |flow| &self.process.flow(flow).id);
                self.walk(token).did(format!("waits at {name} ({flow})"));
            }
            EventKind::TokenTerminated => self.walk(token).did(format!("taken away from {name}")),
            EventKind::TokenFailed => self.walk(token).did("failed".to_owned()),
            EventKind::JobCreated { job, job_type } => {
                self.walk(token).did(format!("ready for job {job_type} (job {job})"));
            }
            EventKind::TaskCreated(asked) => {
                let asked = asked_in_words(asked, self.began);
                self.walk(token).did(asked);
            }
            EventKind::TimerCreated { timer, due, kind } => {
                let attempt = before.tokens.get(&token).map_or(0, |token| token.attempt);
                let waits = self.timer_in_words(node, attempt, *due, *kind, at);
                self.walk(token).did(format!("{waits} (timer {timer})"));
            }
            other => unreachable!("{other:?} has been told by itself"),
        }
    }

    fn created(&mut self, token: Number, node: &str, flow: Option<FlowIx>, parent: Option<Number>) {
        self.newborn.insert(token, flow);
        if !self.joined.is_empty() {
            let joined = listed(&std::mem::take(&mut self.joined));
            self.say(&format!("{joined} became token {token}"));
        } else if let Some(walk) = self.walk.as_mut().filter(|walk| Some(walk.token) == parent) {
            walk.children.push(token);
        } else {
            self.pause();
            self.walk = Some(Walk::newborn(token, node));
        }
    }

    /// Names the flow where the way is not clear from the nodes.
    fn by(&mut self, token: Number, flow: Option<FlowIx>) -> String {
        let born = self.newborn.remove(&token).flatten();
        let Some(ix) = flow.or(born) else { return String::new() };
        let flow = self.process.flow(ix);
        let siblings = &self.process.node(flow.source).outgoing;
        let same_way = siblings.iter().filter(|other| self.process.flow(**other).target == flow.target);
        if same_way.count() > 1 { format!(" by {}", flow.id) } else { String::new() }
    }

    /// Jitter takes up to a tenth off a wait that grows: what is told is the wait without it.
    fn timer_in_words(
        &self,
        node: NodeIx,
        attempt: u32,
        due: Timestamp,
        kind: TimerKind,
        at: Timestamp,
    ) -> String {
        let moment = offset(due.0 - self.began.0);
        match kind {
            TimerKind::Catch => format!("waits until {moment}"),
            TimerKind::Yield { visits } => format!("makes room for others after {visits} visits"),
            TimerKind::Retry => {
                let wait = due.0 - at.0;
                let full = full_wait(&self.process.node(node).kind, attempt)
                    .filter(|full| wait <= *full && wait > full - full / 10);
                match full.filter(|full| *full != 0) {
                    Some(full) => format!("tries again by {}", offset(at.0 + full - self.began.0)),
                    None => format!("tries again at {moment}"),
                }
            }
        }
    }

    fn walk(&mut self, token: Number) -> &mut Walk {
        if self.walk.as_ref().is_none_or(|walk| walk.token != token) {
            self.pause();
            self.walk = Some(Walk::of(token));
        }
        self.walk.as_mut().expect("set just now")
    }

    fn pause_unless_joining(&mut self) {
        if self.joined.is_empty() {
            self.pause();
        }
    }

    fn pause(&mut self) {
        if !self.joined.is_empty() {
            let joined = listed(&std::mem::take(&mut self.joined));
            self.lines.push(format!("{joined} ended"));
        }
        self.lines.extend(self.walk.take().and_then(Walk::line));
    }

    fn say(&mut self, line: &str) {
        self.pause();
        self.lines.push(line.to_owned());
    }
}

/// The wait that the model asks for, where jitter shortens it.
fn full_wait(kind: &NodeKind, attempt: u32) -> Option<i64> {
    let NodeKind::Job(spec) = kind else { return None };
    let full = match spec.backoff {
        Backoff::Fixed { .. } => return None,
        Backoff::Linear { delay_ms, cap_ms } => delay_ms.saturating_mul(u64::from(attempt)).min(cap_ms),
        Backoff::Exponential { delay_ms, cap_ms } => {
            let doubled = 1u64.checked_shl(attempt.saturating_sub(1)).unwrap_or(u64::MAX);
            delay_ms.saturating_mul(doubled).min(cap_ms)
        }
    };
    i64::try_from(full).ok()
}

fn held(worker: Option<&str>, since: Option<Timestamp>, at: Timestamp) -> String {
    let by = worker.map(|worker| format!(" by {worker}")).unwrap_or_default();
    match since.map(|since| at.0 - since.0) {
        None | Some(0) => by,
        Some(ms) => format!("{by} after {}", offset(ms).trim_start_matches('+')),
    }
}

pub(crate) fn asked_in_words(asked: &TaskCreated, began: Timestamp) -> String {
    let mut said = vec![format!("task {}", asked.task)];
    said.extend(asked.name.as_ref().map(|name| format!("\"{name}\"")));
    for (word, people) in [("candidates", &asked.candidate_users), ("groups", &asked.candidate_groups)] {
        if !people.is_empty() {
            said.push(format!("{word} {}", people.join(" ")));
        }
    }
    said.extend(asked.form.as_ref().map(|form| format!("form {form}")));
    if asked.priority != 50 {
        said.push(format!("priority {}", asked.priority));
    }
    said.extend(asked.due.map(|due| format!("due {}", offset(due.0 - began.0))));
    format!("waits for {} ({})", asked.assignee.as_deref().unwrap_or("a person"), said.join(", "))
}

pub(crate) fn kind_in_words(kind: IncidentKind) -> &'static str {
    match kind {
        IncidentKind::JobFailed => "job failed",
        IncidentKind::NoFlow => "no flow",
        IncidentKind::Expression => "expression",
        IncidentKind::JoinStarved => "join starved",
        IncidentKind::Runaway => "runaway",
        IncidentKind::Parked => "parked",
    }
}

/// A name that is no single word is quoted.
pub(crate) fn name_in_words(name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if plain { name.to_owned() } else { format!("{name:?}") }
}

pub(crate) fn listed(tokens: &[Number]) -> String {
    let numbers: Vec<String> = tokens.iter().map(Number::to_string).collect();
    let word = if tokens.len() == 1 { "token" } else { "tokens" };
    format!("{word} {}", numbers.join(", "))
}

fn with_reason(what: &str, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    }
}

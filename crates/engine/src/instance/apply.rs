//! How an event changes an instance: mechanically, without a look at the process.
//!
//! **Invariant:** applying the history to a blank instance gives the same state again.

use std::sync::Arc;

use tyer_model::{FlowIx, NodeIx};

use super::{Incident, IncidentKind, Instance, Job, Mode, Status, Task, Timer, TimerKind, Token, Wait};
use crate::event::{Event, EventKind};
use crate::ids::{Number, Timestamp};
use crate::variables::Variables;

impl Instance {
    /// Puts a stored token back, with its place in the indexes. For those who load an instance.
    pub fn restore_token(&mut self, number: Number, mut token: Token) {
        *self.standing.entry(token.node).or_default() += 1;
        let wait = std::mem::replace(&mut token.wait, Wait::Nothing);
        self.tokens.insert(number, token);
        self.rest(number, wait);
    }

    /// The only way state changes: what the event says, mechanically.
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        self.version += 1;
        match &event.kind {
            EventKind::WorkflowStarted(started) => {
                self.definition = started.definition;
                self.business_key.clone_from(&started.business_key);
                self.started_by.clone_from(&started.started_by);
                self.priority = started.priority;
                self.started_at = at;
                self.scopes.insert(0, Variables::default());
            }
            EventKind::WorkflowCompleted => self.end(Status::Completed, at),
            EventKind::WorkflowCancelled { .. } => self.end(Status::Cancelled, at),
            EventKind::WorkflowPaused { .. } => self.status = Status::Paused,
            EventKind::WorkflowResumed => self.status = Status::Running,
            EventKind::TokenCreated { scope, parent, group } => {
                self.create_token(event, *scope, *parent, *group, at)
            }
            EventKind::TokenMoved | EventKind::NodeStarted => self.place(event, at),
            EventKind::TokenWaiting => {
                self.place(event, at);
                self.set_wait(event, Wait::Join);
            }
            EventKind::TokenCompleted | EventKind::TokenTerminated => self.remove_token(event),
            EventKind::TokenFailed | EventKind::NodeCompleted => {}
            EventKind::JobCreated { job, job_type } => {
                self.number(*job);
                self.set_wait(event, Wait::Job(Job { number: *job, job_type: Arc::clone(job_type) }));
            }
            EventKind::JobCompleted { .. } => {
                self.set_wait(event, Wait::Nothing);
                self.with_token(event, |token| token.attempt = 0);
            }
            EventKind::JobFailed { error, .. } => {
                self.errors += 1;
                self.last_error = Some(error.clone());
                self.set_wait(event, Wait::Nothing);
                self.with_token(event, |token| token.attempt += 1);
            }
            EventKind::TaskCreated(asked) => {
                let node = event.node.expect("a task stands at a node");
                let token = event.token.expect("a task has a token");
                self.number(asked.task);
                self.tasks.insert(asked.task, Task { token, node, asked: (**asked).clone(), created_at: at });
                self.set_wait(event, Wait::Task(asked.task));
            }
            EventKind::TaskCompleted { task, .. } | EventKind::TaskCancelled { task } => {
                self.tasks.remove(task);
                self.set_wait(event, Wait::Nothing);
            }
            EventKind::TimerCreated { timer, due, kind } => {
                let token = event.token.expect("a timer has a token");
                self.number(*timer);
                self.timers.insert(*timer, Timer { token, due: *due, kind: *kind });
                self.retries += u32::from(*kind == TimerKind::Retry);
                self.set_wait(event, Wait::Timer(*timer));
            }
            EventKind::TimerFired { timer } | EventKind::TimerCancelled { timer } => {
                self.timers.remove(timer);
                self.set_wait(event, Wait::Nothing);
            }
            EventKind::VariableUpdated { scope, values } => {
                self.scopes.entry(*scope).or_default().merge(values)
            }
            EventKind::IncidentOpened { incident, kind, message } => {
                self.number(*incident);
                self.errors += u32::from(*kind != IncidentKind::JobFailed);
                self.last_error = Some(message.clone());
                let opened = Incident { token: event.token, kind: *kind, message: message.clone(), at };
                self.incidents.insert(*incident, opened);
                self.set_wait(event, Wait::Incident(*incident));
            }
            EventKind::IncidentResolved { incident } => {
                self.incidents.remove(incident);
                self.set_wait(event, Wait::Nothing);
            }
        }
    }

    fn end(&mut self, status: Status, at: Timestamp) {
        self.status = status;
        self.ended_at = Some(at);
    }

    fn number(&mut self, number: Number) {
        self.counter = self.counter.max(number);
    }

    fn create_token(
        &mut self,
        event: &Event,
        scope: Number,
        parent: Option<Number>,
        group: Option<Number>,
        at: Timestamp,
    ) {
        let number = event.token.expect("a new token has a number");
        let node = event.node.expect("a token stands at a node");
        self.number(number);
        let (flow, wait, mode) = (event.flow, Wait::Nothing, Mode::Forward);
        self.restore_token(
            number,
            Token { node, flow, wait, mode, scope, parent, group, attempt: 0, since: at },
        );
    }

    /// Moves the token to the node of the event.
    fn place(&mut self, event: &Event, at: Timestamp) {
        let number = event.token.expect("only a token moves");
        let node = event.node.expect("a token stands at a node");
        self.rest(number, Wait::Nothing);
        let token = self.tokens.get_mut(&number).expect("the token of an event lives");
        let left = std::mem::replace(&mut token.node, node);
        token.flow = event.flow.or(token.flow);
        token.since = at;
        token.attempt = 0;
        if left != node {
            self.stands_no_more(left);
            *self.standing.entry(node).or_default() += 1;
        }
    }

    fn set_wait(&mut self, event: &Event, wait: Wait) {
        if let Some(number) = event.token {
            self.rest(number, wait);
        }
    }

    /// The token waits for something else from now on.
    fn rest(&mut self, number: Number, wait: Wait) {
        let token = self.tokens.get_mut(&number).expect("the token of an event lives");
        let before = std::mem::replace(&mut token.wait, wait);
        let (node, flow) = (token.node, token.flow);
        self.waits_no_more(number, &before, node, flow);
        let token = &self.tokens[&number];
        match &token.wait {
            Wait::Job(job) => drop(self.jobs.insert(job.number, number)),
            Wait::Join => {
                let key = (node, flow.expect("a token came to a join by a flow"));
                self.arrivals.entry(key).or_default().insert(number);
            }
            Wait::Nothing | Wait::Task(_) | Wait::Timer(_) | Wait::Incident(_) => {}
        }
    }

    fn with_token(&mut self, event: &Event, change: impl FnOnce(&mut Token)) {
        let number = event.token.expect("the event concerns a token");
        change(self.tokens.get_mut(&number).expect("the token of an event lives"));
    }

    fn remove_token(&mut self, event: &Event) {
        let number = event.token.expect("only a token ends");
        let token = self.tokens.remove(&number).expect("the token of an event lives");
        let alone = matches!(token.wait, Wait::Nothing | Wait::Job(_) | Wait::Join);
        assert!(alone, "what a token waits for is ended before the token");
        self.waits_no_more(number, &token.wait, token.node, token.flow);
        self.stands_no_more(token.node);
    }

    fn waits_no_more(&mut self, number: Number, wait: &Wait, node: NodeIx, flow: Option<FlowIx>) {
        match wait {
            Wait::Job(job) => drop(self.jobs.remove(&job.number)),
            Wait::Join => {
                let key = (node, flow.expect("a token came to a join by a flow"));
                let waiting = self.arrivals.get_mut(&key).expect("a waiting token is indexed");
                waiting.remove(&number);
                if waiting.is_empty() {
                    self.arrivals.remove(&key);
                }
            }
            Wait::Nothing | Wait::Task(_) | Wait::Timer(_) | Wait::Incident(_) => {}
        }
    }

    fn stands_no_more(&mut self, node: NodeIx) {
        let standing = self.standing.get_mut(&node).expect("a live token is counted");
        *standing -= 1;
        if *standing == 0 {
            self.standing.remove(&node);
        }
    }
}

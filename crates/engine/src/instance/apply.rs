//! How an event changes an instance: mechanically, without a look at the process.
//!
//! **Invariant:** applying the history to a blank instance gives the same state again.

use std::sync::Arc;

use tyer_model::{FlowIx, NodeIx};

use super::index::{note, waits};
use super::{Incident, Job, Saga, Task, Timer};
use crate::words::*;

impl Instance {
    /// The only way state changes: what the event says, mechanically.
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        self.version += 1;
        match &event.kind {
            EventKind::WorkflowStarted(started) => self.begin(started, at),
            EventKind::WorkflowCompleted => self.end(Status::Completed, at),
            EventKind::WorkflowFailed { message, .. } => {
                self.last_error = Some(message.clone());
                self.end(Status::Failed, at);
            }
            EventKind::WorkflowCancelled { .. } => self.end(Status::Cancelled, at),
            EventKind::WorkflowPaused { .. } => self.hold(Status::Paused),
            EventKind::WorkflowResumed => self.hold(Status::Running),
            EventKind::WorkflowMigrated(migrated) => self.migrate(migrated),
            EventKind::TokenCreated(born) => self.create_token(event, born, at),
            EventKind::TokenMoved | EventKind::NodeStarted => self.place(event, at),
            EventKind::TokenWaiting => {
                self.place(event, at);
                self.rest(event, Wait::Join);
            }
            EventKind::TokenListening => self.rest(event, Wait::Event),
            EventKind::TokenQueued => self.rest(event, Wait::Turn),
            EventKind::TokenMarked => self.mark(event),
            EventKind::TokenUnmarked => self.with_token(event, |token| token.marks.clear()),
            EventKind::TokenSpared => self.with_token(event, |token| token.mode = Mode::Finishing),
            EventKind::TokenAbsorbed | EventKind::TokenCompleted | EventKind::TokenTerminated => {
                self.remove_token(event);
            }
            EventKind::ScopeOpened { scope, parent, kind } => self.open_scope(event, *scope, *parent, *kind),
            EventKind::ScopeClosed { scope, records } => self.close_scope(*scope, *records),
            EventKind::RoundCounted { scope, started, completed, terminated } => {
                let rounds = &mut self.scopes.get_mut(scope).expect("rounds have a scope").rounds;
                (rounds.started, rounds.completed, rounds.terminated) = (*started, *completed, *terminated);
                note(&mut self.touched.scopes, *scope);
            }
            EventKind::JobCreated { job, job_type } => {
                self.number(*job);
                self.rest(event, Wait::Job(Job { number: *job, job_type: Arc::clone(job_type) }));
            }
            EventKind::JobCompleted { .. } => {
                self.rest(event, Wait::Nothing);
                self.with_token(event, |token| token.attempt = 0);
            }
            EventKind::JobFailed { error, .. } => {
                self.errors += 1;
                self.last_error = Some(error.clone());
                self.rest(event, Wait::Nothing);
                self.with_token(event, |token| token.attempt += 1);
            }
            EventKind::JobRetries { retries } => {
                self.with_token(event, |token| token.tries = Some(token.attempt + retries));
            }
            EventKind::TaskCreated(asked) => self.ask(event, asked, at),
            EventKind::TaskAssigned { task, assignee, .. } => {
                self.task(*task).asked.assignee.clone_from(assignee);
            }
            EventKind::TaskChanged { task, priority, due } => {
                let asked = &mut self.task(*task).asked;
                asked.priority = priority.unwrap_or(asked.priority);
                asked.due = due.or(asked.due);
            }
            EventKind::TaskCompleted { task, .. } | EventKind::TaskCancelled { task } => {
                self.tasks.remove(task);
                note(&mut self.touched.tasks, *task);
                self.rest(event, Wait::Nothing);
            }
            EventKind::TimerCreated { timer, due, kind, scope, cycle } => {
                self.arm(event, *timer, *due, *kind, *scope, cycle.clone());
            }
            EventKind::TimerFired { timer } => {
                let is_retry = self.disarm(event, *timer) == TimerKind::Retry;
                self.retries += u32::from(is_retry);
            }
            EventKind::TimerCancelled { timer } => drop(self.disarm(event, *timer)),
            EventKind::SubscriptionOpened { subscription, wanted, scope } => {
                let node = event.node.expect("a subscription belongs to an event");
                let (token, scope, wanted) = (event.token, *scope, wanted.clone());
                self.subscribe(*subscription, Subscription { token, scope, node, wanted, since: at });
            }
            EventKind::SubscriptionTriggered { subscription, .. } => self.condition_met(*subscription, true),
            EventKind::ConditionUnmet { subscription } => self.condition_met(*subscription, false),
            EventKind::SubscriptionClosed { subscription } => {
                let gone =
                    self.subscriptions.remove(subscription).expect("the subscription of an event is open");
                self.index.sources.remove(&(gone.owner(), *subscription));
                note(&mut self.touched.subscriptions, *subscription);
            }
            EventKind::VariableUpdated { scope, values } => {
                let changed = self.scopes.get_mut(scope).expect("variables have a scope");
                changed.variables.merge(values);
                changed.variables_changed(values);
                note(&mut self.touched.variables, *scope);
            }
            EventKind::VariableRemoved { scope, names } => {
                let changed = self.scopes.get_mut(scope).expect("variables have a scope");
                changed.variables.remove(names);
                note(&mut self.touched.variables, *scope);
            }
            EventKind::CallStarted(call) => {
                self.number(call.call);
                self.rest(event, Wait::Call(call.call));
            }
            EventKind::CallCancelled { .. } | EventKind::CallEnded { .. } => self.rest(event, Wait::Nothing),
            EventKind::CompensationRecorded { record, scope, variables, inner } => {
                let node = event.node.expect("a record is of a step");
                let (scope, inner, status) = (*scope, *inner, RecordStatus::Completed);
                self.number(*record);
                self.records
                    .insert(*record, Record { scope, node, variables: variables.clone(), inner, status });
                note(&mut self.touched.records, *record);
            }
            EventKind::SagaStarted { saga, scope, cause, message, since } => {
                let token = event.token.expect("a token carries a saga");
                self.number(*saga);
                let (message, since) = (message.clone(), *since);
                self.sagas.insert(*saga, Saga { scope: *scope, token, cause: *cause, message, since });
                note(&mut self.touched.sagas, *saga);
                self.rest(event, Wait::Saga(*saga));
            }
            EventKind::SagaStepStarted { saga, record } => {
                self.record(*record, RecordStatus::Compensating);
                self.rest(event, Wait::Saga(*saga));
            }
            EventKind::SagaStepFailed { record, .. } => self.record(*record, RecordStatus::Failed),
            EventKind::SagaStepSkipped { record, .. } => self.record(*record, RecordStatus::Skipped),
            EventKind::SagaStepCompensated { record, .. } => {
                self.forget(*record);
            }
            EventKind::SagaCompleted { saga } => {
                self.sagas.remove(saga);
                note(&mut self.touched.sagas, *saga);
                self.rest(event, Wait::Nothing);
            }
            EventKind::IncidentOpened { incident, kind, message } => {
                self.number(*incident);
                self.errors += u32::from(*kind != IncidentKind::JobFailed);
                self.last_error = Some(message.clone());
                let opened = Incident { token: event.token, kind: *kind, message: message.clone(), at };
                self.incidents.insert(*incident, opened);
                note(&mut self.touched.incidents, *incident);
                self.rest(event, Wait::Incident(*incident));
            }
            EventKind::IncidentResolved { incident } => {
                self.incidents.remove(incident);
                note(&mut self.touched.incidents, *incident);
                self.rest(event, Wait::Nothing);
            }
            EventKind::SnapshotTaken { .. }
            | EventKind::WorkflowRolledBack { .. }
            | EventKind::TokenFailed
            | EventKind::NodeCompleted
            | EventKind::EventThrown { .. }
            | EventKind::MessageSent { .. }
            | EventKind::SignalSent { .. }
            | EventKind::CallAnswered { .. } => {}
        }
    }

    fn begin(&mut self, started: &Started, at: Timestamp) {
        self.definition = started.definition;
        self.business_key.clone_from(&started.business_key);
        self.started_by.clone_from(&started.started_by);
        self.priority = started.priority;
        self.parent = started.parent;
        self.started_at = at;
        self.scopes.insert(ROOT, Scope::new(ROOT, None, None, ScopeKind::Body));
        note(&mut self.touched.scopes, ROOT);
    }

    fn end(&mut self, status: Status, at: Timestamp) {
        self.status = status;
        self.ended_at = Some(at);
        let records: Vec<Number> = self.records.keys().copied().collect();
        for record in records {
            self.forget(record);
        }
    }

    fn hold(&mut self, status: Status) {
        self.status = status;
        self.touched.held = Some(status == Status::Paused);
    }

    fn number(&mut self, number: Number) {
        self.counter = self.counter.max(number);
    }

    fn create_token(&mut self, event: &Event, born: &Born, at: Timestamp) {
        let number = event.token.expect("a new token has a number");
        let node = event.node.expect("a token stands at a node");
        self.number(number);
        let token = Token {
            node,
            flow: event.flow,
            wait: Wait::Nothing,
            mode: born.mode,
            scope: born.scope,
            owns: None,
            branch: born.branch,
            parent: born.parent,
            group: born.group,
            marks: self.inherited(born),
            attempt: 0,
            tries: None,
            since: at,
        };
        self.tokens.insert(number, token);
        self.index_token(number);
        note(&mut self.touched.tokens, number);
    }

    /// A join keeps the marks that all consumed tokens carry; any other token has those of the one it comes from.
    fn inherited(&self, born: &Born) -> Vec<NodeIx> {
        if let [first, rest @ ..] = &born.joins[..] {
            let everywhere =
                |mark: &&NodeIx| rest.iter().all(|other| self.tokens[other].marks.contains(*mark));
            return self.tokens[first].marks.iter().filter(everywhere).copied().collect();
        }
        let parent = born.parent.and_then(|parent| self.tokens.get(&parent));
        let parent = parent.filter(|parent| parent.scope == born.scope);
        parent.map_or_else(Vec::new, |parent| parent.marks.clone())
    }

    /// Moves the token to the node of the event.
    fn place(&mut self, event: &Event, at: Timestamp) {
        let number = event.token.expect("only a token moves");
        let node = event.node.expect("a token stands at a node");
        self.rest(event, Wait::Nothing);
        let token = self.tokens.get_mut(&number).expect("the token of an event lives");
        let (scope, left) = (token.scope, std::mem::replace(&mut token.node, node));
        token.flow = event.flow.or(token.flow).filter(|_| !matches!(event.kind, EventKind::NodeStarted));
        token.since = at;
        token.attempt = 0;
        token.tries = None;
        if left != node {
            self.stands_no_more(scope, left);
            self.stands(scope, node);
        }
    }

    /// The token waits for something else from now on.
    fn rest(&mut self, event: &Event, wait: Wait) {
        let Some(number) = event.token else { return };
        let token = self.tokens.get_mut(&number).expect("the token of an event lives");
        note(&mut self.touched.tokens, number);
        if token.wait == Wait::Nothing && wait == Wait::Nothing {
            return;
        }
        let (before, was_used) = (waits(number, token), token.is_used());
        token.wait = wait;
        let (after, is_used) = (waits(number, token), token.is_used());
        self.unindex_wait(&before);
        self.index_wait(after);
        if was_used != is_used {
            self.recount(number);
        }
    }

    fn mark(&mut self, event: &Event) {
        let node = event.node.expect("a mark names a node");
        let number = event.token.expect("a token is marked");
        let was_used = self.tokens[&number].is_used();
        self.with_token(event, |token| {
            if !token.marks.contains(&node) {
                token.marks.push(node);
            }
        });
        if was_used != self.tokens[&number].is_used() {
            self.recount(number);
        }
    }

    fn with_token(&mut self, event: &Event, change: impl FnOnce(&mut Token)) {
        let number = event.token.expect("the event concerns a token");
        note(&mut self.touched.tokens, number);
        change(self.tokens.get_mut(&number).expect("the token of an event lives"));
    }

    fn remove_token(&mut self, event: &Event) {
        let number = event.token.expect("only a token ends");
        let token = self.tokens.remove(&number).expect("the token of an event lives");
        assert!(token.owns.is_none(), "the scope of a token is closed before the token ends");
        assert!(
            !matches!(token.wait, Wait::Task(_) | Wait::Timer(_) | Wait::Incident(_) | Wait::Call(_)),
            "what a token waits for is ended before the token"
        );
        self.unindex_token(number, &token);
        note(&mut self.touched.tokens, number);
    }

    fn open_scope(&mut self, event: &Event, number: Number, parent: Number, kind: ScopeKind) {
        self.number(number);
        self.scopes.insert(number, Scope::new(parent, event.token, event.node, kind));
        note(&mut self.touched.scopes, number);
        let owner = event.token.expect("a scope has an owner");
        match kind {
            ScopeKind::Body | ScopeKind::Rounds { .. } => {
                self.with_token(event, |token| token.owns = Some(number));
                self.rest(event, Wait::Scope);
            }
            ScopeKind::Local | ScopeKind::Undo { .. } => {
                self.with_token(event, |token| token.owns = Some(number));
            }
            ScopeKind::Branch => self.enter_branch(event, owner, number),
            ScopeKind::Round { .. } => assert!(self.tokens.contains_key(&owner), "a round has an owner"),
        }
    }

    fn enter_branch(&mut self, event: &Event, token: Number, branch: Number) {
        if let Some(outer) = self.tokens[&token].branch {
            self.index.inhabitants.remove(&(outer, token));
        }
        self.with_token(event, |token| token.branch = Some(branch));
        let nested = self.nested(branch, &self.scopes[&branch]);
        self.index.inhabitants.extend(nested.into_iter().chain([(branch, token)]));
    }

    fn close_scope(&mut self, number: Number, records: Option<Number>) {
        let closed = self.scopes.remove(&number).expect("the scope of an event is open");
        if let Some(nested) = self.nested(number, &closed) {
            self.index.inhabitants.remove(&nested);
        }
        note(&mut self.touched.scopes, number);
        let owner = closed.owner.and_then(|owner| self.tokens.get_mut(&owner).map(|token| (owner, token)));
        if let Some((owner, token)) = owner.filter(|(_, token)| token.owns == Some(number)) {
            token.owns = None;
            if token.wait == Wait::Scope {
                token.wait = Wait::Nothing;
            }
            note(&mut self.touched.tokens, owner);
        }
        self.pass_records(number, &closed, records);
    }

    fn arm(
        &mut self,
        event: &Event,
        timer: Number,
        due: Timestamp,
        kind: TimerKind,
        scope: Option<Number>,
        cycle: Option<Arc<str>>,
    ) {
        let node = event.node.expect("a timer belongs to a node");
        let armed = Timer { token: event.token, scope, node, due, kind, cycle };
        self.number(timer);
        self.index.sources.insert((armed.owner(), timer));
        self.timers.insert(timer, armed);
        note(&mut self.touched.timers, timer);
        if kind != TimerKind::Catch {
            self.rest(event, Wait::Timer(timer));
        }
    }

    fn disarm(&mut self, event: &Event, timer: Number) -> TimerKind {
        let gone = self.timers.remove(&timer).expect("the timer of an event is armed");
        self.index.sources.remove(&(gone.owner(), timer));
        note(&mut self.touched.timers, timer);
        if gone.kind != TimerKind::Catch {
            self.rest(event, Wait::Nothing);
        }
        gone.kind
    }

    fn subscribe(&mut self, number: Number, opened: Subscription) {
        self.number(number);
        self.index.sources.insert((opened.owner(), number));
        self.subscriptions.insert(number, opened);
        note(&mut self.touched.subscriptions, number);
    }

    fn condition_met(&mut self, number: Number, is_met: bool) {
        let subscription = self.subscriptions.get_mut(&number).expect("the subscription of an event is open");
        if let Wanted::Condition { met, .. } = &mut subscription.wanted {
            *met = is_met;
            note(&mut self.touched.subscriptions, number);
        }
    }

    fn ask(&mut self, event: &Event, asked: &TaskCreated, at: Timestamp) {
        let node = event.node.expect("a task stands at a node");
        let token = event.token.expect("a task has a token");
        self.number(asked.task);
        self.tasks.insert(asked.task, Task { token, node, asked: asked.clone(), created_at: at });
        note(&mut self.touched.tasks, asked.task);
        self.rest(event, Wait::Task(asked.task));
    }

    fn task(&mut self, task: Number) -> &mut Task {
        note(&mut self.touched.tasks, task);
        self.tasks.get_mut(&task).expect("the task of an event is open")
    }

    /// Every place gets the name it has in the new version.
    fn migrate(&mut self, migrated: &Migrated) {
        self.definition = migrated.definition;
        let node = |ix: NodeIx| {
            migrated.nodes.iter().find(|(old, _)| *old == ix.0).map_or(ix, |(_, new)| NodeIx(*new))
        };
        let flow =
            |ix: FlowIx| migrated.flows.iter().find(|(old, _)| *old == ix.0).map(|(_, new)| FlowIx(*new));
        for (number, token) in &mut self.tokens {
            token.node = node(token.node);
            token.flow = token.flow.and_then(flow);
            let still = |mark: &NodeIx| migrated.nodes.iter().any(|(old, _)| *old == mark.0);
            token.marks = token.marks.iter().filter(|mark| still(mark)).map(|mark| node(*mark)).collect();
            note(&mut self.touched.tokens, *number);
        }
        for (number, scope) in &mut self.scopes {
            scope.node = scope.node.map(node);
            note(&mut self.touched.scopes, *number);
        }
        for (number, task) in &mut self.tasks {
            task.node = node(task.node);
            note(&mut self.touched.tasks, *number);
        }
        for (number, timer) in &mut self.timers {
            timer.node = node(timer.node);
            note(&mut self.touched.timers, *number);
        }
        for (number, subscription) in &mut self.subscriptions {
            subscription.node = node(subscription.node);
            note(&mut self.touched.subscriptions, *number);
        }
        for (number, record) in &mut self.records {
            record.node = node(record.node);
            note(&mut self.touched.records, *number);
        }
        self.reindex();
    }
}

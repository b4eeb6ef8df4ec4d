//! What each command begins.

use tyer_model::{NodeIx, NodeKind};

use super::Turn;
use crate::control;
use crate::nodes;
use crate::words::*;

impl Turn<'_> {
    pub(super) fn take(&mut self, command: Command) {
        match command {
            Command::Start(start) => nodes::start::begin(self, *start),
            Command::CompleteJob { job, holder, variables } => {
                nodes::job::complete(self, job, holder, variables);
            }
            Command::FailJob { job, holder, error, retries, backoff_ms } => {
                nodes::job::fail(self, job, holder, error, retries, backoff_ms);
            }
            Command::ThrowError { job, holder, code, message, variables } => {
                nodes::job::throw(self, job, holder, &code, message, variables);
            }
            Command::Task { task, by, action } => nodes::user::act(self, task, by, action),
            Command::TimerDue { timer } => self.timer_due(timer),
            Command::Trigger { subscription, variables, message } => {
                self.subscription_came(subscription, message, variables);
            }
            Command::CheckConditions => nodes::condition::check_all(self),
            Command::ChildEnded { call, outcome } => nodes::call::ended(self, call, outcome),
            Command::SetVariables { token, local, values } => {
                let scope = token
                    .map_or(crate::instance::ROOT, |token| self.instance.reading_scope(self.token(token)));
                if local { self.write_local(scope, values) } else { self.write(scope, values) }
            }
            Command::Pause { reason } => self.emit(EventKind::WorkflowPaused { reason }),
            Command::Resume => self.resume(),
            Command::Cancel { reason } => self.end_instance(EventKind::WorkflowCancelled { reason }),
            Command::Resolve { incident, retries } => self.resolve(incident, retries),
            Command::Compensate { reason } => nodes::compensation::by_operator(self, reason, None),
            Command::InDoubt { job } => nodes::in_flight::is_in_doubt(self, job),
            Command::SkipCompensation { incident } => {
                let token = self.token_of_incident(incident);
                if self.instance.incidents[&incident].kind == IncidentKind::InDoubt {
                    self.terminate(token);
                } else {
                    nodes::compensation::skip(self, token);
                }
            }
            Command::AbortCompensation { incident } => {
                let token = self.token_of_incident(incident);
                nodes::compensation::abort(self, token);
            }
            Command::Modify(modification) => control::modify::apply(self, modification),
            Command::Migrate(migration) => control::migrate::apply(self, *migration),
            Command::Snapshot { name } => self.emit(EventKind::SnapshotTaken { name }),
            Command::Rollback(rollback) => control::rollback::apply(self, *rollback),
        }
    }

    fn timer_due(&mut self, number: Number) {
        let timer = &self.instance.timers[&number];
        let (kind, token) = (timer.kind, timer.token);
        if kind == TimerKind::Catch {
            return self.timer_came(number);
        }
        let token = token.expect("a retry or a yield has a token");
        self.emit_at(token, EventKind::TimerFired { timer: number });
        match kind {
            TimerKind::Retry => nodes::job::offer(self, token),
            TimerKind::Yield { visits } => {
                self.visits = visits;
                self.re_enter(token);
            }
            TimerKind::Catch => unreachable!("it has been dealt with"),
        }
    }

    fn resume(&mut self) {
        self.emit(EventKind::WorkflowResumed);
        let standing: Vec<Number> = self
            .instance
            .tokens
            .iter()
            .filter(|(_, token)| token.wait == Wait::Nothing)
            .map(|(number, _)| *number)
            .collect();
        for token in standing {
            self.re_enter(token);
        }
        self.moved.extend(self.instance.scopes.keys());
        self.changed.extend(
            self.instance
                .scopes
                .values()
                .flat_map(|scope| scope.variables.entries().map(|(name, _)| std::sync::Arc::clone(name))),
        );
    }

    fn token_of_incident(&self, incident: Number) -> Number {
        self.instance.incidents[&incident].token.expect("accept has found the token")
    }

    fn resolve(&mut self, number: Number, retries: Option<u32>) {
        let incident = &self.instance.incidents[&number];
        let (kind, token) = (incident.kind, incident.token);
        let resolved = EventKind::IncidentResolved { incident: number };
        let Some(token) = token else {
            return self.emit(resolved);
        };
        self.emit_at(token, resolved);
        let node = self.token(token).node;
        match kind {
            IncidentKind::JobFailed if self.node_of(token).body().is_some() => self.begin_again(token, node),
            IncidentKind::CompensationFailed if nodes::job::find_spec(self, token).is_none() => {
                self.begin_again(token, node)
            }
            IncidentKind::JobFailed | IncidentKind::CompensationFailed => {
                if let Some(retries) = retries {
                    self.emit_at(token, EventKind::JobRetries { retries });
                }
                nodes::job::offer(self, token);
            }
            IncidentKind::InDoubt => nodes::in_flight::was_done(self, token),
            IncidentKind::JoinStarved => nodes::merge::fire_with_what_has_arrived(self, token),
            IncidentKind::NoFlow if nodes::activity::is_activity(&self.node_of(token).kind) => {
                self.depart(token)
            }
            IncidentKind::Expression if matches!(self.node_of(token).kind, NodeKind::Complex { .. }) => {
                self.re_enter(token);
            }
            IncidentKind::Expression if !nodes::sub_process::arm_again(self, token) => {}
            IncidentKind::CallFailed
            | IncidentKind::Expression
            | IncidentKind::NoFlow
            | IncidentKind::Validation => {
                self.begin_again(token, node);
            }
            IncidentKind::UnhandledError => self.begin_again(token, node),
            IncidentKind::Runaway | IncidentKind::Parked => self.re_enter(token),
        }
    }

    /// The token does again what its node does.
    fn begin_again(&mut self, token: Number, node: NodeIx) {
        self.disarm(crate::instance::Owner::Token(token));
        self.drop_owned(token);
        if self.instance.status == Status::Paused {
            return;
        }
        nodes::begin(self, token, node, None);
    }
}

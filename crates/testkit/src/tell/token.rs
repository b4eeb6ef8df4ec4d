//! What happens to one token, told in a row.

use tyer_engine::{Born, Event, EventKind, Instance, Number, ScopeKind, TimerKind, Timestamp};
use tyer_model::{FlowIx, NodeIx};

use super::words::{asked_in_words, full_wait, listed, scope_in_words, thrown, wanted_in_words};
use super::{Newborn, Teller, offset};

impl Teller<'_> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "what is not of a token has been told before")]
    pub(super) fn tell_of_token(&mut self, before: &Instance, at: Timestamp, event: &Event) {
        let node = event.node.expect("such an event has a node");
        let name = self.process.node(node).id.as_str();
        let Some(token) = event.token else {
            return self.tell_of_scope(name, event);
        };
        match &event.kind {
            EventKind::TokenCreated(_) => self.created(before, token, name, event),
            EventKind::TokenCompleted if self.joined.contains(&token) => {
                self.joined.retain(|joined| *joined != token);
            }
            EventKind::TokenCompleted => self.walk(token).ended(name),
            EventKind::NodeStarted => {
                let by = self.by(token, event.flow);
                self.walk(token).entered(name, &by);
            }
            EventKind::NodeCompleted => self.walk(token).left(name),
            EventKind::TokenMoved => {
                let by = self.by(token, event.flow);
                self.walk(token).stopped(format!("stopped before {name}{by}"));
            }
            EventKind::TokenWaiting => {
                self.newborn.remove(&token);
                let flow = event.flow.or_else(|| before.tokens.get(&token).and_then(|token| token.flow));
                let flow = flow.map_or("?", |flow| &self.process.flow(flow).id);
                self.walk(token).did(format!("waits at {name} ({flow})"));
            }
            EventKind::TokenListening => {}
            EventKind::TokenQueued => {
                self.newborn.remove(&token);
                self.walk(token).did(format!("waits for its turn at {name}"));
            }
            EventKind::TokenMarked => self.walk(token).did(format!("will be absorbed at {name}")),
            EventKind::TokenSpared => self.walk(token).did(format!("may finish {name}")),
            EventKind::TokenUnmarked => self.walk(token).did("begins a new wave".to_owned()),
            EventKind::TokenAbsorbed => self.walk(token).absorbed(name),
            EventKind::TokenTerminated => {
                self.newborn.remove(&token);
                self.walk(token).did(format!("taken away from {name}"));
            }
            EventKind::TokenFailed if self.newborn.remove(&token).is_some() => {
                self.walk(token).did(format!("failed before {name}"));
            }
            EventKind::TokenFailed => self.walk(token).did("failed".to_owned()),
            EventKind::ScopeOpened { kind, .. } => self.opened(token, *kind),
            EventKind::JobCreated { job, job_type } => {
                self.walk(token).did(format!("ready for job {job_type} (job {job})"));
            }
            EventKind::JobRetries { retries } => self.walk(token).did(format!("gets {retries} tries")),
            EventKind::TaskCreated(asked) => {
                let asked = asked_in_words(asked, self.began);
                self.walk(token).did(asked);
            }
            EventKind::TimerCreated { timer, due, kind, cycle, .. } => {
                let attempt = before.tokens.get(&token).map_or(0, |token| token.attempt);
                let waits = self.timer_in_words(node, attempt, *due, *kind, cycle.as_deref(), at);
                self.source(before, token, node, format!("{waits} (timer {timer})"));
            }
            EventKind::SubscriptionOpened { subscription, wanted, .. } => {
                let waits = format!("{} (subscription {subscription})", wanted_in_words(wanted));
                self.source(before, token, node, waits);
            }
            EventKind::EventThrown { thrown: what, code, message, caught } => {
                let told = thrown(*what, code.as_deref(), message.as_deref(), *caught);
                self.walk(token).did(told);
            }
            // What goes with them are the variables with which the token has entered.
            EventKind::MessageSent { name, key, .. } => {
                let key = key.as_ref().map(|key| format!(" key {key}")).unwrap_or_default();
                self.walk(token).did(format!("sends message {name}{key}"));
            }
            EventKind::SignalSent { name, .. } => self.walk(token).did(format!("sends signal {name}")),
            EventKind::CallStarted(call) => {
                let mut said = format!("calls {} (call {}", call.process, call.call);
                said.extend(call.business_key.iter().map(|key| format!(", key {key}")));
                said.extend(call.version.iter().map(|version| format!(", version {version}")));
                said.extend(call.tag.iter().map(|tag| format!(", tag {tag}")));
                self.walk(token).did(format!("{said})"));
            }
            EventKind::CompensationRecorded { record, .. } => {
                self.walk(token).did(format!("can be undone (record {record})"));
            }
            EventKind::SagaStarted { saga, cause, message, .. } => {
                self.newborn.remove(&token);
                let why = message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
                let cause = super::words::cause_in_words(*cause);
                self.walk(token).did(format!("begins saga {saga}, {cause}{why}"));
            }
            EventKind::ScopeClosed { .. } => {}
            other => unreachable!("{other:?} has been told by itself"),
        }
    }

    /// What an event sub-process waits for, and what comes back with a rollback.
    #[allow(clippy::wildcard_enum_match_arm, reason = "little is told of scopes")]
    fn tell_of_scope(&mut self, name: &str, event: &Event) {
        let line = match &event.kind {
            EventKind::TimerCreated { timer, due, cycle, .. } => {
                let then = cycle.as_ref().map(|cycle| format!(", then {cycle}")).unwrap_or_default();
                format!("{name} waits until {}{then} (timer {timer})", offset(due.0 - self.began.0))
            }
            EventKind::SubscriptionOpened { subscription, wanted, .. } => {
                format!("{name} {} (subscription {subscription})", wanted_in_words(wanted))
            }
            EventKind::CompensationRecorded { record, .. } => {
                format!("{name} can be undone (record {record})")
            }
            _ => return,
        };
        self.say(&line);
    }

    fn created(&mut self, before: &Instance, token: Number, node: &str, event: &Event) {
        let EventKind::TokenCreated(Born { scope, parent, group, joins, .. }) = &event.kind else { return };
        let role = self.role(before, *scope, node);
        self.newborn.insert(token, Newborn { node: node.to_owned(), flow: event.flow, role });
        if !joins.is_empty() {
            self.joined.clone_from(joins);
            return self.say(&format!("{} became token {token}", listed(joins)));
        }
        if let Some(walk) = self.walk.as_mut().filter(|walk| group.is_some() && Some(walk.token) == *parent) {
            walk.children.push(token);
        }
    }

    /// A round, or what undoes a step: told when its token enters.
    fn role(&mut self, before: &Instance, scope: Number, node: &str) -> String {
        let Some(opened) = before.scopes.get(&scope) else { return String::new() };
        let given = self.given.remove(&scope).filter(|given| !given.is_empty());
        let with = given.map(|given| format!(" with {given}")).unwrap_or_default();
        match opened.kind {
            ScopeKind::Round { index } if opened.node.is_some_and(|of| self.process.node(of).id == node) => {
                format!(" round {index}{with}")
            }
            ScopeKind::Undo { .. } => {
                let what = scope_in_words(self.process, before, scope).unwrap_or_default();
                format!(" for {what}{with}")
            }
            ScopeKind::Body
            | ScopeKind::Local
            | ScopeKind::Branch
            | ScopeKind::Rounds { .. }
            | ScopeKind::Round { .. } => String::new(),
        }
    }

    fn opened(&mut self, token: Number, kind: ScopeKind) {
        match kind {
            ScopeKind::Rounds { total: Some(total) } => {
                let rounds = if total == 1 { "round" } else { "rounds" };
                self.walk(token).did(format!("begins {total} {rounds}"));
            }
            ScopeKind::Rounds { total: None } => self.walk(token).did("begins a loop".to_owned()),
            ScopeKind::Branch => self.walk(token).did("has variables of its own".to_owned()),
            ScopeKind::Body | ScopeKind::Local | ScopeKind::Round { .. } | ScopeKind::Undo { .. } => {}
        }
    }

    /// A token waits for something, at its own node or at an event on the border or behind a gateway.
    fn source(&mut self, before: &Instance, token: Number, node: NodeIx, waits: String) {
        let stands = before.tokens.get(&token).is_some_and(|token| token.node == node);
        let waits = if stands { waits } else { format!("{} {waits}", self.process.node(node).id) };
        let walks = self.walk.as_ref().is_some_and(|walk| walk.token == token && walk.has_begun());
        if stands || walks {
            self.walk(token).did(waits);
        } else {
            self.say(&waits);
        }
    }

    /// Names the flow where the way is not clear from the nodes, and what is special about a new token.
    fn by(&mut self, token: Number, flow: Option<FlowIx>) -> String {
        let born = self.newborn.remove(&token).unwrap_or_default();
        let Some(ix) = flow.or(born.flow) else { return born.role };
        let flow = self.process.flow(ix);
        let siblings = &self.process.node(flow.source).outgoing;
        let same_way = siblings.iter().filter(|other| self.process.flow(**other).target == flow.target);
        if same_way.count() > 1 { format!(" by {}{}", flow.id, born.role) } else { born.role }
    }

    /// Jitter takes up to a tenth off a wait that grows: what is told is the wait without it.
    fn timer_in_words(
        &self,
        node: NodeIx,
        attempt: u32,
        due: Timestamp,
        kind: TimerKind,
        cycle: Option<&str>,
        at: Timestamp,
    ) -> String {
        let moment = offset(due.0 - self.began.0);
        match kind {
            TimerKind::Catch => {
                let then = cycle.map(|cycle| format!(", then {cycle}")).unwrap_or_default();
                format!("waits until {moment}{then}")
            }
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
}

//! Timers and subscriptions: armed for a token or a scope, disarmed, and what happens when one comes.

use std::sync::Arc;

use tyer_model::{NodeIx, NodeKind, SubProcessKind, Trigger, Triggers};

use super::Turn;
use crate::nodes::{self, text, timer};
use crate::words::*;

impl<'a> Turn<'a> {
    /// Arms what an event waits for. Errors, escalations and the like need nothing: they look for their catcher.
    pub(crate) fn arm(&mut self, owner: Owner, node: NodeIx, reads: Number) -> Result<(), String> {
        let process = self.process;
        let Some(triggers) = triggers_of(&process.node(node).kind, process) else {
            return self.arm_message(owner, node, reads);
        };
        for (position, trigger) in (0..).zip(&triggers.any) {
            match trigger {
                Trigger::Timer(spec) => {
                    let (due, cycle) = timer::first(self, reads, spec)?;
                    self.arm_timer(owner, node, due, cycle);
                }
                Trigger::Message(message) => {
                    let wanted = text::message(self, reads, message)?;
                    self.subscribe(owner, node, wanted);
                }
                Trigger::Signal(name) => {
                    let name = text::text(self, reads, name)?;
                    self.subscribe(owner, node, Wanted::Signal { name });
                }
                Trigger::Condition(_) => {
                    let subscription =
                        self.subscribe(owner, node, Wanted::Condition { trigger: position, met: false });
                    self.armed_conditions.push(subscription);
                }
                Trigger::Error(_) | Trigger::Escalation(_) | Trigger::Cancel | Trigger::Compensation => {}
            }
        }
        Ok(())
    }

    fn arm_message(&mut self, owner: Owner, node: NodeIx, reads: Number) -> Result<(), String> {
        if let NodeKind::Receive { message, .. } = &self.process.node(node).kind {
            let wanted = text::message(self, reads, message)?;
            self.subscribe(owner, node, wanted);
        }
        Ok(())
    }

    pub(crate) fn arm_timer(&mut self, owner: Owner, node: NodeIx, due: Timestamp, cycle: Option<Arc<str>>) {
        let (token, scope) = split(owner);
        let timer = self.next_number();
        let kind = TimerKind::Catch;
        self.emit_of(token, node, EventKind::TimerCreated { timer, due, kind, scope, cycle });
    }

    pub(crate) fn subscribe(&mut self, owner: Owner, node: NodeIx, wanted: Wanted) -> Number {
        let (token, scope) = split(owner);
        let subscription = self.next_number();
        self.emit_of(token, node, EventKind::SubscriptionOpened { subscription, wanted, scope });
        subscription
    }

    /// The token waits a moment that is not of the diagram.
    pub(crate) fn wait_until(&mut self, token: Number, due: Timestamp, kind: TimerKind) {
        let timer = self.next_number();
        self.emit_at(token, EventKind::TimerCreated { timer, due, kind, scope: None, cycle: None });
    }

    /// Nobody waits for these any more.
    pub(crate) fn disarm(&mut self, owner: Owner) {
        for source in self.instance.sources(owner) {
            self.disarm_one(source);
        }
    }

    pub(crate) fn disarm_scope(&mut self, scope: Number) {
        self.disarm(Owner::Scope(scope));
    }

    fn disarm_one(&mut self, source: Number) {
        if let Some(timer) = self.instance.timers.get(&source) {
            let (token, node) = (timer.token, timer.node);
            // A retry belongs to the wait of its token and ends with that.
            if timer.kind == TimerKind::Catch {
                self.emit_of(token, node, EventKind::TimerCancelled { timer: source });
            }
        } else {
            let subscription = &self.instance.subscriptions[&source];
            let (token, node) = (subscription.token, subscription.node);
            self.emit_of(token, node, EventKind::SubscriptionClosed { subscription: source });
        }
    }

    /// Does this owner wait for something of this event?
    pub(crate) fn is_armed(&self, owner: Owner, node: NodeIx) -> bool {
        self.instance.sources(owner).into_iter().any(|source| self.source_node(source) == node)
    }

    fn source_node(&self, source: Number) -> NodeIx {
        let timer = self.instance.timers.get(&source).map(|timer| timer.node);
        timer.unwrap_or_else(|| self.instance.subscriptions[&source].node)
    }

    /// A timer of the diagram has come.
    pub(crate) fn timer_came(&mut self, number: Number) {
        let timer = self.instance.timers[&number].clone();
        self.emit_of(timer.token, timer.node, EventKind::TimerFired { timer: number });
        let owner = timer.owner();
        let in_flow = self.waits_in_flow(owner, timer.node);
        if let Some(cycle) =
            timer.cycle.as_ref().filter(|_| in_flow.is_some() || self.happens_again(timer.node))
            && let Ok(Some((due, left))) = timer::next(timer.due, cycle)
            && (in_flow.is_none() || timer::is_counted(cycle))
        {
            self.arm_timer(owner, timer.node, due, left);
            if let Some(token) = in_flow {
                return nodes::catch::passed(self, token);
            }
        }
        self.came(owner, timer.node, Variables::default());
    }

    /// The token that waits at this very event, for nothing but one of its triggers.
    fn waits_in_flow(&self, owner: Owner, node: NodeIx) -> Option<Number> {
        let Owner::Token(token) = owner else { return None };
        let is_catch = matches!(self.process.node(node).kind, NodeKind::Catch(_));
        (is_catch && self.token(token).node == node && !self.needs_all(node)).then_some(token)
    }

    /// A message, a signal or a condition has come.
    pub(crate) fn subscription_came(
        &mut self,
        number: Number,
        message: Option<String>,
        variables: Variables,
    ) {
        let subscription = &self.instance.subscriptions[&number];
        let (token, node, owner) = (subscription.token, subscription.node, subscription.owner());
        self.emit_of(token, node, EventKind::SubscriptionTriggered { subscription: number, message });
        if self.needs_all(node) || !self.happens_again(node) {
            self.emit_of(token, node, EventKind::SubscriptionClosed { subscription: number });
        }
        self.came(owner, node, variables);
    }

    /// One of the things that an event waits for has come.
    fn came(&mut self, owner: Owner, node: NodeIx, variables: Variables) {
        if self.needs_all(node) && self.is_armed(owner, node) {
            let scope = self.scope_of(owner);
            return self.write(scope, variables);
        }
        match (owner, &self.process.node(node).kind) {
            (Owner::Token(token), NodeKind::Boundary(_)) => {
                nodes::boundary::happen(self, token, node, variables);
            }
            (Owner::Token(token), _) => nodes::catch::caught(self, token, node, variables),
            (Owner::Scope(scope), _) => nodes::event_sub_process::begin(self, scope, node, variables),
        }
    }

    fn scope_of(&self, owner: Owner) -> Number {
        match owner {
            Owner::Token(token) => self.token(token).branch.unwrap_or(self.token(token).scope),
            Owner::Scope(scope) => scope,
        }
    }

    fn needs_all(&self, node: NodeIx) -> bool {
        triggers_of(&self.process.node(node).kind, self.process).is_some_and(|triggers| triggers.all)
    }

    /// Can the event happen again while its owner waits?
    fn happens_again(&self, node: NodeIx) -> bool {
        let kind = &self.process.node(node).kind;
        if let NodeKind::Boundary(boundary) = kind {
            !boundary.interrupting
        } else if let NodeKind::SubProcess(sub) = kind {
            matches!(sub.kind, SubProcessKind::Event { interrupting: false, .. })
        } else {
            false
        }
    }
}

/// What an event waits for; an event sub-process waits for what its start event does.
pub(crate) fn triggers_of<'p>(kind: &'p NodeKind, process: &'p tyer_model::Process) -> Option<&'p Triggers> {
    if let NodeKind::Start(triggers) | NodeKind::Catch(triggers) = kind {
        Some(triggers)
    } else if let NodeKind::Boundary(boundary) = kind {
        Some(&boundary.triggers)
    } else if let NodeKind::SubProcess(sub) = kind
        && let SubProcessKind::Event { start, .. } = &sub.kind
    {
        triggers_of(&process.node(*start).kind, process)
    } else {
        None
    }
}

fn split(owner: Owner) -> (Option<Number>, Option<Number>) {
    match owner {
        Owner::Token(token) => (Some(token), None),
        Owner::Scope(scope) => (None, Some(scope)),
    }
}

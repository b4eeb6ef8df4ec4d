//! How tokens come and go: created, along flows, split, ended.

use tyer_model::{FlowIx, NodeIx, NodeKind};

use super::{Turn, Work};
use crate::nodes::{self, branch, text};
use crate::words::*;

impl Turn<'_> {
    /// A new token before a node, in the scope and of the kind of the one it comes from.
    pub(crate) fn spawn(&mut self, split: Number, node: NodeIx, flow: Option<FlowIx>) -> Number {
        let token = self.next_number();
        let born = Born { group: Some(split), ..self.born_of(split) };
        self.emit_on(token, node, flow, EventKind::TokenCreated(born));
        let fork = self.token(split).node;
        if flow.is_some() && self.process.node(fork).branch_scope.is_some() {
            branch::open(self, token, fork);
        }
        if flow.is_some_and(|flow| self.process.is_back(flow)) && !self.token(token).marks.is_empty() {
            self.emit_at(token, EventKind::TokenUnmarked);
        }
        self.go(token, node, flow);
        token
    }

    /// A new token beside another one, that does not go by itself.
    pub(crate) fn branch_off(&mut self, from: Number, node: NodeIx) -> Number {
        let token = self.next_number();
        self.emit_on(token, node, None, EventKind::TokenCreated(self.born_of(from)));
        token
    }

    fn born_of(&self, parent: Number) -> Born {
        let from = self.token(parent);
        let (scope, mode, branch) = (from.scope, from.mode, from.branch);
        Born { scope, parent: Some(parent), mode, branch, ..Born::default() }
    }

    /// The scope may be done.
    pub(crate) fn check(&mut self, scope: Number) {
        self.later(Work::Check(scope));
    }

    /// A new token before a node, in any scope.
    pub(crate) fn spawn_in(&mut self, scope: Number, node: NodeIx, mode: Mode) -> Number {
        let token = self.create_in(scope, node, mode);
        self.go(token, node, None);
        token
    }

    /// A new token that does not go by itself.
    pub(crate) fn create_in(&mut self, scope: Number, node: NodeIx, mode: Mode) -> Number {
        let token = self.next_number();
        self.emit_on(token, node, None, EventKind::TokenCreated(Born { scope, mode, ..Born::default() }));
        token
    }

    /// The token enters a node when its place in the queue comes.
    pub(crate) fn go(&mut self, token: Number, node: NodeIx, flow: Option<FlowIx>) {
        self.later(Work::Arrive { token, node, flow });
    }

    /// The token enters again the node where it stands.
    pub(crate) fn re_enter(&mut self, token: Number) {
        let node = self.token(token).node;
        self.go(token, node, None);
    }

    /// The node of this token did its work: go on along its flows.
    pub(crate) fn depart(&mut self, token: Number) {
        let node = self.node_of(token);
        let is_plain = node.default.is_none()
            && node.completion_quantity == 1
            && node.outgoing.iter().all(|flow| self.process.flow(*flow).condition.is_none());
        if is_plain || matches!(node.kind, NodeKind::Parallel) {
            return self.depart_by(token, &node.outgoing);
        }
        match self.flows_that_hold(token) {
            Ok(flows) => self.depart_by(token, &flows),
            Err((kind, message)) => self.open_incident(Some(token), kind, message),
        }
    }

    /// The node did its work and these are the ways on.
    pub(crate) fn depart_by(&mut self, token: Number, flows: &[FlowIx]) {
        self.emit_at(token, EventKind::NodeCompleted);
        let each = self.node_of(token).completion_quantity;
        match flows {
            [] => {
                nodes::ad_hoc::keep_output(self, self.token(token).scope);
                self.end_token(token);
            }
            [only] if each == 1 && self.node_of(token).branch_scope.is_none() => self.follow(token, *only),
            several => {
                for &flow in several {
                    for _ in 0..each {
                        self.spawn(token, self.process.flow(flow).target, Some(flow));
                    }
                }
                self.end_token(token);
            }
        }
    }

    /// Flows whose condition holds, or the default flow if none of the conditional ones does.
    pub(crate) fn flows_that_hold(&self, token: Number) -> Result<Vec<FlowIx>, (IncidentKind, String)> {
        let node = self.node_of(token);
        let (mut taken, mut reasons, mut conditional) = (Vec::new(), Vec::new(), false);
        for &ix in node.outgoing.iter().filter(|ix| Some(**ix) != node.default) {
            let flow = self.process.flow(ix);
            let Some(condition) = &flow.condition else {
                taken.push(ix);
                continue;
            };
            conditional = true;
            match text::holds(self, token, condition) {
                Ok(true) => taken.push(ix),
                Ok(false) => {}
                Err(reason) => reasons.push(format!("the condition of flow `{}`: {reason}", flow.id)),
            }
        }
        match node.default {
            Some(default) if taken.is_empty() => taken.push(default),
            None if taken.is_empty() && conditional => return Err(no_flow(&node.id, reasons)),
            Some(_) | None => {}
        }
        Ok(taken)
    }

    /// The token goes along one flow.
    pub(crate) fn follow(&mut self, token: Number, flow: FlowIx) {
        if !self.token(token).marks.is_empty() && self.process.is_back(flow) {
            self.emit_at(token, EventKind::TokenUnmarked);
        }
        self.go(token, self.process.flow(flow).target, Some(flow));
    }

    /// The token has reached its end.
    pub(crate) fn end_token(&mut self, token: Number) {
        self.gone(token, EventKind::TokenCompleted);
    }

    pub(crate) fn gone(&mut self, token: Number, how: EventKind) {
        let (scope, branch) = (self.token(token).scope, self.token(token).branch);
        self.emit_at(token, how);
        branch::close(self, branch);
        self.note_moved(scope);
        self.later(Work::Check(scope));
    }
}

/// Why a token that must choose a way has none.
pub(crate) fn no_flow(node: &str, reasons: Vec<String>) -> (IncidentKind, String) {
    let mut message = format!("no condition of `{node}` holds and it has no default flow");
    for reason in reasons {
        message.push_str("; ");
        message.push_str(&reason);
    }
    (IncidentKind::NoFlow, message)
}

//! What each BPMN element does: the table of contents.
//!
//! A token *enters* a node, perhaps waits there until the other flows have come, *begins*, *works*, and goes on.

pub(crate) mod activity;
pub(crate) mod ad_hoc;
pub(crate) mod boundary;
pub(crate) mod branch;
pub(crate) mod call;
pub(crate) mod catch;
pub(crate) mod compensation;
pub(crate) mod complex;
pub(crate) mod condition;
mod end;
pub(crate) mod error;
mod event_based;
pub(crate) mod event_sub_process;
mod exclusive;
pub(crate) mod failure;
pub(crate) mod in_flight;
pub(crate) mod job;
pub(crate) mod merge;
pub(crate) mod record;
pub(crate) mod repeat;
mod script;
pub(crate) mod signal;
pub(crate) mod start;
pub(crate) mod sub_process;
pub(crate) mod text;
pub(crate) mod throw;
pub(crate) mod timer;
pub(crate) mod user;

use tyer_model::{FlowIx, NodeIx, NodeKind};

use crate::words::*;

/// A token comes to a node: it begins, waits for others, or is absorbed.
pub(crate) fn enter(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) {
    let scope = turn.token(token).scope;
    turn.note_moved(scope);
    if !merge::holds_back(turn, token, node, flow) {
        begin(turn, token, node, flow);
    }
}

/// A token may do what the node does.
pub(crate) fn begin(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) {
    if !turn.process.node(node).declared.is_empty() && !activity::inputs_are_there(turn, token, node, flow) {
        return;
    }
    turn.emit_on(token, node, flow, EventKind::NodeStarted);
    activity::begin(turn, token);
}

/// The node's own work.
pub(crate) fn work(turn: &mut Turn<'_>, token: Number) {
    let node = turn.node_of(token);
    match &node.kind {
        NodeKind::Start(_)
        | NodeKind::Pass
        | NodeKind::Parallel
        | NodeKind::Boundary(_)
        | NodeKind::Complex { .. } => {
            activity::complete_plainly(turn, token);
        }
        NodeKind::End(throws) => end::enter(turn, token, throws),
        NodeKind::Catch(triggers) => catch::enter(turn, token, triggers.any.is_empty()),
        NodeKind::Receive { .. } => catch::enter(turn, token, false),
        NodeKind::Throw(throws) => throw::enter(turn, token, throws),
        NodeKind::Send(message) => throw::send(turn, token, message),
        NodeKind::Link(target) => {
            turn.emit_at(token, EventKind::NodeCompleted);
            if !turn.token(token).marks.is_empty() && turn.process.link_is_back(turn.token(token).node) {
                turn.emit_at(token, EventKind::TokenUnmarked);
            }
            turn.go(token, *target, None);
        }
        NodeKind::Job(_) => job::offer(turn, token),
        NodeKind::User(spec) => user::enter(turn, token, spec),
        NodeKind::Script(spec) => script::enter(turn, token, spec),
        NodeKind::Call(spec) => call::enter(turn, token, spec),
        NodeKind::SubProcess(_) => sub_process::enter(turn, token),
        NodeKind::Exclusive => exclusive::enter(turn, token),
        NodeKind::Inclusive => turn.depart(token),
        NodeKind::EventBased { .. } => event_based::enter(turn, token),
    }
}

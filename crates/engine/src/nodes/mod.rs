//! What each BPMN element does: the table of contents.

mod deadlock;
mod end;
mod exclusive;
pub(crate) mod job;
pub(crate) mod parallel;
mod text;
mod timer;
pub(crate) mod user;

use tyer_model::{FlowIx, NodeIx, NodeKind};

use crate::event::EventKind;
use crate::ids::Number;
use crate::step::Turn;

/// A token enters a node.
pub(crate) fn enter(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) {
    let kind = &turn.process.node(node).kind;
    if let NodeKind::Parallel = kind {
        return parallel::arrive(turn, token, node, flow);
    }
    turn.emit_on(token, node, flow, EventKind::NodeStarted);
    match kind {
        NodeKind::Start | NodeKind::Pass => turn.leave(token),
        NodeKind::End => end::enter(turn, token),
        NodeKind::Job(_) => job::offer(turn, token),
        NodeKind::User(spec) => user::enter(turn, token, spec),
        NodeKind::Exclusive => exclusive::enter(turn, token),
        NodeKind::Timer(spec) => timer::enter(turn, token, spec),
        NodeKind::Parallel => unreachable!("a parallel gateway is entered by arrival"),
    }
}

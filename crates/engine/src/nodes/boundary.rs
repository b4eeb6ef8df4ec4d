//! Boundary events: something happens while an activity is under way, and ends it or not.

use tyer_model::{NodeIx, NodeKind};

use crate::nodes::activity;
use crate::words::*;

/// The event on the border of this token's activity happens.
pub(crate) fn happen(turn: &mut Turn<'_>, host: Number, node: NodeIx, variables: Variables) {
    let NodeKind::Boundary(boundary) = &turn.process.node(node).kind else {
        unreachable!("only a boundary event stands on a border")
    };
    let token = turn.branch_off(host, node);
    if boundary.interrupting {
        turn.terminate(host);
    }
    turn.emit_on(token, node, None, EventKind::NodeStarted);
    activity::complete(turn, token, variables);
}

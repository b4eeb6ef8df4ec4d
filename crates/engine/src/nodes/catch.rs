//! Catching events and receive tasks: the token waits until what it wants has come.

use tyer_model::NodeIx;

use crate::nodes::activity;
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, passes: bool) {
    if passes {
        return activity::complete_plainly(turn, token);
    }
    let (node, reads) = (turn.token(token).node, turn.instance.reading_scope(turn.token(token)));
    match turn.arm(Owner::Token(token), node, reads) {
        Ok(()) => turn.emit_at(token, EventKind::TokenListening),
        Err(reason) => activity::give_up(turn, token, "the event", &reason),
    }
}

/// What the token waited for has come: at its own node, or at an event behind the gateway where it waits.
pub(crate) fn caught(turn: &mut Turn<'_>, token: Number, node: NodeIx, variables: Variables) {
    turn.disarm(Owner::Token(token));
    if turn.token(token).node != node {
        let gateway = turn.node_of(token);
        turn.emit_at(token, EventKind::NodeCompleted);
        let flow = gateway.outgoing.iter().copied().find(|flow| turn.process.flow(*flow).target == node);
        turn.emit_on(token, node, flow, EventKind::NodeStarted);
    }
    activity::complete(turn, token, variables);
}

/// A timer that comes so many times sends a token on each time; the one that waits goes on with the last.
pub(crate) fn passed(turn: &mut Turn<'_>, waiting: Number) {
    let node = turn.token(waiting).node;
    let token = turn.branch_off(waiting, node);
    turn.emit_on(token, node, None, EventKind::NodeStarted);
    activity::complete(turn, token, Variables::default());
}

//! Event-based gateway: the token waits for the events behind it; the first wins.

use tyer_model::{NodeIx, NodeKind, Process};

use crate::nodes::activity;
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number) {
    let reads = turn.instance.reading_scope(turn.token(token));
    for &flow in &turn.node_of(token).outgoing {
        let event = turn.process.flow(flow).target;
        if let Err(reason) = turn.arm(Owner::Token(token), event, reads) {
            let what = format!("the event `{}` behind the gateway", turn.process.node(event).id);
            return activity::give_up(turn, token, &what, &reason);
        }
    }
    turn.emit_at(token, EventKind::TokenListening);
}

/// The gateway that begins the process with this event behind it.
pub(super) fn that_begins_with(process: &Process, event: NodeIx) -> Option<NodeIx> {
    let sources = process.node(event).incoming.iter().map(|flow| process.flow(*flow).source);
    sources
        .into_iter()
        .find(|gateway| matches!(process.node(*gateway).kind, NodeKind::EventBased { instantiate: true, .. }))
}

/// BPMN 2.0.2 §10.6.6: a parallel gateway that begins the process needs its other events too.
pub(super) fn wait_for_the_others(turn: &mut Turn<'_>, gateway: NodeIx, happened: NodeIx) {
    if !matches!(turn.process.node(gateway).kind, NodeKind::EventBased { parallel: true, .. }) {
        return;
    }
    for &flow in &turn.process.node(gateway).outgoing {
        let event = turn.process.flow(flow).target;
        if event != happened {
            turn.spawn_in(ROOT, event, Mode::Forward);
        }
    }
}

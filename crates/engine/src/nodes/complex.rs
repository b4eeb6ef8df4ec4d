//! Complex gateway: fires when its activation condition holds, and again when it has been reset.
//!
//! BPMN 2.0.2 Table 13.5: after it has fired it takes one token from each flow that had none, unless none can come there
//! any more; only then does it count anew.
//! **Invariant:** until the reset the tokens it has fired with, and those taken since, stay there and are marked with it.

use tyer_model::{FlowIx, NodeIx, NodeKind};

use crate::nodes::{self, activity, merge, text};
use crate::words::*;

/// A token has come to the gateway.
pub(super) fn arrive(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) {
    let scope = turn.token(token).scope;
    turn.emit_on(token, node, flow, EventKind::TokenWaiting);
    let firsts = firsts(turn, scope, node);
    if firsts.iter().any(|first| turn.token(*first).is_used()) {
        take_for_reset(turn, scope, node, &firsts);
    } else {
        try_to_fire(turn, token, scope, node, &firsts);
    }
}

/// Nothing more belongs to the last firing: what else waits may fire.
pub(crate) fn reset(turn: &mut Turn<'_>, scope: Number, node: NodeIx) {
    let arrived = turn.instance.arrivals(scope, node).map(|(_, token)| token);
    let (used, fresh): (Vec<Number>, Vec<Number>) = arrived.partition(|token| turn.token(*token).is_used());
    for token in used {
        turn.gone(token, EventKind::TokenAbsorbed);
    }
    if let Some(oldest) = fresh.into_iter().min() {
        let firsts = firsts(turn, scope, node);
        try_to_fire(turn, oldest, scope, node, &firsts);
    }
}

/// The oldest token on each flow; one that was used comes before those that were not.
fn firsts(turn: &Turn<'_>, scope: Number, node: NodeIx) -> Vec<Number> {
    let mut arrived: Vec<(Option<FlowIx>, Number)> = turn.instance.arrivals(scope, node).collect();
    arrived.sort_by_key(|(flow, token)| (*flow, !turn.token(*token).is_used(), *token));
    arrived.dedup_by_key(|(flow, _)| *flow);
    arrived.into_iter().map(|(_, token)| token).collect()
}

fn take_for_reset(turn: &mut Turn<'_>, scope: Number, node: NodeIx, firsts: &[Number]) {
    for &token in firsts {
        if !turn.token(token).is_used() {
            turn.emit_at(token, EventKind::TokenMarked);
        }
    }
    if firsts.len() == turn.process.node(node).incoming.len() {
        reset(turn, scope, node);
    }
}

fn try_to_fire(turn: &mut Turn<'_>, token: Number, scope: Number, node: NodeIx, arrived: &[Number]) {
    let target = turn.process.node(node);
    let NodeKind::Complex { activation } = &target.kind else {
        unreachable!("only a complex gateway is one")
    };
    let all = arrived.len() == target.incoming.len();
    let fires = match activation {
        None => Ok(all),
        Some(condition) => {
            let count = Variables::of("activationCount", arrived.len().to_string());
            text::holds_with(turn, scope, &count, condition)
        }
    };
    match fires {
        Ok(true) if all => merge::fire(turn, scope, node, arrived),
        Ok(true) => {
            let (joined, agree) = merge::become_one(turn, scope, node, arrived);
            for &token in arrived {
                turn.emit_at(token, EventKind::TokenMarked);
            }
            turn.note_moved(scope);
            if agree {
                nodes::begin(turn, joined, node, None);
            }
        }
        Ok(false) => {}
        Err(reason) => activity::give_up(turn, token, "the activation condition", &reason),
    }
}

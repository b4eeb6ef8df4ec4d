//! Complex gateway: fires when its activation condition holds; the rest of the wave is absorbed.

use tyer_model::{FlowIx, NodeIx, NodeKind};

use crate::event::EventKind;
use crate::ids::Number;
use crate::nodes::{activity, merge, text};
use crate::turn::Turn;
use crate::variables::Variables;

/// A token has come to the gateway.
pub(super) fn arrive(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) {
    let scope = turn.token(token).scope;
    turn.emit_on(token, node, flow, EventKind::TokenWaiting);
    let mut flows: Vec<Option<FlowIx>> = turn.instance.arrivals(scope, node).map(|(flow, _)| flow).collect();
    flows.dedup();
    let NodeKind::Complex { activation } = &turn.process.node(node).kind else {
        unreachable!("only a complex gateway is one")
    };
    let fires = match activation {
        None => Ok(flows.len() == turn.process.node(node).incoming.len()),
        Some(condition) => {
            let count = Variables::of("activationCount", flows.len().to_string());
            text::holds_with(turn, scope, &count, condition)
        }
    };
    match fires {
        Ok(true) => {
            let arrived: Vec<Number> = turn.instance.arrivals(scope, node).map(|(_, token)| token).collect();
            merge::mark_upstream(turn, scope, node, &arrived);
            merge::fire(turn, scope, node, &arrived);
        }
        Ok(false) => {}
        Err(reason) => activity::give_up(turn, token, "the activation condition", &reason),
    }
}

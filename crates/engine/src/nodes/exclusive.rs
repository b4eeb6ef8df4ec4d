//! Exclusive gateway: the first flow whose condition holds, in document order; the default flow last.

use tyer_model::FlowIx;

use crate::event::EventKind;
use crate::ids::Number;
use crate::instance::IncidentKind;
use crate::nodes::text;
use crate::step::Turn;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number) {
    match choose(turn, token) {
        Ok(flow) => {
            turn.emit_at(token, EventKind::NodeCompleted);
            match flow {
                Some(flow) => turn.follow(token, flow),
                None => turn.emit_at(token, EventKind::TokenCompleted),
            }
        }
        Err((kind, message)) => turn.open_incident(Some(token), kind, message),
    }
}

/// The flow to take; none when the gateway has none.
fn choose(turn: &Turn<'_>, token: Number) -> Result<Option<FlowIx>, (IncidentKind, String)> {
    let node = turn.node_of(token);
    if node.outgoing.is_empty() {
        return Ok(None);
    }
    let mut reasons = Vec::new();
    for &ix in node.outgoing.iter().filter(|ix| Some(**ix) != node.default) {
        let flow = turn.process.flow(ix);
        let Some(condition) = &flow.condition else {
            return Ok(Some(ix));
        };
        match text::holds(turn, token, condition) {
            Ok(true) => return Ok(Some(ix)),
            Ok(false) => {}
            Err(reason) => reasons.push(format!("the condition of flow `{}`: {reason}", flow.id)),
        }
    }
    if node.default.is_some() {
        return Ok(node.default);
    }
    let mut message = format!("no condition of gateway `{}` holds and it has no default flow", node.id);
    for reason in reasons {
        message.push_str("; ");
        message.push_str(&reason);
    }
    Err((IncidentKind::NoFlow, message))
}

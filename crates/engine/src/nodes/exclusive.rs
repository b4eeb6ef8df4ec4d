//! Exclusive gateway: the first flow whose condition holds, in document order; the default flow last.

use tyer_model::FlowIx;

use crate::nodes::text;
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number) {
    match choose(turn, token) {
        Ok(flow) => turn.depart_by(token, flow.as_slice()),
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
    if node.default.is_some() { Ok(node.default) } else { Err(no_flow(&node.id, reasons)) }
}

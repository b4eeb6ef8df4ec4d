//! End events: the token ends, and what it throws there happens.

use tyer_model::Throw;

use crate::nodes::throw;
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, throws: &[Throw]) {
    if throws.iter().any(|thrown| matches!(thrown, Throw::Terminate)) {
        return terminate(turn, token);
    }
    throw::enter(turn, token, throws);
}

/// BPMN 2.0.2 §13.5.6: everything in the scope ends, and the scope is done.
fn terminate(turn: &mut Turn<'_>, token: Number) {
    let scope = turn.token(token).scope;
    turn.emit_at(token, EventKind::NodeCompleted);
    turn.clear_scope_but(scope, &[token]);
    turn.end_token(token);
}

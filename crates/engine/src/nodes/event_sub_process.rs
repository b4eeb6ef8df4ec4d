//! Event sub-processes: begun by an event while their scope lives.
//!
//! **Invariant:** an event sub-process is a token of its scope, so the scope is not done before it is.

use tyer_model::{NodeIx, NodeKind, SubProcessKind};

use crate::nodes::{activity, sub_process};
use crate::words::*;

/// The event of an event sub-process happens.
pub(crate) fn begin(turn: &mut Turn<'_>, scope: Number, node: NodeIx, variables: Variables) {
    let NodeKind::SubProcess(sub) = &turn.process.node(node).kind else {
        unreachable!("only a sub-process is begun by an event")
    };
    let SubProcessKind::Event { start, interrupting } = sub.kind else {
        unreachable!("only an event sub-process is begun by an event")
    };
    let token = turn.create_in(scope, node, Mode::Forward);
    if interrupting {
        turn.clear_scope_but(scope, &[token]);
        turn.disarm_scope(scope);
    }
    turn.emit_on(token, node, None, EventKind::NodeStarted);
    let Some(body) = sub_process::open(turn, token) else { return };
    let first = turn.create_in(body, start, Mode::Forward);
    turn.emit_on(first, start, None, EventKind::NodeStarted);
    activity::complete(turn, first, variables);
}

//! End event: the token ends; the others go on.

use crate::event::EventKind;
use crate::ids::Number;
use crate::step::Turn;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number) {
    turn.emit_at(token, EventKind::NodeCompleted);
    turn.emit_at(token, EventKind::TokenCompleted);
}

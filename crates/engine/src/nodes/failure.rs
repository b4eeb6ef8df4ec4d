//! Work that has failed for good: a catcher of failures, the saga of a scope, an incident, or the end.

use tyer_model::{OnFailure, Saga};

use crate::nodes::{boundary, compensation, error};
use crate::words::*;

/// What this token did has failed for good; somebody sees it as such an incident, if nothing else is said.
pub(crate) fn failed(turn: &mut Turn<'_>, token: Number, kind: IncidentKind, message: String) {
    if turn.token(token).mode == Mode::Compensation {
        return compensation::step_failed(turn, token, message);
    }
    if handled(turn, token, &message) {
        return;
    }
    match turn.node_of(token).on_failure.unwrap_or(on_failure_around(turn, token)) {
        OnFailure::Incident => turn.open_incident(Some(token), kind, message),
        OnFailure::Fail => {
            turn.emit_at(token, EventKind::TokenFailed);
            turn.end_instance(EventKind::WorkflowFailed { message, code: None, compensated: false });
        }
    }
}

/// A sub-process has failed after its steps were undone.
pub(super) fn scope_failed(turn: &mut Turn<'_>, owner: Number, message: String) {
    if handled(turn, owner, &message) {
        return;
    }
    match on_failure_around(turn, owner) {
        OnFailure::Incident => {
            turn.stop_work(owner, None);
            turn.open_incident(Some(owner), IncidentKind::JobFailed, message);
        }
        OnFailure::Fail => {
            turn.end_instance(EventKind::WorkflowFailed { message, code: None, compensated: true });
        }
    }
}

/// What the scope says in which a token is.
fn on_failure_around(turn: &Turn<'_>, token: Number) -> OnFailure {
    turn.process.body(turn.body_of(turn.flow_scope(turn.token(token).scope))).on_failure
}

/// From the token outwards: a boundary event that catches failures, or a scope that undoes its steps.
fn handled(turn: &mut Turn<'_>, token: Number, message: &str) -> bool {
    let mut at = token;
    loop {
        if let Some(node) = error::boundary_that(turn, at, |boundary| boundary.catches_failures) {
            tell(turn, token, message);
            boundary::happen(turn, at, node, Variables::default());
            return true;
        }
        let scope = turn.token(at).scope;
        let body = turn.process.body(turn.body_of(turn.flow_scope(scope)));
        let is_body = turn.flow_scope(scope) == scope;
        match body.saga {
            Saga::Local if is_body && scope != ROOT => {
                tell(turn, token, message);
                let message = Some(message.to_owned());
                compensation::undo_scope(turn, at, scope, SagaCause::Local, message, None);
                return true;
            }
            Saga::Local | Saga::Global if is_body => {
                tell(turn, token, message);
                let carrier = compensation::ancestor_in(turn, at, ROOT);
                let message = Some(message.to_owned());
                compensation::undo_scope(turn, carrier, ROOT, SagaCause::Global, message, None);
                return true;
            }
            Saga::None | Saga::Local | Saga::Global => {}
        }
        if scope == ROOT {
            return false;
        }
        at = turn.instance.scopes[&scope].owner.expect("every scope but the root has an owner");
    }
}

fn tell(turn: &mut Turn<'_>, token: Number, message: &str) {
    turn.emit_at(token, EventKind::TokenFailed);
    let message = Some(message.to_owned());
    let thrown = EventKind::EventThrown { thrown: Thrown::Failure, code: None, message, caught: true };
    turn.emit_at(token, thrown);
}

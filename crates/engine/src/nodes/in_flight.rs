//! Steps that a worker is doing when the undoing of their scope begins: they may finish first.
//!
//! **Invariant:** nothing new begins in a scope that is being undone.

use tyer_model::InFlight;

use crate::nodes::{compensation, record};
use crate::words::*;

/// Steps that a worker is doing now and that could be undone may finish first: these, and the tokens around them.
pub(super) fn steps(turn: &Turn<'_>, scope: Number) -> Vec<Number> {
    let mut spared = Vec::new();
    if turn.process.body(turn.body_of(scope)).in_flight == InFlight::Terminate {
        return spared;
    }
    for job in &turn.instance.executing {
        let Some(token) = turn.instance.token_of_job(*job) else { continue };
        let is_step = turn.token(token).mode != Mode::Compensation;
        if is_step && record::handler_of(turn.process, turn.token(token).node).is_some() {
            spared.extend(path_to(turn, token, scope).unwrap_or_default());
        }
    }
    spared.sort_unstable();
    spared.dedup();
    spared
}

/// A token and those around it, as far as this scope; none if it is not inside.
fn path_to(turn: &Turn<'_>, mut token: Number, scope: Number) -> Option<Vec<Number>> {
    let mut path = vec![token];
    while turn.token(token).scope != scope {
        token = turn.instance.scopes[&turn.token(token).scope].owner?;
        path.push(token);
    }
    Some(path)
}

/// Nothing new begins in this scope; records of what stops pass to the scope that is undone.
pub(super) fn stop_but(
    turn: &mut Turn<'_>,
    scope: Number,
    spared: &[Number],
    carrier: Number,
    undone: Number,
) {
    let members: Vec<Number> = turn.instance.members(scope).collect();
    for token in members {
        if token == carrier {
            turn.stop_work(token, Some(undone));
            turn.disarm(Owner::Token(token));
        } else if spared.contains(&token) {
            turn.disarm(Owner::Token(token));
            turn.emit_at(token, EventKind::TokenSpared);
        } else if turn.lives(token) {
            turn.terminate_keeping(token, Some(undone));
        }
    }
    turn.disarm_scope(scope);
}

/// A token of a scope that is being undone has ended: perhaps the last that was in flight.
pub(crate) fn ended(turn: &mut Turn<'_>, scope: Number) {
    let waits = |(number, saga): (&Number, &crate::instance::Saga)| {
        let idle =
            turn.token(saga.token).wait == Wait::Saga(*number) && turn.token(saga.token).owns.is_none();
        (saga.scope == scope && !saga.cause.is_thrown() && idle).then_some(*number)
    };
    let waiting = turn.instance.sagas.iter().find_map(waits);
    if let Some(saga) = waiting {
        compensation::go_on(turn, saga);
    }
}

/// The last token of a scope has ended that is inside one that is being undone. True if so: it is left, not completed.
pub(crate) fn left(turn: &mut Turn<'_>, scope: Number) -> bool {
    let owner = turn.instance.scopes[&scope].owner;
    let Some(owner) = owner.filter(|owner| turn.token(*owner).mode == Mode::Finishing) else { return false };
    let records = turn.flow_scope(turn.token(owner).scope);
    turn.terminate_keeping(owner, Some(records));
    true
}

/// The worker of a step in flight is gone: somebody decides whether the step was done.
pub(crate) fn is_in_doubt(turn: &mut Turn<'_>, job: Number) {
    let token = turn.instance.token_of_job(job).expect("accept has found the job");
    let message =
        format!("nobody knows whether `{}` was done: compensate it, or skip it", turn.node_of(token).id);
    turn.open_incident(Some(token), IncidentKind::InDoubt, message);
}

/// The step in doubt is taken as done, and is undone with the others.
pub(crate) fn was_done(turn: &mut Turn<'_>, token: Number) {
    record::keep(turn, token);
    turn.emit_at(token, EventKind::NodeCompleted);
    turn.disarm(Owner::Token(token));
    turn.end_token(token);
}

//! Compensation: completed steps are undone one at a time, in reverse order of completion.
//!
//! **Invariant:** every saga is carried by one token of the scope that it undoes.

use tyer_model::{NodeKind, SubProcessKind, Trigger};

use crate::nodes::{activity, boundary, error, failure, in_flight, record};
use crate::words::*;

/// A compensation event throws. True if the token waits for the undoing.
pub(super) fn throw(turn: &mut Turn<'_>, token: Number, wait: bool) -> bool {
    let scope = scope_to_undo(turn, token);
    let (carrier, cause) = if wait {
        turn.drop_owned(token);
        (token, SagaCause::Throw)
    } else {
        (turn.branch_off(token, turn.token(token).node), SagaCause::Aside)
    };
    let saga = turn.next_number();
    turn.emit_at(carrier, EventKind::SagaStarted { saga, scope, cause, message: None, since: None });
    go_on(turn, saga);
    wait
}

/// A throw undoes steps of its own scope; inside an event sub-process those of the scope around it, unless it names a
/// step beside it, and inside a compensation handler those of the step that is being undone.
fn scope_to_undo(turn: &Turn<'_>, token: Number) -> Number {
    let scope = turn.flow_scope(turn.token(token).scope);
    let Some(owner) = turn.instance.scopes[&scope].owner else { return scope };
    let names_beside = record::thrown_at(turn, token)
        .is_some_and(|step| turn.process.node(step).parent == turn.body_of(scope));
    if names_beside || !error::is_event_sub_process(turn, turn.token(owner).node) {
        return scope;
    }
    let around = turn.token(owner).scope;
    if let ScopeKind::Undo { record } = turn.instance.scopes[&around].kind {
        return turn.instance.records[&record].inner.unwrap_or(around);
    }
    around
}

/// The cancel end of a transaction: everything in it stops, its steps are undone, then it is left by its cancel event.
pub(super) fn cancel_transaction(turn: &mut Turn<'_>, token: Number) {
    let scope = transaction_around(turn, token);
    let thrown =
        EventKind::EventThrown { thrown: Thrown::Cancel, code: None, message: None, caught: scope != ROOT };
    turn.emit_at(token, thrown);
    undo_scope(turn, ancestor_in(turn, token, scope), scope, SagaCause::Cancel, None, None);
}

/// The scope of the nearest transaction in which a token is: BPMN 2.0.2 Table 10.88.
fn transaction_around(turn: &Turn<'_>, token: Number) -> Number {
    let mut scope = turn.flow_scope(turn.token(token).scope);
    while let Some(node) = turn.body_of(scope) {
        let kind = &turn.process.node(node).kind;
        if matches!(kind, NodeKind::SubProcess(sub) if matches!(sub.kind, SubProcessKind::Transaction)) {
            break;
        }
        let owner = turn.instance.scopes[&scope].owner.expect("every scope but the root has an owner");
        scope = turn.flow_scope(turn.token(owner).scope);
    }
    scope
}

/// Everything in a scope stops but its carrier and what is in flight, and its completed steps are undone: those completed
/// when the instance had counted further than `since`.
pub(super) fn undo_scope(
    turn: &mut Turn<'_>,
    carrier: Number,
    scope: Number,
    cause: SagaCause,
    message: Option<String>,
    since: Option<Number>,
) {
    let spared = in_flight::steps(turn, scope);
    let is_around = spared.contains(&carrier);
    let carrier = if is_around { turn.branch_off(carrier, turn.token(carrier).node) } else { carrier };
    let mut scopes: Vec<Number> = spared.iter().map(|token| turn.token(*token).scope).collect();
    scopes.push(scope);
    scopes.sort_unstable();
    scopes.dedup();
    for inner in scopes {
        in_flight::stop_but(turn, inner, &spared, carrier, scope);
    }
    let saga = turn.next_number();
    turn.emit_at(carrier, EventKind::SagaStarted { saga, scope, cause, message, since });
    go_on(turn, saga);
}

/// The token of a scope in which another token is, however deep.
pub(super) fn ancestor_in(turn: &Turn<'_>, mut token: Number, scope: Number) -> Number {
    while turn.token(token).scope != scope {
        let around = turn.token(token).scope;
        token = turn.instance.scopes[&around].owner.expect("every scope but the root has an owner");
    }
    token
}

/// The next step is undone; or, when there is none, the saga is over.
pub(super) fn go_on(turn: &mut Turn<'_>, saga: Number) {
    let (carrier, scope, cause) = {
        let saga = &turn.instance.sagas[&saga];
        (saga.token, saga.scope, saga.cause)
    };
    if !cause.is_thrown() && turn.instance.members(scope).any(|token| token != carrier) {
        return;
    }
    let Some(record) = record::next(turn, saga) else { return finish(turn, saga) };
    turn.emit_at(carrier, EventKind::SagaStepStarted { saga, record });
    let (node, variables) = {
        let record = &turn.instance.records[&record];
        (record.node, record.variables.clone())
    };
    let parent = turn.token(carrier).scope;
    let undo = turn.open_scope(carrier, parent, ScopeKind::Undo { record });
    turn.write_local(undo, variables);
    let handler = record::handler_of(turn.process, node).expect("a record is of a step with a handler");
    let token = turn.create_in(undo, handler, Mode::Compensation);
    turn.re_enter(token);
}

/// The handler of a step has ended: the step is undone.
pub(crate) fn undone(turn: &mut Turn<'_>, carrier: Number, scope: Number, record: Number) {
    turn.drop_scope(scope, None);
    let Wait::Saga(saga) = turn.token(carrier).wait else { unreachable!("a carrier waits for its saga") };
    turn.emit_at(carrier, EventKind::SagaStepCompensated { saga, record });
    go_on(turn, saga);
}

/// The handler of a step has failed for good: somebody decides.
pub(super) fn step_failed(turn: &mut Turn<'_>, token: Number, message: String) {
    if let Some((saga, record)) = step_of(turn, token) {
        let carrier = turn.instance.sagas[&saga].token;
        turn.emit_at(carrier, EventKind::SagaStepFailed { saga, record, error: message.clone() });
    }
    turn.open_incident(Some(token), IncidentKind::CompensationFailed, message);
}

/// The saga and the record of a token that undoes a step.
fn step_of(turn: &Turn<'_>, token: Number) -> Option<(Number, Number)> {
    let mut scope = turn.token(token).scope;
    loop {
        let here = &turn.instance.scopes[&scope];
        let owner = here.owner?;
        if let ScopeKind::Undo { record } = here.kind {
            let Wait::Saga(saga) = turn.token(owner).wait else { return None };
            return Some((saga, record));
        }
        scope = turn.token(owner).scope;
    }
}

/// The step is left as it is.
pub(crate) fn skip(turn: &mut Turn<'_>, token: Number) {
    let (saga, record) = step_of(turn, token).expect("accept has found the saga");
    leave_as_it_is(turn, turn.instance.sagas[&saga].token, record);
}

/// The step that a saga's carrier has undone is left as it is, and the saga goes on.
pub(crate) fn leave_as_it_is(turn: &mut Turn<'_>, carrier: Number, record: Number) {
    let Wait::Saga(saga) = turn.token(carrier).wait else { unreachable!("a carrier waits for its saga") };
    turn.drop_owned(carrier);
    turn.emit_at(carrier, EventKind::SagaStepSkipped { saga, record });
    go_on(turn, saga);
}

/// The saga ends here.
pub(crate) fn abort(turn: &mut Turn<'_>, token: Number) {
    let (saga, record) = step_of(turn, token).expect("accept has found the saga");
    let carrier = turn.instance.sagas[&saga].token;
    turn.drop_owned(carrier);
    turn.emit_at(carrier, EventKind::SagaStepSkipped { saga, record });
    finish(turn, saga);
}

/// Somebody has the whole instance undone; before going back to a bookmark, what was completed since.
pub(crate) fn by_operator(turn: &mut Turn<'_>, reason: Option<String>, since: Option<Number>) {
    let oldest = turn.instance.members(ROOT).next().expect("a live instance has a token");
    let cause = since.map_or(SagaCause::Operator, |_| SagaCause::Rollback);
    undo_scope(turn, oldest, ROOT, cause, reason, since);
}

/// Nothing is left to undo.
fn finish(turn: &mut Turn<'_>, saga: Number) {
    let over = turn.instance.sagas[&saga].clone();
    let compensated = turn.instance.records.values().all(|record| record.scope != over.scope);
    turn.emit_at(over.token, EventKind::SagaCompleted { saga });
    let message = over.message.unwrap_or_else(|| "compensated".to_owned());
    match over.cause {
        SagaCause::Throw => activity::complete_plainly(turn, over.token),
        SagaCause::Aside => turn.end_token(over.token),
        SagaCause::Cancel => leave_transaction(turn, over.token, over.scope),
        SagaCause::Local => {
            let owner = turn.instance.scopes[&over.scope].owner.expect("a sub-process has an owner");
            failure::scope_failed(turn, owner, message);
        }
        SagaCause::Rollback => {
            let reason = Some(format!("what was done since `{message}` is undone: it can go back"));
            turn.emit(EventKind::WorkflowPaused { reason });
        }
        SagaCause::Global | SagaCause::Operator => {
            turn.end_instance(EventKind::WorkflowFailed { message, code: None, compensated });
        }
    }
}

/// The transaction is left by its cancel event, or just left if it has none. The event is on the border of all rounds.
fn leave_transaction(turn: &mut Turn<'_>, token: Number, scope: Number) {
    if let NodeKind::End(_) = turn.node_of(token).kind {
        turn.emit_at(token, EventKind::NodeCompleted);
    }
    let is_cancel = |boundary: &tyer_model::Boundary| {
        boundary.triggers.any.iter().any(|trigger| matches!(trigger, Trigger::Cancel))
    };
    let mut host = turn.instance.scopes[&scope].owner;
    while let Some(inner) = host.filter(|host| turn.is_inner(*host)) {
        host = turn.instance.scopes[&turn.token(inner).scope].owner;
    }
    match host.and_then(|host| Some((host, error::boundary_that(turn, host, is_cancel)?))) {
        Some((host, node)) => boundary::happen(turn, host, node, Variables::default()),
        None => turn.end_token(token),
    }
}

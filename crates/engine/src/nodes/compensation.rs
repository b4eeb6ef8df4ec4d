//! Compensation: completed steps are recorded, and undone one at a time in reverse order of completion.
//!
//! **Invariant:** a record is written in the turn that completes its step, and is gone when the step is undone or skipped.
//! **Invariant:** every saga is carried by one token of the scope that it undoes.

use tyer_model::{InFlight, NodeIx, NodeKind, Process, SubProcessKind, Throw, Trigger};

use crate::event::{EventKind, SagaCause, Thrown};
use crate::ids::Number;
use crate::instance::{IncidentKind, Mode, Owner, ROOT, RecordStatus, ScopeKind, Wait};
use crate::nodes::{activity, boundary, error, failure};
use crate::turn::{Turn, triggers_of};
use crate::variables::Variables;

/// The step is completed: if it can be undone, that is kept; its own scope is closed.
pub(super) fn record(turn: &mut Turn<'_>, token: Number) {
    let (node, mode, owned) = (turn.token(token).node, turn.token(token).mode, turn.token(token).owns);
    let target = turn.flow_scope(turn.token(token).scope);
    let is_step = mode == Mode::Forward && activity::is_activity(&turn.process.node(node).kind);
    let handler = if is_step { handler_of(turn.process, node) } else { None };
    if handler.is_some() {
        let variables = own_variables(turn, token);
        let inner = owned.filter(|scope| turn.instance.scopes[scope].kind == ScopeKind::Body);
        let record = turn.next_number();
        turn.emit_at(token, EventKind::CompensationRecorded { record, scope: target, variables, inner });
        close_owned(turn, token, inner);
    } else {
        close_owned(turn, token, (mode == Mode::Forward).then_some(target));
    }
}

fn close_owned(turn: &mut Turn<'_>, token: Number, records: Option<Number>) {
    if let Some(scope) = turn.token(token).owns {
        turn.drop_scope(scope, records);
    }
}

/// What the step had of its own: its round's variables and those of its mappings or body.
fn own_variables(turn: &Turn<'_>, token: Number) -> Variables {
    let mut variables = Variables::default();
    let scope = turn.token(token).scope;
    if turn.is_inner(token) {
        variables.merge(&turn.instance.scopes[&scope].variables);
    }
    if let Some(owned) = turn.token(token).owns {
        variables.merge(&turn.instance.scopes[&owned].variables);
    }
    variables
}

/// What undoes a step: its handler, or a compensation event sub-process inside it.
fn handler_of(process: &Process, node: NodeIx) -> Option<NodeIx> {
    let step = process.node(node);
    let catches = |event: &NodeIx| {
        triggers_of(&process.node(*event).kind, process).is_some_and(|triggers| {
            triggers.any.iter().any(|trigger| matches!(trigger, Trigger::Compensation))
        })
    };
    step.handler.or_else(|| step.body().and_then(|body| body.events.iter().copied().find(catches)))
}

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
    turn.emit_at(carrier, EventKind::SagaStarted { saga, scope, cause, message: None });
    go_on(turn, saga);
    wait
}

/// A throw undoes steps of its own scope; inside an event sub-process those of the scope around it, and inside a
/// compensation handler those of the step that is being undone.
fn scope_to_undo(turn: &Turn<'_>, token: Number) -> Number {
    let scope = turn.flow_scope(turn.token(token).scope);
    let Some(owner) = turn.instance.scopes[&scope].owner else { return scope };
    if !error::is_event_sub_process(turn, turn.token(owner).node) {
        return scope;
    }
    let around = turn.token(owner).scope;
    match turn.instance.scopes[&around].kind {
        ScopeKind::Undo { record } => turn.instance.records[&record].inner.unwrap_or(around),
        ScopeKind::Body
        | ScopeKind::Local
        | ScopeKind::Branch
        | ScopeKind::Rounds { .. }
        | ScopeKind::Round { .. } => around,
    }
}

/// The cancel end of a transaction: everything in it stops, its steps are undone, then it is left by its cancel event.
pub(super) fn cancel_transaction(turn: &mut Turn<'_>, token: Number) {
    let scope = transaction_around(turn, token);
    let thrown =
        EventKind::EventThrown { thrown: Thrown::Cancel, code: None, message: None, caught: scope != ROOT };
    turn.emit_at(token, thrown);
    undo_scope(turn, ancestor_in(turn, token, scope), scope, SagaCause::Cancel, None);
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

/// Everything in a scope stops but its carrier, and its completed steps are undone.
pub(super) fn undo_scope(
    turn: &mut Turn<'_>,
    carrier: Number,
    scope: Number,
    cause: SagaCause,
    message: Option<String>,
) {
    let in_flight = in_flight(turn, scope);
    let members: Vec<Number> = turn.instance.members(scope).collect();
    for token in members {
        if token == carrier {
            turn.stop_work_keeping(token, Some(scope));
            turn.disarm(Owner::Token(token));
        } else if !in_flight.contains(&token) && turn.lives(token) {
            turn.terminate_keeping(token, Some(scope));
        }
    }
    turn.disarm_scope(scope);
    let saga = turn.next_number();
    turn.emit_at(carrier, EventKind::SagaStarted { saga, scope, cause, message });
    go_on(turn, saga);
}

/// Steps that a worker is doing now and that could be undone may finish first.
fn in_flight(turn: &Turn<'_>, scope: Number) -> Vec<Number> {
    if turn.process.body(turn.body_of(scope)).in_flight == InFlight::Terminate {
        return Vec::new();
    }
    let is_held = |token: &Number| {
        let held = turn.token(*token).job().is_some_and(|job| turn.instance.executing.contains(&job.number));
        held && handler_of(turn.process, turn.token(*token).node).is_some()
    };
    turn.instance.members(scope).filter(is_held).collect()
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
fn go_on(turn: &mut Turn<'_>, saga: Number) {
    let (carrier, scope, cause) = {
        let saga = &turn.instance.sagas[&saga];
        (saga.token, saga.scope, saga.cause)
    };
    let is_thrown = matches!(cause, SagaCause::Throw | SagaCause::Aside);
    if !is_thrown && turn.instance.members(scope).any(|token| token != carrier) {
        return;
    }
    let only = if is_thrown { thrown_at(turn, carrier) } else { None };
    let Some(record) = next_record(turn, scope, only) else { return finish(turn, saga) };
    turn.emit_at(carrier, EventKind::SagaStepStarted { saga, record });
    let (node, variables) = {
        let record = &turn.instance.records[&record];
        (record.node, record.variables.clone())
    };
    let parent = turn.token(carrier).scope;
    let undo = turn.open_scope(carrier, parent, ScopeKind::Undo { record });
    turn.write_local(undo, variables);
    let handler = handler_of(turn.process, node).expect("a record is of a step with a handler");
    let token = turn.create_in(undo, handler, Mode::Compensation);
    turn.re_enter(token);
}

/// A token of a scope that is being undone has ended: perhaps the last that was in flight.
pub(crate) fn in_flight_ended(turn: &mut Turn<'_>, scope: Number) {
    let waits = |(number, saga): (&Number, &crate::instance::Saga)| {
        let idle =
            turn.token(saga.token).wait == Wait::Saga(*number) && turn.token(saga.token).owns.is_none();
        let is_thrown = matches!(saga.cause, SagaCause::Throw | SagaCause::Aside);
        (saga.scope == scope && !is_thrown && idle).then_some(*number)
    };
    let waiting = turn.instance.sagas.iter().find_map(waits);
    if let Some(saga) = waiting {
        go_on(turn, saga);
    }
}

/// Is the scope of this token being undone, and the token one that may only finish its step?
pub(crate) fn is_in_flight(turn: &Turn<'_>, token: Number) -> bool {
    let scope = turn.token(token).scope;
    turn.instance.sagas.values().any(|saga| {
        let is_thrown = matches!(saga.cause, SagaCause::Throw | SagaCause::Aside);
        saga.scope == scope && saga.token != token && !is_thrown
    })
}

/// The worker of a step in flight is gone: somebody decides whether the step was done.
pub(crate) fn in_doubt(turn: &mut Turn<'_>, job: Number) {
    let token = turn.instance.token_of_job(job).expect("accept has found the job");
    let message =
        format!("nobody knows whether `{}` was done: compensate it, or skip it", turn.node_of(token).id);
    turn.open_incident(Some(token), IncidentKind::InDoubt, message);
}

/// The step in doubt is taken as done, and is undone with the others.
pub(crate) fn was_done(turn: &mut Turn<'_>, token: Number) {
    record(turn, token);
    turn.emit_at(token, EventKind::NodeCompleted);
    turn.disarm(Owner::Token(token));
    turn.end_token(token);
}

/// The step that a compensation event names.
fn thrown_at(turn: &Turn<'_>, token: Number) -> Option<NodeIx> {
    let (NodeKind::Throw(throws) | NodeKind::End(throws)) = &turn.node_of(token).kind else { return None };
    throws
        .iter()
        .find_map(|thrown| if let Throw::Compensation { activity, .. } = thrown { *activity } else { None })
}

/// The step completed last of those that are left.
fn next_record(turn: &Turn<'_>, scope: Number, only: Option<NodeIx>) -> Option<Number> {
    let fits = |node: NodeIx| only.is_none_or(|only| is_in(turn.process, node, only));
    let mut records = turn.instance.records.iter().rev();
    let found = records.find(|(_, record)| {
        record.scope == scope && record.status == RecordStatus::Completed && fits(record.node)
    });
    found.map(|(number, _)| *number)
}

/// Is the node this one, or inside it?
fn is_in(process: &Process, mut node: NodeIx, around: NodeIx) -> bool {
    loop {
        if node == around {
            return true;
        }
        let Some(parent) = process.node(node).parent else { return false };
        node = parent;
    }
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

/// Somebody has the whole instance undone.
pub(crate) fn by_operator(turn: &mut Turn<'_>, reason: Option<String>) {
    let oldest = turn.instance.members(ROOT).next().expect("a live instance has a token");
    undo_scope(turn, oldest, ROOT, SagaCause::Operator, reason);
}

/// Nothing is left to undo.
fn finish(turn: &mut Turn<'_>, saga: Number) {
    let over = turn.instance.sagas[&saga].clone();
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
        SagaCause::Global | SagaCause::Operator => {
            turn.end_instance(EventKind::WorkflowFailed { message, code: None, compensated: true });
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

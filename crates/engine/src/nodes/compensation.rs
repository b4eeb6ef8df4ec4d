//! Compensation: completed steps are recorded, and undone one at a time in reverse order of completion.
//!
//! **Invariant:** a record is written in the turn that completes its step, and is gone when the step is undone or skipped.
//! **Invariant:** every saga is carried by one token of the scope that it undoes.

use tyer_model::{InFlight, NodeIx, NodeKind, Process, SubProcessKind, Throw, Trigger};

use crate::nodes::{activity, boundary, error, failure};
use crate::words::*;

/// The step is completed: if it can be undone, that is kept; its own scope is closed.
pub(super) fn record(turn: &mut Turn<'_>, token: Number) {
    let (node, mode, owned) = (turn.token(token).node, turn.token(token).mode, turn.token(token).owns);
    let target = turn.flow_scope(turn.token(token).scope);
    let is_step = mode != Mode::Compensation && activity::is_activity(&turn.process.node(node).kind);
    let handler = if is_step { handler_of(turn.process, node) } else { None };
    if handler.is_some() {
        let variables = own_variables(turn, token);
        let inner = owned.filter(|scope| turn.instance.scopes[scope].kind == ScopeKind::Body);
        let record = turn.next_number();
        turn.emit_at(token, EventKind::CompensationRecorded { record, scope: target, variables, inner });
        close_owned(turn, token, inner);
    } else {
        close_owned(turn, token, (mode != Mode::Compensation).then_some(target));
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
    turn.emit_at(carrier, EventKind::SagaStarted { saga, scope, cause, message: None, since: None });
    go_on(turn, saga);
    wait
}

/// A throw undoes steps of its own scope; inside an event sub-process those of the scope around it, unless it names a
/// step beside it, and inside a compensation handler those of the step that is being undone.
fn scope_to_undo(turn: &Turn<'_>, token: Number) -> Number {
    let scope = turn.flow_scope(turn.token(token).scope);
    let Some(owner) = turn.instance.scopes[&scope].owner else { return scope };
    let names_beside =
        thrown_at(turn, token).is_some_and(|step| turn.process.node(step).parent == turn.body_of(scope));
    if names_beside || !error::is_event_sub_process(turn, turn.token(owner).node) {
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

/// Everything in a scope stops but its carrier and what is in flight, and its completed steps are undone.
pub(super) fn undo_scope(
    turn: &mut Turn<'_>,
    carrier: Number,
    scope: Number,
    cause: SagaCause,
    message: Option<String>,
) {
    undo_since(turn, carrier, scope, cause, message, None);
}

/// As `undo_scope`, but steps completed before the instance had counted so far stay as they are.
fn undo_since(
    turn: &mut Turn<'_>,
    carrier: Number,
    scope: Number,
    cause: SagaCause,
    message: Option<String>,
    since: Option<Number>,
) {
    let spared = in_flight(turn, scope);
    let is_around = spared.contains(&carrier);
    let carrier = if is_around { turn.branch_off(carrier, turn.token(carrier).node) } else { carrier };
    let mut scopes: Vec<Number> = spared.iter().map(|token| turn.token(*token).scope).collect();
    scopes.push(scope);
    scopes.sort_unstable();
    scopes.dedup();
    for inner in scopes {
        stop_but(turn, inner, &spared, carrier, scope);
    }
    let saga = turn.next_number();
    turn.emit_at(carrier, EventKind::SagaStarted { saga, scope, cause, message, since });
    go_on(turn, saga);
}

/// Nothing new begins in this scope; records of what stops pass to the scope that is undone.
fn stop_but(turn: &mut Turn<'_>, scope: Number, spared: &[Number], carrier: Number, undone: Number) {
    let members: Vec<Number> = turn.instance.members(scope).collect();
    for token in members {
        if token == carrier {
            turn.stop_work_keeping(token, Some(undone));
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

/// Steps that a worker is doing now and that could be undone may finish first: these, and the tokens around them.
fn in_flight(turn: &Turn<'_>, scope: Number) -> Vec<Number> {
    let mut spared = Vec::new();
    if turn.process.body(turn.body_of(scope)).in_flight == InFlight::Terminate {
        return spared;
    }
    for job in &turn.instance.executing {
        let Some(token) = turn.instance.token_of_job(*job) else { continue };
        let is_step = turn.token(token).mode != Mode::Compensation;
        if is_step && handler_of(turn.process, turn.token(token).node).is_some() {
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
    if !cause.is_thrown() && turn.instance.members(scope).any(|token| token != carrier) {
        return;
    }
    let Some(record) = next_record(turn, saga) else { return finish(turn, saga) };
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
        (saga.scope == scope && !saga.cause.is_thrown() && idle).then_some(*number)
    };
    let waiting = turn.instance.sagas.iter().find_map(waits);
    if let Some(saga) = waiting {
        go_on(turn, saga);
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

/// The step completed last of those that are left, and that no saga has which began before this one.
fn next_record(turn: &Turn<'_>, saga: Number) -> Option<Number> {
    let sagas = &turn.instance.sagas;
    let is_anothers = |record: Number| sagas.range(..saga).any(|(earlier, _)| takes(turn, *earlier, record));
    let mut records = turn.instance.records.iter().rev();
    let found = records.find(|(number, record)| {
        record.status == RecordStatus::Completed && takes(turn, saga, **number) && !is_anothers(**number)
    });
    found.map(|(number, _)| *number)
}

/// Is it for this saga to undo the step? One that the diagram throws takes what was completed before.
fn takes(turn: &Turn<'_>, saga: Number, record: Number) -> bool {
    let (of, step) = (&turn.instance.sagas[&saga], &turn.instance.records[&record]);
    let named = || thrown_at(turn, of.token).is_none_or(|only| is_in(turn.process, step.node, only));
    let is_late = of.since.is_none_or(|since| record > since);
    step.scope == of.scope && is_late && (!of.cause.is_thrown() || (record < saga && named()))
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

/// Somebody goes back to a bookmark: what was completed since is undone first.
pub(crate) fn before_rollback(turn: &mut Turn<'_>, name: &str, since: Number) {
    let oldest = turn.instance.members(ROOT).next().expect("a live instance has a token");
    undo_since(turn, oldest, ROOT, SagaCause::Rollback, Some(name.to_owned()), Some(since));
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

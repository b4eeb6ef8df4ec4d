//! Records: what was completed and can be undone, and what is undone next.
//!
//! **Invariant:** a record is written in the turn that completes its step, and is gone when the step is undone or skipped.

use tyer_model::{NodeIx, NodeKind, Process, Throw, Trigger};

use crate::nodes::activity;
use crate::words::*;

/// The step is completed: if it can be undone, that is kept; its own scope is closed.
pub(super) fn keep(turn: &mut Turn<'_>, token: Number) {
    let &Token { node, mode, owns: owned, scope, .. } = turn.token(token);
    let is_step = mode != Mode::Compensation && activity::is_activity(&turn.process.node(node).kind);
    let can_be_undone = is_step && handler_of(turn.process, node).is_some();
    if !can_be_undone && owned.is_none() {
        return;
    }
    let target = turn.flow_scope(scope);
    if can_be_undone {
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
pub(super) fn handler_of(process: &Process, node: NodeIx) -> Option<NodeIx> {
    let step = process.node(node);
    let catches = |event: &NodeIx| {
        triggers_of(&process.node(*event).kind, process).is_some_and(|triggers| {
            triggers.any.iter().any(|trigger| matches!(trigger, Trigger::Compensation))
        })
    };
    step.handler.or_else(|| step.body().and_then(|body| body.events.iter().copied().find(catches)))
}

/// The step completed last of those that are left, and that no saga has which began before this one.
pub(super) fn next(turn: &Turn<'_>, saga: Number) -> Option<Number> {
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

/// The step that a compensation event names.
pub(super) fn thrown_at(turn: &Turn<'_>, token: Number) -> Option<NodeIx> {
    let (NodeKind::Throw(throws) | NodeKind::End(throws)) = &turn.node_of(token).kind else { return None };
    throws
        .iter()
        .find_map(|thrown| if let Throw::Compensation { activity, .. } = thrown { *activity } else { None })
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

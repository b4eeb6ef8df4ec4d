//! Sub-processes: a scope with nodes of its own, opened by the token that waits for it.

use tyer_model::{NodeIx, NodeKind, SubProcessKind};

use crate::nodes::{activity, ad_hoc, condition};
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number) {
    let NodeKind::SubProcess(sub) = &turn.node_of(token).kind else {
        unreachable!("only a sub-process is entered as one")
    };
    let mode = turn.token(token).mode;
    let Some(scope) = open(turn, token) else { return };
    if condition::check_opened(turn, scope) {
        return;
    }
    match &sub.kind {
        SubProcessKind::AdHoc(spec) => ad_hoc::begin(turn, token, scope, spec, &sub.body.starts),
        SubProcessKind::Event { start, .. } => drop(turn.spawn_in(scope, *start, mode)),
        SubProcessKind::Embedded | SubProcessKind::Transaction => {
            for &start in &sub.body.starts {
                turn.spawn_in(scope, start, mode);
            }
        }
    }
    if turn.instance.members(scope).next().is_none() {
        turn.check(scope);
    }
}

/// Opens the scope of a sub-process with its variables and its event sub-processes.
pub(crate) fn open(turn: &mut Turn<'_>, token: Number) -> Option<Number> {
    let node = turn.node_of(token);
    let at = turn.token(token).node;
    let parent = turn.instance.reading_scope(turn.token(token));
    let mapped = turn.map(parent, &Variables::default(), &node.inputs, None);
    let scope = turn.open_scope(token, parent, ScopeKind::Body);
    declare_data(turn, scope, Some(at));
    turn.write_local(scope, mapped);
    arm_events(turn, scope, Some(at)).then_some(scope)
}

/// Data objects and properties are there from the beginning.
pub(super) fn declare_data(turn: &mut Turn<'_>, scope: Number, of: Option<NodeIx>) {
    let data = &turn.process.body(of).data;
    if !data.is_empty() {
        let declared = turn.map(scope, &Variables::default(), data, None);
        turn.write_local(scope, declared);
    }
}

/// Arms the event sub-processes of a scope.
pub(super) fn arm_events(turn: &mut Turn<'_>, scope: Number, of: Option<NodeIx>) -> bool {
    for &event in &turn.process.body(of).events {
        if let Err(reason) = turn.arm(Owner::Scope(scope), event, scope) {
            let what = format!("the event sub-process `{}`", turn.process.node(event).id);
            cannot_arm(turn, scope, &what, &reason);
            return false;
        }
    }
    true
}

/// An instance whose event sub-processes could not be armed when it began tries again. False if that fails again.
pub(crate) fn arm_again(turn: &mut Turn<'_>, token: Number) -> bool {
    let process = turn.process;
    let body = process.body(None);
    let alone = turn.token(token).scope == ROOT && turn.instance.members(ROOT).eq([token]);
    let unarmed = body.events.iter().all(|event| !turn.is_armed(Owner::Scope(ROOT), *event));
    if !alone || !unarmed || body.events.is_empty() || body.starts.first() != Some(&turn.token(token).node) {
        return true;
    }
    if !arm_events(turn, ROOT, None) {
        turn.terminate(token);
        return false;
    }
    for &start in &body.starts[1..] {
        turn.spawn_in(ROOT, start, Mode::Forward);
    }
    true
}

fn cannot_arm(turn: &mut Turn<'_>, scope: Number, what: &str, reason: &str) {
    turn.disarm_scope(scope);
    match turn.instance.scopes[&scope].owner {
        Some(owner) => activity::give_up(turn, owner, what, reason),
        None => {
            // The instance has no token yet that could stand still: its first node shows what is wrong.
            let start = turn.process.body(None).starts.first().copied();
            let node =
                start.or_else(|| turn.process.nodes().next().map(|(ix, _)| ix)).expect("a process has nodes");
            let token = turn.create_in(scope, node, Mode::Forward);
            turn.complain(token, what, reason);
        }
    }
}

/// The last token of a sub-process has ended.
pub(crate) fn done(turn: &mut Turn<'_>, owner: Number, scope: Number) {
    turn.disarm_scope(scope);
    let output = ad_hoc::output(turn, scope);
    activity::complete(turn, owner, output);
}

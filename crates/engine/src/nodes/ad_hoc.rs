//! Ad-hoc sub-process: inner activities in any order, until its condition holds or all are done.

use tyer_model::{AdHoc, NodeIx, NodeKind, SubProcessKind};

use crate::nodes::{activity, repeat, text};
use crate::words::*;

pub(super) fn begin(turn: &mut Turn<'_>, owner: Number, scope: Number, spec: &AdHoc, starts: &[NodeIx]) {
    let chosen = match &spec.active {
        None => starts.to_vec(),
        Some(active) => match text::texts(turn, scope, active) {
            Ok(ids) => {
                let wanted = |ix: &NodeIx| ids.contains(&turn.process.node(*ix).id);
                starts.iter().copied().filter(wanted).collect()
            }
            Err(reason) => return activity::give_up(turn, owner, "the list of active elements", &reason),
        },
    };
    if let Some(gathered) = &spec.gathered {
        let own = repeat::own_result(gathered).map(|name| Variables::of(name, "null".to_owned()));
        turn.write_local(scope, own.unwrap_or_default());
        turn.write_local(scope, Variables::of(OUTPUT, "[]".to_owned()));
    }
    for (position, node) in chosen.into_iter().enumerate() {
        if spec.sequential && position > 0 {
            let token = turn.create_in(scope, node, Mode::Forward);
            turn.emit_at(token, EventKind::TokenQueued);
        } else {
            turn.spawn_in(scope, node, Mode::Forward);
        }
    }
}

/// An inner activity is done. If the whole is done with it, its token goes no further: BPMN 2.0.2 §13.3.5.
pub(super) fn is_enough(turn: &Turn<'_>, token: Number) -> bool {
    let (scope, kind) = (turn.token(token).scope, &turn.node_of(token).kind);
    let completion = spec_of(turn, scope).and_then(|spec| spec.completion.as_ref());
    let holds = |condition| text::holds_in(turn, scope, condition) == Ok(true);
    activity::is_activity(kind) && completion.is_some_and(holds)
}

/// A token of the scope has come to its end: what it gives is put to what the others gave.
pub(crate) fn keep_output(turn: &mut Turn<'_>, scope: Number) {
    let Some(gathered) = spec_of(turn, scope).and_then(|spec| spec.gathered.as_ref()) else { return };
    let output = text::evaluate_in(turn, scope, &gathered.element).value.to_json();
    let before = turn.read(scope, OUTPUT).unwrap_or("[]").trim_end_matches(']');
    let comma = if before == "[" { "" } else { "," };
    let all = format!("{before}{comma}{output}]");
    let own = repeat::own_result(gathered).map(|name| Variables::of(name, "null".to_owned()));
    turn.write_local(scope, Variables::of(OUTPUT, all));
    turn.write_local(scope, own.unwrap_or_default());
}

/// What its activities gave, under the name that the sub-process says.
pub(super) fn output(turn: &Turn<'_>, scope: Number) -> Variables {
    let gathered = spec_of(turn, scope).and_then(|spec| spec.gathered.as_ref());
    let all = gathered.and_then(|_| turn.read(scope, OUTPUT));
    let named = gathered.zip(all).map(|(gathered, all)| Variables::of(&gathered.collection, all.to_owned()));
    named.unwrap_or_default()
}

/// A token of the scope has ended and others live: is it enough, or whose turn is it?
pub(crate) fn go_on(turn: &mut Turn<'_>, scope: Number) {
    let Some(spec) = spec_of(turn, scope) else { return };
    let owner = turn.instance.scopes[&scope].owner.expect("a sub-process has an owner");
    match spec.completion.as_ref().map(|condition| text::holds_in(turn, scope, condition)) {
        Some(Ok(true)) if spec.cancel_remaining => return turn.clear_scope(scope),
        Some(Ok(true)) => return drop_queued(turn, scope),
        Some(Err(reason)) => return activity::give_up(turn, owner, "the completion condition", &reason),
        Some(Ok(false)) | None => {}
    }
    let waits = |token: &Number| turn.token(*token).wait == Wait::Turn;
    let (queued, busy): (Vec<Number>, Vec<Number>) = turn.instance.members(scope).partition(waits);
    if let (true, Some(next)) = (busy.is_empty(), queued.first()) {
        turn.re_enter(*next);
    }
}

fn drop_queued(turn: &mut Turn<'_>, scope: Number) {
    let queued: Vec<Number> =
        turn.instance.members(scope).filter(|token| turn.token(*token).wait == Wait::Turn).collect();
    for token in queued {
        turn.terminate(token);
    }
}

fn spec_of<'a>(turn: &Turn<'a>, scope: Number) -> Option<&'a AdHoc> {
    let node = turn.body_of(scope)?;
    let NodeKind::SubProcess(sub) = &turn.process.node(node).kind else { return None };
    if let SubProcessKind::AdHoc(spec) = &sub.kind { Some(spec) } else { None }
}

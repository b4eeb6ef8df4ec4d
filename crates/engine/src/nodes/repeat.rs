//! Repeated activities: the standard loop, and once for each of several, in a row or all at once.
//!
//! **Invariant:** completed + terminated + active + pending = total, after every turn.

use tyer_model::{Behaviour, Count, Gathered, Multi, Repeat};

use crate::nodes::{activity, text, throw};
use crate::words::*;

/// The token of the whole activity opens its rounds.
pub(super) fn begin(turn: &mut Turn<'_>, token: Number) {
    match repeat_of(turn, token) {
        Repeat::Loop { before, .. } => begin_loop(turn, token, *before),
        Repeat::Multi(multi) => begin_multi(turn, token, multi),
    }
}

fn begin_loop(turn: &mut Turn<'_>, token: Number, before: bool) {
    let reads = turn.instance.reading_scope(turn.token(token));
    if before {
        match goes_on(turn, token, reads, 0) {
            Ok(true) => {}
            Ok(false) => return finish_plainly(turn, token),
            Err(reason) => return activity::give_up(turn, token, "the loop condition", &reason),
        }
    }
    let rounds = turn.open_scope(token, reads, ScopeKind::Rounds { total: None });
    start_round(turn, token, rounds);
}

fn begin_multi(turn: &mut Turn<'_>, token: Number, multi: &Multi) {
    let reads = turn.instance.reading_scope(turn.token(token));
    let (total, items) = match count(turn, reads, multi) {
        Ok(counted) => counted,
        Err(reason) => return activity::give_up(turn, token, "the number of rounds", &reason),
    };
    let rounds = turn.open_scope(token, reads, ScopeKind::Rounds { total: Some(total) });
    if let Some(items) = items {
        turn.write_local(rounds, Variables::of(ITEMS, items));
    }
    if total == 0 {
        return finish(turn, token, rounds);
    }
    for _ in 0..if multi.sequential { 1 } else { total } {
        start_round(turn, token, rounds);
    }
}

/// How many rounds, and the items if each has one.
fn count(turn: &Turn<'_>, reads: Number, multi: &Multi) -> Result<(u32, Option<String>), String> {
    match &multi.count {
        Count::Cardinality(expression) => {
            let evaluation = text::evaluate_in(turn, reads, expression);
            let number = evaluation.value.to_json().parse::<f64>().ok().filter(|n| n.fract() == 0.0);
            let fits = number.filter(|n| (0.0..=f64::from(u32::MAX)).contains(n));
            let wrong = || text::complaint(expression, &evaluation, "a whole number, 0 or more");
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it was just compared"
            )]
            fits.map(|n| (n as u32, None)).ok_or_else(wrong)
        }
        Count::Collection(expression) => {
            let evaluation = text::evaluate_in(turn, reads, expression);
            let json = evaluation.value.to_json();
            let items: Result<Vec<&serde_json::value::RawValue>, _> = serde_json::from_str(&json);
            let total = items.ok().and_then(|items| u32::try_from(items.len()).ok());
            total
                .map(|total| (total, Some(json)))
                .ok_or_else(|| text::complaint(expression, &evaluation, "a list"))
        }
    }
}

fn start_round(turn: &mut Turn<'_>, owner: Number, rounds: Number) {
    let done = &turn.instance.scopes[&rounds].rounds;
    let (index, completed, terminated) = (done.started + 1, done.completed, done.terminated);
    let item = done.items.as_ref().and_then(|items| items.get(index as usize - 1).cloned());
    let node = turn.token(owner).node;
    let counted = EventKind::RoundCounted { scope: rounds, started: index, completed, terminated };
    turn.emit_of(None, node, counted);
    let scope = turn.next_number();
    turn.emit_at(owner, EventKind::ScopeOpened { scope, parent: rounds, kind: ScopeKind::Round { index } });
    let mut variables = Variables::of("loopCounter", index.to_string());
    if let (Repeat::Multi(multi), Some(item)) = (repeat_of(turn, owner), item)
        && let Some(element) = &multi.element
    {
        variables.insert(std::sync::Arc::clone(element), item);
    }
    if let Some(name) = gathered(turn, owner).and_then(own_result) {
        variables.merge(&Variables::of(name, "null".to_owned()));
    }
    turn.write_local(scope, variables);
    let mode = turn.token(owner).mode;
    let token = turn.create_in(scope, node, mode);
    turn.re_enter(token);
}

/// The last token of a round has ended.
pub(crate) fn round_done(turn: &mut Turn<'_>, owner: Number, round: Number) {
    let rounds = turn.instance.scopes[&round].parent;
    let own = turn.instance.scopes[&round].variables.clone();
    if gathered(turn, owner).is_none() {
        let (node, records) = (turn.token(owner).node, Some(turn.flow_scope(round)));
        turn.emit_of(None, node, EventKind::ScopeClosed { scope: round, records });
    }
    let done = &turn.instance.scopes[&rounds].rounds;
    let (started, completed, terminated) = (done.started, done.completed + 1, done.terminated);
    let node = turn.token(owner).node;
    turn.emit_of(None, node, EventKind::RoundCounted { scope: rounds, started, completed, terminated });
    match repeat_of(turn, owner) {
        Repeat::Loop { .. } => match goes_on(turn, owner, rounds, completed) {
            Ok(true) => start_round(turn, owner, rounds),
            Ok(false) => finish(turn, owner, rounds),
            Err(reason) => activity::give_up(turn, owner, "the loop condition", &reason),
        },
        Repeat::Multi(multi) => round_of_several_done(turn, owner, rounds, multi, own),
    }
}

/// A person has taken the last token of a round away. False if no other round is under way: then nothing is left of
/// the activity.
pub(crate) fn round_taken_away(turn: &mut Turn<'_>, owner: Number, round: Number) -> bool {
    let Scope { kind, parent: rounds, .. } = turn.instance.scopes[&round];
    if !matches!(kind, ScopeKind::Round { .. }) {
        return false;
    }
    let done = &turn.instance.scopes[&rounds].rounds;
    let (started, completed, terminated) = (done.started, done.completed, done.terminated + 1);
    if started == completed + terminated {
        return false;
    }
    let (node, records) = (turn.token(owner).node, Some(turn.flow_scope(round)));
    turn.emit_of(None, node, EventKind::ScopeClosed { scope: round, records });
    turn.emit_of(None, node, EventKind::RoundCounted { scope: rounds, started, completed, terminated });
    true
}

fn round_of_several_done(turn: &mut Turn<'_>, owner: Number, rounds: Number, multi: &Multi, own: Variables) {
    let mut seen = own;
    seen.merge(&counters(turn, rounds));
    throw_behaviour(turn, owner, rounds, multi, &seen);
    if !turn.lives(owner) || turn.token(owner).owns != Some(rounds) {
        return;
    }
    let enough = multi.completion.as_ref().map(|condition| text::holds_with(turn, rounds, &seen, condition));
    match enough {
        Some(Ok(true)) => return finish(turn, owner, rounds),
        Some(Err(reason)) => return activity::give_up(turn, owner, "the completion condition", &reason),
        Some(Ok(false)) | None => {}
    }
    let done = &turn.instance.scopes[&rounds].rounds;
    let (started, ended, total) = (done.started, done.completed + done.terminated, total_of(turn, rounds));
    if ended == total {
        finish(turn, owner, rounds);
    } else if multi.sequential && started < total {
        start_round(turn, owner, rounds);
    }
}

/// BPMN 2.0.2 §10.3.8: what a round throws when it is done.
fn throw_behaviour(turn: &mut Turn<'_>, owner: Number, rounds: Number, multi: &Multi, seen: &Variables) {
    let completed = turn.instance.scopes[&rounds].rounds.completed;
    match &multi.behaviour {
        Behaviour::All => {}
        Behaviour::None(throws) => throw::from_round(turn, owner, throws),
        Behaviour::One(throws) if completed == 1 => throw::from_round(turn, owner, throws),
        Behaviour::One(_) => {}
        Behaviour::Complex(choices) => {
            for (condition, throws) in choices {
                if turn.lives(owner) && text::holds_with(turn, rounds, seen, condition) == Ok(true) {
                    throw::from_round(turn, owner, throws);
                }
            }
        }
    }
}

/// What a round gives back is read where its activity reads, before that is closed.
pub(super) fn keep_output(turn: &mut Turn<'_>, token: Number) {
    let Some(gathered) = gathered(turn, token) else { return };
    let (round, reads) = (turn.token(token).scope, turn.instance.reading_scope(turn.token(token)));
    let output = text::evaluate_in(turn, reads, &gathered.element).value.to_json();
    turn.write_local(round, Variables::of(OUTPUT, output));
}

fn gathered<'a>(turn: &Turn<'a>, token: Number) -> Option<&'a Gathered> {
    match repeat_of(turn, token) {
        Repeat::Multi(multi) => multi.gathered.as_ref(),
        Repeat::Loop { .. } => None,
    }
}

/// A plain variable that rounds give back is each round's own, and null until it is set.
pub(super) fn own_result(gathered: &Gathered) -> Option<&std::sync::Arc<str>> {
    let text = gathered.element.text().trim();
    let [name] = gathered.element.variables() else { return None };
    let rest = text.strip_prefix(&**name)?;
    (rest.is_empty() || rest.starts_with('.')).then_some(name)
}

/// Enough rounds are done: those still under way are ended, what they gave is put together, the activity is done.
fn finish(turn: &mut Turn<'_>, owner: Number, rounds: Number) {
    let result =
        gathered(turn, owner).map(|gathered| Variables::of(&gathered.collection, outputs(turn, rounds)));
    let target = turn.instance.scopes[&rounds].parent;
    let records = Some(turn.flow_scope(rounds));
    turn.drop_scope(rounds, records);
    if let Some(result) = result {
        turn.write(target, result);
    }
    finish_plainly(turn, owner);
}

fn finish_plainly(turn: &mut Turn<'_>, owner: Number) {
    turn.disarm(Owner::Token(owner));
    turn.depart(owner);
}

/// What the rounds gave, in their order; null for one that gave nothing.
fn outputs(turn: &Turn<'_>, rounds: Number) -> String {
    let total = total_of(turn, rounds) as usize;
    let mut outputs = vec!["null"; total];
    for scope in turn.instance.scopes.range(rounds + 1..).map(|(_, scope)| scope) {
        if let (ScopeKind::Round { index }, true) = (scope.kind, scope.parent == rounds) {
            let given = scope.variables.get(OUTPUT);
            if let (Some(slot), Some(given)) = (outputs.get_mut(index as usize - 1), given) {
                *slot = given;
            }
        }
    }
    format!("[{}]", outputs.join(","))
}

fn total_of(turn: &Turn<'_>, rounds: Number) -> u32 {
    if let ScopeKind::Rounds { total: Some(total) } = turn.instance.scopes[&rounds].kind { total } else { 0 }
}

/// Does the loop go once more?
fn goes_on(turn: &Turn<'_>, owner: Number, reads: Number, done: u32) -> Result<bool, String> {
    let Repeat::Loop { condition, max, .. } = repeat_of(turn, owner) else { return Ok(false) };
    if let Some(max) = max {
        let most = text::evaluate_in(turn, reads, max).value.to_json();
        if most.parse::<f64>().is_ok_and(|most| f64::from(done) >= most) {
            return Ok(false);
        }
    }
    let counter = Variables::of("loopCounter", done.to_string());
    condition.as_ref().map_or(Ok(true), |condition| text::holds_with(turn, reads, &counter, condition))
}

/// What conditions on rounds can read besides the variables of the round that is done, under the names that models use.
fn counters(turn: &Turn<'_>, rounds: Number) -> Variables {
    let scope = &turn.instance.scopes[&rounds];
    let done = &scope.rounds;
    let active = done.started - done.completed - done.terminated;
    let mut counters = Variables::default();
    for (names, value) in [
        (["numberOfInstances", "nrOfInstances"], total_of(turn, rounds)),
        (["numberOfActiveInstances", "nrOfActiveInstances"], active),
        (["numberOfCompletedInstances", "nrOfCompletedInstances"], done.completed),
        (["numberOfTerminatedInstances", "nrOfTerminatedInstances"], done.terminated),
    ] {
        for name in names {
            counters.merge(&Variables::of(name, value.to_string()));
        }
    }
    counters
}

fn repeat_of<'a>(turn: &Turn<'a>, owner: Number) -> &'a Repeat {
    turn.node_of(owner).repeat.as_deref().expect("only a repeated activity has rounds")
}

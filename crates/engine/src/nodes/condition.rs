//! Conditional events: they happen when a change of variables makes their condition true.

use std::sync::Arc;

use tyer_model::{ConditionSpec, Trigger};

use crate::nodes::{error, text};
use crate::words::*;

/// Looks at conditions that were just armed, or whose variables have changed. True if one of them holds.
pub(crate) fn check(turn: &mut Turn<'_>) -> bool {
    let armed = std::mem::take(&mut turn.armed_conditions);
    let changed = std::mem::take(&mut turn.changed);
    let seen = std::mem::take(&mut turn.seen_conditions);
    if armed.is_empty() && (changed.is_empty() || turn.instance.subscriptions.is_empty()) {
        return false;
    }
    let concerned: Vec<Number> = turn
        .instance
        .subscriptions
        .iter()
        .filter(|(number, subscription)| {
            let before =
                seen.iter().find(|(checked, _)| checked == *number).map_or(0, |(_, changes)| *changes);
            armed.contains(number) || reads_any(turn, subscription, &changed[before..])
        })
        .map(|(number, _)| *number)
        .collect();
    trigger(turn, &concerned)
}

/// Looks at the conditions that a scope's event sub-processes were just armed with, before anything in it begins. True
/// if one of them took the place of what would begin.
pub(crate) fn check_opened(turn: &mut Turn<'_>, scope: Number) -> bool {
    let is_of_scope = |number: &Number| {
        turn.instance.subscriptions.get(number).is_some_and(|armed| armed.scope == Some(scope))
    };
    let (here, elsewhere): (Vec<Number>, Vec<Number>) =
        std::mem::take(&mut turn.armed_conditions).into_iter().partition(is_of_scope);
    turn.armed_conditions = elsewhere;
    let changes = turn.changed.len();
    turn.seen_conditions.extend(here.iter().map(|number| (*number, changes)));
    !here.is_empty()
        && trigger(turn, &here)
        && turn.instance.members(scope).any(|token| error::interrupts(turn, turn.token(token).node))
}

/// Looks at every condition: time has passed, or somebody asks.
pub(crate) fn check_all(turn: &mut Turn<'_>) {
    let all: Vec<Number> = turn.instance.subscriptions.keys().copied().collect();
    trigger(turn, &all);
}

fn trigger(turn: &mut Turn<'_>, subscriptions: &[Number]) -> bool {
    let mut happened = false;
    for number in subscriptions {
        let Some(subscription) = turn.instance.subscriptions.get(number) else { continue };
        let Some(spec) = spec_of(turn, subscription) else { continue };
        let scope = match (subscription.token, subscription.scope) {
            (Some(token), _) => turn.instance.reading_scope(turn.token(token)),
            (None, scope) => scope.expect("somebody waits"),
        };
        let met = matches!(subscription.wanted, Wanted::Condition { met: true, .. });
        match (text::holds_in(turn, scope, &spec.condition) == Ok(true), met) {
            (true, false) => {
                happened = true;
                turn.subscription_came(*number, None, Variables::default());
            }
            (false, true) => {
                let (token, node) = (subscription.token, subscription.node);
                turn.emit_of(token, node, EventKind::ConditionUnmet { subscription: *number });
            }
            (true, true) | (false, false) => {}
        }
    }
    happened
}

fn reads_any(turn: &Turn<'_>, subscription: &Subscription, changed: &[Arc<str>]) -> bool {
    spec_of(turn, subscription).is_some_and(|spec| {
        let reads = if spec.variables.is_empty() { spec.condition.variables() } else { &spec.variables[..] };
        changed.iter().any(|name| reads.contains(name))
    })
}

fn spec_of<'a>(turn: &Turn<'a>, subscription: &Subscription) -> Option<&'a ConditionSpec> {
    let Wanted::Condition { trigger, .. } = subscription.wanted else { return None };
    let process = turn.process;
    let triggers = triggers_of(&process.node(subscription.node).kind, process)?;
    if let Some(Trigger::Condition(spec)) = triggers.any.get(trigger as usize) { Some(spec) } else { None }
}

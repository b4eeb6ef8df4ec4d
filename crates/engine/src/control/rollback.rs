//! Rollback: live tokens are taken away and those of a bookmark are made again, with new numbers.
//!
//! **Invariant:** a late result names an old number and is refused by construction.

use std::sync::Arc;

use tyer_map::Map;

use crate::nodes;
use crate::words::*;

/// What has been done since and could be undone stands in the way; so does a child that has ended.
pub(crate) fn accept(instance: &Instance, rollback: &Rollback) -> Result<(), Rejection> {
    let then = &rollback.state;
    let refused = |reason: String| Rejection::RollbackRefused { name: rollback.name.clone(), reason };
    if then.status.is_ended() || then.version == 0 || then.version > instance.version {
        return Err(refused("there is no state of this instance to go back to".to_owned()));
    }
    if then.definition != instance.definition {
        return Err(refused("it ran another version of the process then: migrate it back first".to_owned()));
    }
    if !then.sagas.is_empty() || !instance.sagas.is_empty() {
        return Err(refused("steps are being undone".to_owned()));
    }
    let done_since = done_since(instance, then);
    if rollback.effects == Effects::Refuse && done_since > 0 {
        return Err(Rejection::EffectsAfterSnapshot { name: rollback.name.clone(), steps: done_since });
    }
    for token in then.tokens.values() {
        if let Wait::Call(call) = token.wait
            && instance.token_of_call(call).is_none()
        {
            return Err(refused("it waited for a called process that has ended since".to_owned()));
        }
    }
    Ok(())
}

/// How many steps that can be undone were completed since.
fn done_since(instance: &Instance, then: &Instance) -> usize {
    let is_open = |record: &Record| record.status != RecordStatus::Skipped;
    instance.records.iter().filter(|(number, record)| is_open(record) && **number > then.counter).count()
}

pub(crate) fn apply(turn: &mut Turn<'_>, rollback: Rollback) {
    if rollback.effects == Effects::Compensate && done_since(turn.instance, &rollback.state) > 0 {
        let since = Some(rollback.state.counter);
        return nodes::compensation::by_operator(turn, Some(rollback.name), since);
    }
    turn.emit(EventKind::WorkflowRolledBack { name: rollback.name });
    let then = rollback.state;
    turn.clear_scope(ROOT);
    turn.disarm_scope(ROOT);
    turn.forget_work();
    restore_variables(turn, ROOT, &then, ROOT);
    let mut made = Made { scopes: Map::from([(ROOT, ROOT)]), then: &then };
    make_sources(turn, &made, Owner::Scope(ROOT), Owner::Scope(ROOT));
    make_tokens(turn, &mut made, ROOT);
    make_records(turn, &made);
    // It was paused for the undoing; who has paused it for another reason resumes it.
    let was_undoing = rollback.effects == Effects::Compensate && then.status == Status::Running;
    if was_undoing && turn.instance.status == Status::Paused {
        turn.emit(EventKind::WorkflowResumed);
    }
    turn.moved.extend(turn.instance.scopes.keys());
}

/// What has been made again so far, by its old number.
struct Made<'a> {
    scopes: Map<Number, Number>,
    then: &'a Instance,
}

fn restore_variables(turn: &mut Turn<'_>, scope: Number, then: &Instance, old: Number) {
    let (now, before) = (&turn.instance.scopes[&scope].variables, &then.scopes[&old].variables);
    let names: Vec<Arc<str>> = now
        .entries()
        .filter(|(name, _)| before.get(name).is_none())
        .map(|(name, _)| Arc::clone(name))
        .collect();
    let values = before.clone();
    if !names.is_empty() {
        turn.emit(EventKind::VariableRemoved { scope, names });
    }
    if !values.is_empty() {
        turn.emit(EventKind::VariableUpdated { scope, values });
    }
}

fn make_tokens(turn: &mut Turn<'_>, made: &mut Made<'_>, old_scope: Number) {
    let then = made.then;
    for number in then.members(old_scope).collect::<Vec<_>>() {
        let old = &then.tokens[&number];
        let token = make_token(turn, made, old);
        for &mark in &old.marks {
            turn.emit_on(token, mark, None, EventKind::TokenMarked);
        }
        if old.wait == Wait::Nothing {
            turn.re_enter(token);
            continue;
        }
        turn.emit_on(token, old.node, old.flow, EventKind::NodeStarted);
        if let Some(owned) = old.owns {
            make_scope(turn, made, token, owned);
        }
        make_sources(turn, made, Owner::Token(number), Owner::Token(token));
        nodes::job::restore_tries(turn, token, old);
        make_wait(turn, then, token, old);
    }
}

/// A token stands where the old one stood, in the branch where that was.
fn make_token(turn: &mut Turn<'_>, made: &mut Made<'_>, old: &Token) -> Number {
    let (number, scope) = (turn.next_number(), made.scopes[&old.scope]);
    let is_branch = |scope: &Number| made.then.scopes[scope].kind == ScopeKind::Branch;
    let around =
        std::iter::successors(old.branch, |branch| Some(made.then.scopes[branch].parent).filter(is_branch));
    let around: Vec<Number> = around.collect();
    let branch = around.iter().find_map(|branch| made.scopes.get(branch).copied());
    let born = Born { scope, mode: old.mode, branch, ..Born::default() };
    turn.emit_on(number, old.node, None, EventKind::TokenCreated(born));
    for &branch in around.iter().rev() {
        if !made.scopes.contains_key(&branch) {
            let fork = made.then.scopes[&branch].node.expect("a branch comes out of a node");
            nodes::branch::open(turn, number, fork);
            let opened = turn.token(number).branch.expect("it was just opened");
            made.scopes.insert(branch, opened);
            restore_variables(turn, opened, made.then, branch);
        }
    }
    number
}

fn make_scope(turn: &mut Turn<'_>, made: &mut Made<'_>, owner: Number, old: Number) {
    let then = made.then;
    let parent = made.scopes[&then.scopes[&old].parent];
    let scope = turn.open_scope(owner, parent, then.scopes[&old].kind);
    made.scopes.insert(old, scope);
    restore_variables(turn, scope, then, old);
    make_sources(turn, made, Owner::Scope(old), Owner::Scope(scope));
    if let ScopeKind::Rounds { .. } = then.scopes[&old].kind {
        let rounds = &then.scopes[&old].rounds;
        let (started, completed, terminated) = (rounds.started, rounds.completed, rounds.terminated);
        turn.emit(EventKind::RoundCounted { scope, started, completed, terminated });
        let inner: Vec<Number> =
            then.scopes.range(old + 1..).filter(|(_, scope)| scope.parent == old).map(|(n, _)| *n).collect();
        for round in inner {
            make_scope(turn, made, owner, round);
        }
    }
    make_tokens(turn, made, old);
}

/// Steps inside scopes that are made again can still be undone; those of the root were never forgotten.
fn make_records(turn: &mut Turn<'_>, made: &Made<'_>) {
    for (old, record) in &made.then.records {
        let scope = made.scopes.get(&record.scope).copied().filter(|scope| *scope != ROOT);
        if let Some(scope) = scope {
            // One that passed to the root while later ones were undone comes back under its number.
            let known = turn.instance.records.contains_key(old);
            let number = if known { *old } else { turn.next_number() };
            let variables = record.variables.clone();
            let again = EventKind::CompensationRecorded { record: number, scope, variables, inner: None };
            turn.emit_of(None, record.node, again);
        }
    }
}

/// Timers keep their due date.
fn make_sources(turn: &mut Turn<'_>, made: &Made<'_>, old: Owner, new: Owner) {
    for source in made.then.sources(old) {
        if let Some(timer) = made.then.timers.get(&source) {
            if timer.kind == crate::instance::TimerKind::Catch {
                turn.arm_timer(new, timer.node, timer.due, timer.cycle.clone());
            }
        } else {
            let subscription = &made.then.subscriptions[&source];
            turn.subscribe(new, subscription.node, subscription.wanted.clone());
        }
    }
}

fn make_wait(turn: &mut Turn<'_>, then: &Instance, token: Number, old: &Token) {
    match &old.wait {
        Wait::Job(_) => nodes::job::offer(turn, token),
        Wait::Task(task) => {
            let mut asked = then.tasks[task].asked.clone();
            asked.task = turn.next_number();
            turn.emit_at(token, EventKind::TaskCreated(Box::new(asked)));
        }
        Wait::Timer(timer) => {
            let timer = &then.timers[timer];
            turn.wait_until(token, timer.due, timer.kind);
        }
        Wait::Event => turn.emit_at(token, EventKind::TokenListening),
        Wait::Join => turn.emit_on(token, old.node, old.flow, EventKind::TokenWaiting),
        Wait::Turn => turn.emit_at(token, EventKind::TokenQueued),
        Wait::Call(_) => nodes::work(turn, token),
        Wait::Incident(incident) => {
            let incident = &then.incidents[incident];
            turn.open_incident(Some(token), incident.kind, incident.message.clone());
        }
        Wait::Scope | Wait::Saga(_) | Wait::Nothing => {}
    }
}

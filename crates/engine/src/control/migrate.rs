//! Migration: the instance goes on under another version of its process.
//!
//! **Invariant:** what a token waits for stays: jobs, tasks and timers keep their numbers and due dates.

use tyer_map::Set;
use tyer_model::{FlowIx, NodeIx, NodeKind, Process};

use crate::nodes::merge;
use crate::words::*;

/// Every live token must have a place of the same kind in the new version.
pub(crate) fn accept(process: &Process, instance: &Instance, migration: &Migration) -> Result<(), Rejection> {
    for (old, new) in &migration.mapping {
        for (id, known) in [(old, &*migration.from), (new, process)] {
            if known.find_node(id).is_none() {
                return Err(Rejection::NodeUnknown { node: id.clone() });
            }
        }
    }
    let steps = instance.records.values().map(|record| record.node);
    let forks = instance.scopes.values().filter(|scope| scope.kind == ScopeKind::Branch);
    for needed in steps.chain(forks.filter_map(|fork| fork.node)) {
        if target(process, migration, needed).is_none() {
            let node = migration.from.node(needed).id.clone();
            let reason = "a step that can be undone, or a fork whose branches have variables of their own, is missing \
                          in the new version: map it to one";
            return Err(Rejection::MigrationRefused { node, reason: reason.to_owned() });
        }
    }
    for token in instance.tokens.values() {
        let old = migration.from.node(token.node);
        let refused = |reason: String| Rejection::MigrationRefused { node: old.id.clone(), reason };
        let Some(new) = target(process, migration, token.node) else {
            return Err(refused("the new version has no such node: map it to one".to_owned()));
        };
        let target_node = process.node(new);
        if std::mem::discriminant(&old.kind) != std::mem::discriminant(&target_node.kind) {
            return Err(refused(format!("`{}` is of another kind", target_node.id)));
        }
        if old.repeat.is_some() != target_node.repeat.is_some() {
            return Err(refused(format!("only one of it and `{}` is repeated", target_node.id)));
        }
        let around = old.parent.map(|parent| target(process, migration, parent));
        if around.map_or(target_node.parent.is_some(), |around| around != target_node.parent) {
            return Err(refused(format!("`{}` stands in another sub-process", target_node.id)));
        }
    }
    Ok(())
}

pub(crate) fn apply(turn: &mut Turn<'_>, migration: Migration) {
    close_unmapped(turn, &migration);
    let nodes =
        migration.from.nodes().filter_map(|(old, _)| Some((old.0, target(turn.process, &migration, old)?.0)));
    let flows = flow_pairs(turn.process, &migration);
    let migrated = Migrated {
        definition: migration.definition,
        version: migration.version,
        nodes: nodes.collect(),
        flows,
    };
    let known = known_events(turn, &migration);
    turn.emit(EventKind::WorkflowMigrated(Box::new(migrated)));
    open_new(turn, &known);
    let waits_for_none = |(number, token): (&Number, &Token)| {
        let is_join = merge::gathering(turn, token.node).is_some();
        (token.wait == Wait::Join && !is_join).then_some(*number)
    };
    // What is no join any more holds nobody back.
    for token in turn.instance.tokens.iter().filter_map(waits_for_none).collect::<Vec<_>>() {
        turn.re_enter(token);
    }
    turn.moved.extend(turn.instance.scopes.keys());
}

/// Timers and subscriptions of events that the new version does not have are closed.
fn close_unmapped(turn: &mut Turn<'_>, migration: &Migration) {
    let lost = |node: NodeIx| target(turn.process, migration, node).is_none();
    let timers: Vec<Number> =
        turn.instance.timers.iter().filter(|(_, t)| lost(t.node)).map(|(n, _)| *n).collect();
    let subscriptions: Vec<Number> =
        turn.instance.subscriptions.iter().filter(|(_, s)| lost(s.node)).map(|(n, _)| *n).collect();
    for timer in timers {
        turn.emit(EventKind::TimerCancelled { timer });
    }
    for subscription in subscriptions {
        turn.emit(EventKind::SubscriptionClosed { subscription });
    }
}

/// Events of the new version that the old one had in the same place: they are armed, or have happened.
fn known_events(turn: &Turn<'_>, migration: &Migration) -> Set<(Owner, NodeIx)> {
    let from = &*migration.from;
    let mut known = Set::new();
    let mut add = |owner: Owner, event: NodeIx| {
        known.extend(target(turn.process, migration, event).map(|event| (owner, event)));
    };
    for (number, token) in &turn.instance.tokens {
        events_of(from, token.node).into_iter().for_each(|event| add(Owner::Token(*number), event));
    }
    for (number, scope) in turn.instance.scopes.iter().filter(|(_, scope)| scope.kind == ScopeKind::Body) {
        from.body(scope.node).events.iter().for_each(|event| add(Owner::Scope(*number), *event));
    }
    known
}

/// Events that a token waits for beside its work: on the border of its node, or behind its gateway.
fn events_of(process: &Process, node: NodeIx) -> Vec<NodeIx> {
    let node = process.node(node);
    if let NodeKind::EventBased { .. } = node.kind {
        return node.outgoing.iter().map(|flow| process.flow(*flow).target).collect();
    }
    node.boundary.clone()
}

/// Events that only the new version has are armed.
fn open_new(turn: &mut Turn<'_>, known: &Set<(Owner, NodeIx)>) {
    let tokens: Vec<Number> = turn.instance.tokens.keys().copied().collect();
    for token in tokens {
        if turn.is_inner(token) || !is_at_work(turn, token) {
            continue;
        }
        let reads = turn.instance.reading_scope(turn.token(token));
        for event in events_of(turn.process, turn.token(token).node) {
            arm_if_new(turn, known, (Owner::Token(token), event), reads);
        }
    }
    let scopes: Vec<Number> = turn.instance.scopes.keys().copied().collect();
    for scope in scopes.into_iter().filter(|scope| turn.flow_scope(*scope) == *scope).collect::<Vec<_>>() {
        for &event in &turn.process.body(turn.body_of(scope)).events {
            arm_if_new(turn, known, (Owner::Scope(scope), event), scope);
        }
    }
}

/// Has the token begun what its node does? Only then are events on the border armed.
fn is_at_work(turn: &Turn<'_>, token: Number) -> bool {
    match turn.token(token).wait {
        Wait::Job(_) | Wait::Task(_) | Wait::Event | Wait::Scope | Wait::Call(_) => true,
        Wait::Timer(timer) => turn.instance.timers[&timer].kind == TimerKind::Retry,
        Wait::Incident(incident) => turn.instance.incidents[&incident].kind == IncidentKind::JobFailed,
        Wait::Nothing | Wait::Join | Wait::Turn | Wait::Saga(_) => false,
    }
}

fn arm_if_new(
    turn: &mut Turn<'_>,
    known: &Set<(Owner, NodeIx)>,
    (owner, node): (Owner, NodeIx),
    reads: Number,
) {
    if known.contains(&(owner, node)) {
        return;
    }
    if let Err(reason) = turn.arm(owner, node, reads) {
        let message = format!("the event `{}`: {reason}", turn.process.node(node).id);
        turn.open_incident(None, IncidentKind::Expression, message);
    }
}

fn target(process: &Process, migration: &Migration, old: NodeIx) -> Option<NodeIx> {
    let id = &migration.from.node(old).id;
    let mapped = migration.mapping.iter().find(|(from, _)| from == id).map_or(id, |(_, to)| to);
    process.find_node(mapped)
}

/// A flow is the same if it has the same id, or leads from and to the same nodes.
fn flow_pairs(process: &Process, migration: &Migration) -> Vec<(u32, u32)> {
    let from = &migration.from;
    let between = |source: NodeIx, target: NodeIx| -> Option<FlowIx> {
        process.node(source).outgoing.iter().copied().find(|flow| process.flow(*flow).target == target)
    };
    from.flows()
        .filter_map(|(ix, flow)| {
            let ends = target(process, migration, flow.source).zip(target(process, migration, flow.target));
            let named = process.find_flow(&flow.id);
            let is_same = |ix: &FlowIx| ends == Some((process.flow(*ix).source, process.flow(*ix).target));
            let same = named.filter(is_same).or_else(|| ends.and_then(|(from, to)| between(from, to)));
            Some((ix.0, same.or(named)?.0))
        })
        .collect()
}

//! Joins that wait for what can still come: looked at when nothing else moves.
//!
//! **Invariant:** an inclusive join fires only if no live token of its scope can still reach an empty flow of it, unless that
//! token can also reach one that is not empty.
//! **Invariant:** a join that no token can complete any more does not wait in silence.

use tyer_model::{FlowIx, NodeIx};

use crate::ids::Number;
use crate::instance::IncidentKind;
use crate::nodes::merge::{self, Gathering};
use crate::turn::Turn;

/// A join at which tokens wait.
struct Waiting {
    node: NodeIx,
    gathering: Gathering,
    /// Flows on which it has no token and could use one.
    missing: Vec<FlowIx>,
    /// Nodes of the scope from which a token could still bring one.
    blockers: Vec<NodeIx>,
    /// A token that stands before it and has not arrived, or that has an incident.
    pending: bool,
    oldest: Number,
}

/// Fires or reports one join of the scopes in which tokens have moved. True if there was one.
pub(crate) fn settle(turn: &mut Turn<'_>) -> bool {
    let mut scopes = std::mem::take(&mut turn.moved);
    scopes.sort_unstable();
    scopes.dedup();
    while let Some(scope) = scopes.pop() {
        if turn.instance.scopes.contains_key(&scope) && settle_scope(turn, scope) {
            scopes.push(scope);
            turn.moved.append(&mut scopes);
            return true;
        }
    }
    false
}

fn settle_scope(turn: &mut Turn<'_>, scope: Number) -> bool {
    let joins = turn.instance.joins(scope);
    if joins.is_empty() {
        return false;
    }
    let waiting: Vec<Waiting> = joins.into_iter().filter_map(|node| look_at(turn, scope, node)).collect();
    if let Some(free) = waiting.iter().find(|join| join.blockers.is_empty() && !join.pending) {
        release(turn, scope, free, None);
        return true;
    }
    let Some(circle) = circle(&waiting) else { return false };
    let quiet = circle.iter().map(|ix| &waiting[*ix]).filter(|join| is_quiet(join.gathering));
    if let Some(join) = quiet.min_by_key(|join| join.oldest) {
        fire(turn, scope, join);
        return true;
    }
    let mut names: Vec<&str> =
        circle.iter().map(|ix| turn.process.node(waiting[*ix].node).id.as_str()).collect();
    names.sort_unstable();
    let among = names.join("`, `");
    let told =
        circle.iter().map(|ix| &waiting[*ix]).min_by_key(|join| join.oldest).expect("a circle has joins");
    release(turn, scope, told, Some(among));
    true
}

fn is_quiet(gathering: Gathering) -> bool {
    matches!(gathering, Gathering::Inclusive | Gathering::AllThatCome)
}

/// Nothing can come any more, or only from joins that wait for this one.
fn release(turn: &mut Turn<'_>, scope: Number, join: &Waiting, circle: Option<String>) {
    if circle.is_none() && is_quiet(join.gathering) {
        return fire(turn, scope, join);
    }
    let id = &turn.process.node(join.node).id;
    let flow = join.missing.first().map_or("", |flow| turn.process.flow(*flow).id.as_str());
    let message = match (circle, join.gathering) {
        (Some(among), _) => {
            format!("join `{id}` waits for flow `{flow}`, but the joins `{among}` wait for each other")
        }
        (None, Gathering::Quantity(quantity)) => {
            format!("`{id}` needs {quantity} tokens, and no token can reach it any more")
        }
        (None, _) => format!("join `{id}` waits for flow `{flow}`, which no token can reach any more"),
    };
    turn.open_incident(Some(join.oldest), IncidentKind::JoinStarved, message);
}

fn fire(turn: &mut Turn<'_>, scope: Number, join: &Waiting) {
    let mut arrived: Vec<(Option<FlowIx>, Number)> = turn.instance.arrivals(scope, join.node).collect();
    if join.gathering == Gathering::Inclusive {
        arrived.dedup_by_key(|(flow, _)| *flow);
    }
    let arrived: Vec<Number> = arrived.into_iter().map(|(_, token)| token).collect();
    merge::fire(turn, scope, join.node, &arrived);
}

fn look_at(turn: &Turn<'_>, scope: Number, node: NodeIx) -> Option<Waiting> {
    let gathering = merge::gathering(turn, node)?;
    let needed = merge::needed_flows(turn, node, gathering);
    let is_empty = |flow: &FlowIx| turn.instance.first_arrival(scope, node, *flow).is_none();
    let quantity = matches!(gathering, Gathering::Quantity(_));
    let (missing, present): (Vec<FlowIx>, Vec<FlowIx>) =
        needed.into_iter().partition(|flow| quantity || is_empty(flow));
    let exempt = |from: NodeIx| {
        gathering == Gathering::Inclusive && present.iter().any(|flow| turn.process.reaches(from, *flow))
    };
    let can_come = |from: &NodeIx| {
        *from != node && missing.iter().any(|flow| turn.process.reaches(*from, *flow)) && !exempt(*from)
    };
    let blockers = turn.instance.standing(scope).filter(can_come).collect();
    let arrivals = turn.instance.arrivals(scope, node);
    let (mut count, mut oldest) = (0, Number::MAX);
    for (_, token) in arrivals {
        count += 1;
        oldest = oldest.min(token);
    }
    let pending = turn.instance.index.standing.get(&(scope, node)).is_some_and(|standing| *standing > count);
    Some(Waiting { node, gathering, missing, blockers, pending, oldest })
}

/// Joins each of which waits for the next, found among those that only other joins can complete.
fn circle(waiting: &[Waiting]) -> Option<Vec<usize>> {
    let position = |node: &NodeIx| waiting.iter().position(|join| join.node == *node);
    let mut stuck: Vec<bool> = waiting.iter().map(|join| !join.pending).collect();
    loop {
        let is_free =
            |join: &Waiting| join.blockers.iter().any(|from| !position(from).is_some_and(|at| stuck[at]));
        let freed: Vec<usize> =
            (0..waiting.len()).filter(|at| stuck[*at] && is_free(&waiting[*at])).collect();
        if freed.is_empty() {
            break;
        }
        for at in freed {
            stuck[at] = false;
        }
    }
    let first = stuck.iter().position(|stuck| *stuck)?;
    let mut path = vec![first];
    loop {
        let at = *path.last().expect("a path has a last step");
        let next = waiting[at].blockers.iter().find_map(position)?;
        if let Some(known) = path.iter().position(|seen| *seen == next) {
            return Some(path.split_off(known));
        }
        path.push(next);
    }
}

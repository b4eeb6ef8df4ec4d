//! Joins that wait for what can still come: looked at when nothing else moves.
//!
//! **Invariant:** an inclusive join fires only if no live token of its scope can still reach an empty flow of it, unless that
//! token can also reach one that is not empty.
//! **Invariant:** a join that no token can complete any more does not wait in silence.

use tyer_model::{FlowIx, NodeIx};

use crate::nodes::complex;
use crate::nodes::merge::{self, Gathering};
use crate::words::*;

/// A join at which tokens wait.
struct Waiting {
    node: NodeIx,
    gathering: Gathering,
    /// What it still needs: each must come, if it is strict; else any of the nodes of the only entry.
    needs: Vec<Need>,
    /// A token stands before it that has not arrived, or has an incident.
    pending: bool,
    /// A token is at work in the node itself.
    at_work: bool,
    oldest: Number,
}

/// A token that a join could use, and the nodes of the scope from which one could still come.
struct Need {
    flow: FlowIx,
    from: Vec<NodeIx>,
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
    // Mostly somebody is still on the way: nobody has to look closer.
    if joins.iter().all(|join| is_awaited(turn, scope, *join, &joins)) {
        return false;
    }
    let waiting: Vec<Waiting> = joins.into_iter().filter_map(|node| look_at(turn, scope, node)).collect();
    let is_lost = |join: &&Waiting| !join.pending && join.needs.iter().any(|need| need.from.is_empty());
    if let Some(lost) = waiting.iter().find(is_lost) {
        release(turn, scope, lost, None);
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

/// Can tokens that wait at no join still come on each flow that this strict join needs? Then it simply waits.
fn is_awaited(turn: &Turn<'_>, scope: Number, join: NodeIx, joins: &[NodeIx]) -> bool {
    let Some(gathering @ (Gathering::Each | Gathering::EachForward)) = merge::gathering(turn, join) else {
        return false;
    };
    let comes = |from: NodeIx, flow| turn.process.reaches(from, flow) && !joins.contains(&from);
    merge::needed_flows(turn, join, gathering).all(|flow| {
        turn.instance.first_arrival(scope, join, flow).is_some()
            || turn.instance.standing(scope).any(|from| comes(from, flow))
    })
}

fn is_quiet(gathering: Gathering) -> bool {
    matches!(gathering, Gathering::Inclusive | Gathering::AllThatCome | Gathering::Reset)
}

/// Nothing can come any more, or only from joins that wait for this one.
fn release(turn: &mut Turn<'_>, scope: Number, join: &Waiting, circle: Option<String>) {
    if circle.is_none() && is_quiet(join.gathering) {
        return fire(turn, scope, join);
    }
    let id = &turn.process.node(join.node).id;
    let need = join.needs.iter().find(|need| need.from.is_empty()).or(join.needs.first());
    let flow = need.map_or("", |need| turn.process.flow(need.flow).id.as_str());
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
    if join.gathering == Gathering::Reset {
        return complex::reset(turn, scope, join.node);
    }
    let mut arrived: Vec<(Option<FlowIx>, Number)> = turn.instance.arrivals(scope, join.node).collect();
    if join.gathering == Gathering::Inclusive {
        arrived.dedup_by_key(|(flow, _)| *flow);
    }
    let arrived: Vec<Number> = arrived.into_iter().map(|(_, token)| token).collect();
    merge::fire(turn, scope, join.node, &arrived);
}

fn look_at(turn: &Turn<'_>, scope: Number, node: NodeIx) -> Option<Waiting> {
    let gathering = merge::gathering(turn, node)?;
    let mut count = 0;
    let mut is_resetting = false;
    let arrived = turn.instance.arrivals(scope, node).map(|(_, token)| token);
    let oldest = arrived
        .inspect(|token| match turn.token(*token).is_used() {
            true => is_resetting = true,
            false => count += 1,
        })
        .min()?;
    let gathering = if is_resetting { Gathering::Reset } else { gathering };
    let others = turn.instance.index.standing.get(&(scope, node)).is_some_and(|standing| *standing > count);
    let here = |token: &Number| others && turn.token(*token).node == node;
    let before = |token: Number| turn.token(token).stands_before_its_node(turn.instance);
    let pending = others && turn.instance.members(scope).filter(here).any(before);
    let at_work = others
        && turn
            .instance
            .members(scope)
            .filter(here)
            .any(|token| !before(token) && turn.token(token).wait != Wait::Join);
    let needs = needs(turn, scope, node, gathering, at_work);
    Some(Waiting { node, gathering, needs, pending, at_work, oldest })
}

/// What the join still needs, and from where it could come.
fn needs(turn: &Turn<'_>, scope: Number, node: NodeIx, gathering: Gathering, at_work: bool) -> Vec<Need> {
    let quantity = matches!(gathering, Gathering::Quantity(_));
    let is_empty = |flow: &FlowIx| turn.instance.first_arrival(scope, node, *flow).is_none();
    let (missing, present): (Vec<FlowIx>, Vec<FlowIx>) =
        merge::needed_flows(turn, node, gathering).partition(|flow| quantity || is_empty(flow));
    let reaches = |from: NodeIx, flow: FlowIx| match from == node {
        true => at_work && comes_round(turn, node, flow),
        false => turn.process.reaches(from, flow),
    };
    if matches!(gathering, Gathering::Each | Gathering::EachForward) {
        let from = |flow: FlowIx| turn.instance.standing(scope).filter(|from| reaches(*from, flow)).collect();
        return missing.into_iter().map(|flow| Need { flow, from: from(flow) }).collect();
    }
    let exempt = |from: NodeIx| {
        matches!(gathering, Gathering::Inclusive | Gathering::Reset)
            && present.iter().any(|flow| turn.process.reaches(from, *flow))
    };
    let can_come = |from: &NodeIx| missing.iter().any(|flow| reaches(*from, *flow)) && !exempt(*from);
    let from = turn.instance.standing(scope).filter(can_come).collect();
    let flow = missing.first().or(present.first()).copied();
    flow.map(|flow| Need { flow, from }).into_iter().collect()
}

/// Can a token that is at work in the join's own node come to this flow of it?
fn comes_round(turn: &Turn<'_>, node: NodeIx, flow: FlowIx) -> bool {
    let process = turn.process;
    let comes = |next: NodeIx| next != node && process.reaches(next, flow);
    let behind = |from: NodeIx| {
        process.node(from).outgoing.iter().any(|out| *out == flow || comes(process.flow(*out).target))
    };
    behind(node) || process.node(node).boundary.iter().any(|border| behind(*border))
}

/// Joins each of which waits for the next, found among those that only other joins can complete.
fn circle(waiting: &[Waiting]) -> Option<Vec<usize>> {
    let position = |node: &NodeIx| waiting.iter().position(|join| join.node == *node);
    let mut stuck: Vec<bool> = waiting.iter().map(|join| !join.pending).collect();
    let is_stuck_node =
        |stuck: &[bool], node: &NodeIx| position(node).is_some_and(|at| stuck[at] && !waiting[at].at_work);
    let stuck_need = |stuck: &[bool], join: &Waiting| {
        join.needs.iter().position(|need| need.from.iter().all(|from| is_stuck_node(stuck, from)))
    };
    loop {
        let freed: Vec<usize> = (0..waiting.len())
            .filter(|at| stuck[*at] && stuck_need(&stuck, &waiting[*at]).is_none())
            .collect();
        if freed.is_empty() {
            break;
        }
        for at in freed {
            stuck[at] = false;
        }
    }
    let mut path = vec![stuck.iter().position(|stuck| *stuck)?];
    loop {
        let at = *path.last().expect("a path has a last step");
        let need = stuck_need(&stuck, &waiting[at])?;
        let next = waiting[at].needs[need].from.iter().find_map(position)?;
        if let Some(known) = path.iter().position(|seen| *seen == next) {
            return Some(path.split_off(known));
        }
        path.push(next);
    }
}

//! Joins that wait for each other: each needs a token that only another of them could send.
//!
//! **Invariant:** only a join that stands in the circle is told; those behind it may still get their token.

use std::collections::BTreeSet;

use tyer_model::{FlowIx, NodeIx};

use crate::ids::Number;
use crate::instance::Wait;
use crate::nodes::parallel::stands_before;
use crate::step::Turn;

/// A join that cannot fire before itself.
struct Stuck {
    join: NodeIx,
    /// A flow it needs.
    flow: FlowIx,
}

/// The oldest token in a circle of joins, and what to say of it.
pub(super) fn find(turn: &Turn<'_>) -> Option<(Number, String)> {
    let joins: BTreeSet<NodeIx> = turn.instance.arrivals().map(|(join, _)| join).collect();
    if joins.len() < 2 {
        return None;
    }
    let stuck = stuck(turn, joins);
    let circle = circle(turn, &stuck)?;
    let tokens = circle.iter().filter_map(|ix| Some((oldest(turn, stuck[*ix].join)?, *ix)));
    let (token, told) = tokens.min()?;
    let mut names: Vec<&str> =
        circle.iter().map(|ix| turn.process.node(stuck[*ix].join).id.as_str()).collect();
    names.sort_unstable();
    let (join, flow) = (&turn.process.node(stuck[told].join).id, &turn.process.flow(stuck[told].flow).id);
    let all = names.join("`, `");
    Some((token, format!("join `{join}` waits for flow `{flow}`, but the joins `{all}` wait for each other")))
}

/// Joins that are left when, again and again, those are taken away that tokens elsewhere could complete.
fn stuck(turn: &Turn<'_>, mut waiting: BTreeSet<NodeIx>) -> Vec<Stuck> {
    let moving = turn.instance.tokens.values().filter(|token| token.wait != Wait::Join);
    let mut alive: BTreeSet<NodeIx> = moving.map(|token| token.node).collect();
    loop {
        let lost = |join: &NodeIx| Some(Stuck { join: *join, flow: lost_flow(turn, &alive, *join)? });
        let stuck: Vec<Stuck> = waiting.iter().filter_map(lost).collect();
        if stuck.len() == waiting.len() {
            return stuck;
        }
        let still: BTreeSet<NodeIx> = stuck.iter().map(|stuck| stuck.join).collect();
        alive.extend(waiting.difference(&still));
        waiting = still;
    }
}

/// A flow of the join that has no token and that none of these nodes reaches.
fn lost_flow(turn: &Turn<'_>, alive: &BTreeSet<NodeIx>, join: NodeIx) -> Option<FlowIx> {
    turn.process.node(join).incoming.iter().copied().find(|flow| {
        turn.instance.first_arrival(join, *flow).is_none()
            && !alive.iter().any(|node| *node != join && turn.process.reaches(*node, *flow))
            && !stands_before(turn, join, *flow)
    })
}

/// From join to the join it needs, until one comes again.
fn circle(turn: &Turn<'_>, stuck: &[Stuck]) -> Option<Vec<usize>> {
    let needs = |from: usize| {
        (0..stuck.len()).find(|to| *to != from && turn.process.reaches(stuck[*to].join, stuck[from].flow))
    };
    let mut path = vec![(!stuck.is_empty()).then_some(0)?];
    loop {
        let next = needs(*path.last()?)?;
        if let Some(at) = path.iter().position(|known| *known == next) {
            return Some(path.split_off(at));
        }
        path.push(next);
    }
}

fn oldest(turn: &Turn<'_>, join: NodeIx) -> Option<Number> {
    let incoming = turn.process.node(join).incoming.iter();
    incoming.filter_map(|flow| turn.instance.first_arrival(join, *flow)).min()
}

//! A process that fails, made as small as it can be and still fail.
//!
//! **Invariant:** every process that is tried is one that BPMN allows, and smaller than the last one that failed.
//! **Invariant:** none of them has a loop in which nobody is waited for: it would fail in its own way, and take for ever.

mod candidates;
mod circles;

pub use circles::runs_in_circles;

use crate::blueprint::{Blueprint, Kind, Marker, NodeId, Task, Trigger};

/// The smallest process that can be reached by taking away, one step at a time, as long as it still fails.
pub fn shrink(blueprint: &Blueprint, mut fails: impl FnMut(&Blueprint) -> bool) -> Blueprint {
    let mut smallest = blueprint.clone();
    while let Some(smaller) = step(&smallest, &mut fails) {
        smallest = smaller;
    }
    smallest
}

/// Every process that has one thing less at this node and is one that BPMN allows.
pub fn smaller(blueprint: &Blueprint, at: NodeId) -> Vec<Blueprint> {
    let all = candidates::at(blueprint, at).into_iter().map(candidates::pruned);
    all.filter(|candidate| candidate.check().is_ok()).collect()
}

/// The boldest cut after which it still fails.
fn step(blueprint: &Blueprint, fails: &mut impl FnMut(&Blueprint) -> bool) -> Option<Blueprint> {
    let before = weight(blueprint);
    let mut candidates: Vec<(usize, Blueprint)> = candidates::of(blueprint)
        .into_iter()
        .map(candidates::pruned)
        .map(|candidate| (weight(&candidate), candidate))
        .filter(|(weight, candidate)| *weight < before && candidate.check().is_ok())
        .filter(|(_, candidate)| !circles::runs_in_circles(candidate))
        .collect();
    // The order of equals is that of the list, so the same failure always shrinks in the same way.
    candidates.sort_by_key(|(weight, _)| *weight);
    candidates.dedup_by(|one, other| one.1 == other.1);
    candidates.into_iter().map(|(_, candidate)| candidate).find(|candidate| fails(candidate))
}

/// How much there is to read.
fn weight(blueprint: &Blueprint) -> usize {
    let nodes = blueprint.nodes.iter().map(|node| {
        let is_plain = match &node.kind {
            Kind::Task(task) => *task == Task::None,
            Kind::Start { trigger, .. } => *trigger == Trigger::None,
            Kind::Gateway(_)
            | Kind::Call(_)
            | Kind::Catch(_)
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::Boundary { .. }
            | Kind::SubProcess(_) => false,
        };
        let extras =
            [!is_plain, node.marker != Marker::Once, node.merge.is_some(), node.completion_quantity > 1];
        100 + 10 * extras.iter().filter(|extra| **extra).count() + 5 * node.results.len()
    });
    let flows = blueprint.flows.iter().map(|flow| 20 + 3 * usize::from(flow.condition.is_some()));
    let called = blueprint.called.iter().map(weight);
    nodes.chain(flows).chain(called).sum::<usize>() + 2 * blueprint.variables.len()
}

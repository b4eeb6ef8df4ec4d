//! Shrinking: what is left still fails, nothing of it can be taken away, and it is what matters.

use tyer_sim::blueprint::{Blueprint, Gateway, Kind, Marker, MergeMode, NodeId, SubProcess, Trigger};
use tyer_sim::generate::{Options, generate};
use tyer_sim::oracle::walk;
use tyer_sim::shrink::shrink;

/// The first process of all seeds that fails, and what is left of it.
fn smallest(fails: impl Fn(&Blueprint) -> bool) -> (Blueprint, Blueprint) {
    let mut seeds = (0..5_000).map(|seed| generate(seed, &Options::all()));
    let large = seeds.find(|blueprint| blueprint.nodes.len() > 25 && fails(blueprint)).expect("one fails");
    let small = shrink(&large, &fails);
    assert!(fails(&small), "what is left does not fail");
    assert_eq!(small.check(), Ok(()));
    (large, small)
}

fn count(blueprint: &Blueprint, wanted: impl Fn(NodeId) -> bool) -> usize {
    blueprint.node_ids().filter(|node| wanted(*node)).count()
}

#[test]
fn a_failure_that_needs_nothing_shrinks_to_a_start() {
    let (_, small) = smallest(|_| true);
    assert!(small.nodes.len() <= 2, "{small:?}");
}

#[test]
fn a_failure_at_a_parallel_join_shrinks_to_a_fork_and_a_join() {
    let (_, small) = smallest(|blueprint| {
        let is_parallel = |node: NodeId| blueprint[node].kind == Kind::Gateway(Gateway::Parallel);
        let joins = |node: NodeId| is_parallel(node) && blueprint.incoming(node).count() > 1;
        count(blueprint, joins) > 0
    });
    assert!(small.nodes.len() <= 6, "{} nodes", small.nodes.len());
}

#[test]
fn a_failure_deep_inside_is_lifted_out() {
    let (large, small) = smallest(|blueprint| {
        count(blueprint, |node| {
            blueprint[node].merge == Some(MergeMode::Race) && blueprint.incoming(node).count() > 1
        }) > 0
    });
    assert!(small.nodes.len() <= 5, "{} of {} nodes", small.nodes.len(), large.nodes.len());
}

#[test]
fn a_failure_of_a_transaction_keeps_the_transaction() {
    let (_, small) = smallest(|blueprint| {
        count(blueprint, |node| {
            matches!(blueprint[node].kind, Kind::Boundary { trigger: Trigger::Cancel, .. })
        }) > 0
    });
    assert_eq!(count(&small, |node| small[node].kind == Kind::SubProcess(SubProcess::Transaction)), 1);
    assert!(small.nodes.len() <= 6, "{} nodes", small.nodes.len());
}

#[test]
fn a_failure_of_a_marker_keeps_the_marker_alone() {
    let (_, small) = smallest(|blueprint| {
        count(blueprint, |node| matches!(blueprint[node].marker, Marker::Loop { .. })) > 0
    });
    assert!(small.nodes.len() <= 3, "{} nodes", small.nodes.len());
    assert_eq!(small.variables.len(), 1);
}

#[test]
fn what_is_left_can_still_be_walked() {
    for seed in 0..40 {
        let large = generate(seed, &Options::all());
        let small = shrink(&large, |blueprint| blueprint.nodes.len() >= 6);
        let walked = walk(&small, seed, 100);
        assert!(walked.is_ok(), "seed {seed}: {walked:?}");
    }
}

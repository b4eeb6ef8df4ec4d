//! The generator: every seed gives a process that BPMN allows, and all seeds together give everything.

use tyer_sim::blueprint::{Blueprint, Gateway, Kind, NodeId};
use tyer_sim::bpmn::to_bpmn;
use tyer_sim::generate::{Feature, Options, generate, structured, unstructured};

const SEEDS: u64 = 4_000;

#[test]
fn every_seed_gives_a_process_that_bpmn_allows() {
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        for process in std::iter::once(&blueprint).chain(&blueprint.called) {
            assert_eq!(process.check(), Ok(()), "seed {seed}\n{}", to_bpmn(&blueprint));
        }
    }
}

#[test]
fn processes_stay_within_their_size_and_depth() {
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        assert!(blueprint.nodes.len() <= 60, "seed {seed} has {} nodes", blueprint.nodes.len());
        // An event sub-process may stand in the innermost block.
        assert!(depth(&blueprint) <= 6, "seed {seed} is {} deep", depth(&blueprint));
    }
    assert!((0..SEEDS).any(|seed| structured(seed, &Options::all()).nodes.len() > 50));
    assert!((0..SEEDS).any(|seed| depth(&structured(seed, &Options::all())) >= 4));
}

#[test]
fn the_same_seed_gives_the_same_process() {
    for seed in 0..200 {
        assert_eq!(generate(seed, &Options::all()), generate(seed, &Options::all()));
    }
}

#[test]
fn what_is_off_the_palette_is_not_drawn() {
    let few = [Feature::Service, Feature::Exclusive, Feature::Parallel, Feature::Loops];
    for seed in 0..500 {
        let blueprint = generate(seed, &Options::of(&few));
        for node in &blueprint.nodes {
            let is_known = match &node.kind {
                Kind::Task(_) | Kind::Start { .. } | Kind::End(_) => true,
                Kind::Gateway(gateway) => matches!(gateway, Gateway::Exclusive | Gateway::Parallel),
                Kind::Call(_) | Kind::Catch(_) | Kind::Throw(_) | Kind::Boundary { .. } => false,
                Kind::SubProcess(_) => false,
            };
            assert!(is_known && node.merge.is_none(), "seed {seed}: {node:?}");
        }
    }
}

#[test]
fn every_cycle_of_a_graph_has_a_way_out_that_a_driver_can_force() {
    for seed in 0..500 {
        let blueprint = unstructured(seed, &Options::all());
        let decides = |node: NodeId| blueprint[node].results.iter().any(|outcome| outcome.exit.is_some());
        for first in blueprint.node_ids().filter(|node| !decides(*node)) {
            let mut seen = Vec::new();
            let mut next = blueprint.next_nodes(first);
            while let Some(node) = next.pop() {
                if decides(node) || seen.contains(&node) {
                    continue;
                }
                assert_ne!(node, first, "seed {seed}: `{}` can come back undecided", blueprint[node].id);
                seen.push(node);
                next.extend(blueprint.next_nodes(node));
            }
        }
    }
}

#[test]
fn the_text_is_well_formed() {
    for seed in 0..300 {
        let text = to_bpmn(&generate(seed, &Options::all()));
        let mut open = Vec::new();
        for tag in text.split('<').skip(1).filter(|tag| !tag.starts_with('?')) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a tag has a name");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "seed {seed}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "seed {seed}: {open:?}");
    }
}

fn depth(blueprint: &Blueprint) -> usize {
    let outer = |node: NodeId| {
        let mut depth = 0;
        let mut next = blueprint[node].within;
        while let Some(container) = next {
            depth += 1;
            next = blueprint[container].within;
        }
        depth
    };
    blueprint.node_ids().map(outer).max().unwrap_or(0)
}

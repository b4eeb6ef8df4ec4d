//! The generator: every seed gives a process that BPMN allows, and all seeds together give everything.

use std::collections::BTreeSet;
use tyer_sim::blueprint::{Blueprint, Gateway, Kind, Marker, MergeMode, NodeId, SubProcess};
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
fn all_seeds_together_draw_everything() {
    let mut drawn = BTreeSet::new();
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        for node in blueprint.node_ids() {
            drawn.extend(names(&blueprint, node));
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/drawn.txt");
        let text: String = drawn.iter().map(|name| format!("{name}\n")).collect();
        std::fs::write(path, text).expect("the list can be written");
    }
    let expected = include_str!("drawn.txt").lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let missing: Vec<_> = expected.difference(&drawn).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
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

/// What a node shows of the language, as short names.
fn names(blueprint: &Blueprint, node: NodeId) -> Vec<String> {
    let element = &blueprint[node];
    let first_word = |text: String| text.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
    let kind = match &element.kind {
        Kind::Task(task) => format!("task {}", first_word(format!("{task:?}"))),
        Kind::Call(_) => "call".to_owned(),
        Kind::Gateway(gateway) => format!("gateway {}", first_word(format!("{gateway:?}"))),
        Kind::Start { trigger, interrupts } => {
            let is_event = element
                .within
                .is_some_and(|outer| blueprint[outer].kind == Kind::SubProcess(SubProcess::Event));
            let place = if is_event { format!("event start {interrupts}") } else { "start".to_owned() };
            format!("{place} {}", first_word(format!("{trigger:?}")))
        }
        Kind::Catch(trigger) => format!("catch {}", first_word(format!("{trigger:?}"))),
        Kind::Throw(throw) => format!("throw {}", first_word(format!("{throw:?}"))),
        Kind::End(throw) => format!("end {}", first_word(format!("{throw:?}"))),
        Kind::Boundary { trigger, interrupts, .. } => {
            format!("boundary {interrupts} {}", first_word(format!("{trigger:?}")))
        }
        Kind::SubProcess(sub_process) => format!("sub {}", first_word(format!("{sub_process:?}"))),
    };
    let marker = match &element.marker {
        Marker::Once => None,
        Marker::Loop { .. } => Some("marker loop".to_owned()),
        Marker::Multiple(multiple) => Some(format!("marker sequential {}", multiple.is_sequential)),
    };
    let merge = element.merge.map(|mode: MergeMode| format!("merge {mode:?}"));
    [Some(kind), marker, merge].into_iter().flatten().collect()
}

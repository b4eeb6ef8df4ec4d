//! All lives together: everything of the language is drawn, and entered by a token.
//!
//! `UPDATE=1` writes the list anew: what is on it may not vanish again.

use std::collections::BTreeMap;
use tyer_sim::blueprint::{Blueprint, Kind, Marker, NodeId, SubProcess, Trigger};
use tyer_sim::drive::live;
use tyer_sim::generate::{Options, generate};

/// More than is needed, so that other numbers of the generator do not matter.
const SEEDS: u64 = 2_000;

#[test]
fn two_thousand_processes_hold_everything_and_every_bit_of_it_is_entered() {
    let mut entered: BTreeMap<String, bool> = BTreeMap::new();
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        let shown: Vec<(NodeId, String)> = blueprint
            .node_ids()
            .flat_map(|node| names(&blueprint, node).into_iter().map(move |name| (node, name)))
            .collect();
        for driver in (0..4).map(|life| seed + life * 1_000_000) {
            // A process that shows nothing new need not live here.
            if shown.iter().all(|(_, name)| entered.get(name) == Some(&true)) {
                break;
            }
            let life = live(&blueprint, driver, 60);
            let life = life.unwrap_or_else(|failure| panic!("seed {seed}: {}", failure.reason));
            for (node, name) in &shown {
                *entered.entry(name.clone()).or_default() |=
                    life.entered.contains(&shown_by(&blueprint, *node));
            }
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/drawn.txt");
        let text: String = entered.keys().map(|name| format!("{name}\n")).collect();
        std::fs::write(path, text).expect("the list can be written");
    }
    let expected: Vec<&str> = include_str!("drawn.txt").lines().collect();
    assert!(expected.len() > 90, "the list is short: {}", expected.len());
    let missing: Vec<&&str> = expected.iter().filter(|name| entered.get(**name) != Some(&true)).collect();
    assert!(missing.is_empty(), "never drawn or never entered: {missing:?}");
}

/// A compensation event is entered when its handler is.
fn shown_by(blueprint: &Blueprint, node: NodeId) -> NodeId {
    let Kind::Boundary { host, trigger: Trigger::Compensation, .. } = blueprint[node].kind else {
        return node;
    };
    blueprint.handler(host).unwrap_or(node)
}

/// What a node shows of the language, as short names.
fn names(blueprint: &Blueprint, node: NodeId) -> Vec<String> {
    let element = &blueprint[node];
    let first_word = |text: String| text.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
    let is_call = matches!(element.kind, Kind::Call(_));
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
    let merge = element.merge.map(|mode| format!("merge {mode:?}"));
    let quantity = [("start", element.start_quantity), ("completion", element.completion_quantity)];
    let quantity =
        quantity.iter().filter(|(_, count)| *count > 1).map(|(which, _)| format!("quantity {which}"));
    let repeated = marker.as_ref().filter(|_| matches!(element.kind, Kind::SubProcess(_) | Kind::Call(_)));
    let repeated = repeated.map(|marker| format!("{marker} of {}", if is_call { "call" } else { "scope" }));
    [Some(kind), marker.clone(), merge, repeated].into_iter().flatten().chain(quantity).collect()
}

//! Lives: the engine does what the oracle allows, and the same seed gives the same life.

use tyer_sim::blueprint::{Blueprint, Kind, Node, Task, Throw, Trigger};
use tyer_sim::drive::{Failure, live};
use tyer_sim::generate::{Options, generate};

const COMMANDS: u32 = 60;

#[test]
fn the_engine_does_what_the_oracle_allows() {
    let mut judged = 0;
    for seed in 0..300 {
        match live(&generate(seed, &Options::all()), seed, COMMANDS) {
            Ok(life) => judged += life.judged,
            Err(failure) => panic!("seed {seed}: {}\n{}", failure.reason, failure.script.join("\n")),
        }
    }
    assert!(judged > 600, "the oracle has judged only {judged} turns");
}

#[test]
fn the_same_seed_gives_the_same_life() {
    let life = |seed| {
        let lived = live(&generate(seed, &Options::all()), seed, COMMANDS);
        lived.map_err(|failure| failure.reason)
    };
    let mut fingerprints = Vec::new();
    for seed in 0..100 {
        let first = life(seed);
        assert_eq!(first, life(seed), "seed {seed}");
        let first = first.expect("the other test says why not");
        assert!(first.events > 0, "seed {seed} never begins");
        fingerprints.push(first.fingerprint);
    }
    let all = fingerprints.len();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), all, "two seeds give the same life");
}

/// A start, one node more, and flows among them by their places.
fn process(node: Node, last: Node, flows: &[(usize, usize)]) -> Blueprint {
    let mut process = Blueprint::new("test");
    let start = Kind::Start { trigger: Trigger::None, interrupts: true };
    let nodes = [Node::new("start", start), node, last].map(|node| process.add(node));
    flows.iter().for_each(|(from, to)| _ = process.connect(nodes[*from], nodes[*to]));
    assert_eq!(process.check(), Ok(()));
    process
}

#[test]
fn a_turn_that_goes_on_in_the_next_one_is_judged_when_it_has_ended() {
    let (there, back) =
        (Node::new("there", Kind::Task(Task::None)), Node::new("back", Kind::Task(Task::None)));
    let circle = process(there, back, &[(0, 1), (1, 2), (2, 1)]);
    let lived = live(&circle, 1, COMMANDS).map_err(|failure| failure.reason);
    assert!(lived.is_ok(), "{lived:?}");
}

#[test]
fn a_node_that_puts_out_two_tokens_is_told_with_both() {
    let mut twice = Node::new("twice", Kind::Task(Task::Service));
    twice.completion_quantity = 2;
    let end = Node::new("end", Kind::End(Throw::None));
    let lived = live(&process(twice, end, &[(0, 1), (1, 2)]), 1, COMMANDS).map_err(|failure| failure.reason);
    assert!(lived.as_ref().is_ok_and(|life| life.completed && life.judged > 0), "{lived:?}");
}

#[test]
fn failures_of_one_kind_are_told_apart_from_others_and_not_from_each_other() {
    let kind = |reason: &str| Failure { reason: reason.to_owned(), script: Vec::new() }.kind();
    let one = kind("the oracle: merge_38 started in 0: no token leads to `merge_38` in scope 0");
    assert_eq!(one, kind("the oracle: any_5 started in 2: no token leads to `any_5` in scope 2"));
    assert_ne!(one, kind("the oracle: any_5 completed in 2: no token leads to `any_5` in scope 2"));
}

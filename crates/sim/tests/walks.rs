//! Walks that the oracle makes by itself: they end or wait, and a fresh oracle accepts them.

use tyer_sim::blueprint::Blueprint;
use tyer_sim::bpmn::to_bpmn;
use tyer_sim::generate::{Options, generate};
use tyer_sim::oracle::{Observation, Oracle, Walk, walk};

const SEEDS: u64 = 3_000;
const MOST_TURNS: usize = 120;

#[test]
fn a_walk_ends_or_waits_and_a_fresh_oracle_accepts_it() {
    let mut ended = 0;
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        let walk = made(&blueprint, seed);
        ended += u64::from(walk.has_ended);
        let accepted = replay(&blueprint, &walk, |observation| Some(observation.clone()));
        assert_eq!(accepted, Ok(()), "seed {seed}");
    }
    assert!(ended * 10 > SEEDS * 8, "only {ended} of {SEEDS} ended");
}

fn made(blueprint: &Blueprint, seed: u64) -> Walk {
    walk(blueprint, seed, MOST_TURNS).unwrap_or_else(|(walk, violation)| {
        let told = told(blueprint, &walk);
        panic!("seed {seed}: {violation}\n{told}\n{}", to_bpmn(blueprint));
    })
}

fn replay(
    blueprint: &Blueprint,
    walk: &Walk,
    seen: impl Fn(&Observation) -> Option<Observation>,
) -> Result<(), String> {
    let mut oracle = Oracle::new(blueprint);
    let last = walk.turns.len() - 1;
    for (number, turn) in walk.turns.iter().enumerate() {
        for observation in turn.iter().filter_map(&seen) {
            oracle.observe(observation).map_err(|violation| violation.to_string())?;
        }
        if number < last {
            oracle.settled().map_err(|violation| violation.to_string())?;
        }
    }
    Ok(())
}

fn told(blueprint: &Blueprint, walk: &Walk) -> String {
    let turns = walk.turns.iter().map(|turn| {
        let lines = turn.iter().map(|observation| format!("  {}\n", observation.describe(blueprint)));
        format!("turn\n{}", lines.collect::<String>())
    });
    turns.collect()
}

//! Walks that the oracle makes by itself: they end or wait, and a fresh oracle accepts them.

use tyer_sim::blueprint::Blueprint;
use tyer_sim::bpmn::to_bpmn;
use tyer_sim::generate::{Options, generate};
use tyer_sim::oracle::{Observation, Oracle, Walk, walk};
use tyer_sim::random::Random;

const SEEDS: u64 = 400;
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

#[test]
fn a_walk_is_accepted_from_an_oracle_that_is_told_less() {
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        let walk = made(&blueprint, seed);
        let accepted = replay(&blueprint, &walk, |observation| {
            let mut seen = observation.clone();
            if let Observation::Started { flow, .. } = &mut seen {
                *flow = None;
            }
            (!matches!(seen, Observation::Set { .. })).then_some(seen)
        });
        assert_eq!(accepted, Ok(()), "seed {seed}");
    }
}

#[test]
fn cancellations_may_be_told_before_their_cause() {
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        let mut walk = made(&blueprint, seed);
        for turn in &mut walk.turns {
            turn.sort_by_key(|observation| !matches!(observation, Observation::Cancelled { .. }));
        }
        let accepted = replay(&blueprint, &walk, |observation| Some(observation.clone()));
        assert_eq!(accepted, Ok(()), "seed {seed}\n{}", told(&blueprint, &walk));
    }
}

/// A completion left out, or anything told twice. By chance such a history can be legal: an event may fire twice.
#[test]
fn a_history_with_a_fault_is_noticed() {
    let (mut noticed, mut tried) = (0, 0);
    for seed in 0..SEEDS {
        let blueprint = generate(seed, &Options::all());
        let walk = made(&blueprint, seed);
        let mut random = Random::new(seed);
        for is_doubled in [true, false] {
            let mut faulty = walk.clone();
            let turn = random.below(faulty.turns.len());
            let place = random.below(faulty.turns[turn].len());
            let Some(observation) = faulty.turns[turn].get(place).cloned() else { continue };
            let is_completion = matches!(observation, Observation::Completed { .. });
            let is_event = matches!(observation, Observation::Started { .. } | Observation::Triggered { .. });
            let says_something = is_completion || (is_doubled && is_event);
            if !says_something {
                continue;
            }
            if is_doubled {
                faulty.turns[turn].insert(place, observation);
            } else {
                faulty.turns[turn].remove(place);
            }
            tried += 1;
            noticed += u64::from(replay(&blueprint, &faulty, |other| Some(other.clone())).is_err());
        }
    }
    assert!(noticed * 100 >= tried * 99, "noticed {noticed} of {tried}");
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

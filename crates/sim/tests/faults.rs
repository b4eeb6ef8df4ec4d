//! Lives on a store that fails and in an engine that dies: the short form of `cargo xtask sim --store`.

use tyer_sim::faults::{StoreLife, live_on_store};
use tyer_sim::generate::{Options, generate};

const REQUESTS: u32 = 30;

fn life(seed: u64) -> StoreLife {
    match live_on_store(&generate(seed, &Options::all()), seed, REQUESTS) {
        Ok(life) => life,
        Err(failure) => panic!("seed {seed}: {}\n{}", failure.reason, failure.script.join("\n")),
    }
}

#[test]
fn what_was_acknowledged_has_happened_once_whatever_the_store_and_the_engine_do() {
    let mut sum = StoreLife::default();
    for seed in 0..50 {
        let life = life(seed);
        sum.acknowledged += life.acknowledged;
        sum.crashes += life.crashes;
        sum.faults += life.faults;
    }
    assert!(sum.acknowledged > 250, "there is something to lose: {sum:?}");
    assert!(sum.crashes > 25 && sum.faults > 80, "the faults really happened: {sum:?}");
}

#[test]
fn the_same_seed_gives_the_same_life_on_a_failing_store() {
    for seed in 0..8 {
        assert_eq!(life(seed), life(seed), "seed {seed}");
    }
}

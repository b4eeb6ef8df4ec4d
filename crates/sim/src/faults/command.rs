//! `cargo xtask sim --store [--seeds A..B] [--commands N] [--failures N]`: many lives on a failing store.
//!
//! **Invariant:** a failure prints its seed, and the smallest process that fails in the same way.
#![allow(clippy::print_stdout, reason = "the report is what this command is for")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{StoreLife, live_on_store};
use crate::blueprint::Blueprint;
use crate::bpmn::to_bpmn;
use crate::drive::Failure;
use crate::generate::{Options, generate};
use crate::shrink::shrink;

/// Long enough for all but processes that run in circles.
const SHRINKS_FOR: Duration = Duration::from_secs(10);

/// What to run.
struct Order {
    first: u64,
    last: u64,
    requests: u32,
    failures: u64,
}

/// Runs the lives that the words ask for.
pub fn command(words: &[String]) -> ExitCode {
    let Some(order) = Order::read(words) else {
        eprintln!("sim --store: expected [--seeds 0..2000] [--commands 30] [--failures 5]");
        return ExitCode::FAILURE;
    };
    std::panic::set_hook(Box::new(|_| {}));
    let (next, failed, sum) = (AtomicU64::new(order.first), AtomicU64::new(0), Mutex::new(Sum::default()));
    let began = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&order, &next, &failed, &sum));
        }
    });
    let (failed, sum) = (failed.into_inner(), sum.into_inner().unwrap_or_default());
    println!("sim --store: {sum}, {failed} failed, {:.1} s", began.elapsed().as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Order {
    fn read(words: &[String]) -> Option<Order> {
        let mut order = Order { first: 0, last: 2_000, requests: 30, failures: 5 };
        for pair in words.chunks(2) {
            let [name, value] = pair else { return None };
            match name.as_str() {
                "--seeds" => {
                    let (first, last) = value.split_once("..")?;
                    (order.first, order.last) = (first.parse().ok()?, last.parse().ok()?);
                }
                "--commands" => order.requests = value.parse().ok()?,
                "--failures" => order.failures = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(order)
    }
}

fn work(order: &Order, next: &AtomicU64, failed: &AtomicU64, sum: &Mutex<Sum>) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= order.last || failed.load(Ordering::Relaxed) >= order.failures {
            return;
        }
        let blueprint = generate(seed, &Options::all());
        match live_on_store(&blueprint, seed, order.requests) {
            Ok(life) => sum.lock().expect("nobody panics with it").add(&life),
            Err(failure) => {
                failed.fetch_add(1, Ordering::Relaxed);
                tell(seed, order.requests, &blueprint, failure);
            }
        }
    }
}

/// Prints the smallest process that fails in the same way under the same seed, and what was done with it.
fn tell(seed: u64, requests: u32, blueprint: &Blueprint, failure: Failure) {
    let (kind, mut smallest) = (failure.kind(), failure);
    let until = Instant::now() + SHRINKS_FOR;
    let small = shrink(blueprint, |candidate| {
        let lived =
            if Instant::now() < until { live_on_store(candidate, seed, requests).err() } else { None };
        let Some(same) = lived.filter(|failure| failure.kind() == kind) else { return false };
        smallest = same;
        true
    });
    let reason: String = smallest.reason.chars().take(1_500).collect();
    let script: String = smallest.script.iter().map(|line| format!("  > {line}\n")).collect();
    println!("seed {seed}: {reason}\n{script}{}", to_bpmn(&small));
}

/// What all lives came to.
#[derive(Default)]
struct Sum {
    lives: u64,
    life: StoreLife,
}

impl Sum {
    fn add(&mut self, life: &StoreLife) {
        self.lives += 1;
        self.life.requests += life.requests;
        self.life.acknowledged += life.acknowledged;
        self.life.crashes += life.crashes;
        self.life.faults += life.faults;
        self.life.instances += life.instances;
        self.life.ended += life.ended;
        self.life.events += life.events;
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let StoreLife { requests, acknowledged, crashes, faults, instances, ended, events } = &self.life;
        write!(
            formatter,
            "{} processes, {instances} instances, {ended} ended, {events} events, {requests} requests, \
             {acknowledged} acknowledged and found, {faults} faults, {crashes} crashes",
            self.lives
        )
    }
}

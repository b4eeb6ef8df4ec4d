//! `cargo xtask sim [--seeds A..B] [--commands N] [--failures N]`: many lives, each from a seed.
//!
//! **Invariant:** a failure prints its seed, and the seed alone gives the failure again.
//! **Invariant:** the first failure of a kind is printed as the smallest process that fails in the same way.
#![allow(clippy::print_stdout, reason = "the report is what this program is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tyer_sim::blueprint::Blueprint;
use tyer_sim::bpmn::to_bpmn;
use tyer_sim::drive::{Failure, Life, live};
use tyer_sim::generate::{Options, generate};
use tyer_sim::shrink::shrink;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "--store") {
        return tyer_sim::faults::command(&words[1..]);
    }
    let Some(order) = Order::read(&words) else {
        eprintln!("sim: expected [--seeds 0..20000] [--commands 60] [--failures 5]");
        return ExitCode::FAILURE;
    };
    // A panic of the engine is a failure like any other, and is told as one.
    std::panic::set_hook(Box::new(|_| {}));
    let sum = Sum::default();
    let next = AtomicU64::new(order.first);
    let began = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(&order, &next, &sum))).collect();
        watch(&sum, || threads.iter().all(|thread| thread.is_finished()));
    });
    println!("sim: {sum}, {:.1} s", began.elapsed().as_secs_f64());
    if sum.failed.load(Ordering::Relaxed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What to run.
struct Order {
    first: u64,
    last: u64,
    commands: u32,
    /// Nobody reads more failures than this.
    failures: u64,
}

impl Order {
    fn read(words: &[String]) -> Option<Order> {
        let mut order = Order { first: 0, last: 20_000, commands: 60, failures: 5 };
        for pair in words.chunks(2) {
            let [name, value] = pair else { return None };
            match name.as_str() {
                "--seeds" => {
                    let (first, last) = value.split_once("..")?;
                    (order.first, order.last) = (first.parse().ok()?, last.parse().ok()?);
                }
                "--commands" => order.commands = value.parse().ok()?,
                "--failures" => order.failures = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(order)
    }
}

/// One thread: seed after seed, until there are none or too many have failed.
fn work(order: &Order, next: &AtomicU64, sum: &Sum) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= order.last || sum.failed.load(Ordering::Relaxed) >= order.failures {
            return;
        }
        let blueprint = generate(seed, &Options::all());
        sum.note(seed, true);
        let lived = live(&blueprint, seed, order.commands);
        sum.note(seed, false);
        match lived {
            Ok(life) => sum.add(&life),
            Err(failure) => {
                sum.failed.fetch_add(1, Ordering::Relaxed);
                let is_new = sum.kinds.lock().is_ok_and(|mut kinds| kinds.insert(failure.kind()));
                if is_new {
                    tell(seed, order.commands, &blueprint, failure);
                } else {
                    println!("seed {seed}: {}", failure.reason.lines().next().unwrap_or_default());
                }
            }
        }
        sum.lives.fetch_add(1, Ordering::Relaxed);
    }
}

/// A life that takes this long is worth a look.
const SLOW: Duration = Duration::from_secs(10);

/// Names lives that do not come to an end, until all is done.
fn watch(sum: &Sum, is_done: impl Fn() -> bool) {
    let mut told = BTreeSet::new();
    while !is_done() {
        std::thread::sleep(Duration::from_millis(50));
        let Ok(running) = sum.running.lock() else { return };
        for (seed, _) in running.iter().filter(|(_, since)| since.elapsed() > SLOW) {
            if told.insert(*seed) {
                println!("seed {seed}: goes on for more than {} s", SLOW.as_secs());
            }
        }
    }
}

/// Long enough for all but processes that run in circles.
const SHRINKS_FOR: Duration = Duration::from_secs(10);

/// Prints the smallest process that fails in the same way under the same seed, and what was done with it.
fn tell(seed: u64, commands: u32, blueprint: &Blueprint, failure: Failure) {
    use std::fmt::Write as _;
    let mut smallest = failure;
    let kind = smallest.kind();
    let until = Instant::now() + SHRINKS_FOR;
    let small = shrink(blueprint, |candidate| {
        let lived = if Instant::now() < until { live(candidate, seed, commands).err() } else { None };
        let same = lived.filter(|failure| failure.kind() == kind);
        let still_fails = same.is_some();
        if let Some(failure) = same {
            smallest = failure;
        }
        still_fails
    });
    let reason: String = smallest.reason.chars().take(1500).collect();
    let mut text = format!("seed {seed}: {reason}\n");
    for line in &smallest.script {
        let mark = if line.contains("[{") { " " } else { ">" };
        writeln!(text, "  {mark} {line}").expect("a string takes everything");
    }
    // In one piece: other threads print too.
    println!("{text}{}", to_bpmn(&small));
}

/// What all lives came to.
#[derive(Default)]
struct Sum {
    lives: AtomicU64,
    ended: AtomicU64,
    events: AtomicU64,
    judged: AtomicU64,
    failed: AtomicU64,
    /// Kinds of failures that were told in full: the same again is one line.
    kinds: Mutex<BTreeSet<String>>,
    /// Lives under way.
    running: Mutex<BTreeMap<u64, Instant>>,
}

impl Sum {
    fn note(&self, seed: u64, begins: bool) {
        if let Ok(mut running) = self.running.lock() {
            if begins {
                running.insert(seed, Instant::now())
            } else {
                running.remove(&seed)
            };
        }
    }

    fn add(&self, life: &Life) {
        self.ended.fetch_add(u64::from(life.completed), Ordering::Relaxed);
        self.events.fetch_add(life.events, Ordering::Relaxed);
        self.judged.fetch_add(life.judged, Ordering::Relaxed);
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (lives, ended, events) = (count(&self.lives), count(&self.ended), count(&self.events));
        let (judged, failed) = (count(&self.judged), count(&self.failed));
        write!(
            formatter,
            "{lives} processes, {ended} ended, {events} events, {judged} turns judged by the oracle, {failed} failed"
        )
    }
}

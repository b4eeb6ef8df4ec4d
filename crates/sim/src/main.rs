//! `cargo xtask sim [--seeds A..B] [--commands N]`: many lives, each from a seed.
//!
//! **Invariant:** a failure prints its seed, and the seed alone gives the failure again.
#![allow(clippy::print_stdout, reason = "the report is what this program is for")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use tyer_sim::drive::{Failure, live};
use tyer_sim::generate::{Options, generate};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let Some((first, last)) = value("--seeds").map_or(Some((0, 20_000)), |text| range(text)) else {
        eprintln!("sim: --seeds wants a range like 0..20000");
        return ExitCode::FAILURE;
    };
    let commands = value("--commands").and_then(|text| text.parse().ok()).unwrap_or(60);
    let most_failures = value("--failures").and_then(|text| text.parse().ok()).unwrap_or(5);
    std::panic::set_hook(Box::new(|_| {}));
    let failed = run(first, last, commands, most_failures);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn range(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once("..")?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

fn run(first: u64, last: u64, commands: u32, most_failures: u64) -> u64 {
    let next = AtomicU64::new(first);
    let (done, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let (completed, events, judged) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let began = std::time::Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= last || failed.load(Ordering::Relaxed) >= most_failures {
                        return;
                    }
                    let blueprint = generate(seed, &Options::all());
                    match live(&blueprint, seed, commands) {
                        Ok(life) => {
                            completed.fetch_add(u64::from(life.completed), Ordering::Relaxed);
                            events.fetch_add(life.events, Ordering::Relaxed);
                            judged.fetch_add(life.judged, Ordering::Relaxed);
                        }
                        Err(failure) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            tell(seed, &failure);
                            if std::env::args().any(|word| word == "--xml") {
                                println!("{}", tyer_sim::bpmn::to_bpmn(&blueprint));
                            }
                        }
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    println!(
        "sim: {} processes, {} ended, {} events, {} turns judged by the oracle, {} failed, {:.1} s",
        count(&done),
        count(&completed),
        count(&events),
        count(&judged),
        count(&failed),
        began.elapsed().as_secs_f64()
    );
    count(&failed)
}

fn tell(seed: u64, failure: &Failure) {
    let reason: String = failure.reason.chars().take(1500).collect();
    println!("seed {seed}: {reason}");
    for line in &failure.script {
        let mark = if line.contains("[{") { " " } else { ">" };
        println!("  {mark} {line}");
    }
}

//! Benchmarks: workloads on the engine and on the floors, interleaved in one run, told as ratios.
//!
//! `cargo xtask bench [--count N] [--waiting N] [--tracks N] [--rounds N] [--workload W2]… [--store sqlite]… [--json FILE]`
//!
//! `cargo xtask bench million [--instances N] [--store sqlite]…`: W6, what is promised of a store with a million instances.

#![allow(clippy::print_stdout, reason = "figures are what this program is for")]

mod floor;
mod measure;
mod million;
mod options;
mod processes;
mod record;
mod report;
mod workload;

use anyhow::Result;

use floor::rows::Plan;
use options::Options;
use report::Row;
use workload::WORKLOADS;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "million" => {
            anyhow::ensure!(million::run(rest).await?, "not everything that is promised is kept");
            Ok(())
        }
        Some((command, rest)) if command == "opened" => million::opened(rest).await,
        _ => run(&Options::of(&arguments)?).await,
    }
}

async fn run(options: &Options) -> Result<()> {
    std::fs::create_dir_all(&options.folder)?;
    let mut rows = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| options.wants_workload(workload.name)) {
        let recording = record::record(workload, &options.fresh("recording")?).await?;
        let plan = Plan::of(&recording.commits, options.waiting, workload.under_way);
        for store in options.stores() {
            let mut row = Row::new(store, workload, &recording);
            for round in 1..=options.rounds {
                eprintln!("{} on {store}, round {round} of {}", workload.name, options.rounds);
                row.samples.push(measure::measure(options, store, workload, &plan).await?);
            }
            rows.push(row);
        }
    }
    report::print(&rows);
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&report::json(&rows))?)?;
    }
    Ok(())
}

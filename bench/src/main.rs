//! Benchmarks: workloads on the engine and on the floors, interleaved in one run, told as ratios.
//!
//! `cargo xtask bench [--count N] [--waiting N] [--tracks N] [--rounds N] [--workload W2]… [--store sqlite]… [--json FILE]
//! [--svg FILE] [--markdown FILE] [--strict]`: W1 to W9, and what is promised of them; `--strict` fails when a promise is
//! not kept. `--workload growth` and `--workload idle` are what more items and nothing to do cost.
//!
//! `cargo xtask bench http [--server FILE] …`: W1 and W2 with callers and workers outside.
//!
//! `cargo xtask bench features …`: what each index and the outbox cost.
//!
//! `cargo xtask bench million [--count N] [--rounds N] [--store sqlite]… [--workload open|lists|timers|beside]… [--json FILE]
//! [--strict]`: W6, what is promised of a store with a million instances.

#![allow(clippy::print_stdout, reason = "figures are what this program is for")]

mod features;
mod floor;
mod idle;
mod linear;
mod low;
mod measure;
mod million;
mod options;
mod outside;
mod place;
mod processes;
mod progress;
mod record;
mod report;
mod statements;
#[cfg(test)]
mod tests;
mod wire;
mod workload;

use anyhow::Result;

use floor::rows::Plan;
use options::Options;
use progress::Progress;
use report::{Report, Row};
use workload::{WORKLOADS, Workload};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "million" => million::run(rest).await,
        Some((command, rest)) if command == "http" => outside::run(rest).await,
        Some((command, rest)) if command == "features" => features::run(rest).await,
        Some((command, rest)) if command == "opened" => million::opened(rest).await,
        _ => tell(&Options::of(&arguments)?).await,
    }
}

async fn tell(options: &Options) -> Result<()> {
    std::fs::create_dir_all(&options.folder)?;
    let report = run(options).await?;
    let promises = report::judge(&report);
    let table = report::markdown(&report.rows);
    eprintln!("{table}");
    for promise in &promises {
        println!("{}", promise.line());
    }
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&report::json(&report, &promises))?)?;
    }
    if let Some(file) = &options.svg {
        std::fs::write(file, report::svg(&report.rows))?;
    }
    if let Some(file) = &options.markdown {
        std::fs::write(file, table)?;
    }
    let broken = promises.iter().filter(|promise| !promise.is_kept()).count();
    anyhow::ensure!(broken == 0 || !options.strict, "{broken} of {} promises are not kept", promises.len());
    Ok(())
}

async fn run(options: &Options) -> Result<Report> {
    let workloads: Vec<&Workload> =
        WORKLOADS.iter().filter(|workload| options.wants_workload(workload.name)).collect();
    let stores = options.stores().count();
    let beside = ["growth", "idle"].into_iter().filter(|name| options.wants_workload(name)).count() * stores;
    let mut progress = Progress::of(workloads.len() * stores * (options.rounds + 1) + beside);
    let mut report = Report::default();
    for workload in workloads {
        let recording = record::record(workload, &options.fresh("recording")?).await?;
        let plan = Plan::of(&recording.commits, options.waiting, workload.under_way);
        for store in options.stores() {
            let mut row = Row::new(store, workload, &recording);
            measure_row(options, workload, &plan, &mut row, &mut progress).await?;
            report.rows.push(row);
        }
    }
    for store in options.stores().filter(|_| options.wants_workload("growth")) {
        progress.next(&format!("growth on {store}"));
        report.growth.extend(linear::measure(options, store).await?);
    }
    for store in options.stores().filter(|_| options.wants_workload("idle")) {
        progress.next(&format!("idle on {store}"));
        report.idle.push((store, idle::measure(options, store).await?));
    }
    progress.end();
    Ok(report)
}

async fn measure_row(
    options: &Options,
    workload: &Workload,
    plan: &Plan,
    row: &mut Row,
    progress: &mut Progress,
) -> Result<()> {
    let store = row.store;
    for round in 1..=options.rounds {
        progress.next(&format!("{} on {store}, round {round} of {}", workload.name, options.rounds));
        row.samples.push(measure::measure(options, store, workload, plan).await?);
    }
    progress.next(&format!("{} on {store}, alone", workload.name));
    row.low = Some(low::measure(options, store, workload).await?);
    if store == "postgres" {
        row.statements = Some(statements::count(options, workload).await?);
    }
    Ok(())
}

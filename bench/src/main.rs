//! Benchmarks: workloads on the engine and on the floors, interleaved in one run, told as ratios.
//!
//! `cargo xtask bench million [--instances N] [--store sqlite]…`: what is promised of a store with a million instances.
//!
//! `cargo xtask bench [--count N] [--waiting N] [--tracks N] [--rounds N] [--workload W2]… [--store sqlite]… [--json FILE]`

#![allow(clippy::print_stdout, reason = "figures are what this program is for")]

mod floor;
mod million;
mod record;
mod report;
mod workload;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use tyer_runtime::{Builder, Engine};

use floor::rows::TurnRows;
use report::{Row, Sample};
use workload::{Run, WORKLOADS, Workload};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STORES: [&str; 3] = ["memory", "sqlite", "postgres"];

struct Options {
    count: u64,
    waiting: usize,
    tracks: Option<usize>,
    rounds: usize,
    workloads: Vec<String>,
    stores: Vec<String>,
    json: Option<PathBuf>,
    folder: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "million" => {
            anyhow::ensure!(million::run(rest).await?, "not everything that is promised is kept");
            return Ok(());
        }
        Some((command, rest)) if command == "opened" => return million::opened(rest).await,
        _ => {}
    }
    let options = options()?;
    std::fs::create_dir_all(&options.folder)?;
    let mut rows = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| wanted(&options.workloads, workload.name)) {
        let turns: Vec<TurnRows> = record::record(workload).await?.iter().map(TurnRows::of).collect();
        for store in STORES.into_iter().filter(|store| wanted(&options.stores, store)) {
            let mut row = Row::new(store, workload.name, &turns);
            for round in 1..=options.rounds {
                eprintln!("{} on {store}, round {round} of {}", workload.name, options.rounds);
                row.samples.push(measure(&options, store, workload, &turns).await?);
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

impl Options {
    fn engine(&self) -> Builder {
        match self.tracks {
            Some(tracks) => Engine::builder().tracks(tracks),
            None => Engine::builder(),
        }
    }
}

fn wanted(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
}

fn options() -> Result<Options> {
    let mut options = Options {
        count: 20_000,
        waiting: workload::WAITING,
        tracks: None,
        rounds: 3,
        workloads: Vec::new(),
        stores: Vec::new(),
        json: None,
        folder: PathBuf::from("target/bench"),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{flag} needs a value"));
        match &*flag {
            "--count" => options.count = value()?.parse()?,
            "--waiting" => options.waiting = value()?.parse()?,
            "--tracks" => options.tracks = Some(value()?.parse()?),
            "--rounds" => options.rounds = value()?.parse()?,
            "--workload" => options.workloads.push(value()?),
            "--store" => options.stores.push(value()?),
            "--json" => options.json = Some(value()?.into()),
            "--folder" => options.folder = value()?.into(),
            _ => bail!(
                "{flag} is not an option: expected --count, --waiting, --tracks, --rounds, --workload, --store, --json or --folder"
            ),
        }
    }
    Ok(options)
}

/// One round: thin floor, own rows, engine, right after each other.
async fn measure(options: &Options, store: &str, workload: &Workload, turns: &[TurnRows]) -> Result<Sample> {
    match store {
        "memory" => {
            let engine =
                workload::drive(&options.engine().memory().await?, workload, options.count, options.waiting)
                    .await?;
            Ok(Sample { engine, ..Sample::default() })
        }
        "sqlite" => measure_sqlite(options, workload, turns).await,
        _ => measure_postgres(options, workload, turns).await,
    }
}

async fn measure_sqlite(options: &Options, workload: &Workload, turns: &[TurnRows]) -> Result<Sample> {
    let thin = floor::sqlite::thin(&fresh(options, "thin")?, turns.len(), options.count, options.waiting)?;
    let own = floor::sqlite::own_rows(&fresh(options, "own")?, turns, options.count, options.waiting)?;
    let file = fresh(options, "engine")?;
    let engine = options.engine().open(&file).await?;
    let run = workload::drive(&engine, workload, options.count, options.waiting).await?;
    engine.shutdown().await;
    let bytes = std::fs::metadata(&file)?.len() / options.count;
    Ok(Sample { engine: run, own, thin, bytes })
}

async fn measure_postgres(options: &Options, workload: &Workload, turns: &[TurnRows]) -> Result<Sample> {
    let url = std::env::var("TYER_TEST_POSTGRES").context(
        "TYER_TEST_POSTGRES is not set: `cargo xtask bench` starts a private PostgreSQL and sets it",
    )?;
    let thin = floor::postgres::thin(&url, turns.len(), options.count, options.waiting).await?;
    let own = floor::postgres::own_rows(&url, turns, options.count, options.waiting).await?;
    floor::postgres::empty(&url, "engine").await?;
    let scoped = format!("{url}{}options=-csearch_path%3Dengine", if url.contains('?') { '&' } else { '?' });
    let engine = options.engine().postgres(&scoped).await?;
    let run: Run = workload::drive(&engine, workload, options.count, options.waiting).await?;
    engine.shutdown().await;
    let client = floor::postgres::connect(&url, "engine").await?;
    let size = "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
                WHERE c.relnamespace = 'engine'::regnamespace AND c.relkind = 'r'";
    let bytes: i64 = client.query_one(size, &[]).await?.get(0);
    Ok(Sample { engine: run, own, thin, bytes: bytes.cast_unsigned() / options.count })
}

fn fresh(options: &Options, name: &str) -> Result<PathBuf> {
    let path = options.folder.join(format!("{name}.db"));
    for suffix in ["", "-wal", "-shm", "-lock"] {
        match std::fs::remove_file(format!("{}{suffix}", path.display())) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(path)
}

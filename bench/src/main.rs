//! Benchmarks: workloads on the engine and on the floors, interleaved in one run, told as ratios.

mod floor;
mod record;
mod workload;

use std::path::PathBuf;

use anyhow::Result;
use tyer_runtime::Engine;

use floor::rows::TurnRows;
use workload::{Run, WORKLOADS, Workload};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<()> {
    let count: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20_000);
    for workload in WORKLOADS {
        let turns: Vec<TurnRows> = record::record(workload).await?.iter().map(TurnRows::of).collect();
        let rows: usize = turns.iter().map(TurnRows::row_changes).sum();
        eprintln!("{}: {} turns, {rows} row changes", workload.name, turns.len());
        for _ in 0..2 {
            let thin = floor::sqlite::thin(&fresh("thin"), turns.len(), count)?;
            let own = floor::sqlite::own_rows(&fresh("own"), &turns, count)?;
            let engine = sqlite(workload, count).await?;
            let memory = workload::drive(&Engine::memory().await?, workload, count).await?;
            eprintln!(
                "  thin {:.0}/s  own {:.0}/s  sqlite {:.0}/s ({:.2} own, {:.2} thin; {} commits, cpu {:?})  memory {:.0}/s",
                thin.rate(), own.rate(), engine.rate(), engine.rate() / own.rate(), engine.rate() / thin.rate(),
                engine.commits, engine.cpu, memory.rate()
            );
        }
    }
    Ok(())
}

async fn sqlite(workload: &Workload, count: u64) -> Result<Run> {
    let engine = Engine::open(fresh("engine")).await?;
    let run = workload::drive(&engine, workload, count).await?;
    engine.shutdown().await;
    Ok(run)
}

fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from("target/bench");
    std::fs::create_dir_all(&folder).expect("target can be written");
    let path = folder.join(format!("{name}.db"));
    for suffix in ["", "-wal", "-shm", "-lock"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    path
}

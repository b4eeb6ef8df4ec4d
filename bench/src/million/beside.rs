//! Work beside a million that wait, and timers that are due among them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tyer_runtime::Engine;

use super::{Place, promise};
use crate::workload::{self, WAITING, Workload};

/// Instances of one round.
const COUNT: u64 = 10_000;
/// Rounds, each on both stores right after each other.
const ROUNDS: usize = 5;
/// Timers that are due while work goes on.
const TIMERS: usize = 20;

pub(crate) async fn measure(store: &str, full: &Place, empty: &Place) -> Result<bool> {
    let workload = Workload::named("W2").context("W2 is there")?;
    let (full, empty) = (full.open().await?, empty.open().await?);
    let mut slower = Vec::new();
    for round in 1..=ROUNDS {
        let alone = workload::drive(&empty, workload, COUNT, WAITING).await?.rate();
        let beside = workload::drive(&full, workload, COUNT, WAITING).await?.rate();
        eprintln!("  round {round}: {alone:.0} instances/s on an empty store, {beside:.0} beside a million");
        slower.push((1.0 - beside / alone) * 100.0);
    }
    slower.sort_by(f64::total_cmp);
    let kept = promise(store, "W2 beside a million that wait is slower by", slower[ROUNDS / 2], "%", 20.0);
    let working = full.clone();
    let work = tokio::spawn(async move { workload::drive(&working, workload, COUNT, WAITING).await });
    let late = lateness(&full).await?;
    work.await??;
    let on_time = promise(store, "a timer due among them, under load, is late by", late, "ms", 250.0);
    full.shutdown().await;
    empty.shutdown().await;
    Ok(kept && on_time)
}

/// The latest of some timers of one second.
async fn lateness(engine: &Engine) -> Result<f64> {
    let mut waiting = Vec::new();
    for _ in 0..TIMERS {
        let started =
            engine.start("parked").variables(json!({ "kind": "moment", "soon": true })).send().await?;
        let begun = Instant::now();
        waiting.push(tokio::spawn(async move { started.finished().await.map(|_| begun.elapsed()) }));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut latest = Duration::ZERO;
    for one in waiting {
        latest = latest.max(one.await??);
    }
    Ok(latest.saturating_sub(Duration::from_secs(1)).as_secs_f64() * 1_000.0)
}

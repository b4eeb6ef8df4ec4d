//! Timers that are due among all the others: how late their ends are known, at rest and beside W2.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tyer_runtime::{Engine, Handle};

use super::{Findings, Place};
use crate::report::Promise;
use crate::workload::{Driver, Steps, WAITING, Workload};

/// Timers in each part, and what lies between two of them.
const TIMERS: usize = 200;
const BETWEEN: Duration = Duration::from_millis(10);
/// As the model has it.
const DUE_MS: i64 = 1_000;
/// Instances of W2 in one go, while timers are waited for.
const BESIDE: u64 = 500;

/// How late they are at rest and beside W2, each sorted.
struct Late {
    at_rest: Vec<f64>,
    beside: Vec<f64>,
}

/// On a store with few others first, so that it is seen what the others have to do with it.
pub(crate) async fn measure(place: &Place, few: &Place, findings: &mut Findings) -> Result<()> {
    let few = on(few).await?;
    let many = on(place).await?;
    let what = findings.of("a timer among them, at rest, is late by (p99), ms");
    findings.promises.push(Promise::most(what, p(&many.at_rest, 99), 100.0));
    let what = findings.of("a timer among them, beside W2, is late by (p99), ms");
    findings.promises.push(Promise::most(what, p(&many.beside, 99), 250.0));
    findings.figures["timers"] = json!({ "amongThem": told(&many), "amongTen": told(&few) });
    Ok(())
}

async fn on(place: &Place) -> Result<Late> {
    let engine = place.open().await?;
    let at_rest = lateness(&engine).await?;
    let workload = Workload::named("W2").context("W2 is there")?;
    let driver = Driver::new(&engine, workload, WAITING, Steps::some()).await?;
    let over = Arc::new(AtomicBool::new(false));
    let work = {
        let over = Arc::clone(&over);
        tokio::spawn(async move {
            while !over.load(Ordering::Relaxed) {
                driver.run(BESIDE).await?;
            }
            anyhow::Ok(())
        })
    };
    let beside = lateness(&engine).await;
    over.store(true, Ordering::Relaxed);
    work.await??;
    engine.shutdown().await;
    Ok(Late { at_rest, beside: beside? })
}

fn p(late: &[f64], hundredths: usize) -> f64 {
    late.get(late.len() * hundredths / 100).copied().unwrap_or(f64::NAN)
}

fn told(late: &Late) -> Value {
    let one = |late: &[f64]| json!({ "p50Millis": p(late, 50), "p99Millis": p(late, 99), "worstMillis": late.last() });
    json!({ "atRest": one(&late.at_rest), "besideW2": one(&late.beside) })
}

/// From the moment a timer is due until somebody who waits for its instance knows of the end, for each; sorted.
async fn lateness(engine: &Engine) -> Result<Vec<f64>> {
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..TIMERS {
        let variables = json!({ "kind": "moment", "soon": true });
        let started = engine.start("parked").variables(variables).send().await?;
        waiting.spawn(late(engine.clone(), started));
        tokio::time::sleep(BETWEEN).await;
    }
    let mut late = Vec::new();
    while let Some(one) = waiting.join_next().await {
        late.push(one??);
    }
    late.sort_by(f64::total_cmp);
    Ok(late)
}

async fn late(engine: Engine, started: Handle) -> Result<f64> {
    started.finished().await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1e3;
    // The turn that began it has set its timer.
    let due = engine.glance(started.id()).await?.started_at.0 + DUE_MS;
    Ok(now - due as f64)
}

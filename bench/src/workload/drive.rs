//! Runs many instances of a workload and counts what they cost.
//!
//! **Invariant:** what is driven never waits for a figure: looking on costs the engine nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::Semaphore;
use tyer_runtime::{Engine, Metrics};

use super::jobs::{self, Publisher};
use super::steps::Steps;
use super::{Run, Work, Workload, people};
use crate::processes;

/// Whoever needs longer hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs `count` instances with `waiting` of them under way, jobs as handlers inside the process.
pub(crate) async fn drive(engine: &Engine, workload: &Workload, count: u64, waiting: usize) -> Result<Run> {
    engine.deploy(workload.model).await?;
    let steps = Arc::new(Steps::default());
    let places = Arc::new(Semaphore::new(waiting.min(workload.under_way)));
    let publisher = Publisher::of(engine);
    jobs::begin(engine, workload, 4 * waiting, &places, &steps, &publisher);
    processes::forget_peak();
    let (before, started, cpu) = (engine.metrics(), Instant::now(), processes::own_cpu());
    if workload.work == Work::People {
        people::work(engine, workload, count, waiting, &steps).await?;
    } else {
        start(engine, workload, count, &places, &steps).await?;
    }
    let done = all_ended(engine, before.completed + count, workload).await?;
    Ok(Run {
        instances: count,
        turns: done.turns - before.turns,
        commits: done.commits - before.commits,
        wall: started.elapsed(),
        cpu: processes::own_cpu() - cpu,
        database_cpu: Duration::ZERO,
        resident_kilobytes: processes::peak_kilobytes(),
        latency: steps.latency(),
    })
}

/// A start for every place that is free.
async fn start(
    engine: &Engine,
    workload: &Workload,
    count: u64,
    places: &Arc<Semaphore>,
    steps: &Arc<Steps>,
) -> Result<()> {
    let same = workload.variables(0, 1);
    for at in 0..count {
        places.acquire().await?.forget();
        let start = engine.start(workload.process);
        let start = match workload.work {
            Work::Typical => start.variables(workload.variables(at, 1)),
            _ => start.variables(&same),
        };
        let (steps, freed) = (Arc::clone(steps), workload.jobs.is_empty().then(|| Arc::clone(places)));
        tokio::spawn(async move {
            let begun = Instant::now();
            let answered = start.submit().await;
            if at % 16 == 0 && answered.is_ok() {
                steps.answered(begun.elapsed());
            }
            if let Some(places) = freed {
                places.add_permits(1);
            }
        });
    }
    Ok(())
}

async fn all_ended(engine: &Engine, completed: u64, workload: &Workload) -> Result<Metrics> {
    let begun = Instant::now();
    loop {
        let done = engine.metrics();
        if done.completed >= completed {
            return Ok(done);
        }
        anyhow::ensure!(begun.elapsed() < PATIENCE, "{} did not end: {done:?}", workload.name);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

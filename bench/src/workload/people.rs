//! People: each looks at their own list, takes the task that is on it, and does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;
use tyer_runtime::{Engine, TaskFilter};

use super::steps::Steps;
use super::{Workload, person};

/// Tasks of one instance.
const TASKS: usize = 3;
/// As many as a person sees at once.
const PAGE: usize = 20;

/// As many people as instances are to be under way, until `count` instances have ended.
pub(crate) async fn work(
    engine: &Engine,
    workload: &Workload,
    count: u64,
    people: usize,
    steps: &Arc<Steps>,
) -> Result<()> {
    let begun = Arc::new(AtomicU64::new(0));
    let people = people as u64;
    let mut all = Vec::new();
    for who in 0..people.min(count) {
        let (engine, workload, begun, steps) =
            (engine.clone(), *workload, Arc::clone(&begun), Arc::clone(steps));
        all.push(tokio::spawn(async move {
            while begun.fetch_add(1, Ordering::Relaxed) < count {
                let variables = workload.variables(who, people);
                engine.start(workload.process).variables(variables).send().await?;
                all_tasks(&engine, who, &steps).await?;
            }
            anyhow::Ok(())
        }));
    }
    for one in all {
        one.await??;
    }
    Ok(())
}

/// The tasks of one instance, one after the other.
pub(crate) async fn all_tasks(engine: &Engine, who: u64, steps: &Steps) -> Result<()> {
    for _ in 0..TASKS {
        one_task(engine, &person(who), steps).await?;
    }
    Ok(())
}

async fn one_task(engine: &Engine, who: &str, steps: &Steps) -> Result<()> {
    let filter = TaskFilter { candidate_user: Some(who.to_owned()), ..TaskFilter::default() };
    let listed = engine.find_tasks(filter, None, PAGE).await?;
    let task = listed.first().with_context(|| format!("{who} has no task on their list"))?.id();
    let looked_at = steps.looks_at(task.instance);
    let begun = Instant::now();
    engine.claim_task(task, who).await?;
    let claimed = begun.elapsed();
    engine.complete_task(task, json!({}), Some(who.to_owned())).await?;
    if looked_at {
        steps.answered(claimed);
        steps.answered(begun.elapsed() - claimed);
    }
    Ok(())
}

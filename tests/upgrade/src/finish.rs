//! Brings everything that still waits in a sample to its end.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::json;
use tyer_runtime::{Engine, InstanceFilter, ItemId, Job, ListedInstance, Status, Variables};

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Does what people, workers and other systems would do, until nothing lives any more. Says how many instances ended.
pub async fn finish(engine: &Engine) -> Result<usize> {
    for job in ["book", "work", "unbook"] {
        engine.worker(job, |_: Job| async { Ok(json!({})) });
    }
    let mut ended = 0;
    for tenant in ["", "acme"] {
        ended += finish_tenant(&engine.tenant(tenant)).await?;
    }
    Ok(ended)
}

async fn finish_tenant(engine: &Engine) -> Result<usize> {
    let (begin, lived) = (Instant::now(), living(engine).await?);
    loop {
        let living = living(engine).await?;
        if living.is_empty() {
            break;
        }
        if begin.elapsed() > PATIENCE {
            let explained = engine.instance(living[0].id).explain().await?;
            bail!("{} still lives: {explained:?}", living[0].id);
        }
        for one in &living {
            push(engine, one).await?;
        }
        engine.signal("storm", json!({})).await?;
        tokio::time::sleep(Duration::from_millis(20)).await; // tidy: looks again: the fact itself is awaited
    }
    for one in &lived {
        let glance = engine.glance(one.id).await?;
        if glance.status != Status::Completed {
            bail!("{} of {} ended as {:?}, expected it to complete", one.id, one.process, glance.status);
        }
    }
    Ok(lived.len())
}

async fn living(engine: &Engine) -> Result<Vec<ListedInstance>> {
    let statuses = vec![Status::Running, Status::Paused];
    let filter = InstanceFilter { statuses, ..InstanceFilter::default() };
    Ok(engine.find_instances(filter, None, 1_000).await?)
}

/// Whatever stands still for a reason from outside goes on.
async fn push(engine: &Engine, listed: &ListedInstance) -> Result<()> {
    let instance = engine.instance(listed.id);
    if listed.status == Status::Paused {
        instance.resume().await?;
    }
    if listed.incidents > 0 {
        instance.set_variables(json!({ "open": true })).await?;
        instance.resolve_all(None).await?;
    }
    let variables = instance.variables(None).await?;
    if let Some(order) = variables.get("order") {
        let order: String = serde_json::from_str(order)?;
        engine.publish("paid").key(order).ttl(Duration::from_secs(1)).send().await?;
    }
    for task in engine.tasks(Some(listed.id), 10).await? {
        let id = ItemId { instance: listed.id, number: task.asked.task };
        // Somebody's result may have ended it meanwhile.
        let _ = engine.complete_task(id, Variables::default(), None).await;
    }
    Ok(())
}

//! The workloads: a model, its jobs, and how the engine is driven with it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::Semaphore;
use tyer_runtime::{Engine, Job, WorkerOptions};

/// Instances under way at once, when not said otherwise.
pub(crate) const WAITING: usize = 256;

/// What an instance begins with: one row of variables.
pub(crate) const VARIABLES: &str = r#"{"order":"A-17","amount":120,"customer":{"name":"Ada","vip":true}}"#;

/// A process to run many times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    /// As PERFORMANCE names it.
    pub(crate) name: &'static str,
    /// The BPMN id of the process.
    pub(crate) process: &'static str,
    /// The BPMN file.
    pub(crate) model: &'static str,
    /// Job types, the last of which frees a place for another instance.
    pub(crate) jobs: &'static [&'static str],
}

/// W1 to W3.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "W1",
        process: "one_task",
        model: include_str!("../models/one_task.bpmn"),
        jobs: &["last"],
    },
    Workload {
        name: "W2",
        process: "three_tasks",
        model: include_str!("../models/three_tasks.bpmn"),
        jobs: &["first", "second", "last"],
    },
    Workload {
        name: "W3",
        process: "fork4",
        model: include_str!("../models/fork4.bpmn"),
        jobs: &["a", "b", "c", "last"],
    },
];

/// What one run came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// Instances from start to durable end.
    pub(crate) instances: u64,
    /// Turns, all durable.
    pub(crate) turns: u64,
    /// Transactions.
    pub(crate) commits: u64,
    /// How long it took.
    pub(crate) wall: Duration,
    /// Processor time of this process.
    pub(crate) cpu: Duration,
}

impl Run {
    /// Instances per second.
    pub(crate) fn rate(&self) -> f64 {
        self.instances as f64 / self.wall.as_secs_f64()
    }
}

/// Runs `count` instances with `waiting` of them under way, jobs as handlers inside the process.
pub(crate) async fn drive(engine: &Engine, workload: &Workload, count: u64, waiting: usize) -> Result<Run> {
    engine.deploy(workload.model).await?;
    let places = Arc::new(Semaphore::new(waiting));
    let options = WorkerOptions::default().concurrency(4 * waiting);
    let (last, others) = workload.jobs.split_last().context("a workload has jobs")?;
    for job in others {
        engine.worker_with(job, options, |_: Job| async { Ok(()) });
    }
    let freed = Arc::clone(&places);
    engine.worker_with(last, options, move |_: Job| {
        freed.add_permits(1);
        async { Ok(()) }
    });
    let variables: serde_json::Value = serde_json::from_str(VARIABLES)?;
    let before = engine.metrics();
    let (started, cpu) = (Instant::now(), cpu_time());
    for _ in 0..count {
        places.acquire().await?.forget();
        let start = engine.start(workload.process).variables(&variables);
        tokio::spawn(async move { start.submit().await.map(drop) });
    }
    loop {
        let done = engine.metrics();
        if done.completed - before.completed == count {
            return Ok(Run {
                instances: count,
                turns: done.turns - before.turns,
                commits: done.commits - before.commits,
                wall: started.elapsed(),
                cpu: cpu_time() - cpu,
            });
        }
        anyhow::ensure!(
            started.elapsed() < Duration::from_secs(300),
            "{} did not end: {done:?}",
            workload.name
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// User and system time of this process so far.
pub(crate) fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

//! Runs instances of a workload and counts what they cost.
//!
//! **Invariant:** what is driven never waits for a figure: looking on costs the engine nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::Semaphore;
use tyer_runtime::{Engine, Metrics, StartInstance};

use super::jobs::{self, Publisher};
use super::steps::{Latency, Steps};
use super::{Run, Work, Workload, people};
use crate::processes;

/// Whoever does not move for so long may never.
const STILL: Duration = Duration::from_secs(10);
/// And whoever has stood still so often does not.
const MOST_STILL: u32 = 20;

/// Runs `count` instances with `waiting` of them under way, jobs as handlers inside the process.
pub(crate) async fn drive(engine: &Engine, workload: &Workload, count: u64, waiting: usize) -> Result<Run> {
    Driver::new(engine, workload, waiting, Steps::some()).await?.run(count).await
}

/// An engine that has the model and its workers.
pub(crate) struct Driver {
    engine: Engine,
    workload: Workload,
    waiting: usize,
    places: Arc<Semaphore>,
    steps: Arc<Steps>,
    _publisher: Publisher,
}

impl Driver {
    pub(crate) async fn new(
        engine: &Engine,
        workload: &Workload,
        waiting: usize,
        steps: Steps,
    ) -> Result<Driver> {
        engine.deploy(workload.model).await?;
        let places = Arc::new(Semaphore::new(waiting.min(workload.under_way)));
        let (steps, publisher) = (Arc::new(steps), Publisher::of(engine));
        jobs::begin(engine, workload, 4 * waiting, &places, &steps, &publisher);
        let (engine, workload) = (engine.clone(), *workload);
        Ok(Driver { engine, workload, waiting, places, steps, _publisher: publisher })
    }

    /// So many, as many at once as may be under way.
    pub(crate) async fn run(&self, count: u64) -> Result<Run> {
        processes::forget_peak();
        let (before, started, cpu) = (self.engine.metrics(), Instant::now(), processes::own_cpu());
        if self.workload.work == Work::People {
            people::work(&self.engine, &self.workload, count, self.waiting, &self.steps).await?;
        } else {
            self.start(count).await?;
        }
        let done = self.all_ended(before.completed + count).await?;
        Ok(Run {
            instances: count,
            turns: done.turns - before.turns,
            commits: done.commits - before.commits,
            wall: started.elapsed(),
            cpu: processes::own_cpu() - cpu,
            database_cpu: Duration::ZERO,
            resident_kilobytes: processes::peak_kilobytes(),
            latency: Latency::of(self.steps.take()),
        })
    }

    /// One, while nothing else is under way: how long it took until its caller knew of its end.
    pub(crate) async fn one(&self, at: u64) -> Result<Duration> {
        let begun = Instant::now();
        let started = self.begin(at).submit().await?;
        if self.workload.work == Work::People {
            people::all_tasks(&self.engine, 0, &self.steps).await?;
        } else {
            self.engine.instance(started.instance).finished().await?;
        }
        Ok(begun.elapsed())
    }

    /// One, while nothing else is under way and nobody looks on: how long each of its steps took.
    pub(crate) async fn steps_of_one(&self, at: u64) -> Result<Vec<Duration>> {
        self.steps.take();
        let completed = self.engine.metrics().completed + 1;
        let begun = Instant::now();
        self.begin(at).submit().await?;
        self.steps.answered(begun.elapsed());
        if self.workload.work == Work::People {
            people::all_tasks(&self.engine, 0, &self.steps).await?;
        }
        self.all_ended(completed).await?;
        Ok(self.steps.take())
    }

    fn begin(&self, at: u64) -> StartInstance {
        self.engine.start(self.workload.process).variables(self.workload.variables(at, 1))
    }

    /// A start for every place that is free.
    async fn start(&self, count: u64) -> Result<()> {
        let same = self.workload.variables(0, 1);
        for at in 0..count {
            self.places.acquire().await?.forget();
            let start = match self.workload.work {
                Work::Typical => self.begin(at),
                Work::Sequence
                | Work::Parallel
                | Work::Loop(_)
                | Work::Saga
                | Work::Fanout(_)
                | Work::People => self.engine.start(self.workload.process).variables(&same),
            };
            let freed = self.workload.jobs.is_empty().then(|| Arc::clone(&self.places));
            let steps = Arc::clone(&self.steps);
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

    async fn all_ended(&self, completed: u64) -> Result<Metrics> {
        let (mut moved, mut turns, mut still) = (Instant::now(), 0, 0);
        loop {
            let done = self.engine.metrics();
            if done.completed >= completed {
                return Ok(done);
            }
            if done.turns > turns {
                (moved, turns) = (Instant::now(), done.turns);
            }
            if moved.elapsed() > STILL {
                self.stuck(done).await?;
                still += 1;
                anyhow::ensure!(still < MOST_STILL, "{} does not end: {done:?}", self.workload.name);
                moved = Instant::now();
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Nothing has moved for a while: an incident says why.
    async fn stuck(&self, done: Metrics) -> Result<()> {
        let name = self.workload.name;
        match self.engine.incidents(None, None, 1).await?.first() {
            Some(incident) => anyhow::bail!("{name} does not end: {}", incident.message),
            None => eprintln!("{name} has not moved for {STILL:?}: {done:?}"),
        }
        Ok(())
    }
}

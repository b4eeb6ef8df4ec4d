//! How many statements a commit takes on PostgreSQL, counted on the wire in a run of its own.

use anyhow::Result;

use crate::options::{Options, postgres_url};
use crate::place;
use crate::wire::Wire;
use crate::workload::{Driver, Steps, Workload};

/// Instances that are counted, with many under way and alone.
const MANY: u64 = 2_000;
const ALONE: u64 = 20;

/// Statements, those that begin and end a transaction among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statements {
    /// For each commit, with many instances under way.
    pub(crate) each_commit: f64,
    /// For each turn, with many instances under way.
    pub(crate) each_turn: f64,
    /// For each turn, with one instance under way.
    pub(crate) each_turn_alone: f64,
}

/// Counts on a fresh store.
pub(crate) async fn count(options: &Options, workload: &Workload) -> Result<Statements> {
    let wire = Wire::to(&postgres_url()?).await?;
    let engine = place::on_postgres(options, &postgres_url()?, &wire.url).await?;
    let driver = Driver::new(&engine, workload, options.waiting, Steps::some()).await?;
    let before = wire.statements();
    let run = driver.run(workload.count(MANY.min(options.count))).await?;
    let many = (wire.statements() - before) as f64;
    let (before, turns) = (wire.statements(), engine.metrics().turns);
    for at in 0..workload.count(ALONE) {
        driver.steps_of_one(at).await?;
    }
    let alone = (wire.statements() - before) as f64;
    let turns_alone = (engine.metrics().turns - turns).max(1) as f64;
    drop(driver);
    engine.shutdown().await;
    Ok(Statements {
        each_commit: many / run.commits.max(1) as f64,
        each_turn: many / run.turns.max(1) as f64,
        each_turn_alone: alone / turns_alone,
    })
}

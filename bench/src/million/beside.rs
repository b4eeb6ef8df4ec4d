//! W2 beside few and beside many, in turns: what an instance costs does not depend on how many others there are.
//!
//! **Invariant:** every round runs on every store, and every second one in the other order.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tyer_runtime::Engine;

use super::{Findings, Place};
use crate::floor;
use crate::options::postgres_url;
use crate::processes;
use crate::report::Promise;
use crate::workload::{Driver, Steps, WAITING, Workload};

/// Instances of one round, which lasts about a second, and of what comes before the first.
const COUNT: u64 = 6_000;
const BEFORE: u64 = 500;

/// A store with so many instances, and what each round came to.
struct Beside {
    instances: u64,
    engine: Engine,
    driver: Driver,
    rates: Vec<f64>,
    /// Of this process and of the database, an instance.
    cpu_micros: Vec<f64>,
}

impl Beside {
    async fn of(instances: u64, place: &Place) -> Result<Beside> {
        let workload = Workload::named("W2").context("W2 is there")?;
        let engine = place.open().await?;
        let driver = Driver::new(&engine, workload, WAITING, Steps::some()).await?;
        driver.run(BEFORE).await?;
        Ok(Beside { instances, engine, driver, rates: Vec::new(), cpu_micros: Vec::new() })
    }

    async fn round(&mut self, database: &Database) -> Result<()> {
        let before = database.cpu();
        let run = self.driver.run(COUNT).await?;
        let cpu = run.cpu + database.cpu().saturating_sub(before);
        self.rates.push(run.rate());
        self.cpu_micros.push(cpu.as_secs_f64() * 1e6 / COUNT as f64);
        Ok(())
    }

    fn json(&self) -> Value {
        json!({ "instances": self.instances, "rates": self.rates, "cpuMicros": self.cpu_micros })
    }
}

/// Processes of the database, if it has any.
struct Database(Option<(u32, tokio_postgres::Client)>);

impl Database {
    async fn of(place: &Place) -> Result<Database> {
        let Place::Postgres(..) = place else { return Ok(Database(None)) };
        let client = floor::postgres::connect(&postgres_url()?, "public").await?;
        let postmaster = processes::postmaster(&client).await?;
        Ok(Database(postmaster.map(|postmaster| (postmaster, client))))
    }

    fn cpu(&self) -> Duration {
        self.0.as_ref().map_or(Duration::ZERO, |(postmaster, _)| processes::family_cpu(*postmaster))
    }
}

/// The first of the places is empty, the last has the most.
pub(crate) async fn measure(places: &[(u64, Place)], rounds: usize, findings: &mut Findings) -> Result<()> {
    let [(_, empty), ..] = places else { return Ok(()) };
    let database = Database::of(empty).await?;
    let mut all = Vec::new();
    for (instances, place) in places {
        all.push(Beside::of(*instances, place).await?);
    }
    for round in 0..rounds {
        if round % 2 == 1 {
            all.reverse();
        }
        for one in &mut all {
            one.round(&database).await?;
        }
        all.sort_by_key(|one| one.instances);
    }
    for one in &all {
        let (instances, rate, cpu) = (one.instances, median(&one.rates), median(&one.cpu_micros));
        eprintln!("  W2 beside {instances:>8}: {rate:>6.0} instances/s, {cpu:>5.0} µs of CPU each");
    }
    judge(&all, findings);
    findings.figures["beside"] = all.iter().map(Beside::json).collect();
    for one in all {
        drop(one.driver);
        one.engine.shutdown().await;
    }
    Ok(())
}

/// Ratios are of one round.
fn judge(all: &[Beside], findings: &mut Findings) {
    let [empty, few, .., many] = all else { return };
    let slower: Vec<f64> = ratios(&many.rates, &empty.rates).map(|ratio| (1.0 - ratio) * 100.0).collect();
    let what = findings.of("W2 beside them is slower than on an empty store by, %");
    findings.promises.push(Promise::most(what, median(&slower), 20.0));
    let dearer: Vec<f64> = ratios(&many.cpu_micros, &few.cpu_micros).collect();
    let what = findings.of("CPU of an instance of W2, beside them against beside 10");
    findings.promises.push(Promise::most(what, median(&dearer), 1.2));
}

fn ratios(of: &[f64], to: &[f64]) -> impl Iterator<Item = f64> {
    of.iter().zip(to).map(|(one, other)| one / other)
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

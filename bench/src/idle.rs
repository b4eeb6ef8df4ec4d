//! What an engine costs that has nothing to do: workers wait, and one instance waits for a person.

use std::time::Duration;

use anyhow::Result;

use crate::options::{Options, postgres_url};
use crate::place;
use crate::processes;
use crate::wire::Wire;
use crate::workload::{Driver, Steps, Workload};

/// How long it is looked at, after it has come to rest.
const LOOK: Duration = Duration::from_secs(10);
const REST: Duration = Duration::from_secs(2);

/// What it costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle {
    pub(crate) cpu_percent: f64,
    /// Statements that reach the server; a library has no wire to count on.
    pub(crate) queries_per_second: Option<f64>,
}

/// Measures on a fresh store.
pub(crate) async fn measure(options: &Options, store: &str) -> Result<Idle> {
    let wire = if store == "postgres" { Some(Wire::to(&postgres_url()?).await?) } else { None };
    let engine = match &wire {
        Some(wire) => place::on_postgres(options, &postgres_url()?, &wire.url).await?,
        None => place::fresh(options, store).await?,
    };
    let mut drivers = Vec::new();
    for workload in ["W2", "W7"].into_iter().filter_map(Workload::named) {
        drivers.push(Driver::new(&engine, workload, 1, Steps::some()).await?);
    }
    engine.start("people").variables(serde_json::json!({ "person": "person-0000" })).send().await?;
    tokio::time::sleep(REST).await;
    let counted = || wire.as_ref().map(Wire::statements);
    let (cpu, statements) = (processes::own_cpu(), counted());
    tokio::time::sleep(LOOK).await;
    let cpu_percent = (processes::own_cpu() - cpu).as_secs_f64() / LOOK.as_secs_f64() * 100.0;
    let per_second = |(now, before): (u64, u64)| (now - before) as f64 / LOOK.as_secs_f64();
    let queries_per_second = counted().zip(statements).map(per_second);
    drop(drivers);
    engine.shutdown().await;
    Ok(Idle { cpu_percent, queries_per_second })
}

//! One round: thin floor, own rows, engine, right after each other.

use std::time::Duration;

use anyhow::Result;
use tokio_postgres::Client;

use crate::floor::{self, rows::Plan};
use crate::options::{Options, postgres_url, scoped};
use crate::processes;
use crate::report::Sample;
use crate::workload::{self, Run, Workload};

/// Measures a workload on a store.
pub(crate) async fn measure(
    options: &Options,
    store: &str,
    workload: &Workload,
    plan: &Plan,
) -> Result<Sample> {
    match store {
        "memory" => {
            let engine = options.engine().memory().await?;
            let engine = workload::drive(&engine, workload, workload.count(options.count), options.waiting);
            Ok(Sample { engine: engine.await?, ..Sample::default() })
        }
        "sqlite" => sqlite(options, workload, plan).await,
        _ => postgres(options, workload, plan).await,
    }
}

async fn sqlite(options: &Options, workload: &Workload, plan: &Plan) -> Result<Sample> {
    let count = workload.count(options.count);
    let thin = floor::sqlite::thin(&options.fresh("thin")?, plan, count)?;
    let own = floor::sqlite::own_rows(&options.fresh("own")?, plan, count)?;
    let file = options.fresh("engine")?;
    let engine = options.engine().open(&file).await?;
    let run = workload::drive(&engine, workload, count, options.waiting).await?;
    engine.shutdown().await;
    let bytes = std::fs::metadata(&file)?.len() / count;
    Ok(Sample { engine: run, own, thin, bytes })
}

async fn postgres(options: &Options, workload: &Workload, plan: &Plan) -> Result<Sample> {
    let url = postgres_url()?;
    let count = workload.count(options.count);
    let clock = Clock::of(floor::postgres::connect(&url, "public").await?).await?;
    let thin = clock.around(floor::postgres::thin(&url, plan, count)).await?;
    let own = clock.around(floor::postgres::own_rows(&url, plan, count)).await?;
    floor::postgres::empty(&url, "engine").await?;
    let engine = options.engine().postgres(&scoped(&url, "engine")).await?;
    let run = clock.around(workload::drive(&engine, workload, count, options.waiting)).await?;
    engine.shutdown().await;
    let client = floor::postgres::connect(&url, "engine").await?;
    let size = "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
                WHERE c.relnamespace = 'engine'::regnamespace AND c.relkind = 'r'";
    let bytes: i64 = client.query_one(size, &[]).await?.get(0);
    Ok(Sample { engine: run, own, thin, bytes: bytes.cast_unsigned() / count })
}

/// What the processes of PostgreSQL cost while something is done.
struct Clock {
    postmaster: Option<u32>,
    /// Its process must not end between two looks.
    _client: Client,
}

impl Clock {
    async fn of(client: Client) -> Result<Clock> {
        Ok(Clock { postmaster: processes::postmaster(&client).await?, _client: client })
    }

    async fn around(&self, work: impl Future<Output = Result<Run>>) -> Result<Run> {
        let so_far = || self.postmaster.map_or(Duration::ZERO, processes::family_cpu);
        let before = so_far();
        let run = work.await?;
        Ok(Run { database_cpu: so_far().saturating_sub(before), ..run })
    }
}

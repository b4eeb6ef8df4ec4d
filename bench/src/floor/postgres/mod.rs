//! The floor on PostgreSQL: `UNNEST` batches, pipelined, on as many connections as the engine has tracks.
//!
//! **Invariant:** a transaction is sent as a whole before the first answer is waited for.

mod own;
mod thin;

use std::ops::Range;
use std::time::Instant;

use anyhow::{Context, Result};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

use crate::processes;
use crate::workload::Run;
pub(crate) use own::own_rows;
pub(crate) use thin::thin;

/// Connections that write at the same time.
pub(crate) const CONNECTIONS: usize = 2;

/// The values of one column, for all rows of a statement.
type Column = Box<dyn ToSql + Sync + Send>;
/// A statement by its place, and its columns.
type Request = (usize, Vec<Column>);

/// Connects to one schema of its own, emptied.
pub(crate) async fn connect(url: &str, schema: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("PostgreSQL for the bench")?;
    tokio::spawn(connection);
    let settings = "SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off;
        SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";
    client.batch_execute(&format!("SET search_path TO {schema}; {settings}")).await?;
    Ok(client)
}

/// Makes an empty schema.
pub(crate) async fn empty(url: &str, schema: &str) -> Result<()> {
    let client = connect(url, "public").await?;
    client.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")).await?;
    Ok(())
}

/// Each connection has its share of the waiting instances; each turn of a share is one commit.
async fn groups(
    url: &str,
    count: u64,
    at_once: usize,
    turns: &[u64],
    statements: &[String],
    requests: impl Fn(usize, Range<u64>) -> Vec<Request>,
) -> Result<Run> {
    let mut lanes = Vec::new();
    for _ in 0..CONNECTIONS {
        let client = connect(url, "floor").await?;
        let mut prepared = Vec::new();
        for sql in statements {
            prepared.push(client.prepare(sql).await.with_context(|| sql.clone())?);
        }
        lanes.push((client, prepared));
    }
    let share = (at_once / CONNECTIONS).max(1) as u64;
    let (started, cpu) = (Instant::now(), processes::own_cpu());
    let lane = |number: u64| {
        let (client, prepared) = &lanes[usize::try_from(number).unwrap_or(0)];
        let requests = &requests;
        async move {
            let mut first = number * share;
            let mut commits = 0;
            while first < count {
                for at in 0..turns.len() {
                    commit(client, prepared, requests(at, first..(first + share).min(count))).await?;
                    commits += 1;
                }
                first += share * CONNECTIONS as u64;
            }
            anyhow::Ok(commits)
        }
    };
    let (one, two) = tokio::try_join!(lane(0), lane(1))?;
    Ok(Run {
        instances: count,
        turns: count * turns.iter().sum::<u64>(),
        commits: one + two,
        wall: started.elapsed(),
        cpu: processes::own_cpu() - cpu,
        ..Run::default()
    })
}

/// Everything is sent before the first answer is waited for.
async fn commit(client: &Client, prepared: &[Statement], requests: Vec<Request>) -> Result<()> {
    let begin = client.batch_execute("BEGIN");
    let mut writes = Vec::new();
    for (statement, columns) in &requests {
        let columns = columns.iter().map(|column| &**column as &(dyn ToSql + Sync)).collect::<Vec<_>>();
        let statement = prepared.get(*statement).context("every statement was prepared")?;
        writes.push(async move { client.execute(statement, &columns).await });
    }
    let end = client.batch_execute("COMMIT");
    let (begun, written, ended) = tokio::join!(begin, join_all(writes), end);
    begun?;
    written.into_iter().collect::<Result<Vec<u64>, _>>()?;
    Ok(ended?)
}

/// Polls all in order, so that they are sent in order.
async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut pinned: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = pinned.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in pinned.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

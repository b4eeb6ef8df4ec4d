//! The floor on PostgreSQL: `UNNEST` batches, pipelined, on as many connections as the engine has tracks.

use std::time::Instant;

use anyhow::{Context, Result};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

use crate::floor::id;
use crate::floor::rows::{TokenChange, TokenValues, TurnRows};
use crate::workload::{Run, VARIABLES, cpu_time};

/// Connections that write at the same time.
pub(crate) const CONNECTIONS: usize = 2;

const INSERT_INSTANCE: &str = "INSERT INTO process_instance (shard, id, definition, version, counter, started_at,
    ended_at, retries, errors, priority, status) SELECT shard, id, definition, version, counter, started_at, ended_at,
    0, 0, priority, status FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
    $6::bigint[], $7::bigint[], $8::smallint[], $9::text[])
    AS w (shard, id, definition, version, counter, started_at, ended_at, priority, status)";
const UPDATE_INSTANCE: &str = "UPDATE process_instance i SET version = w.version, counter = w.counter,
    ended_at = w.ended_at, status = w.status FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[],
    $5::bigint[], $6::text[]) AS w (shard, id, version, counter, ended_at, status)
    WHERE i.shard = w.shard AND i.id = w.id";
const INSERT_VARIABLES: &str = "INSERT INTO variables (shard, instance, scope, document)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[])";
const INSERT_HISTORY: &str =
    "INSERT INTO history (shard, instance, first_seq, count, turn, at, format, events)
    SELECT shard, instance, first_seq, count, turn, at, 1, events FROM unnest($1::smallint[], $2::bigint[],
    $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[])
    AS w (shard, instance, first_seq, count, turn, at, events)";
const INSERT_TOKEN: &str = "INSERT INTO token (shard, instance, n, scope, parent, fork, attempt, since, job, lease,
    lease_node, lease_since, status, mode, node, flow, job_type, lease_owner)
    SELECT shard, instance, n, 0, parent, fork, 0, since, job, lease, lease_node, lease_since, status, 'forward',
    node, flow, job_type, lease_owner FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[],
    $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[],
    $13::text[], $14::text[], $15::text[])
    AS w (shard, instance, n, parent, fork, since, job, lease, lease_node, lease_since, status, node, flow, job_type,
          lease_owner)";
const UPDATE_TOKEN: &str = "UPDATE token t SET parent = w.parent, fork = w.fork, since = w.since, job = w.job,
    lease = w.lease, lease_node = w.lease_node, lease_since = w.lease_since, status = w.status, node = w.node,
    flow = w.flow, job_type = w.job_type, lease_owner = w.lease_owner
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[],
    $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[],
    $13::text[], $14::text[], $15::text[])
    AS w (shard, instance, n, parent, fork, since, job, lease, lease_node, lease_since, status, node, flow, job_type,
          lease_owner)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";
const DELETE_TOKEN: &str = "DELETE FROM token t USING unnest($1::smallint[], $2::bigint[], $3::bigint[])
    AS w (shard, instance, n) WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";
const THIN_SCHEMA: &str =
    "CREATE TABLE instance (id bigint PRIMARY KEY, version bigint NOT NULL, status text NOT NULL)
        WITH (fillfactor = 70);
    CREATE TABLE variables (instance bigint PRIMARY KEY, json text NOT NULL);
    CREATE TABLE history (instance bigint NOT NULL, seq bigint NOT NULL, events text NOT NULL,
        PRIMARY KEY (instance, seq));";
const THIN: [&str; 4] = [
    "INSERT INTO instance SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])",
    "UPDATE instance i SET version = w.version, status = w.status
     FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS w (id, version, status) WHERE i.id = w.id",
    "INSERT INTO variables SELECT * FROM unnest($1::bigint[], $2::text[])",
    "INSERT INTO history SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])",
];

type Column = Box<dyn ToSql + Sync + Send>;

/// Connects to one schema of its own, emptied.
pub(crate) async fn connect(url: &str, schema: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("PostgreSQL for the bench")?;
    tokio::spawn(connection);
    let settings = "SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off;
        SET enable_hashjoin = off; SET enable_mergejoin = off";
    client.batch_execute(&format!("SET search_path TO {schema}; {settings}")).await?;
    Ok(client)
}

/// Makes an empty schema.
pub(crate) async fn empty(url: &str, schema: &str) -> Result<()> {
    let client = connect(url, "public").await?;
    client.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")).await?;
    Ok(())
}

/// Exactly the engine's rows.
pub(crate) async fn own_rows(url: &str, turns: &[TurnRows], count: u64, waiting: usize) -> Result<Run> {
    empty(url, "floor").await?;
    let client = connect(url, "floor").await?;
    client.batch_execute(include_str!("../../../crates/store/src/postgres/schema.sql")).await?;
    client.batch_execute(include_str!("../../../crates/store/src/postgres/lists.sql")).await?;
    let all = [
        INSERT_INSTANCE,
        UPDATE_INSTANCE,
        INSERT_VARIABLES,
        INSERT_HISTORY,
        INSERT_TOKEN,
        UPDATE_TOKEN,
        DELETE_TOKEN,
    ];
    groups(url, count, waiting, turns.len(), &all, |turn, ids| requests(&turns[turn], ids)).await
}

/// A fixed small set of rows.
pub(crate) async fn thin(url: &str, turns: usize, count: u64, waiting: usize) -> Result<Run> {
    empty(url, "floor").await?;
    connect(url, "floor").await?.batch_execute(THIN_SCHEMA).await?;
    groups(url, count, waiting, turns, &THIN, |turn, ids| {
        let size = ids.len();
        let seq = i64::try_from(turn).unwrap_or(0);
        let change: Vec<Column> =
            vec![Box::new(ids.to_vec()), Box::new(vec![seq; size]), Box::new(vec!["running"; size])];
        let events = vec![crate::floor::THIN_EVENTS; size];
        let history: Vec<Column> = vec![Box::new(ids.to_vec()), Box::new(vec![seq; size]), Box::new(events)];
        match turn {
            0 => vec![
                (THIN[0], change),
                (THIN[2], vec![Box::new(ids.to_vec()) as Column, Box::new(vec![VARIABLES; size])]),
                (THIN[3], history),
            ],
            _ => vec![(THIN[1], change), (THIN[3], history)],
        }
    })
    .await
}

/// Each connection has its share of the waiting instances; each turn of a share is one commit.
async fn groups(
    url: &str,
    count: u64,
    waiting: usize,
    turns: usize,
    statements: &[&'static str],
    requests: impl Fn(usize, &[i64]) -> Vec<(&'static str, Vec<Column>)>,
) -> Result<Run> {
    let mut lanes = Vec::new();
    for _ in 0..CONNECTIONS {
        let client = connect(url, "floor").await?;
        let mut prepared: Vec<(&'static str, Statement)> = Vec::new();
        for sql in statements {
            prepared.push((sql, client.prepare(sql).await?));
        }
        lanes.push((client, prepared));
    }
    let share = (waiting / CONNECTIONS) as u64;
    let (started, cpu) = (Instant::now(), cpu_time());
    let lane = |number: u64| {
        let (client, prepared) = &lanes[usize::try_from(number).unwrap_or(0)];
        let requests = &requests;
        async move {
            let mut first = number * share;
            let mut commits = 0;
            while first < count {
                let ids: Vec<i64> = (first..(first + share).min(count)).map(id).collect();
                for turn in 0..turns {
                    commit(client, prepared, requests(turn, &ids)).await?;
                    commits += 1;
                }
                first += share * CONNECTIONS as u64;
            }
            anyhow::Ok(commits)
        }
    };
    let (one, two) = tokio::try_join!(lane(0), lane(1))?;
    let turns = count * turns as u64;
    Ok(Run { instances: count, turns, commits: one + two, wall: started.elapsed(), cpu: cpu_time() - cpu })
}

/// Everything is sent before the first answer is waited for.
async fn commit(
    client: &Client,
    prepared: &[(&'static str, Statement)],
    requests: Vec<(&'static str, Vec<Column>)>,
) -> Result<()> {
    let begin = client.batch_execute("BEGIN");
    let statement =
        |sql: &str| prepared.iter().find(|(known, _)| *known == sql).map(|(_, statement)| statement);
    let mut writes = Vec::new();
    for (sql, columns) in &requests {
        let columns = columns.iter().map(|column| &**column as &(dyn ToSql + Sync)).collect::<Vec<_>>();
        let statement = statement(sql).context("every statement was prepared")?;
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

fn requests(rows: &TurnRows, ids: &[i64]) -> Vec<(&'static str, Vec<Column>)> {
    let size = ids.len();
    let shards: Vec<i16> = ids.iter().map(|id| (id & 255) as i16).collect();
    let key = || -> Vec<Column> { vec![Box::new(shards.clone()), Box::new(ids.to_vec())] };
    fn with<T: ToSql + Sync + Send + Clone + 'static>(columns: &mut Vec<Column>, value: T, size: usize) {
        columns.push(Box::new(vec![value; size]));
    }
    let mut requests = Vec::new();
    let row = &rows.instance;
    let mut instance = key();
    if rows.start {
        with(&mut instance, row.definition, size);
    }
    with(&mut instance, row.version, size);
    with(&mut instance, row.counter, size);
    if rows.start {
        with(&mut instance, row.started_at, size);
    }
    with(&mut instance, row.ended_at, size);
    if rows.start {
        with(&mut instance, row.priority as i16, size);
    }
    with(&mut instance, row.status, size);
    requests.push((if rows.start { INSERT_INSTANCE } else { UPDATE_INSTANCE }, instance));
    for change in &rows.tokens {
        let (sql, values) = match change {
            TokenChange::Insert(values) => (INSERT_TOKEN, values),
            TokenChange::Update(values) => (UPDATE_TOKEN, values),
            TokenChange::Delete(n) => {
                let mut columns = key();
                with(&mut columns, *n, size);
                requests.push((DELETE_TOKEN, columns));
                continue;
            }
        };
        requests.push((sql, token(key(), values, size)));
    }
    for (n, json) in &rows.variables {
        let mut columns = key();
        with(&mut columns, *n, size);
        with(&mut columns, json.clone(), size);
        requests.push((INSERT_VARIABLES, columns));
    }
    let mut history = key();
    with(&mut history, rows.first_seq, size);
    with(&mut history, rows.count as i32, size);
    with(&mut history, rows.turn, size);
    with(&mut history, rows.at, size);
    with(&mut history, rows.events.clone(), size);
    requests.push((INSERT_HISTORY, history));
    requests
}

fn token(mut columns: Vec<Column>, values: &TokenValues, size: usize) -> Vec<Column> {
    let numbers =
        [values.parent, values.fork, Some(values.since), values.job, Some(values.lease), values.lease_node];
    columns.push(Box::new(vec![values.n; size]));
    for number in numbers.into_iter().chain([values.lease_since]) {
        columns.push(Box::new(vec![number; size]));
    }
    let texts = [
        Some(values.status.to_owned()),
        Some(values.node.clone()),
        values.flow.clone(),
        values.job_type.clone(),
        values.lease_owner.clone(),
    ];
    for text in texts {
        columns.push(Box::new(vec![text; size]));
    }
    columns
}

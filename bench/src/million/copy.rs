//! Copies the rows of an instance many times, with ids, moments and keys of their own.

use anyhow::{Context, Result};
use rusqlite::Connection;
use tokio_postgres::Client;
use tyer_runtime::InstanceId;

use super::Place;
use super::kinds::{self, Kinds};
use crate::floor;

/// Every table that an instance has rows in.
const TABLES: [&str; 10] = [
    "process_instance",
    "token",
    "variables",
    "variable_index",
    "user_task",
    "task_candidate",
    "timer",
    "subscription",
    "incident",
    "history",
];
/// The instances have begun in the last thirty days, evenly.
const SPAN_MS: i64 = 30 * 24 * 3_600 * 1_000;
/// Where ids begin: 2020-01-01T00:00:00Z.
const EPOCH_MS: i64 = 1_577_836_800_000;
/// Copies written in one statement on PostgreSQL.
const CHUNK: i64 = 20_000;

/// Makes one of each sort and copies it.
pub(crate) async fn fill(place: &Place, kinds: &Kinds) -> Result<()> {
    let engine = place.open().await?;
    engine.deploy(include_str!("../../models/parked.bpmn")).await?;
    let mut made = Vec::new();
    for (sort, count) in kinds.iter().filter(|(_, count)| *count > 0) {
        made.push((kinds::make(&engine, *sort).await?, i64::try_from(*count)? - 1));
    }
    engine.shutdown().await;
    let begun = std::time::Instant::now();
    match place {
        Place::Sqlite(file) => tokio::task::block_in_place(|| copy_sqlite(file, &made))?,
        Place::Postgres(url, schema) => copy_postgres(url, schema, &made).await?,
    }
    eprintln!("  filled in {:.0?}", begun.elapsed());
    Ok(())
}

/// What a column of a copy is; `s` names the copy: its number, its id, its moment.
fn expression(table: &str, column: &str) -> String {
    match (table, column) {
        ("process_instance", "id") | (_, "instance") => "s.id".to_owned(),
        (_, "shard") => "s.shard".to_owned(),
        (_, "started_at" | "created_at" | "since" | "at") => "s.at".to_owned(),
        (_, "ended_at") => "CASE WHEN x.ended_at IS NULL THEN NULL ELSE s.at + 5 END".to_owned(),
        (_, "business_key") => "'K-' || s.i".to_owned(),
        ("subscription", "key") => "x.key || '-' || s.i".to_owned(),
        ("variable_index", "number") => "CASE WHEN x.number IS NULL THEN NULL ELSE s.i END".to_owned(),
        ("variable_index", "text") => {
            "CASE WHEN x.text IS NULL THEN NULL ELSE 'city ' || (s.i % 1000) END".to_owned()
        }
        ("user_task", "assignee") => {
            "CASE WHEN s.i % 10 = 0 THEN 'person ' || (s.i % 500) ELSE NULL END".to_owned()
        }
        ("user_task", "priority") => "CASE WHEN s.i % 1000 = 0 THEN 75 ELSE 50 END".to_owned(),
        ("user_task", "due_at") => "CASE WHEN s.i % 100 = 0 THEN s.at + 864000000 ELSE NULL END".to_owned(),
        ("task_candidate", "who") => "x.who || ' ' || (s.i % 500)".to_owned(),
        _ => format!("x.{column}"),
    }
}

/// The statement that copies one table from `copies`, which names the copies.
fn statement(table: &str, columns: &[String], copies: &str, template: &str) -> String {
    let values: Vec<String> = columns.iter().map(|column| expression(table, column)).collect();
    let of = if table == "process_instance" { "x.id" } else { "x.instance" };
    format!(
        "{copies} INSERT INTO {table} ({}) SELECT {} FROM s CROSS JOIN {table} x WHERE {of} = {template}",
        columns.join(", "),
        values.join(", ")
    )
}

fn copy_sqlite(file: &std::path::Path, made: &[(InstanceId, i64)]) -> Result<()> {
    let mut connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY",
    )?;
    let transaction = connection.transaction()?;
    for table in TABLES {
        let columns: Vec<String> = transaction
            .prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for (sort, (id, copies)) in made.iter().enumerate().filter(|(_, (_, copies))| *copies > 0) {
            let series = format!(
                "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {last}),
                 m(i, at) AS (SELECT i, {base} + i * {SPAN_MS} / {copies} FROM n),
                 s(i, at, id) AS (SELECT i, at, ((at - {EPOCH_MS}) << 22) | ({sort} << 12) | (i & 4095) FROM m)",
                last = copies - 1,
                base = base(*id),
            );
            transaction.execute(&statement(table, &columns, &series, &id.0.to_string()), [])?;
        }
    }
    transaction.commit()?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// Copies end when the instance that is copied began.
fn base(template: InstanceId) -> i64 {
    (template.0 >> 22) + EPOCH_MS - SPAN_MS
}

async fn copy_postgres(url: &str, schema: &str, made: &[(InstanceId, i64)]) -> Result<()> {
    let client = floor::postgres::connect(url, schema).await?;
    client.batch_execute("SET synchronous_commit = off").await?;
    for table in TABLES {
        let columns: Vec<String> = client
            .query(
                "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2",
                &[&schema, &table],
            )
            .await?
            .iter()
            .map(|row| row.get(0))
            .collect();
        let copies =
            "WITH s AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[])
            AS s (i, at, id, shard))";
        let sql = statement(table, &columns, copies, "$5::bigint");
        let sql = client.prepare(&sql).await.with_context(|| sql.clone())?;
        for (sort, (id, copies)) in made.iter().enumerate() {
            copy_table(&client, &sql, i64::try_from(sort)?, *id, *copies).await?;
        }
    }
    client.batch_execute("VACUUM ANALYZE").await?;
    Ok(())
}

async fn copy_table(
    client: &Client,
    sql: &tokio_postgres::Statement,
    sort: i64,
    template: InstanceId,
    copies: i64,
) -> Result<()> {
    let mut first = 0;
    while first < copies {
        let numbers: Vec<i64> = (first..(first + CHUNK).min(copies)).collect();
        let moments: Vec<i64> = numbers.iter().map(|i| base(template) + i * SPAN_MS / copies).collect();
        let ids: Vec<i64> = numbers
            .iter()
            .zip(&moments)
            .map(|(i, at)| ((at - EPOCH_MS) << 22) | (sort << 12) | (i & 4095))
            .collect();
        let shards: Vec<i16> = ids.iter().map(|id| tyer_store::shard_of(InstanceId(*id))).collect();
        client.execute(sql, &[&numbers, &moments, &ids, &shards, &template.0]).await?;
        first += CHUNK;
    }
    Ok(())
}

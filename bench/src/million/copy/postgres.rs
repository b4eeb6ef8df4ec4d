//! Copies on PostgreSQL: indexes are made when all rows are there, and the log is written out before anything is measured.

use anyhow::{Context, Result};
use tokio_postgres::{Client, Statement};
use tyer_runtime::InstanceId;

use super::{EPOCH_MS, Made, SPAN_MS, TABLES, base, statement};
use crate::floor;

/// Copies written in one statement.
const CHUNK: i64 = 20_000;
const COPIES: &str =
    "WITH s AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[])
    AS s (i, at, id, shard))";
/// Those that no constraint stands on.
const INDEXES: &str = "SELECT indexname::text, indexdef FROM pg_indexes WHERE schemaname = $1
    AND tablename::text = ANY ($2::text[]) AND indexname NOT IN (SELECT conname FROM pg_constraint)";
const COLUMNS: &str =
    "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2";

pub(super) async fn copy(url: &str, schema: &str, made: &[Made]) -> Result<()> {
    let client = floor::postgres::connect(url, schema).await?;
    client.batch_execute("SET synchronous_commit = off; SET maintenance_work_mem = '256MB'").await?;
    let indexes = client.query(INDEXES, &[&schema, &TABLES.as_slice()]).await?;
    for index in &indexes {
        client.batch_execute(&format!("DROP INDEX {}", index.get::<_, &str>(0))).await?;
    }
    for table in TABLES {
        let columns = client.query(COLUMNS, &[&schema, &table]).await?;
        let columns: Vec<String> = columns.iter().map(|row| row.get(0)).collect();
        let sql = statement(table, &columns, COPIES, "$5::bigint");
        let sql = client.prepare(&sql).await.with_context(|| sql.clone())?;
        for (sort, (id, copies)) in made.iter().enumerate() {
            copy_table(&client, &sql, i64::try_from(sort)?, *id, *copies).await?;
        }
    }
    for index in &indexes {
        client.batch_execute(index.get(1)).await?;
    }
    client.batch_execute("VACUUM ANALYZE").await?;
    Ok(client.batch_execute("CHECKPOINT").await?)
}

async fn copy_table(
    client: &Client,
    sql: &Statement,
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

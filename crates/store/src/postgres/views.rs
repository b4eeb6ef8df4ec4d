//! Definitions and history.

use std::sync::{Arc, LazyLock};

use tokio_postgres::Row;
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::postgres::connection::{Parameter, Request};
use crate::postgres::find::{LISTED, listed};
use crate::postgres::load;
use crate::postgres::pool::Pool;
use crate::postgres::schema;
use crate::postgres::write::mail::{FORGET_STARTS, insert_starts};
use crate::postgres::write::number;
use crate::rows::{Definition, Deployment, Which};
use crate::shard::shard;
use crate::tenant::Tenant;
use crate::views::{HistoryRow, ListedInstance};

const FIND_DEPLOYMENT: &str = "SELECT id FROM deployment WHERE tenant = $1::text AND checksum = $2::text";
const INSERT_DEPLOYMENT: &str = "INSERT INTO deployment (id, checksum, resource, deployed_at, tenant)
    VALUES ($1::bigint, $2::text, $3::bytea, $4::bigint, $5::text)";
const INSERT_DEFINITION: &str = "INSERT INTO process_definition (id, deployment, key, version_tag, tenant, version)
    VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text,
        (SELECT coalesce(max(version), 0) + 1 FROM process_definition WHERE tenant = $5::text AND key = $3::text))";
const DEFINITIONS_OF: &str = "SELECT p.id, p.key, p.version, d.resource, d.deployed_at, p.version_tag, p.tenant
    FROM process_definition p JOIN deployment d ON d.id = p.deployment WHERE p.deployment = $1::bigint ORDER BY p.id";
const DEFINITION: &str = "SELECT p.id, p.key, p.version, d.resource, d.deployed_at, p.version_tag, p.tenant
    FROM process_definition p JOIN deployment d ON d.id = p.deployment WHERE p.id = $1::bigint";
const VERSION: &str =
    "SELECT id FROM process_definition WHERE tenant = $3::text AND key = $1::text AND version = $2::bigint";
const TAGGED: &str = "SELECT id FROM process_definition WHERE tenant = $3::text AND key = $1::text
    AND version_tag = $2::text ORDER BY version DESC LIMIT 1";
const TOGETHER: &str = "SELECT id FROM process_definition WHERE tenant = $3::text AND key = $1::text
    AND deployment = (SELECT deployment FROM process_definition WHERE id = $2::bigint)";
const NEWEST: &str = "SELECT id FROM process_definition WHERE tenant = $2::text AND key = $1::text
    ORDER BY version DESC LIMIT 1";

/// Deployments stand in line: two at once would give the same version twice.
pub(super) async fn deploy(pool: &Pool, deployment: &Deployment) -> Result<Vec<Definition>, Error> {
    let connection = pool.take().await?;
    let content: Vec<Parameter<'_>> =
        vec![Box::new(deployment.tenant.as_str()), Box::new(&*deployment.checksum)];
    let first = [
        Request { sql: schema::LOCK, parameters: Vec::new() },
        Request { sql: FIND_DEPLOYMENT, parameters: content },
    ];
    let known = connection.together(Some("BEGIN"), &first, None).await?;
    let (id, mut requests) = match known[1].first() {
        Some(row) => (row.get(0), Vec::new()),
        None => (deployment.ids[0], insert(deployment)),
    };
    requests.push(Request { sql: DEFINITIONS_OF, parameters: vec![Box::new(id)] });
    let answers = connection.together(None, &requests, Some("COMMIT")).await?;
    connection.give_back();
    answers.last().into_iter().flatten().map(definition_row).collect()
}

fn insert(deployment: &Deployment) -> Vec<Request<'_>> {
    let (id, tenant) = (deployment.ids[0], deployment.tenant.as_str());
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(id),
        Box::new(&*deployment.checksum),
        Box::new(&*deployment.resource),
        Box::new(deployment.at.0),
        Box::new(tenant),
    ];
    let mut requests = vec![Request { sql: INSERT_DEPLOYMENT, parameters }];
    for (process, definition) in deployment.processes.iter().zip(&deployment.ids[1..]) {
        let (key, tag) = (process.key.as_str(), process.version_tag.as_deref());
        let parameters: Vec<Parameter<'_>> =
            vec![Box::new(*definition), Box::new(id), Box::new(key), Box::new(tag), Box::new(tenant)];
        requests.push(Request { sql: INSERT_DEFINITION, parameters });
        requests.push(Request { sql: FORGET_STARTS, parameters: vec![Box::new(tenant), Box::new(key)] });
        if !process.starts.is_empty() {
            requests.push(insert_starts(*definition, (tenant, key), &process.starts));
        }
    }
    requests
}

pub(super) async fn definition(pool: &Pool, id: i64) -> Result<Option<Arc<Definition>>, Error> {
    let rows = ask(pool, DEFINITION, vec![Box::new(id)]).await?;
    Ok(rows.first().map(definition_row).transpose()?.map(Arc::new))
}

pub(super) async fn version(
    pool: &Pool,
    tenant: &Tenant,
    key: &str,
    which: &Which,
) -> Result<Option<i64>, Error> {
    let (sql, more): (_, Option<Parameter<'_>>) = match which {
        Which::Newest => (NEWEST, None),
        Which::Number(number) => (VERSION, Some(Box::new(i64::from(*number)))),
        Which::Tag(tag) => (TAGGED, Some(Box::new(tag.as_str()))),
        Which::With(other) => (TOGETHER, Some(Box::new(*other))),
    };
    let mut parameters: Vec<Parameter<'_>> = vec![Box::new(key)];
    parameters.extend(more);
    parameters.push(Box::new(tenant.as_str()));
    let rows = ask(pool, sql, parameters).await?;
    Ok(rows.first().map(|row| row.get(0)))
}

/// Ids are the second part of the key: each shard gives its first ones.
fn first_of_each_shard() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{LISTED} JOIN (SELECT n.shard, n.id FROM generate_series(0, 255) AS s (shard) CROSS JOIN LATERAL (
                SELECT shard, id FROM process_instance WHERE shard = s.shard::smallint AND id > $1::bigint
                AND ($3::text IS NULL OR tenant = $3::text) ORDER BY id LIMIT $2::bigint) AS n ORDER BY n.id LIMIT $2::bigint) AS f
             ON i.shard = f.shard AND i.id = f.id ORDER BY i.id"
        )
    });
    &SQL
}

fn called() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{LISTED} WHERE i.parent = $4::bigint AND i.id > $1::bigint
             AND ($3::text IS NULL OR i.tenant = $3::text) ORDER BY i.id LIMIT $2::bigint"
        )
    });
    &SQL
}

pub(super) async fn instances(
    pool: &Pool,
    tenant: Option<&Tenant>,
    called_by: Option<InstanceId>,
    after: InstanceId,
    limit: usize,
) -> Result<Vec<ListedInstance>, Error> {
    let mut parameters: Vec<Parameter<'_>> =
        vec![Box::new(after.0), Box::new(rows_at_most(limit)), Box::new(tenant.map(Tenant::as_str))];
    let rows = match called_by {
        None => ask(pool, first_of_each_shard(), parameters).await?,
        Some(caller) => {
            parameters.push(Box::new(caller.0));
            ask(pool, called(), parameters).await?
        }
    };
    rows.iter().map(listed).collect()
}

fn definition_row(row: &Row) -> Result<Definition, Error> {
    Ok(Definition {
        id: row.get(0),
        key: row.get(1),
        version: number(row.get(2))?,
        resource: row.get::<_, &[u8]>(3).into(),
        deployed_at: Timestamp(row.get(4)),
        version_tag: row.get(5),
        tenant: load::tenant(row, 6),
    })
}

/// The turn that contains `after` begins at or before it.
const HISTORY: &str = "SELECT first_seq, count, turn, at, events FROM history
    WHERE shard = $1::smallint AND instance = $2::bigint AND first_seq >= coalesce(
        (SELECT max(first_seq) FROM history
         WHERE shard = $1::smallint AND instance = $2::bigint AND first_seq <= $3::bigint), 0)
    AND first_seq + count - 1 > $3::bigint AND EXISTS (SELECT 1 FROM process_instance i
        WHERE i.shard = $1::smallint AND i.id = $2::bigint AND i.tenant = $5::text) ORDER BY first_seq LIMIT $4::bigint";

pub(super) async fn history(
    pool: &Pool,
    tenant: &Tenant,
    instance: InstanceId,
    after: u64,
    limit: usize,
) -> Result<Vec<HistoryRow>, Error> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(shard(instance)),
        Box::new(instance.0),
        Box::new(after),
        Box::new(rows_at_most(limit)),
        Box::new(tenant.as_str()),
    ];
    let rows = ask(pool, HISTORY, parameters).await?;
    Ok(rows.iter().map(history_row).collect())
}

fn history_row(row: &Row) -> HistoryRow {
    HistoryRow {
        first_seq: row.get::<_, i64>(0).cast_unsigned(),
        count: row.get::<_, i32>(1).cast_unsigned(),
        turn: row.get(2),
        at: Timestamp(row.get(3)),
        events: row.get(4),
    }
}

pub(super) async fn ask(
    pool: &Pool,
    sql: &'static str,
    parameters: Vec<Parameter<'_>>,
) -> Result<Vec<Row>, Error> {
    let connection = pool.take().await?;
    let rows = connection.query(Request { sql, parameters }).await?;
    connection.give_back();
    Ok(rows)
}

pub(super) fn rows_at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

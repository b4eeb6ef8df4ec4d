//! Definitions, history and task lists.

use std::sync::Arc;

use tokio_postgres::Row;
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::postgres::connection::{Parameter, Request};
use crate::postgres::pool::Pool;
use crate::postgres::write::number;
use crate::postgres::{load, schema};
use crate::rows::{Definition, Deployment};
use crate::shard::shard;
use crate::views::{HistoryRow, OpenTask};

const FIND_DEPLOYMENT: &str = "SELECT id FROM deployment WHERE checksum = $1::text";
const INSERT_DEPLOYMENT: &str = "INSERT INTO deployment (id, checksum, resource, deployed_at)
    VALUES ($1::bigint, $2::text, $3::bytea, $4::bigint)";
const INSERT_DEFINITION: &str = "INSERT INTO process_definition (id, deployment, key, version)
    VALUES ($1::bigint, $2::bigint, $3::text,
            (SELECT coalesce(max(version), 0) + 1 FROM process_definition WHERE key = $3::text))";
const DEFINITIONS_OF: &str = "SELECT p.id, p.key, p.version, d.resource, d.deployed_at
    FROM process_definition p JOIN deployment d ON d.id = p.deployment WHERE p.deployment = $1::bigint ORDER BY p.id";
const DEFINITION: &str = "SELECT p.id, p.key, p.version, d.resource, d.deployed_at
    FROM process_definition p JOIN deployment d ON d.id = p.deployment WHERE p.id = $1::bigint";
const VERSION: &str = "SELECT id FROM process_definition WHERE key = $1::text AND version = $2::bigint";
const NEWEST: &str = "SELECT id FROM process_definition WHERE key = $1::text ORDER BY version DESC LIMIT 1";

/// Deployments stand in line: two at once would give the same version twice.
pub(super) async fn deploy(pool: &Pool, deployment: &Deployment) -> Result<Vec<Definition>, Error> {
    let connection = pool.take().await?;
    let checksum: Vec<Parameter<'_>> = vec![Box::new(&*deployment.checksum)];
    let first = [
        Request { sql: schema::LOCK, parameters: Vec::new() },
        Request { sql: FIND_DEPLOYMENT, parameters: checksum },
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
    let id = deployment.ids[0];
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(id),
        Box::new(&*deployment.checksum),
        Box::new(&*deployment.resource),
        Box::new(deployment.at.0),
    ];
    let mut requests = vec![Request { sql: INSERT_DEPLOYMENT, parameters }];
    for (key, definition) in deployment.processes.iter().zip(&deployment.ids[1..]) {
        let parameters: Vec<Parameter<'_>> = vec![Box::new(*definition), Box::new(id), Box::new(&**key)];
        requests.push(Request { sql: INSERT_DEFINITION, parameters });
    }
    requests
}

pub(super) async fn definition(pool: &Pool, id: i64) -> Result<Option<Arc<Definition>>, Error> {
    let rows = ask(pool, DEFINITION, vec![Box::new(id)]).await?;
    Ok(rows.first().map(definition_row).transpose()?.map(Arc::new))
}

pub(super) async fn version(pool: &Pool, key: &str, version: Option<u32>) -> Result<Option<i64>, Error> {
    let rows = match version {
        Some(version) => ask(pool, VERSION, vec![Box::new(key), Box::new(i64::from(version))]).await?,
        None => ask(pool, NEWEST, vec![Box::new(key)]).await?,
    };
    Ok(rows.first().map(|row| row.get(0)))
}

fn definition_row(row: &Row) -> Result<Definition, Error> {
    Ok(Definition {
        id: row.get(0),
        key: row.get(1),
        version: number(row.get(2))?,
        resource: row.get::<_, &[u8]>(3).into(),
        deployed_at: Timestamp(row.get(4)),
    })
}

/// The turn that contains `after` begins at or before it.
const HISTORY: &str = "SELECT first_seq, count, turn, at, events FROM history
    WHERE shard = $1::smallint AND instance = $2::bigint AND first_seq >= coalesce(
        (SELECT max(first_seq) FROM history
         WHERE shard = $1::smallint AND instance = $2::bigint AND first_seq <= $3::bigint), 0)
    AND first_seq + count - 1 > $3::bigint ORDER BY first_seq LIMIT $4::bigint";

pub(super) async fn history(
    pool: &Pool,
    instance: InstanceId,
    after: u64,
    limit: usize,
) -> Result<Vec<HistoryRow>, Error> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let parameters: Vec<Parameter<'_>> =
        vec![Box::new(shard(instance)), Box::new(instance.0), Box::new(after), Box::new(rows_at_most(limit))];
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

const ALL_TASKS: &str =
    "SELECT instance, n, node, name, assignee, candidate_users, candidate_groups, form, priority, due_at,
    token, created_at FROM user_task ORDER BY instance, n LIMIT $1::bigint";
const TASKS_OF: &str =
    "SELECT instance, n, node, name, assignee, candidate_users, candidate_groups, form, priority, due_at,
    token, created_at FROM user_task WHERE shard = $2::smallint AND instance = $3::bigint
    ORDER BY n LIMIT $1::bigint";

pub(super) async fn tasks(
    pool: &Pool,
    instance: Option<InstanceId>,
    limit: usize,
) -> Result<Vec<OpenTask>, Error> {
    let limit = rows_at_most(limit);
    let rows = match instance {
        Some(id) => ask(pool, TASKS_OF, vec![Box::new(limit), Box::new(shard(id)), Box::new(id.0)]).await?,
        None => ask(pool, ALL_TASKS, vec![Box::new(limit)]).await?,
    };
    rows.iter().map(open_task).collect()
}

fn open_task(row: &Row) -> Result<OpenTask, Error> {
    let task = load::task(row)?;
    Ok(OpenTask {
        instance: InstanceId(row.get(0)),
        token: task.row.token,
        node: task.node,
        asked: task.row.asked,
        created_at: task.row.created_at,
    })
}

async fn ask(pool: &Pool, sql: &'static str, parameters: Vec<Parameter<'_>>) -> Result<Vec<Row>, Error> {
    let connection = pool.take().await?;
    let rows = connection.query(Request { sql, parameters }).await?;
    connection.give_back();
    Ok(rows)
}

fn rows_at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

//! Lists of incidents, of messages that nobody has, of processes, and of where tokens stand.

use tokio_postgres::Row;
use tyer_engine::{InstanceId, ItemId, Timestamp};

use crate::error::Error;
use crate::mail::Message;
use crate::postgres::connection::Parameter;
use crate::postgres::pool::Pool;
use crate::postgres::views::{ask, rows_at_most};
use crate::postgres::write::number;
use crate::postgres::{load, mail};
use crate::tenant::Tenant;
use crate::views::{ListedDefinition, ListedIncident, Standing};

macro_rules! incidents {
    ($of:literal) => {
        concat!(
            "SELECT x.instance, x.n, x.token, x.kind, x.message, x.at, t.node, coalesce(p.key, '') FROM incident x
             LEFT JOIN token t ON t.shard = x.shard AND t.instance = x.instance AND t.n = x.token
             LEFT JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
             LEFT JOIN process_definition p ON p.id = i.definition WHERE ",
            $of,
            " AND (x.instance, x.n) < ($1::bigint, $2::bigint) ORDER BY x.instance DESC, x.n DESC LIMIT $3::bigint"
        )
    };
}
const INCIDENTS: &str = incidents!("$4::bigint IS NULL AND x.tenant = $5::text");
const INCIDENTS_OF: &str = incidents!("x.instance = $4::bigint AND x.tenant = $5::text");
const UNMATCHED: &str =
    "SELECT id, name, key, message_id, variables, published_at, expires_at, due_at, tenant FROM message m
    WHERE tenant = $4::text AND id < $1::bigint AND expires_at > $2::bigint AND NOT EXISTS (SELECT 1 FROM taken WHERE letter = m.id)
    ORDER BY id DESC LIMIT $3::bigint";
const NEWEST: &str = "SELECT p.id, p.key, p.version, p.version_tag, d.deployed_at FROM process_definition p
    JOIN deployment d ON d.id = p.deployment
    WHERE p.tenant = $1::text AND p.version =
        (SELECT max(version) FROM process_definition x WHERE x.tenant = p.tenant AND x.key = p.key) ORDER BY p.key COLLATE \"C\"";
const VERSIONS: &str = "SELECT p.id, p.key, p.version, p.version_tag, d.deployed_at FROM process_definition p
    JOIN deployment d ON d.id = p.deployment WHERE p.tenant = $1::text AND p.key = $2::text ORDER BY p.version DESC";
/// Only live instances have tokens.
const STANDING: &str = "SELECT t.node, count(*), count(x.n) FROM process_instance i
    JOIN token t ON t.shard = i.shard AND t.instance = i.id
    LEFT JOIN incident x ON x.shard = t.shard AND x.instance = t.instance AND x.token = t.n
    WHERE i.status IN ('running', 'paused') AND i.definition = $1::bigint
    GROUP BY t.node ORDER BY t.node COLLATE \"C\"";

pub(super) async fn incidents(
    pool: &Pool,
    tenant: &Tenant,
    instance: Option<InstanceId>,
    below: Option<ItemId>,
    limit: usize,
) -> Result<Vec<ListedIncident>, Error> {
    let below = below.map_or((i64::MAX, i64::MAX), |below| (below.instance.0, below.number.into()));
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(below.0),
        Box::new(below.1),
        Box::new(rows_at_most(limit)),
        Box::new(instance.map(|id| id.0)),
        Box::new(tenant.as_str()),
    ];
    let sql = if instance.is_some() { INCIDENTS_OF } else { INCIDENTS };
    ask(pool, sql, parameters).await?.iter().map(incident).collect()
}

fn incident(row: &Row) -> Result<ListedIncident, Error> {
    Ok(ListedIncident {
        id: ItemId { instance: InstanceId(row.get(0)), number: number(row.get(1))? },
        token: row.get::<_, Option<i64>>(2).map(number).transpose()?,
        kind: load::word(row, 3)?,
        message: row.get(4),
        at: Timestamp(row.get(5)),
        node: row.get(6),
        process: row.get(7),
    })
}

pub(super) async fn unmatched(
    pool: &Pool,
    tenant: &Tenant,
    below: Option<i64>,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Message>, Error> {
    let below = below.unwrap_or(i64::MAX);
    let parameters: Vec<Parameter<'_>> =
        vec![Box::new(below), Box::new(now.0), Box::new(rows_at_most(limit)), Box::new(tenant.as_str())];
    Ok(ask(pool, UNMATCHED, parameters).await?.iter().map(mail::message).collect())
}

pub(super) async fn definitions(
    pool: &Pool,
    tenant: &Tenant,
    key: Option<&str>,
) -> Result<Vec<ListedDefinition>, Error> {
    let tenant = tenant.as_str();
    let rows = match key {
        Some(key) => ask(pool, VERSIONS, vec![Box::new(tenant), Box::new(key)]).await?,
        None => ask(pool, NEWEST, vec![Box::new(tenant)]).await?,
    };
    let read = |row: &Row| {
        Ok(ListedDefinition {
            id: row.get(0),
            key: row.get(1),
            version: number(row.get(2))?,
            version_tag: row.get(3),
            deployed_at: Timestamp(row.get(4)),
        })
    };
    rows.iter().map(read).collect()
}

pub(super) async fn standing(pool: &Pool, definition: i64) -> Result<Vec<Standing>, Error> {
    let rows = ask(pool, STANDING, vec![Box::new(definition)]).await?;
    let count = |row: &Row, column: usize| row.get::<_, i64>(column).cast_unsigned();
    let read = |row: &Row| Standing { node: row.get(0), tokens: count(row, 1), incidents: count(row, 2) };
    Ok(rows.iter().map(read).collect())
}

/// Every list that may be long, for the test that reads plans.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 5] = [INCIDENTS, INCIDENTS_OF, UNMATCHED, VERSIONS, STANDING];

//! Lists of incidents, of messages that nobody has, of processes, and of where tokens stand.

use rusqlite::{Connection, Row, params};
use tyer_engine::{InstanceId, ItemId, Timestamp};

use crate::error::Error;
use crate::mail::Message;
use crate::sqlite::{at_most, complaint, load, mail};
use crate::tenant::Tenant;
use crate::views::{ListedDefinition, ListedIncident, Standing};

macro_rules! incidents {
    ($of:literal) => {
        concat!(
            "SELECT x.instance, x.n, x.token, x.kind, x.message, x.at, t.node, coalesce(p.key, '') FROM incident x
             LEFT JOIN token t ON t.instance = x.instance AND t.n = x.token
             LEFT JOIN process_instance i ON i.id = x.instance LEFT JOIN process_definition p ON p.id = i.definition
             WHERE ",
            $of,
            " AND (x.instance, x.n) < (?1, ?2) ORDER BY x.instance DESC, x.n DESC LIMIT ?3"
        )
    };
}
const INCIDENTS: &str = incidents!("?4 IS NULL AND x.tenant = ?5");
const INCIDENTS_OF: &str = incidents!("x.instance = ?4 AND x.tenant = ?5");
const UNMATCHED: &str =
    "SELECT id, name, key, message_id, variables, published_at, expires_at, due_at, tenant FROM message m
    WHERE tenant = ?4 AND id < ?1 AND expires_at > ?2 AND NOT EXISTS (SELECT 1 FROM taken WHERE letter = m.id)
    ORDER BY id DESC LIMIT ?3";
const NEWEST: &str = "SELECT p.id, p.key, p.version, p.version_tag, d.deployed_at FROM process_definition p
    JOIN deployment d ON d.id = p.deployment
    WHERE ?1 IS NULL AND p.tenant = ?2 AND p.version =
        (SELECT max(version) FROM process_definition x WHERE x.tenant = p.tenant AND x.key = p.key) ORDER BY p.key";
const VERSIONS: &str = "SELECT p.id, p.key, p.version, p.version_tag, d.deployed_at FROM process_definition p
    JOIN deployment d ON d.id = p.deployment WHERE p.tenant = ?2 AND p.key = ?1 ORDER BY p.version DESC";
/// Only live instances have tokens.
const STANDING: &str =
    "SELECT t.node, count(*), count(x.n) FROM process_instance i INDEXED BY process_instance_status
    CROSS JOIN token t ON t.instance = i.id LEFT JOIN incident x ON x.instance = t.instance AND x.token = t.n
    WHERE i.status IN ('running', 'paused') AND i.definition = ?1 GROUP BY t.node ORDER BY t.node";

pub(super) fn incidents(
    connection: &mut Connection,
    tenant: &Tenant,
    instance: Option<InstanceId>,
    below: Option<ItemId>,
    limit: usize,
) -> Result<Vec<ListedIncident>, Error> {
    let read = |row: &Row<'_>| {
        Ok(ListedIncident {
            id: ItemId { instance: InstanceId(row.get(0)?), number: row.get(1)? },
            token: row.get(2)?,
            kind: load::word(row, 3)?,
            message: row.get(4)?,
            at: Timestamp(row.get(5)?),
            node: row.get(6)?,
            process: row.get(7)?,
        })
    };
    let below = below.map_or((i64::MAX, i64::MAX), |below| (below.instance.0, below.number.into()));
    let sql = if instance.is_some() { INCIDENTS_OF } else { INCIDENTS };
    let run = || -> rusqlite::Result<_> {
        let mut find = connection.prepare_cached(sql)?;
        let parameters = params![below.0, below.1, at_most(limit), instance.map(|id| id.0), tenant.as_str()];
        find.query_map(parameters, read)?.collect()
    };
    run().map_err(complaint)
}

pub(super) fn unmatched(
    connection: &mut Connection,
    tenant: &Tenant,
    below: Option<i64>,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Message>, Error> {
    let run = || -> rusqlite::Result<_> {
        let mut find = connection.prepare_cached(UNMATCHED)?;
        let parameters = params![below.unwrap_or(i64::MAX), now.0, at_most(limit), tenant.as_str()];
        find.query_map(parameters, mail::message)?.collect()
    };
    run().map_err(complaint)
}

pub(super) fn definitions(
    connection: &mut Connection,
    tenant: &Tenant,
    key: Option<&str>,
) -> Result<Vec<ListedDefinition>, Error> {
    let read = |row: &Row<'_>| {
        Ok(ListedDefinition {
            id: row.get(0)?,
            key: row.get(1)?,
            version: row.get(2)?,
            version_tag: row.get(3)?,
            deployed_at: Timestamp(row.get(4)?),
        })
    };
    let run = || -> rusqlite::Result<_> {
        let mut find = connection.prepare_cached(if key.is_some() { VERSIONS } else { NEWEST })?;
        find.query_map(params![key, tenant.as_str()], read)?.collect()
    };
    run().map_err(complaint)
}

pub(super) fn standing(connection: &mut Connection, definition: i64) -> Result<Vec<Standing>, Error> {
    let read = |row: &Row<'_>| {
        let count = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
        Ok(Standing { node: row.get(0)?, tokens: count(1)?, incidents: count(2)? })
    };
    let run = || -> rusqlite::Result<_> {
        connection.prepare_cached(STANDING)?.query_map([definition], read)?.collect()
    };
    run().map_err(complaint)
}

#[cfg(test)]
mod tests_of_plans {
    use super::*;
    use crate::sqlite::plans::no_scan;

    #[test]
    fn no_list_is_found_by_a_scan() {
        for sql in [INCIDENTS, INCIDENTS_OF, UNMATCHED, NEWEST, VERSIONS, STANDING] {
            no_scan(sql);
        }
    }
}

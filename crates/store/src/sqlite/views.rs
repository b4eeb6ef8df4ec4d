//! Definitions and history.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::rows::{Definition, Deployment, Which};
use crate::sqlite::find::{LISTED, listed};
use crate::sqlite::write::mail::replace_starts;
use crate::sqlite::{at_most, complaint, load};
use crate::tenant::Tenant;
use crate::views::{HistoryRow, ListedInstance};

const DEFINITION: &str = "SELECT p.id, p.key, p.version, d.resource, d.deployed_at, p.version_tag, p.tenant
    FROM process_definition p JOIN deployment d ON d.id = p.deployment";

pub(super) fn deploy(connection: &mut Connection, deployment: &Deployment) -> Result<Vec<Definition>, Error> {
    deploy_all(connection, deployment).map_err(complaint)
}

fn deploy_all(connection: &mut Connection, deployment: &Deployment) -> rusqlite::Result<Vec<Definition>> {
    let transaction = connection.transaction()?;
    let tenant = deployment.tenant.as_str();
    let known: Option<i64> = transaction
        .query_row(
            "SELECT id FROM deployment WHERE tenant = ?1 AND checksum = ?2",
            params![tenant, deployment.checksum],
            |row| row.get(0),
        )
        .optional()?;
    let id = match known {
        Some(id) => id,
        None => {
            let id = deployment.ids[0];
            transaction.execute(
                "INSERT INTO deployment (id, tenant, checksum, resource, deployed_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![id, tenant, deployment.checksum, &deployment.resource[..], deployment.at.0],
            )?;
            for (process, definition) in deployment.processes.iter().zip(&deployment.ids[1..]) {
                transaction.execute(
                    "INSERT INTO process_definition (id, deployment, key, version_tag, tenant, version)
                     VALUES (?1, ?2, ?3, ?4, ?5, (SELECT coalesce(max(version), 0) + 1 FROM process_definition
                     WHERE tenant = ?5 AND key = ?3))",
                    params![definition, id, process.key, process.version_tag, tenant],
                )?;
                replace_starts(&transaction, *definition, (tenant, &process.key), &process.starts)?;
            }
            id
        }
    };
    let definitions = {
        let mut find = transaction.prepare(&format!("{DEFINITION} WHERE p.deployment = ?1 ORDER BY p.id"))?;
        find.query_map([id], read_definition)?.collect::<rusqlite::Result<_>>()?
    };
    transaction.commit()?;
    Ok(definitions)
}

pub(super) fn definition(connection: &mut Connection, id: i64) -> Result<Option<Arc<Definition>>, Error> {
    let sql = format!("{DEFINITION} WHERE p.id = ?1");
    let found = connection.query_row(&sql, [id], read_definition).optional().map_err(complaint)?;
    Ok(found.map(Arc::new))
}

pub(super) fn version(
    connection: &mut Connection,
    tenant: &Tenant,
    key: &str,
    which: &Which,
) -> Result<Option<i64>, Error> {
    let tenant = tenant.as_str();
    let find = |sql: &str, parameters: &[&dyn ToSql]| {
        connection.query_row(sql, parameters, |row| row.get(0)).optional().map_err(complaint)
    };
    match which {
        Which::Newest => {
            let sql = "SELECT id FROM process_definition WHERE tenant = ?2 AND key = ?1 ORDER BY version DESC LIMIT 1";
            find(sql, &[&key, &tenant])
        }
        Which::Number(number) => {
            let sql = "SELECT id FROM process_definition WHERE tenant = ?3 AND key = ?1 AND version = ?2";
            find(sql, &[&key, number, &tenant])
        }
        Which::Tag(tag) => find(
            "SELECT id FROM process_definition WHERE tenant = ?3 AND key = ?1 AND version_tag = ?2
             ORDER BY version DESC LIMIT 1",
            &[&key, tag, &tenant],
        ),
        Which::With(other) => find(
            "SELECT id FROM process_definition WHERE tenant = ?3 AND key = ?1
             AND deployment = (SELECT deployment FROM process_definition WHERE id = ?2)",
            &[&key, other, &tenant],
        ),
    }
}

pub(super) fn instances(
    connection: &mut Connection,
    tenant: Option<&Tenant>,
    called_by: Option<InstanceId>,
    after: InstanceId,
    limit: usize,
) -> Result<Vec<ListedInstance>, Error> {
    let run = || -> rusqlite::Result<Vec<ListedInstance>> {
        let of = if called_by.is_some() { "i.parent = ?3 AND" } else { "?3 IS NULL AND" };
        let sql =
            format!("{LISTED} WHERE {of} i.id > ?1 AND (?4 IS NULL OR i.tenant = ?4) ORDER BY i.id LIMIT ?2");
        let mut find = connection.prepare_cached(&sql)?;
        let (called_by, tenant) = (called_by.map(|id| id.0), tenant.map(Tenant::as_str));
        find.query_map(params![after.0, at_most(limit), called_by, tenant], listed)?.collect()
    };
    run().map_err(complaint)
}

fn read_definition(row: &Row<'_>) -> rusqlite::Result<Definition> {
    Ok(Definition {
        id: row.get(0)?,
        key: row.get(1)?,
        version: row.get(2)?,
        resource: row.get::<_, Vec<u8>>(3)?.into(),
        deployed_at: Timestamp(row.get(4)?),
        version_tag: row.get(5)?,
        tenant: load::tenant(row, 6)?,
    })
}

pub(super) fn history(
    connection: &mut Connection,
    tenant: &Tenant,
    instance: InstanceId,
    after: u64,
    limit: usize,
) -> Result<Vec<HistoryRow>, Error> {
    let read = |row: &Row<'_>| {
        Ok(HistoryRow {
            first_seq: row.get(0)?,
            count: row.get(1)?,
            turn: row.get(2)?,
            at: Timestamp(row.get(3)?),
            events: row.get(4)?,
        })
    };
    let run = || -> rusqlite::Result<Vec<HistoryRow>> {
        // The turn that contains `after` begins at or before it.
        let mut find = connection.prepare_cached(
            "SELECT first_seq, count, turn, at, events FROM history WHERE instance = ?1 AND first_seq >=
             coalesce((SELECT max(first_seq) FROM history WHERE instance = ?1 AND first_seq <= ?2), 0)
             AND first_seq + count - 1 > ?2
             AND EXISTS (SELECT 1 FROM process_instance WHERE id = ?1 AND tenant = ?4) ORDER BY first_seq LIMIT ?3",
        )?;
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        find.query_map(params![instance.0, after, at_most(limit), tenant.as_str()], read)?.collect()
    };
    run().map_err(complaint)
}

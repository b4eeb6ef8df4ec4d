//! What a failure leaves behind: records of completed steps, undoings, incidents.

use rusqlite::{Transaction, params};

use super::table;
use crate::chain::Written;
use crate::words::Word;

const RECORDS: (&str, &str) = (
    "INSERT INTO compensation_record (instance, n, scope, node, status, inner_scope, variables)
     VALUES (?1,?2,?3,?4,?5,?6,?7) ON CONFLICT DO UPDATE SET scope = excluded.scope, node = excluded.node,
     status = excluded.status, variables = excluded.variables",
    "DELETE FROM compensation_record WHERE instance = ?1 AND n = ?2",
);
const SAGAS: (&str, &str) = (
    "INSERT OR REPLACE INTO saga (instance, n, scope, token, cause, message, since) VALUES (?1,?2,?3,?4,?5,?6,?7)",
    "DELETE FROM saga WHERE instance = ?1 AND n = ?2",
);
const INCIDENTS: (&str, &str) = (
    "INSERT OR REPLACE INTO incident (instance, n, token, kind, message, at, tenant) VALUES (?1,?2,?3,?4,?5,?6,?7)",
    "DELETE FROM incident WHERE instance = ?1 AND n = ?2",
);

pub(super) fn write(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    table(
        transaction,
        written,
        |changes| &changes.records,
        RECORDS,
        |put, one, n, row| {
            let (id, node) = (one.instance.0, &one.process.node(row.node).id);
            let (status, variables) = (row.status.word(), row.variables.to_json());
            put.execute(params![id, n, row.scope, node, status, row.inner, variables])
        },
    )?;
    table(
        transaction,
        written,
        |changes| &changes.sagas,
        SAGAS,
        |put, one, n, row| {
            let (id, cause) = (one.instance.0, row.cause.word());
            put.execute(params![id, n, row.scope, row.token, cause, row.message, row.since])
        },
    )?;
    table(
        transaction,
        written,
        |changes| &changes.incidents,
        INCIDENTS,
        |put, one, n, row| {
            let (id, kind, at) = (one.instance.0, row.kind.word(), row.at.0);
            put.execute(params![id, n, row.token, kind, row.message, at, one.tenant()])
        },
    )
}

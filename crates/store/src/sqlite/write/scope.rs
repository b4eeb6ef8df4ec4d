//! Scopes, and apart from them their variables.

use rusqlite::{Transaction, params};

use super::table;
use crate::chain::Written;
use crate::indexed::{self, Indexed};
use crate::words;

const SCOPES: (&str, &str) = (
    "INSERT INTO scope (instance, n, parent, owner, node, kind, total, started, completed, terminated)
     VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) ON CONFLICT DO UPDATE SET node = excluded.node,
     started = excluded.started, completed = excluded.completed, terminated = excluded.terminated",
    "DELETE FROM scope WHERE instance = ?1 AND n = ?2",
);
const VARIABLES: (&str, &str) = (
    "INSERT INTO variables (instance, scope, document) VALUES (?1, ?2, ?3)
     ON CONFLICT DO UPDATE SET document = excluded.document",
    "DELETE FROM variables WHERE instance = ?1 AND scope = ?2",
);

/// A value that has not changed is not written.
const INDEX: (&str, &str) = (
    "INSERT INTO variable_index (instance, name, number, text, tenant) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET number = excluded.number, text = excluded.text
     WHERE number IS NOT excluded.number OR text IS NOT excluded.text",
    "DELETE FROM variable_index WHERE instance = ?1 AND name = ?2",
);

pub(super) fn write(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    table(
        transaction,
        written,
        |changes| &changes.scopes,
        SCOPES,
        |put, one, n, row| {
            let (kind, total) = words::scope_kind(row.kind);
            let (started, completed, terminated) = row.rounds;
            let (id, node) = (one.instance.0, &one.process.node(row.node).id);
            put.execute(params![
                id, n, row.parent, row.owner, node, kind, total, started, completed, terminated
            ])
        },
    )?;
    table(
        transaction,
        written,
        |changes| &changes.variables,
        VARIABLES,
        |put, one, n, document| put.execute(params![one.instance.0, n, document]),
    )?;
    index(transaction, written)
}

/// Variables that instances are found by.
fn index(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for Indexed { tenant, instance, name, value } in indexed::changed(written) {
        match value {
            Some(value) => {
                let (number, text) = value.columns();
                transaction
                    .prepare_cached(INDEX.0)?
                    .execute(params![instance.0, name, number, text, tenant])?;
            }
            None => drop(transaction.prepare_cached(INDEX.1)?.execute(params![instance.0, name])?),
        }
    }
    Ok(())
}

//! The second half of a commit: all rows of a batch, table by table, so that each statement is prepared once and pages
//! stay warm.
//!
//! **Invariant:** a table without changes is not touched.

pub(super) mod mail;
mod scope;
mod token;
mod undo;
mod wait;

use rusqlite::{CachedStatement, Transaction, params};
use tyer_engine::{Number, Status};

use crate::chain::Written;
use crate::changes::{Changes, Rows};
use crate::outbox::pieces;
use crate::sqlite::commit::Before;
use crate::sqlite::outbox;
use crate::words::Word;

/// History is JSON, as `engine::pack` writes it.
const FORMAT: i64 = 1;

pub(super) fn write(
    transaction: &Transaction<'_>,
    written: &[Written],
    before: &Before,
) -> rusqlite::Result<()> {
    instances(transaction, written, before)?;
    token::write(transaction, written, before)?;
    scope::write(transaction, written)?;
    wait::write(transaction, written)?;
    undo::write(transaction, written)?;
    mail::write(transaction, written)?;
    outbox::add(transaction, &pieces(written))?;
    history(transaction, written)
}

/// Puts and deletes the changed rows of one table.
fn table<T>(
    transaction: &Transaction<'_>,
    written: &[Written],
    rows: impl Fn(&Changes) -> &Rows<T>,
    (put, delete): (&str, &str),
    mut set: impl FnMut(&mut CachedStatement<'_>, &Written, Number, &T) -> rusqlite::Result<usize>,
) -> rusqlite::Result<()> {
    if written.iter().all(|one| rows(&one.changes).is_empty()) {
        return Ok(());
    }
    let mut put = transaction.prepare_cached(put)?;
    let mut delete = transaction.prepare_cached(delete)?;
    for one in written {
        for (n, change) in rows(&one.changes) {
            match &change.row {
                Some(row) => set(&mut put, one, *n, row)?,
                None => delete.execute(params![one.instance.0, n])?,
            };
        }
    }
    Ok(())
}

fn instances(transaction: &Transaction<'_>, written: &[Written], before: &Before) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO process_instance (id, definition, status, version, counter, ended_at, retries, errors, last_error,
         business_key, started_by, priority, parent, parent_call, start_key, started_at, tenant)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)",
    )?;
    let mut update = transaction.prepare_cached(
        "UPDATE process_instance SET definition = ?2, status = ?3, version = ?4, counter = ?5, ended_at = ?6,
         retries = ?7, errors = ?8, last_error = ?9 WHERE id = ?1",
    )?;
    let mut go_on = transaction.prepare_cached(
        "UPDATE process_instance SET version = ?2, counter = ?3, retries = ?4, errors = ?5, last_error = ?6 WHERE id = ?1",
    )?;
    let mut remember = transaction
        .prepare_cached("INSERT INTO idempotency (tenant, key, instance, at) VALUES (?1, ?2, ?3, ?4)")?;
    for one in written {
        let (id, row) = (one.instance.0, &one.changes.instance);
        let (definition, status, version, counter) =
            (row.definition, row.status.word(), row.version, row.counter);
        let (ended, retries, errors, last) =
            (row.ended_at.map(|at| at.0), row.retries, row.errors, &row.last_error);
        if one.is_start {
            insert.execute(params![
                id,
                definition,
                status,
                version,
                counter,
                ended,
                retries,
                errors,
                last,
                row.business_key,
                row.started_by,
                row.priority,
                row.parent.map(|parent| parent.instance.0),
                row.parent.map(|parent| parent.number),
                row.start_key,
                row.started_at.0,
                row.tenant.as_str(),
            ])?;
        } else if row.status == Status::Running && before.ran(one.instance, definition) {
            go_on.execute(params![id, version, counter, retries, errors, last])?;
        } else {
            update
                .execute(params![id, definition, status, version, counter, ended, retries, errors, last])?;
        }
        if let Some(key) = &one.idempotency_key {
            remember.execute(params![row.tenant.as_str(), key, id, row.started_at.0])?;
        }
    }
    Ok(())
}

fn history(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO history (instance, first_seq, count, turn, at, format, events) VALUES (?1,?2,?3,?4,?5,?6,?7)",
    )?;
    for one in written {
        for (key, packed) in &one.history {
            let (id, at) = (key.instance.0, packed.at.0);
            insert.execute(params![id, key.first_seq, packed.count, key.turn, at, FORMAT, packed.events])?;
        }
    }
    Ok(())
}

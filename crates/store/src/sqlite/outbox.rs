//! Streams to sinks: added to by turns, taken when due, marked.

use std::sync::Arc;

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::outbox::{Delivered, Deliveries, Delivery, Piece, Sink, Stream};
use crate::sqlite::{at_most, complaint};

const ADD: &str = "INSERT INTO outbox (instance, sink, next_seq, last_seq, state, due_at, attempt, lease)
    VALUES (?1, ?2, ?3, ?4, 'ready', ?5, 0, 0) ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq";
pub(super) const DUE: &str = "SELECT instance, next_seq, last_seq, attempt, lease + 1 FROM outbox
    WHERE sink = ?1 AND state = 'ready' AND due_at <= ?2 ORDER BY due_at, instance LIMIT ?3";
pub(super) const NEXT: &str =
    "SELECT min(due_at) FROM outbox WHERE sink = ?1 AND state = 'ready' AND due_at > ?2";
const TAKE: &str = "UPDATE outbox SET due_at = ?3, lease = lease + 1 WHERE instance = ?1 AND sink = ?2";
const FINISH: &str = "DELETE FROM outbox WHERE instance = ?1 AND sink = ?2 AND lease = ?3 AND last_seq <= ?4 AND next_seq = ?5";
const ADVANCE: &str = "UPDATE outbox SET next_seq = ?4 + 1, attempt = 0, due_at = ?6, error = NULL
    WHERE instance = ?1 AND sink = ?2 AND lease = ?3 AND next_seq = ?5";
const FAIL: &str = "UPDATE outbox SET next_seq = ?4 + 1, attempt = ?6, due_at = ?7, error = ?8, state = ?9
    WHERE instance = ?1 AND sink = ?2 AND lease = ?3 AND next_seq = ?5";
pub(super) const DEAD: &str =
    "SELECT instance, next_seq, last_seq, attempt, due_at, coalesce(error, '') FROM outbox
    WHERE sink = ?1 AND state = 'dead' AND instance > ?2 ORDER BY instance LIMIT ?3";
const REDELIVER: &str = "UPDATE outbox SET state = 'ready', attempt = 0, due_at = ?3
    WHERE sink = ?1 AND state = 'dead' AND (?2 IS NULL OR instance = ?2)";

pub(super) fn add(transaction: &Transaction<'_>, pieces: &[Piece]) -> rusqlite::Result<()> {
    if pieces.is_empty() {
        return Ok(());
    }
    let mut add = transaction.prepare_cached(ADD)?;
    for Piece { instance, sink, first_seq, last_seq, at } in pieces {
        add.execute(params![instance.0, &**sink, first_seq, last_seq, at.0])?;
    }
    Ok(())
}

pub(super) fn keep_sink(connection: &mut Connection, sink: &Sink) -> Result<bool, Error> {
    let keep = |transaction: &Transaction<'_>| {
        let sql = "UPDATE sink SET kind = ?2, settings = ?3 WHERE name = ?1";
        let known = transaction.execute(sql, params![&*sink.name, sink.kind, sink.settings])? > 0;
        if !known {
            transaction.execute("DELETE FROM outbox WHERE sink = ?1", [&*sink.name])?;
            let sql = "INSERT INTO sink (name, kind, settings, since) VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(sql, params![&*sink.name, sink.kind, sink.settings, sink.since.0])?;
        }
        Ok(!known)
    };
    together(connection, keep)
}

pub(super) fn drop_sink(connection: &mut Connection, name: &str) -> Result<bool, Error> {
    together(connection, |transaction| {
        transaction.execute("DELETE FROM outbox WHERE sink = ?1", [name])?;
        Ok(transaction.execute("DELETE FROM sink WHERE name = ?1", [name])? > 0)
    })
}

pub(super) fn sinks(connection: &mut Connection) -> Result<Vec<Sink>, Error> {
    let mut find = connection
        .prepare_cached("SELECT name, kind, settings, since FROM sink ORDER BY name")
        .map_err(complaint)?;
    let read = |row: &Row<'_>| {
        let name: String = row.get(0)?;
        let (kind, settings, since) = (row.get(1)?, row.get(2)?, Timestamp(row.get(3)?));
        Ok(Sink { name: name.into(), kind, settings, since })
    };
    let rows = find.query_map([], read).map_err(complaint)?;
    rows.collect::<rusqlite::Result<_>>().map_err(complaint)
}

pub(super) fn take(
    connection: &mut Connection,
    sink: &Arc<str>,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> Result<Deliveries, Error> {
    together(connection, |transaction| {
        let mut due = transaction.prepare_cached(DUE)?;
        let taken = due.query_map(params![&**sink, now.0, at_most(limit)], |row| {
            Ok(Delivery {
                sink: Arc::clone(sink),
                instance: InstanceId(row.get(0)?),
                next_seq: row.get(1)?,
                last_seq: row.get(2)?,
                attempt: row.get(3)?,
                lease: row.get(4)?,
            })
        })?;
        let taken: Vec<Delivery> = taken.collect::<rusqlite::Result<_>>()?;
        let mut take = transaction.prepare_cached(TAKE)?;
        for delivery in &taken {
            take.execute(params![delivery.instance.0, &**sink, until.0])?;
        }
        // Whoever was due and found no place is due now.
        let found: Option<i64> = transaction
            .prepare_cached(NEXT)?
            .query_row(params![&**sink, if taken.len() == limit { i64::MIN } else { now.0 }], |row| {
                row.get(0)
            })?;
        Ok(Deliveries { taken, next: found.map(Timestamp) })
    })
}

pub(super) fn mark(
    connection: &mut Connection,
    outcomes: &[(Delivery, Delivered)],
    now: Timestamp,
) -> Result<Vec<bool>, Error> {
    together(connection, |transaction| {
        outcomes.iter().map(|(delivery, delivered)| mark_one(transaction, delivery, delivered, now)).collect()
    })
}

fn mark_one(
    transaction: &Transaction<'_>,
    delivery: &Delivery,
    delivered: &Delivered,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let (instance, sink, lease, next) =
        (delivery.instance.0, &*delivery.sink, delivery.lease, delivery.next_seq);
    let changed = match delivered {
        Delivered::Through(seq) => {
            let finished =
                transaction.prepare_cached(FINISH)?.execute(params![instance, sink, lease, seq, next])?;
            match finished {
                0 => {
                    let mut advance = transaction.prepare_cached(ADVANCE)?;
                    advance.execute(params![instance, sink, lease, seq, next, now.0])?
                }
                done => done,
            }
        }
        Delivered::Failed { through, error, again } => {
            let attempt = if *through >= delivery.next_seq { 1 } else { delivery.attempt + 1 };
            let (due, state) = (again.unwrap_or(now).0, if again.is_some() { "ready" } else { "dead" });
            let mut fail = transaction.prepare_cached(FAIL)?;
            fail.execute(params![instance, sink, lease, through, next, attempt, due, error, state])?
        }
    };
    Ok(changed > 0)
}

pub(super) fn dead_streams(
    connection: &mut Connection,
    sink: &Arc<str>,
    after: InstanceId,
    limit: usize,
) -> Result<Vec<Stream>, Error> {
    let mut find = connection.prepare_cached(DEAD).map_err(complaint)?;
    let read = |row: &Row<'_>| {
        Ok(Stream {
            sink: Arc::clone(sink),
            instance: InstanceId(row.get(0)?),
            next_seq: row.get(1)?,
            last_seq: row.get(2)?,
            attempt: row.get(3)?,
            at: Timestamp(row.get(4)?),
            error: row.get(5)?,
        })
    };
    let rows = find.query_map(params![&**sink, after.0, at_most(limit)], read).map_err(complaint)?;
    rows.collect::<rusqlite::Result<_>>().map_err(complaint)
}

pub(super) fn redeliver(
    connection: &mut Connection,
    sink: &str,
    instance: Option<InstanceId>,
    now: Timestamp,
) -> Result<u64, Error> {
    let changed = connection.execute(REDELIVER, params![sink, instance.map(|id| id.0), now.0]);
    Ok(changed.map_err(complaint)? as u64)
}

fn together<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> Result<T, Error> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(complaint)?;
    let done = work(&transaction).map_err(complaint)?;
    transaction.commit().map_err(complaint)?;
    Ok(done)
}

//! The floor on SQLite: prepared statements, one transaction per group of waiting turns, WAL and FULL.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use rusqlite::{Connection, Transaction, params};

use crate::floor::rows::{TokenChange, TokenValues, TurnRows};
use crate::floor::{THIN_EVENTS, id};
use crate::workload::{Run, cpu_time};

const SETTINGS: &str = "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;";
const THIN: &str =
    "CREATE TABLE instance (id INTEGER PRIMARY KEY, status TEXT NOT NULL, version INTEGER NOT NULL);
    CREATE TABLE variables (instance INTEGER PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE history (instance INTEGER NOT NULL, seq INTEGER NOT NULL, events TEXT NOT NULL,
                          PRIMARY KEY (instance, seq)) WITHOUT ROWID;";
/// Exactly the engine's rows.
pub(crate) fn own_rows(path: &Path, turns: &[TurnRows], count: u64, waiting: usize) -> Result<Run> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(include_str!("../../../crates/store/src/sqlite/schema.sql"))?;
    connection.execute_batch(include_str!("../../../crates/store/src/sqlite/lists.sql"))?;
    connection.set_prepared_statement_cache_capacity(64);
    groups(&mut connection, count, waiting, turns.len(), |transaction, first, size, turn| {
        write(transaction, &turns[turn], first, size)
    })
}

/// A fixed small set of rows: an instance, its variables, four turns of packed events.
pub(crate) fn thin(path: &Path, turns: usize, count: u64, waiting: usize) -> Result<Run> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(THIN)?;
    groups(&mut connection, count, waiting, turns, |transaction, first, size, turn| {
        let mut instance = match turn {
            0 => transaction
                .prepare_cached("INSERT INTO instance (id, status, version) VALUES (?1, ?2, ?3)")?,
            _ => transaction.prepare_cached("UPDATE instance SET status = ?2, version = ?3 WHERE id = ?1")?,
        };
        let mut variables = transaction.prepare_cached("INSERT INTO variables VALUES (?1, ?2)")?;
        let mut history = transaction.prepare_cached("INSERT INTO history VALUES (?1, ?2, ?3)")?;
        for at in first..first + size {
            instance.execute(params![id(at), "running", turn * 2])?;
            if turn == 0 {
                variables.execute(params![id(at), crate::workload::VARIABLES])?;
            }
            history.execute(params![id(at), turn * 2 + 1, THIN_EVENTS])?;
        }
        Ok(())
    })
}

/// As many instances at once as the engine has under way; each turn of a group is one commit.
fn groups(
    connection: &mut Connection,
    count: u64,
    waiting: usize,
    turns: usize,
    mut write: impl FnMut(&Transaction<'_>, u64, u64, usize) -> Result<()>,
) -> Result<Run> {
    let (started, cpu) = (Instant::now(), cpu_time());
    let mut run = Run { instances: count, ..Run::default() };
    let mut first = 0;
    while first < count {
        let size = (count - first).min(waiting as u64);
        for turn in 0..turns {
            let transaction = connection.transaction()?;
            write(&transaction, first, size, turn)?;
            transaction.commit()?;
            run.commits += 1;
            run.turns += size;
        }
        first += size;
    }
    run.wall = started.elapsed();
    run.cpu = cpu_time() - cpu;
    Ok(run)
}

fn write(transaction: &Transaction<'_>, rows: &TurnRows, first: u64, size: u64) -> Result<()> {
    let mut insert_instance = transaction.prepare_cached(
        "INSERT INTO process_instance (id, definition, status, version, counter, priority, started_at, ended_at,
         retries, errors) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,0,0)",
    )?;
    let mut update_instance = transaction.prepare_cached(
        "UPDATE process_instance SET status = ?2, version = ?3, counter = ?4, ended_at = ?5 WHERE id = ?1",
    )?;
    let mut variables = transaction
        .prepare_cached("INSERT INTO variables (instance, scope, document) VALUES (?1, ?2, ?3)")?;
    let mut history = transaction.prepare_cached(
        "INSERT INTO history (instance, first_seq, count, turn, at, format, events) VALUES (?1,?2,?3,?4,?5,1,?6)",
    )?;
    for at in first..first + size {
        let (id, row) = (id(at), &rows.instance);
        if rows.start {
            insert_instance.execute(params![
                id,
                row.definition,
                row.status,
                row.version,
                row.counter,
                row.priority,
                row.started_at,
                row.ended_at
            ])?;
        } else {
            update_instance.execute(params![id, row.status, row.version, row.counter, row.ended_at])?;
        }
        for (n, json) in &rows.variables {
            variables.execute(params![id, n, json])?;
        }
        history.execute(params![id, rows.first_seq, rows.count, rows.turn, rows.at, rows.events])?;
    }
    for change in &rows.tokens {
        write_token(transaction, change, first, size)?;
    }
    Ok(())
}

fn write_token(transaction: &Transaction<'_>, change: &TokenChange, first: u64, size: u64) -> Result<()> {
    let (mut statement, values) = match change {
        TokenChange::Delete(n) => {
            let mut delete = transaction.prepare_cached("DELETE FROM token WHERE instance = ?1 AND n = ?2")?;
            for at in first..first + size {
                delete.execute(params![id(at), n])?;
            }
            return Ok(());
        }
        TokenChange::Insert(values) => (
            transaction.prepare_cached(
                "INSERT INTO token (instance, n, node, flow, status, mode, scope, parent, fork, attempt, since, job,
                 job_type, lease, lease_owner, lease_node, lease_since)
                 VALUES (?1,?2,?3,?4,?5,'forward',0,?6,?7,0,?8,?9,?10,?11,?12,?13,?14)",
            )?,
            values,
        ),
        TokenChange::Update(values) => (
            transaction.prepare_cached(
                "UPDATE token SET node = ?3, flow = ?4, status = ?5, parent = ?6, fork = ?7, attempt = 0, since = ?8,
                 job = ?9, job_type = ?10, lease = ?11, lease_owner = ?12, lease_node = ?13, lease_since = ?14
                 WHERE instance = ?1 AND n = ?2",
            )?,
            values,
        ),
    };
    let TokenValues { n, node, flow, status, parent, fork, since, job, job_type, .. } = values;
    for at in first..first + size {
        statement.execute(params![
            id(at),
            n,
            node,
            flow,
            status,
            parent,
            fork,
            since,
            job,
            job_type,
            values.lease,
            values.lease_owner,
            values.lease_node,
            values.lease_since,
        ])?;
    }
    Ok(())
}

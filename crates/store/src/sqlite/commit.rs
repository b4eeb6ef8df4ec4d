//! The commit protocol on SQLite: check, write set-wise, commit.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tyer_engine::{InstanceId, Number};

use crate::chain::{self, Facts, Written};
use crate::changes::Change;
use crate::error::Error;
use crate::sqlite::complaint;
use crate::turn::{Outcome, Turn, TurnKey};
use crate::words::{Word, timer_kind};

/// History is JSON, as `engine::pack` writes it.
const FORMAT: i64 = 1;

/// What became of each turn, and the rows that were written: freeing them can wait until the answers are out.
pub(super) fn commit(
    connection: &mut Connection,
    batch: Vec<Turn>,
) -> Result<(Vec<Outcome>, Vec<Written>), Error> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(complaint)?;
    let outcomes = chain::judge(&batch, &Rows(&transaction))?;
    let written = chain::coalesce(batch, &outcomes);
    if !written.is_empty() {
        write(&transaction, &written).map_err(complaint)?;
        transaction.commit().map_err(|error| Error::Unknown(error.to_string()))?;
    }
    Ok((outcomes, written))
}

pub(super) fn settle(connection: &mut Connection, turns: &[TurnKey]) -> Result<Vec<bool>, Error> {
    let mut find = connection
        .prepare_cached("SELECT turn FROM history WHERE instance = ?1 AND first_seq = ?2")
        .map_err(complaint)?;
    let mut durable = Vec::with_capacity(turns.len());
    for key in turns {
        let found: Option<i64> = find
            .query_row(params![key.instance.0, key.first_seq], |row| row.get(0))
            .optional()
            .map_err(complaint)?;
        durable.push(found == Some(key.turn));
    }
    Ok(durable)
}

/// What the file says; nobody else writes to it.
struct Rows<'a>(&'a Transaction<'a>);

impl Facts for Rows<'_> {
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error> {
        self.find("SELECT version FROM process_instance WHERE id = ?1", [instance.0], |row| row.get(0))
    }

    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error> {
        let sql = "SELECT job, lease FROM token WHERE instance = ?1 AND n = ?2 AND status = 'executing'";
        self.find(sql, params![instance.0, token], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn newest(&self, process: &str) -> Result<Option<i64>, Error> {
        let sql = "SELECT id FROM process_definition WHERE key = ?1 ORDER BY version DESC LIMIT 1";
        self.find(sql, [process], |row| row.get(0))
    }

    fn idempotency_key(&self, key: &str) -> Result<Option<InstanceId>, Error> {
        self.find("SELECT instance FROM idempotency WHERE key = ?1", [key], |row| row.get(0).map(InstanceId))
    }
}

impl Rows<'_> {
    fn find<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        let mut statement = self.0.prepare_cached(sql).map_err(complaint)?;
        statement.query_row(params, read).optional().map_err(complaint)
    }
}

/// Table by table, so that each statement is prepared once and pages stay warm.
fn write(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    write_instances(transaction, written)?;
    write_tokens(transaction, written)?;
    write_scopes(transaction, written)?;
    write_tasks(transaction, written)?;
    write_timers(transaction, written)?;
    write_incidents(transaction, written)?;
    write_held(transaction, written)?;
    write_history(transaction, written)
}

fn write_instances(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO process_instance (id, definition, status, version, counter, business_key, started_by, priority,
         started_at, ended_at, retries, errors, last_error) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
    )?;
    let mut update = transaction.prepare_cached(
        "UPDATE process_instance SET status = ?2, version = ?3, counter = ?4, ended_at = ?5, retries = ?6, errors = ?7,
         last_error = ?8 WHERE id = ?1",
    )?;
    let mut remember =
        transaction.prepare_cached("INSERT INTO idempotency (key, instance, at) VALUES (?1, ?2, ?3)")?;
    for one in written {
        let (id, row) = (one.instance.0, &one.changes.instance);
        let (status, ended) = (row.status.word(), row.ended_at.map(|at| at.0));
        if one.is_start {
            insert.execute(params![
                id,
                row.definition,
                status,
                row.version,
                row.counter,
                row.business_key,
                row.started_by,
                row.priority,
                row.started_at.0,
                ended,
                row.retries,
                row.errors,
                row.last_error,
            ])?;
        } else {
            update.execute(params![
                id,
                status,
                row.version,
                row.counter,
                ended,
                row.retries,
                row.errors,
                row.last_error,
            ])?;
        }
        if let Some(key) = &one.idempotency_key {
            remember.execute(params![key, id, row.started_at.0])?;
        }
    }
    Ok(())
}

fn write_tokens(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO token (instance, n, node, flow, status, attempt, since, job, job_type, lease, lease_owner,
         lease_node, lease_since, lease_until, mode, scope, parent, branch)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)",
    )?;
    // Mode, scope, parent and branch are a token's for life.
    let mut update = transaction.prepare_cached(
        "UPDATE token SET node = ?3, flow = ?4, status = ?5, attempt = ?6, since = ?7, job = ?8, job_type = ?9,
         lease = ?10, lease_owner = ?11, lease_node = ?12, lease_since = ?13, lease_until = ?14
         WHERE instance = ?1 AND n = ?2",
    )?;
    let mut delete = transaction.prepare_cached("DELETE FROM token WHERE instance = ?1 AND n = ?2")?;
    for one in written {
        for (n, Change { new, row }) in &one.changes.tokens {
            let Some(row) = row else {
                delete.execute(params![one.instance.0, n])?;
                continue;
            };
            let token = &row.token;
            let job = token.job();
            let lease = row.lease.as_ref();
            let status = if lease.is_some() { "executing" } else { row.status.word() };
            let id = one.instance.0;
            let node = &one.process.node(token.node).id;
            let flow = token.flow.map(|flow| &*one.process.flow(flow).id);
            let (number, job_type) = (job.map(|job| job.number), job.map(|job| &*job.job_type));
            let (leases, owner) = (lease.map_or(0, |lease| lease.number), lease.map(|lease| &*lease.worker));
            let (holder, held_since) = (lease.and_then(|lease| lease.node), lease.map(|lease| lease.since.0));
            let until = lease.and_then(|lease| lease.until).map(|until| until.0);
            let (attempt, since) = (token.attempt, token.since.0);
            if *new {
                insert.execute(params![
                    id,
                    n,
                    node,
                    flow,
                    status,
                    attempt,
                    since,
                    number,
                    job_type,
                    leases,
                    owner,
                    holder,
                    held_since,
                    until,
                    token.mode.word(),
                    token.scope,
                    token.parent,
                    token.group,
                ])?;
            } else {
                update.execute(params![
                    id, n, node, flow, status, attempt, since, number, job_type, leases, owner, holder,
                    held_since, until,
                ])?;
            }
        }
    }
    Ok(())
}

fn write_scopes(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut upsert = transaction.prepare_cached(
        "INSERT INTO scope (instance, n, variables) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET variables = excluded.variables",
    )?;
    for one in written {
        for (n, variables) in &one.changes.scopes {
            upsert.execute(params![one.instance.0, n, variables])?;
        }
    }
    Ok(())
}

fn write_tasks(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO user_task (instance, n, token, node, name, assignee, candidate_users, candidate_groups, form,
         priority, due_at, created_at) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
    )?;
    let mut delete = transaction.prepare_cached("DELETE FROM user_task WHERE instance = ?1 AND n = ?2")?;
    for one in written {
        for (n, change) in &one.changes.tasks {
            let Some(task) = &change.row else {
                delete.execute(params![one.instance.0, n])?;
                continue;
            };
            let asked = &task.asked;
            insert.execute(params![
                one.instance.0,
                n,
                task.token,
                one.process.node(task.node).id,
                asked.name,
                asked.assignee,
                names(&asked.candidate_users),
                names(&asked.candidate_groups),
                asked.form,
                asked.priority,
                asked.due.map(|due| due.0),
                task.created_at.0,
            ])?;
        }
    }
    Ok(())
}

fn names(names: &[String]) -> String {
    serde_json::to_string(names).expect("texts are always JSON")
}

fn write_timers(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO timer (instance, n, token, due_at, kind, visits, held) VALUES (?1,?2,?3,?4,?5,?6,?7)",
    )?;
    let mut delete = transaction.prepare_cached("DELETE FROM timer WHERE instance = ?1 AND n = ?2")?;
    for one in written {
        for (n, change) in &one.changes.timers {
            let Some(row) = &change.row else {
                delete.execute(params![one.instance.0, n])?;
                continue;
            };
            let (kind, visits) = timer_kind(row.timer.kind);
            insert.execute(params![
                one.instance.0,
                n,
                row.timer.token,
                row.timer.due.0,
                kind,
                visits,
                row.held,
            ])?;
        }
    }
    Ok(())
}

fn write_incidents(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO incident (instance, n, token, kind, message, at) VALUES (?1,?2,?3,?4,?5,?6)",
    )?;
    let mut delete = transaction.prepare_cached("DELETE FROM incident WHERE instance = ?1 AND n = ?2")?;
    for one in written {
        for (n, change) in &one.changes.incidents {
            match &change.row {
                None => delete.execute(params![one.instance.0, n])?,
                Some(row) => insert.execute(params![
                    one.instance.0,
                    n,
                    row.token,
                    row.kind.word(),
                    row.message,
                    row.at.0,
                ])?,
            };
        }
    }
    Ok(())
}

/// Pause and resume, whoever has claimed a token meanwhile: an executing token keeps its lease.
fn write_held(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for one in written {
        let Some(held) = one.changes.held else { continue };
        let (from, to) = if held { ("ready", "created") } else { ("created", "ready") };
        let mut tokens = transaction.prepare_cached(
            "UPDATE token SET status = ?3 WHERE instance = ?1 AND status = ?2 AND job IS NOT NULL",
        )?;
        tokens.execute(params![one.instance.0, from, to])?;
        let mut timers = transaction.prepare_cached("UPDATE timer SET held = ?2 WHERE instance = ?1")?;
        timers.execute(params![one.instance.0, held])?;
    }
    Ok(())
}

fn write_history(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO history (instance, first_seq, count, turn, at, format, events) VALUES (?1,?2,?3,?4,?5,?6,?7)",
    )?;
    for one in written {
        for (key, packed) in &one.history {
            insert.execute(params![
                key.instance.0,
                key.first_seq,
                packed.count,
                key.turn,
                packed.at.0,
                FORMAT,
                packed.events,
            ])?;
        }
    }
    Ok(())
}

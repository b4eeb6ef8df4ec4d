//! What tokens and scopes wait for: tasks, timers, messages and signals.

use rusqlite::{Transaction, params};

use super::table;
use crate::chain::Written;
use crate::rows::candidates_of;
use crate::words;

const TASKS: (&str, &str) = (
    "INSERT OR REPLACE INTO user_task (instance, n, token, node, name, assignee, candidate_users, candidate_groups, form,
     priority, due_at, created_at, tenant) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
    "DELETE FROM user_task WHERE instance = ?1 AND n = ?2",
);
const TIMERS: (&str, &str) = (
    "INSERT OR REPLACE INTO timer (instance, n, token, scope, node, due_at, kind, visits, cycle, held)
     VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
    "DELETE FROM timer WHERE instance = ?1 AND n = ?2",
);
const SUBSCRIPTIONS: (&str, &str) = (
    "INSERT OR REPLACE INTO subscription (instance, n, token, scope, node, kind, name, key, position, since, tenant)
     VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
    "DELETE FROM subscription WHERE instance = ?1 AND n = ?2",
);

const CANDIDATE: &str =
    "INSERT OR IGNORE INTO task_candidate (instance, n, kind, who, tenant) VALUES (?1, ?2, ?3, ?4, ?5)";
const NO_CANDIDATES: &str = "DELETE FROM task_candidate WHERE instance = ?1 AND n = ?2";

pub(super) fn write(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    table(
        transaction,
        written,
        |changes| &changes.tasks,
        TASKS,
        |put, one, n, task| {
            let asked = &task.asked;
            put.execute(params![
                one.instance.0,
                n,
                task.token,
                one.process.node(task.node).id,
                asked.name,
                asked.assignee,
                words::names(&asked.candidate_users),
                words::names(&asked.candidate_groups),
                asked.form,
                asked.priority,
                asked.due.map(|due| due.0),
                task.created_at.0,
                one.tenant(),
            ])
        },
    )?;
    candidates(transaction, written)?;
    table(
        transaction,
        written,
        |changes| &changes.timers,
        TIMERS,
        |put, one, n, row| {
            let (timer, (kind, visits)) = (&row.timer, words::timer_kind(row.timer.kind));
            let (id, node) = (one.instance.0, &one.process.node(timer.node).id);
            let (token, scope, due, cycle) = (timer.token, timer.scope, timer.due.0, timer.cycle.as_deref());
            put.execute(params![id, n, token, scope, node, due, kind, visits, cycle, row.held])
        },
    )?;
    hold(transaction, written)?;
    table(
        transaction,
        written,
        |changes| &changes.subscriptions,
        SUBSCRIPTIONS,
        |put, one, n, row| {
            let wanted = words::wanted(&row.wanted);
            let (id, node) = (one.instance.0, &one.process.node(row.node).id);
            let (name, key, position) = (wanted.name, wanted.key, wanted.trigger);
            put.execute(params![
                id,
                n,
                row.token,
                row.scope,
                node,
                wanted.kind,
                name,
                key,
                position,
                row.since.0,
                one.tenant()
            ])
        },
    )
}

/// Who may do a task: the same for as long as it is there, gone with it.
fn candidates(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for one in written {
        for (n, change) in &one.changes.tasks {
            let Some(task) = &change.row else {
                transaction.prepare_cached(NO_CANDIDATES)?.execute(params![one.instance.0, n])?;
                continue;
            };
            for (kind, who) in candidates_of(task) {
                let mut put = transaction.prepare_cached(CANDIDATE)?;
                put.execute(params![one.instance.0, n, kind, who, one.tenant()])?;
            }
        }
    }
    Ok(())
}

/// Timers of a paused instance are not due.
fn hold(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for one in written {
        let Some(held) = one.changes.held else { continue };
        let mut timers = transaction.prepare_cached("UPDATE timer SET held = ?2 WHERE instance = ?1")?;
        timers.execute(params![one.instance.0, held])?;
    }
    Ok(())
}

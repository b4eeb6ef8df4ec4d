//! What tokens and scopes wait for: tasks, timers, messages and signals.

use rusqlite::{Transaction, params};
use tyer_engine::Number;

use super::table;
use crate::chain::Written;
use crate::changes::Change;
use crate::rows::{TaskRow, candidates_of};
use crate::words;

const NEW_TASK: &str =
    "INSERT INTO user_task (instance, n, token, node, name, assignee, candidate_users, candidate_groups, form,
     priority, due_at, created_at, tenant) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)";
/// The rest is a task's for life. SQLite takes a row out of every index to replace it, and only out of those whose columns
/// are named to update it.
const CHANGE_TASK: &str = "UPDATE user_task SET node = ?3, assignee = ?4, priority = ?5, due_at = ?6 WHERE instance = ?1 AND n = ?2";
const NO_TASK: &str = "DELETE FROM user_task WHERE instance = ?1 AND n = ?2";
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
    tasks(transaction, written)?;
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

fn tasks(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for one in written {
        for (n, Change { new, row }) in &one.changes.tasks {
            let id = one.instance.0;
            match row {
                Some(task) if *new => put_task(transaction, one, *n, task)?,
                Some(task) => {
                    let (node, asked) = (&one.process.node(task.node).id, &task.asked);
                    let due = asked.due.map(|due| due.0);
                    let mut change = transaction.prepare_cached(CHANGE_TASK)?;
                    change.execute(params![id, n, node, asked.assignee, asked.priority, due])?;
                }
                None => {
                    transaction.prepare_cached(NO_TASK)?.execute(params![id, n])?;
                    transaction.prepare_cached(NO_CANDIDATES)?.execute(params![id, n])?;
                }
            }
        }
    }
    Ok(())
}

/// With who may do it: they are the same for as long as it is there, and gone with it.
fn put_task(transaction: &Transaction<'_>, one: &Written, n: Number, task: &TaskRow) -> rusqlite::Result<()> {
    let (id, asked) = (one.instance.0, &task.asked);
    transaction.prepare_cached(NEW_TASK)?.execute(params![
        id,
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
    ])?;
    for (kind, who) in candidates_of(task) {
        let mut put = transaction.prepare_cached(CANDIDATE)?;
        put.execute(params![id, n, kind, who, one.tenant()])?;
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

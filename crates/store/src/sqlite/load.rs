//! One instance is one range of keys in each table.

use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use tyer_engine::{
    Incident, InstanceId, Job, Mode, Number, Status, TaskCreated, Timer, Timestamp, TokenStatus,
};

use crate::error::Error;
use crate::rows::{InstanceRow, Lease, Loaded, LoadedTask, LoadedToken};
use crate::sqlite::complaint;
use crate::words::{Word, read_timer_kind};

pub(super) fn load(connection: &mut Connection, ids: &[InstanceId]) -> Result<Vec<Option<Loaded>>, Error> {
    // One snapshot for all tables.
    let transaction = connection.transaction().map_err(complaint)?;
    ids.iter().map(|id| load_one(&transaction, *id)).collect()
}

fn load_one(transaction: &Transaction<'_>, id: InstanceId) -> Result<Option<Loaded>, Error> {
    let mut find = transaction
        .prepare_cached(
            "SELECT status, version, counter, definition, business_key, started_by, priority, started_at, ended_at,
             retries, errors, last_error FROM process_instance WHERE id = ?1",
        )
        .map_err(complaint)?;
    let Some(instance) = find.query_row([id.0], instance_row).optional().map_err(complaint)? else {
        return Ok(None);
    };
    Ok(Some(Loaded {
        id,
        instance,
        tokens: range(transaction, TOKENS, id, token)?,
        scopes: range(transaction, "SELECT n, variables FROM scope WHERE instance = ?1", id, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?,
        tasks: range(transaction, TASKS, id, task)?,
        timers: range(transaction, TIMERS, id, timer)?,
        incidents: range(transaction, INCIDENTS, id, incident)?,
    }))
}

const TOKENS: &str =
    "SELECT n, node, flow, status, mode, scope, parent, branch, attempt, since, job, job_type, lease,
    lease_owner, lease_node, lease_since, lease_until FROM token WHERE instance = ?1";
pub(super) const TASKS: &str =
    "SELECT n, name, assignee, candidate_users, candidate_groups, form, priority, due_at,
    token, created_at, node, instance FROM user_task WHERE instance = ?1";
const TIMERS: &str = "SELECT n, token, due_at, kind, visits FROM timer WHERE instance = ?1";
const INCIDENTS: &str = "SELECT n, token, kind, message, at FROM incident WHERE instance = ?1";

fn range<T>(
    transaction: &Transaction<'_>,
    sql: &str,
    id: InstanceId,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Error> {
    let mut statement = transaction.prepare_cached(sql).map_err(complaint)?;
    let rows = statement.query_map([id.0], read).map_err(complaint)?;
    rows.collect::<rusqlite::Result<_>>().map_err(complaint)
}

/// Reads a column that holds a word.
pub(super) fn word<W: Word>(row: &Row<'_>, column: usize) -> rusqlite::Result<W> {
    let text = row.get_ref(column)?.as_str()?;
    W::read(text).map_err(|error| damaged(column, error))
}

fn damaged(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

fn instance_row(row: &Row<'_>) -> rusqlite::Result<InstanceRow> {
    Ok(InstanceRow {
        status: word::<Status>(row, 0)?,
        version: row.get(1)?,
        counter: row.get(2)?,
        definition: row.get(3)?,
        business_key: row.get(4)?,
        started_by: row.get(5)?,
        priority: row.get(6)?,
        started_at: Timestamp(row.get(7)?),
        ended_at: moment(row, 8)?,
        retries: row.get(9)?,
        errors: row.get(10)?,
        last_error: row.get(11)?,
    })
}

fn token(row: &Row<'_>) -> rusqlite::Result<LoadedToken> {
    let job: Option<Number> = row.get(10)?;
    let owner: Option<String> = row.get(13)?;
    Ok(LoadedToken {
        number: row.get(0)?,
        node: row.get(1)?,
        flow: row.get(2)?,
        status: word::<TokenStatus>(row, 3)?,
        mode: word::<Mode>(row, 4)?,
        scope: row.get(5)?,
        parent: row.get(6)?,
        group: row.get(7)?,
        attempt: row.get(8)?,
        since: Timestamp(row.get(9)?),
        job: match job {
            Some(number) => Some(Job { number, job_type: row.get::<_, String>(11)?.into() }),
            None => None,
        },
        lease: match owner {
            Some(owner) => Some(Lease {
                number: row.get(12)?,
                worker: owner.into(),
                node: row.get(14)?,
                since: moment(row, 15)?.unwrap_or_default(),
                until: moment(row, 16)?,
            }),
            None => None,
        },
    })
}

pub(super) fn task(row: &Row<'_>) -> rusqlite::Result<LoadedTask> {
    let names = |column: usize| {
        let text = row.get_ref(column)?.as_str()?;
        serde_json::from_str(text).map_err(|error| damaged(column, error))
    };
    let asked = TaskCreated {
        task: row.get(0)?,
        name: row.get(1)?,
        assignee: row.get(2)?,
        candidate_users: names(3)?,
        candidate_groups: names(4)?,
        form: row.get(5)?,
        priority: row.get(6)?,
        due: moment(row, 7)?,
    };
    Ok(LoadedTask { asked, token: row.get(8)?, created_at: Timestamp(row.get(9)?) })
}

fn timer(row: &Row<'_>) -> rusqlite::Result<(Number, Timer)> {
    let kind = read_timer_kind(row.get_ref(3)?.as_str()?, row.get(4)?).map_err(|error| damaged(3, error))?;
    Ok((row.get(0)?, Timer { token: row.get(1)?, due: Timestamp(row.get(2)?), kind }))
}

fn incident(row: &Row<'_>) -> rusqlite::Result<(Number, Incident)> {
    let incident = Incident {
        token: row.get(1)?,
        kind: word(row, 2)?,
        message: row.get(3)?,
        at: Timestamp(row.get(4)?),
    };
    Ok((row.get(0)?, incident))
}

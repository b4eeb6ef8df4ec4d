//! One instance is one range of keys in each table.

use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use tyer_engine::{
    Incident, InstanceId, ItemId, Job, Mode, Number, Record, Saga, Status, Subscription, Task, TaskCreated,
    Timer, Timestamp, TokenStatus, Variables,
};

use crate::error::Error;
use crate::rows::{InstanceRow, Lease, Loaded, LoadedToken, NAMED, ScopeRow, Stored};
use crate::sqlite::complaint;
use crate::tenant::Tenant;
use crate::words::{self, Word};

pub(super) fn load(connection: &mut Connection, ids: &[InstanceId]) -> Result<Vec<Option<Loaded>>, Error> {
    // One snapshot for all tables.
    let transaction = connection.transaction().map_err(complaint)?;
    ids.iter().map(|id| load_one(&transaction, *id)).collect()
}

fn load_one(transaction: &Transaction<'_>, id: InstanceId) -> Result<Option<Loaded>, Error> {
    let mut find = transaction.prepare_cached(INSTANCE).map_err(complaint)?;
    let Some(instance) = find.query_row([id.0], instance_row).optional().map_err(complaint)? else {
        return Ok(None);
    };
    Ok(Some(Loaded {
        id,
        instance,
        tokens: range(transaction, TOKENS, id, token)?,
        scopes: range(transaction, SCOPES, id, scope)?,
        variables: range(transaction, VARIABLES, id, |row| Ok((row.get(0)?, row.get(1)?)))?,
        tasks: range(transaction, TASKS, id, task)?,
        timers: range(transaction, TIMERS, id, timer)?,
        subscriptions: range(transaction, SUBSCRIPTIONS, id, subscription)?,
        records: range(transaction, RECORDS, id, record)?,
        sagas: range(transaction, SAGAS, id, saga)?,
        incidents: range(transaction, INCIDENTS, id, incident)?,
    }))
}

const INSTANCE: &str =
    "SELECT status, version, counter, definition, business_key, started_by, priority, started_at,
    ended_at, retries, errors, last_error, parent, parent_call, start_key, tenant
    FROM process_instance WHERE id = ?1";
const TOKENS: &str =
    "SELECT n, node, flow, status, wait, source, mode, scope, owns, branch, parent, fork, marks, attempt,
    tries, since, job, job_type, lease, lease_owner, lease_node, lease_since, lease_until
    FROM token WHERE instance = ?1";
const SCOPES: &str = "SELECT n, node, parent, owner, kind, total, started, completed, terminated
    FROM scope WHERE instance = ?1";
const VARIABLES: &str = "SELECT scope, document FROM variables WHERE instance = ?1";
pub(super) const TASKS: &str =
    "SELECT n, node, name, assignee, candidate_users, candidate_groups, form, priority, due_at,
    token, created_at, instance FROM user_task WHERE instance = ?1";
const TIMERS: &str =
    "SELECT n, node, token, scope, due_at, kind, visits, cycle FROM timer WHERE instance = ?1";
const SUBSCRIPTIONS: &str =
    "SELECT n, node, token, scope, kind, name, key, position, since FROM subscription WHERE instance = ?1";
const RECORDS: &str =
    "SELECT n, node, scope, status, inner_scope, variables FROM compensation_record WHERE instance = ?1";
const SAGAS: &str = "SELECT n, scope, token, cause, message, since FROM saga WHERE instance = ?1";
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

pub(super) fn tenant(row: &Row<'_>, column: usize) -> rusqlite::Result<Tenant> {
    Ok(Tenant::from(row.get_ref(column)?.as_str()?))
}

/// Reads a column that holds a word.
pub(super) fn word<W: Word>(row: &Row<'_>, column: usize) -> rusqlite::Result<W> {
    let text = row.get_ref(column)?.as_str()?;
    read(column, W::read(text))
}

/// What was read from a text column.
pub(super) fn read<T>(column: usize, value: Result<T, Error>) -> rusqlite::Result<T> {
    value.map_err(|error| damaged(column, error))
}

fn damaged(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

fn instance_row(row: &Row<'_>) -> rusqlite::Result<InstanceRow> {
    let parent: Option<i64> = row.get(12)?;
    Ok(InstanceRow {
        status: word::<Status>(row, 0)?,
        version: row.get(1)?,
        counter: row.get(2)?,
        definition: row.get(3)?,
        tenant: tenant(row, 15)?,
        business_key: row.get(4)?,
        started_by: row.get(5)?,
        priority: row.get(6)?,
        started_at: Timestamp(row.get(7)?),
        ended_at: moment(row, 8)?,
        retries: row.get(9)?,
        errors: row.get(10)?,
        last_error: row.get(11)?,
        parent: match parent {
            Some(instance) => Some(ItemId { instance: InstanceId(instance), number: row.get(13)? }),
            None => None,
        },
        start_key: row.get(14)?,
    })
}

fn token(row: &Row<'_>) -> rusqlite::Result<LoadedToken> {
    let job = match row.get(16)? {
        Some(number) => Some(Job { number, job_type: row.get::<_, String>(17)?.into() }),
        None => None,
    };
    let word_of_wait: Option<String> = row.get(4)?;
    let marks: Option<String> = row.get(12)?;
    Ok(LoadedToken {
        number: row.get(0)?,
        node: row.get(1)?,
        flow: row.get(2)?,
        status: word::<TokenStatus>(row, 3)?,
        wait: read(4, words::read_wait(word_of_wait.as_deref(), row.get(5)?, job))?,
        mode: word::<Mode>(row, 6)?,
        scope: row.get(7)?,
        owns: row.get(8)?,
        branch: row.get(9)?,
        parent: row.get(10)?,
        group: row.get(11)?,
        marks: match marks {
            Some(marks) => read(12, words::read_names(&marks))?,
            None => Vec::new(),
        },
        attempt: row.get(13)?,
        tries: row.get(14)?,
        since: Timestamp(row.get(15)?),
        lease: lease(row)?,
    })
}

fn lease(row: &Row<'_>) -> rusqlite::Result<Option<Lease>> {
    let Some(owner) = row.get::<_, Option<String>>(19)? else { return Ok(None) };
    Ok(Some(Lease {
        number: row.get(18)?,
        worker: owner.into(),
        node: row.get(20)?,
        since: moment(row, 21)?.unwrap_or_default(),
        until: moment(row, 22)?,
    }))
}

/// Number and node come first.
fn stored<T>(row: &Row<'_>, rest: T) -> rusqlite::Result<Stored<T>> {
    Ok(Stored { number: row.get(0)?, node: row.get(1)?, row: rest })
}

fn scope(row: &Row<'_>) -> rusqlite::Result<Stored<ScopeRow>> {
    let kind = read(4, words::read_scope_kind(row.get_ref(4)?.as_str()?, row.get(5)?))?;
    let rounds = (row.get(6)?, row.get(7)?, row.get(8)?);
    stored(row, ScopeRow { parent: row.get(2)?, owner: row.get(3)?, node: NAMED, kind, rounds })
}

pub(super) fn task(row: &Row<'_>) -> rusqlite::Result<Stored<Task>> {
    let names = |column: usize| read(column, words::read_names(row.get_ref(column)?.as_str()?));
    let asked = TaskCreated {
        task: row.get(0)?,
        name: row.get(2)?,
        assignee: row.get(3)?,
        candidate_users: names(4)?,
        candidate_groups: names(5)?,
        form: row.get(6)?,
        priority: row.get(7)?,
        due: moment(row, 8)?,
    };
    stored(row, Task { token: row.get(9)?, node: NAMED, asked, created_at: Timestamp(row.get(10)?) })
}

fn timer(row: &Row<'_>) -> rusqlite::Result<Stored<Timer>> {
    let timer = Timer {
        token: row.get(2)?,
        scope: row.get(3)?,
        node: NAMED,
        due: Timestamp(row.get(4)?),
        kind: read(5, words::read_timer_kind(row.get_ref(5)?.as_str()?, row.get(6)?))?,
        cycle: row.get::<_, Option<String>>(7)?.map(Into::into),
    };
    stored(row, timer)
}

fn subscription(row: &Row<'_>) -> rusqlite::Result<Stored<Subscription>> {
    let (name, since) = (row.get::<_, Option<String>>(5)?, Timestamp(row.get(8)?));
    let kind = row.get_ref(4)?.as_str()?;
    let wanted = read(4, words::read_wanted(kind, name.as_deref(), row.get(6)?, row.get(7)?))?;
    stored(row, Subscription { token: row.get(2)?, scope: row.get(3)?, node: NAMED, wanted, since })
}

fn record(row: &Row<'_>) -> rusqlite::Result<Stored<Record>> {
    let variables = Variables::parse(row.get_ref(5)?.as_str()?).map_err(|error| damaged(5, error))?;
    let record =
        Record { scope: row.get(2)?, node: NAMED, variables, inner: row.get(4)?, status: word(row, 3)? };
    stored(row, record)
}

fn saga(row: &Row<'_>) -> rusqlite::Result<(Number, Saga)> {
    let (scope, token, since) = (row.get(1)?, row.get(2)?, row.get(5)?);
    let saga = Saga { scope, token, cause: word(row, 3)?, message: row.get(4)?, since };
    Ok((row.get(0)?, saga))
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

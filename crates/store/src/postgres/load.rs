//! One instance is one range of keys in each table; all tables are read in one round trip and as of one moment.
//!
//! The schema makes a column of the wrong type or without a value impossible, so rows are read without asking; what a
//! text says is another matter.

use std::collections::HashMap;

use tokio_postgres::Row;
use tyer_engine::{
    Incident, InstanceId, ItemId, Job, Mode, Number, Record, Saga, Status, Subscription, Task, TaskCreated,
    Timer, Timestamp, TokenStatus, Variables,
};

use crate::error::Error;
use crate::postgres::connection::{Request, column};
use crate::postgres::node;
use crate::postgres::pool::Pool;
use crate::postgres::write::number;
use crate::rows::{InstanceRow, Lease, Loaded, LoadedToken, NAMED, ScopeRow, Stored};
use crate::shard::shard;
use crate::tenant::Tenant;
use crate::words::{self, Word};

const INSTANCES: &str =
    "SELECT i.id, i.status, i.version, i.counter, i.definition, i.business_key, i.started_by,
    i.priority, i.started_at, i.ended_at, i.retries, i.errors, i.last_error, i.parent, i.parent_call, i.start_key,
    i.tenant
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN process_instance i ON i.shard = ANY (ARRAY[w.shard]) AND i.id = w.id";
const TOKENS: &str = "SELECT t.instance, t.n, t.node, t.flow, t.status, t.wait, t.source, t.mode, t.scope, t.owns, t.branch,
    t.parent, t.fork, t.marks, t.attempt, t.tries, t.since, t.job, t.job_type, t.lease, t.lease_owner, t.lease_node,
    t.lease_since, t.lease_until FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN token t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
const SCOPES: &str =
    "SELECT s.instance, s.n, s.node, s.parent, s.owner, s.kind, s.total, s.started, s.completed,
    s.terminated FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN scope s ON s.shard = ANY (ARRAY[w.shard]) AND s.instance = w.id";
const VARIABLES: &str =
    "SELECT v.instance, v.scope, v.document FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN variables v ON v.shard = ANY (ARRAY[w.shard]) AND v.instance = w.id";
const TASKS: &str =
    "SELECT t.instance, t.n, t.node, t.name, t.assignee, t.candidate_users, t.candidate_groups, t.form,
    t.priority, t.due_at, t.token, t.created_at FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN user_task t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
const TIMERS: &str = "SELECT t.instance, t.n, t.node, t.token, t.scope, t.due_at, t.kind, t.visits, t.cycle
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN timer t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
const SUBSCRIPTIONS: &str =
    "SELECT t.instance, t.n, t.node, t.token, t.scope, t.kind, t.name, t.key, t.position, t.since
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN subscription t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
const RECORDS: &str = "SELECT t.instance, t.n, t.node, t.scope, t.status, t.inner_scope, t.variables
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN compensation_record t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
const SAGAS: &str = "SELECT t.instance, t.n, t.scope, t.token, t.cause, t.message, t.since
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN saga t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
const INCIDENTS: &str = "SELECT t.instance, t.n, t.token, t.kind, t.message, t.at
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN incident t ON t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.id";
pub(super) const TABLES: [&str; 10] =
    [INSTANCES, TOKENS, SCOPES, VARIABLES, TASKS, TIMERS, SUBSCRIPTIONS, RECORDS, SAGAS, INCIDENTS];

pub(super) async fn load(pool: &Pool, ids: &[InstanceId]) -> Result<Vec<Option<Loaded>>, Error> {
    let by_id = |sql| Request { sql, parameters: vec![column(ids, |id| shard(*id)), column(ids, |id| id.0)] };
    let requests = TABLES.map(by_id);
    let connection = pool.take().await?;
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    let answers = connection.together(Some(begin), &requests, Some("COMMIT")).await?;
    connection.give_back();
    let mut found = HashMap::with_capacity(ids.len());
    for (sql, rows) in TABLES.into_iter().zip(&answers) {
        for row in rows {
            match sql {
                INSTANCES => drop(found.insert(InstanceId(row.get(0)), blank(row)?)),
                _ => add(within(&mut found, row)?, sql, row)?,
            }
        }
    }
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

/// Puts a row of one of the inner tables where it belongs.
fn add(loaded: &mut Loaded, sql: &str, row: &Row) -> Result<(), Error> {
    match sql {
        TOKENS => loaded.tokens.push(token(row)?),
        SCOPES => loaded.scopes.push(scope(row)?),
        VARIABLES => loaded.variables.push((number(row.get(1))?, row.get(2))),
        TASKS => loaded.tasks.push(task(row)?),
        TIMERS => loaded.timers.push(timer(row)?),
        SUBSCRIPTIONS => loaded.subscriptions.push(subscription(row)?),
        RECORDS => loaded.records.push(record(row)?),
        SAGAS => loaded.sagas.push(saga(row)?),
        _ => loaded.incidents.push(incident(row)?),
    }
    Ok(())
}

/// The instance that the row belongs to.
fn within<'a>(found: &'a mut HashMap<InstanceId, Loaded>, row: &Row) -> Result<&'a mut Loaded, Error> {
    let id = InstanceId(row.get(0));
    let orphan = || Error::Damaged(format!("there are rows of instance {id}, but not its own"));
    found.get_mut(&id).ok_or_else(orphan)
}

pub(super) fn word<W: Word>(row: &Row, column: usize) -> Result<W, Error> {
    W::read(row.get(column))
}

pub(super) fn tenant(row: &Row, column: usize) -> Tenant {
    Tenant::from(row.get::<_, &str>(column))
}

fn moment(row: &Row, column: usize) -> Option<Timestamp> {
    row.get::<_, Option<i64>>(column).map(Timestamp)
}

fn optional(row: &Row, column: usize) -> Result<Option<Number>, Error> {
    row.get::<_, Option<i64>>(column).map(number).transpose()
}

pub(super) fn priority(row: &Row, column: usize) -> Result<u8, Error> {
    let stored: i16 = row.get(column);
    u8::try_from(stored).map_err(|_| Error::Damaged(format!("{stored} is no priority")))
}

/// The instance, without what is inside.
fn blank(row: &Row) -> Result<Loaded, Error> {
    let parent = match (row.get::<_, Option<i64>>(13), optional(row, 14)?) {
        (Some(instance), Some(number)) => Some(ItemId { instance: InstanceId(instance), number }),
        _ => None,
    };
    let instance = InstanceRow {
        status: word::<Status>(row, 1)?,
        version: row.get::<_, i64>(2).cast_unsigned(),
        counter: number(row.get(3))?,
        definition: row.get(4),
        tenant: tenant(row, 16),
        business_key: row.get(5),
        started_by: row.get(6),
        priority: priority(row, 7)?,
        parent,
        start_key: row.get(15),
        started_at: Timestamp(row.get(8)),
        ended_at: moment(row, 9),
        retries: number(row.get(10))?,
        errors: number(row.get(11))?,
        last_error: row.get(12),
    };
    Ok(Loaded {
        id: InstanceId(row.get(0)),
        instance,
        tokens: Vec::new(),
        scopes: Vec::new(),
        variables: Vec::new(),
        tasks: Vec::new(),
        timers: Vec::new(),
        subscriptions: Vec::new(),
        records: Vec::new(),
        sagas: Vec::new(),
        incidents: Vec::new(),
    })
}

fn token(row: &Row) -> Result<LoadedToken, Error> {
    let job = match (optional(row, 17)?, row.get::<_, Option<&str>>(18)) {
        (Some(number), Some(job_type)) => Some(Job { number, job_type: job_type.into() }),
        _ => None,
    };
    Ok(LoadedToken {
        number: number(row.get(1))?,
        node: row.get(2),
        flow: row.get(3),
        status: word::<TokenStatus>(row, 4)?,
        wait: words::read_wait(row.get(5), optional(row, 6)?, job)?,
        mode: word::<Mode>(row, 7)?,
        scope: number(row.get(8))?,
        owns: optional(row, 9)?,
        branch: optional(row, 10)?,
        parent: optional(row, 11)?,
        group: optional(row, 12)?,
        marks: row.get::<_, Option<&str>>(13).map_or(Ok(Vec::new()), words::read_names)?,
        attempt: number(row.get(14))?,
        tries: optional(row, 15)?,
        since: Timestamp(row.get(16)),
        lease: lease(row)?,
    })
}

fn lease(row: &Row) -> Result<Option<Lease>, Error> {
    let Some(worker) = row.get::<_, Option<&str>>(20) else {
        return Ok(None);
    };
    Ok(Some(Lease {
        number: number(row.get(19))?,
        worker: worker.into(),
        node: row.get::<_, Option<i64>>(21).map(node::number),
        since: moment(row, 22).unwrap_or_default(),
        until: moment(row, 23),
    }))
}

/// Instance, number and node come first.
fn stored<T>(row: &Row, rest: T) -> Result<Stored<T>, Error> {
    Ok(Stored { number: number(row.get(1))?, node: row.get(2), row: rest })
}

fn scope(row: &Row) -> Result<Stored<ScopeRow>, Error> {
    let kind = words::read_scope_kind(row.get(5), optional(row, 6)?)?;
    let rounds = (number(row.get(7))?, number(row.get(8))?, number(row.get(9))?);
    let (parent, owner) = (number(row.get(3))?, number(row.get(4))?);
    stored(row, ScopeRow { parent, owner, node: NAMED, kind, rounds })
}

pub(super) fn task(row: &Row) -> Result<Stored<Task>, Error> {
    let asked = TaskCreated {
        task: number(row.get(1))?,
        name: row.get(3),
        assignee: row.get(4),
        candidate_users: words::read_names(row.get(5))?,
        candidate_groups: words::read_names(row.get(6))?,
        form: row.get(7),
        priority: priority(row, 8)?,
        due: moment(row, 9),
    };
    let (token, created_at) = (number(row.get(10))?, Timestamp(row.get(11)));
    stored(row, Task { token, node: NAMED, asked, created_at })
}

fn timer(row: &Row) -> Result<Stored<Timer>, Error> {
    let timer = Timer {
        token: optional(row, 3)?,
        scope: optional(row, 4)?,
        node: NAMED,
        due: Timestamp(row.get(5)),
        kind: words::read_timer_kind(row.get(6), row.get(7))?,
        cycle: row.get::<_, Option<&str>>(8).map(Into::into),
    };
    stored(row, timer)
}

fn subscription(row: &Row) -> Result<Stored<Subscription>, Error> {
    let wanted = words::read_wanted(row.get(5), row.get(6), row.get(7), optional(row, 8)?)?;
    let (token, scope, since) = (optional(row, 3)?, optional(row, 4)?, Timestamp(row.get(9)));
    stored(row, Subscription { token, scope, node: NAMED, wanted, since })
}

fn record(row: &Row) -> Result<Stored<Record>, Error> {
    let variables = Variables::parse(row.get(6))
        .map_err(|error| Error::Damaged(format!("a compensation record: {error}")))?;
    let (scope, inner) = (number(row.get(3))?, optional(row, 5)?);
    stored(row, Record { scope, node: NAMED, variables, inner, status: word(row, 4)? })
}

fn saga(row: &Row) -> Result<(Number, Saga), Error> {
    let (scope, token) = (number(row.get(2))?, number(row.get(3))?);
    let since = optional(row, 6)?;
    Ok((number(row.get(1))?, Saga { scope, token, cause: word(row, 4)?, message: row.get(5), since }))
}

fn incident(row: &Row) -> Result<(Number, Incident), Error> {
    let incident = Incident {
        token: optional(row, 2)?,
        kind: word(row, 3)?,
        message: row.get(4),
        at: Timestamp(row.get(5)),
    };
    Ok((number(row.get(1))?, incident))
}

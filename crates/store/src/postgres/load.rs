//! One instance is one range of keys in each table; all tables are read in one round trip and as of one moment.
//!
//! The schema makes a column of the wrong type or without a value impossible, so rows are read without asking; what a
//! text says is another matter.

use std::collections::HashMap;

use tokio_postgres::Row;
use tyer_engine::{
    Incident, InstanceId, Job, Mode, Number, Status, TaskCreated, Timer, Timestamp, TokenStatus,
};

use crate::error::Error;
use crate::postgres::connection::{Request, column};
use crate::postgres::node;
use crate::postgres::pool::Pool;
use crate::postgres::write::number;
use crate::rows::{InstanceRow, Lease, Loaded, LoadedTask, LoadedToken};
use crate::shard::shard;
use crate::words::{Word, read_timer_kind};

const INSTANCES: &str =
    "SELECT i.id, i.status, i.version, i.counter, i.definition, i.business_key, i.started_by,
    i.priority, i.started_at, i.ended_at, i.retries, i.errors, i.last_error
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN process_instance i ON i.shard = w.shard AND i.id = w.id";
const TOKENS: &str =
    "SELECT t.instance, t.n, t.node, t.flow, t.status, t.mode, t.scope, t.parent, t.branch, t.attempt,
    t.since, t.job, t.job_type, t.lease, t.lease_owner, t.lease_node, t.lease_since, t.lease_until
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN token t ON t.shard = w.shard AND t.instance = w.id";
const SCOPES: &str =
    "SELECT s.instance, s.n, s.variables FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN scope s ON s.shard = w.shard AND s.instance = w.id";
const TASKS: &str =
    "SELECT t.instance, t.n, t.name, t.assignee, t.candidate_users, t.candidate_groups, t.form, t.priority,
    t.due_at, t.token, t.created_at, t.node FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN user_task t ON t.shard = w.shard AND t.instance = w.id";
const TIMERS: &str = "SELECT t.instance, t.n, t.token, t.due_at, t.kind, t.visits
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN timer t ON t.shard = w.shard AND t.instance = w.id";
const INCIDENTS: &str = "SELECT t.instance, t.n, t.token, t.kind, t.message, t.at
    FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN incident t ON t.shard = w.shard AND t.instance = w.id";

pub(super) async fn load(pool: &Pool, ids: &[InstanceId]) -> Result<Vec<Option<Loaded>>, Error> {
    let by_id = |sql| Request { sql, parameters: vec![column(ids, |id| shard(*id)), column(ids, |id| id.0)] };
    let requests = [INSTANCES, TOKENS, SCOPES, TASKS, TIMERS, INCIDENTS].map(by_id);
    let connection = pool.take().await?;
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    let answers = connection.together(Some(begin), &requests, Some("COMMIT")).await?;
    connection.give_back();
    let [instances, tokens, scopes, tasks, timers, incidents] = &answers[..] else {
        unreachable!("every request has its answer")
    };
    let mut found = HashMap::with_capacity(instances.len());
    for row in instances {
        found.insert(InstanceId(row.get(0)), blank(row)?);
    }
    for row in tokens {
        within(&mut found, row)?.tokens.push(token(row)?);
    }
    for row in scopes {
        within(&mut found, row)?.scopes.push((number(row.get(1))?, row.get(2)));
    }
    for row in tasks {
        within(&mut found, row)?.tasks.push(task(row)?);
    }
    for row in timers {
        within(&mut found, row)?.timers.push(timer(row)?);
    }
    for row in incidents {
        within(&mut found, row)?.incidents.push(incident(row)?);
    }
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

/// The instance that the row belongs to.
fn within<'a>(found: &'a mut HashMap<InstanceId, Loaded>, row: &Row) -> Result<&'a mut Loaded, Error> {
    let id = InstanceId(row.get(0));
    let orphan = || Error::Damaged(format!("there are rows of instance {id}, but not its own"));
    found.get_mut(&id).ok_or_else(orphan)
}

fn word<W: Word>(row: &Row, column: usize) -> Result<W, Error> {
    W::read(row.get(column))
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
    let instance = InstanceRow {
        status: word::<Status>(row, 1)?,
        version: row.get::<_, i64>(2).cast_unsigned(),
        counter: number(row.get(3))?,
        definition: row.get(4),
        business_key: row.get(5),
        started_by: row.get(6),
        priority: priority(row, 7)?,
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
        tasks: Vec::new(),
        timers: Vec::new(),
        incidents: Vec::new(),
    })
}

fn token(row: &Row) -> Result<LoadedToken, Error> {
    Ok(LoadedToken {
        number: number(row.get(1))?,
        node: row.get(2),
        flow: row.get(3),
        status: word::<TokenStatus>(row, 4)?,
        mode: word::<Mode>(row, 5)?,
        scope: number(row.get(6))?,
        parent: optional(row, 7)?,
        group: optional(row, 8)?,
        attempt: number(row.get(9))?,
        since: Timestamp(row.get(10)),
        job: match (optional(row, 11)?, row.get::<_, Option<&str>>(12)) {
            (Some(number), Some(job_type)) => Some(Job { number, job_type: job_type.into() }),
            _ => None,
        },
        lease: lease(row)?,
    })
}

fn lease(row: &Row) -> Result<Option<Lease>, Error> {
    let Some(worker) = row.get::<_, Option<&str>>(14) else {
        return Ok(None);
    };
    Ok(Some(Lease {
        number: number(row.get(13))?,
        worker: worker.into(),
        node: row.get::<_, Option<i64>>(15).map(node::number),
        since: moment(row, 16).unwrap_or_default(),
        until: moment(row, 17),
    }))
}

pub(super) fn task(row: &Row) -> Result<LoadedTask, Error> {
    let names = |column: usize| {
        let text: &str = row.get(column);
        serde_json::from_str(text)
            .map_err(|error| Error::Damaged(format!("`{text}` is no list of names: {error}")))
    };
    let asked = TaskCreated {
        task: number(row.get(1))?,
        name: row.get(2),
        assignee: row.get(3),
        candidate_users: names(4)?,
        candidate_groups: names(5)?,
        form: row.get(6),
        priority: priority(row, 7)?,
        due: moment(row, 8),
    };
    Ok(LoadedTask { asked, token: number(row.get(9))?, created_at: Timestamp(row.get(10)) })
}

fn timer(row: &Row) -> Result<(Number, Timer), Error> {
    let kind = read_timer_kind(row.get(4), row.get(5))?;
    Ok((number(row.get(1))?, Timer { token: number(row.get(2))?, due: Timestamp(row.get(3)), kind }))
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

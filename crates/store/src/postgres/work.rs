//! Claims, leases, due timers: what is not a turn.
//!
//! **Invariant:** a claim touches only the lease columns and the status of a ready token.
//! **Invariant:** nothing here waits for a lock while it holds one.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_postgres::Row;
use tyer_engine::{InstanceId, ItemId, Job, Timestamp};

use crate::error::Error;
use crate::postgres::connection::{Connection, Parameter, Request};
use crate::postgres::glance::{self, is_due};
use crate::postgres::mail;
use crate::postgres::node::Lives;
use crate::postgres::pool::Pool;
use crate::postgres::views::rows_at_most;
use crate::postgres::write::number;
use crate::rows::{Claim, Claimed, Due, Woken};
use crate::shard::shard;
use crate::tenant::Tenant;

/// When expired leases could not be taken back because their rows were locked: look again after this.
const LOOK_AGAIN_MS: i64 = 20;

/// The row that was locked may be newer than the one the statement began with. Then the variables are too old for it:
/// `t.job = picked.job` leaves it for the next claim. A token sees the variables of its scope and of all around it: those
/// follow the jobs, each once, however many of the jobs see them.
macro_rules! claim {
    ($of:literal) => {
        concat!(
            "WITH RECURSIVE picked AS MATERIALIZED (
        SELECT ready.*, wanted.place
        FROM unnest($1::text[]) WITH ORDINALITY AS wanted (job_type, place)
        CROSS JOIN LATERAL (
            SELECT shard, instance, n, job, coalesce(owns, branch, scope) AS scope FROM token
            WHERE status = 'ready' AND job_type = wanted.job_type AND ",
            $of,
            " ORDER BY instance, n LIMIT $2::bigint FOR UPDATE SKIP LOCKED) AS ready
        LIMIT $2::bigint),
    taken AS (UPDATE token t SET status = 'executing', lease = t.lease + 1, lease_owner = $3::text, lease_node = $4::bigint,
        lease_since = $5::bigint, lease_until = $6::bigint
    FROM picked
    JOIN process_instance i ON i.shard = ANY (ARRAY[picked.shard]) AND i.id = picked.instance
    WHERE t.shard = ANY (ARRAY[picked.shard]) AND (t.instance, t.n) = (picked.instance, picked.n) AND t.job = picked.job
    RETURNING t.shard, t.instance, picked.scope, picked.place, i.definition, t.n, t.node, t.job, t.lease, t.attempt),
    around (shard, instance, scope) AS (
        SELECT shard, instance, scope FROM taken
        UNION
        SELECT s.shard, s.instance, s.parent FROM around
        JOIN scope s ON s.shard = ANY (ARRAY[around.shard]) AND (s.instance, s.n) = (around.instance, around.scope))
    SELECT instance, scope, place, definition, n, node, job, lease, attempt, NULL::bigint, NULL::text FROM taken
    UNION ALL
    SELECT a.instance, a.scope, NULL, NULL, NULL, NULL, NULL, NULL, NULL, s.parent, v.document FROM around a
    LEFT JOIN scope s ON s.shard = ANY (ARRAY[a.shard]) AND (s.instance, s.n) = (a.instance, a.scope)
    LEFT JOIN variables v ON v.shard = ANY (ARRAY[a.shard]) AND (v.instance, v.scope) = (a.instance, a.scope)"
        )
    };
}

/// Ready jobs: of all tenants, of the default one, or of one with a name, which has an index for it.
fn claim_of(tenant: Option<&Tenant>) -> &'static str {
    match tenant.map(Tenant::as_str) {
        None => claim!("$7::text IS NULL"),
        Some("") => claim!("tenant = $7::text"),
        Some(_) => claim!("tenant = $7::text AND tenant <> ''"),
    }
}

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) fn statements() -> [&'static str; 5] {
    [claim_of(None), claim_of(Some(&Tenant::default())), EXPIRE, DUE, IN_DOUBT]
}

pub(super) async fn claim(pool: &Pool, lives: &Lives, claim: &Claim) -> Result<Vec<Claimed>, Error> {
    let lease = &claim.lease;
    let types: Vec<&str> = claim.types.iter().map(|one| &**one).collect();
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(types),
        Box::new(i64::try_from(claim.max).unwrap_or(i64::MAX)),
        Box::new(&*lease.worker),
        Box::new(lease.node.map(|node| lives.life(node))),
        Box::new(lease.since.0),
        Box::new(lease.until.map(|until| until.0)),
        Box::new(claim.tenant.as_ref().map(Tenant::as_str)),
    ];
    let connection = pool.take().await?;
    let sql = claim_of(claim.tenant.as_ref());
    let rows = connection.query(Request { sql, parameters }).await?;
    connection.give_back();
    let (mut jobs, scopes): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.get::<_, Option<i64>>(PLACE).is_some());
    jobs.sort_by_key(|row| (row.get::<_, i64>(PLACE), row.get::<_, i64>(0), row.get::<_, i64>(4)));
    let scopes = scopes.into_iter().map(scope_around).collect();
    jobs.into_iter().map(|row| claimed(row, claim, &scopes)).collect()
}

/// Where a row of a claim says which of the types it is; a scope is none.
const PLACE: usize = 2;

/// Scopes by instance and number.
type Scopes = HashMap<(i64, i64), Around>;
/// The scope around one, and its own variables.
type Around = (Option<i64>, Option<Arc<str>>);

fn scope_around(row: &Row) -> ((i64, i64), Around) {
    ((row.get(0), row.get(1)), (row.get(9), row.get::<_, Option<&str>>(10).map(Arc::from)))
}

fn claimed(row: &Row, claim: &Claim, scopes: &Scopes) -> Result<Claimed, Error> {
    let place = usize::try_from(row.get::<_, i64>(PLACE) - 1).expect("an ordinal begins at 1");
    let instance: i64 = row.get(0);
    let around = |scope: &i64| scopes.get(&(instance, *scope)).and_then(|(parent, _)| *parent);
    let chain = std::iter::successors(Some(row.get::<_, i64>(1)), around);
    let document = |scope: i64| scopes.get(&(instance, scope)).and_then(|(_, document)| document.clone());
    Ok(Claimed {
        instance: InstanceId(instance),
        definition: row.get(3),
        token: number(row.get(4))?,
        node: row.get(5),
        job: Job { number: number(row.get(6))?, job_type: Arc::clone(&claim.types[place]) },
        lease: number(row.get(7))?,
        attempt: number(row.get(8))?,
        variables: chain.filter_map(document).collect(),
    })
}

const EXTEND: &str = "UPDATE token SET lease_until = $5::bigint
    WHERE shard = $1::smallint AND instance = $2::bigint AND job = $3::bigint AND lease = $4::bigint
    AND status = 'executing' AND lease_until IS NOT NULL AND tenant = $6::text RETURNING n";

pub(super) async fn extend(
    pool: &Pool,
    tenant: &Tenant,
    job: ItemId,
    lease: u32,
    until: Timestamp,
) -> Result<bool, Error> {
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(shard(job.instance)),
        Box::new(job.instance.0),
        Box::new(i64::from(job.number)),
        Box::new(i64::from(lease)),
        Box::new(until.0),
        Box::new(tenant.as_str()),
    ];
    let connection = pool.take().await?;
    let rows = connection.query(Request { sql: EXTEND, parameters }).await?;
    connection.give_back();
    Ok(!rows.is_empty())
}

const DUE: &str = "SELECT instance, n, due_at FROM timer WHERE NOT held AND due_at <= $1::bigint
    ORDER BY due_at, instance, n LIMIT $2::bigint";
const NEXT: &str = "SELECT min(due_at) FROM timer WHERE NOT held AND due_at > $1::bigint";
const NEXT_END: &str = "SELECT min(lease_until) FROM token WHERE lease_until IS NOT NULL";
/// The instance's row is locked too, so that a pause that is being committed is not missed.
const EXPIRE: &str = "WITH over AS (SELECT t.shard, t.instance, t.n, t.lease, i.status FROM token t
        JOIN process_instance i ON i.shard = ANY (ARRAY[t.shard]) AND i.id = t.instance
        WHERE t.lease_until IS NOT NULL AND t.lease_until <= $1::bigint
        AND t.mode <> 'finishing'
        FOR UPDATE OF t SKIP LOCKED FOR SHARE OF i SKIP LOCKED)
    UPDATE token t SET lease_owner = NULL, lease_node = NULL, lease_since = NULL, lease_until = NULL,
        status = CASE over.status WHEN 'paused' THEN 'created' ELSE 'ready' END
    FROM over WHERE t.shard = ANY (ARRAY[over.shard]) AND (t.instance, t.n) = (over.instance, over.n) AND t.lease = over.lease
    RETURNING t.job_type";

const IN_DOUBT: &str = "SELECT t.instance, t.job FROM token t
    WHERE t.lease_until IS NOT NULL AND t.lease_until <= $1::bigint AND t.job IS NOT NULL
    AND t.mode = 'finishing'
    LIMIT $2::bigint";

/// Asks what is due only of those who have something to say.
pub(super) async fn wake(pool: &Pool, now: Timestamp, limit: usize) -> Result<Woken, Error> {
    let connection = pool.take().await?;
    let glance = glance::look(&connection, now).await?;
    let (mut timer, mut lease, mut start) = (glance.timer, glance.lease, glance.start);
    let mut woken = Woken::default();
    if is_due(timer, now) {
        timer = fire(&connection, now, limit, &mut woken).await?;
    }
    if is_due(lease, now) {
        lease = expire(&connection, now, limit, &mut woken).await?;
    }
    if glance.has_mail(now) {
        let mail = mail::due(&connection, now, limit).await?;
        (woken.starts, woken.letters, start) = (mail.starts, mail.letters, mail.next_start);
    }
    connection.give_back();
    woken.next = timer.into_iter().chain(lease).chain(start).min();
    woken.ready = glance.ready;
    Ok(woken)
}

/// Names timers that are due; answers when the next one is.
async fn fire(
    connection: &Connection,
    now: Timestamp,
    limit: usize,
    woken: &mut Woken,
) -> Result<Option<Timestamp>, Error> {
    let due = Request { sql: DUE, parameters: vec![Box::new(now.0), Box::new(rows_at_most(limit))] };
    let next = Request { sql: NEXT, parameters: vec![Box::new(now.0)] };
    let answers = connection.together(None, &[due, next], None).await?;
    woken.due = answers[0].iter().map(read_due).collect::<Result<_, _>>()?;
    Ok(read_moment(&answers[1]))
}

/// Takes back leases that are over, or names their jobs; answers when the next one ends.
async fn expire(
    connection: &Connection,
    now: Timestamp,
    limit: usize,
    woken: &mut Woken,
) -> Result<Option<Timestamp>, Error> {
    let expire = Request { sql: EXPIRE, parameters: vec![Box::new(now.0)] };
    let next = Request { sql: NEXT_END, parameters: Vec::new() };
    let doubt = Request { sql: IN_DOUBT, parameters: vec![Box::new(now.0), Box::new(rows_at_most(limit))] };
    let answers = connection.together(None, &[expire, next, doubt], None).await?;
    woken.in_doubt = answers[2].iter().map(read_item).collect::<Result<_, _>>()?;
    woken.freed = answers[0].iter().map(|row| row.get::<_, String>(0).into()).collect();
    woken.freed.sort();
    woken.freed.dedup();
    Ok(read_moment(&answers[1]).map(|until| if until > now { until } else { now.plus_ms(LOOK_AGAIN_MS) }))
}

fn read_item(row: &Row) -> Result<ItemId, Error> {
    Ok(ItemId { instance: InstanceId(row.get(0)), number: number(row.get(1))? })
}

fn read_due(row: &Row) -> Result<Due, Error> {
    Ok(Due { instance: InstanceId(row.get(0)), timer: number(row.get(1))?, at: Timestamp(row.get(2)) })
}

/// The one moment that was asked for.
fn read_moment(rows: &[Row]) -> Option<Timestamp> {
    rows.first().and_then(|row| row.get::<_, Option<i64>>(0)).map(Timestamp)
}

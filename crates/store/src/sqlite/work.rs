//! Claims, leases, due timers: what is not a turn.
//!
//! **Invariant:** a claim touches only the lease columns and the status of a ready token.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rusqlite::{Connection, Row, TransactionBehavior, params};
use tyer_engine::{InstanceId, ItemId, Job, Number, ROOT, Timestamp};

use crate::error::Error;
use crate::mail::{Letter, StartEvent};
use crate::rows::{Claim, Claimed, Due, NodeLease};
use crate::sqlite::{at_most, complaint, mail};
use crate::tenant::Tenant;

/// How long a node may be silent before others take its jobs.
const NODE_LEASE_MS: i64 = 10_000;

pub(super) fn claim(connection: &mut Connection, claim: &Claim) -> Result<Vec<Claimed>, Error> {
    claim_all(connection, claim).map_err(complaint)
}

fn claim_all(connection: &mut Connection, claim: &Claim) -> rusqlite::Result<Vec<Claimed>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut claimed = Vec::new();
    let mut documents = Documents::new();
    {
        let tenant = claim.tenant.as_ref().map(Tenant::as_str);
        let mut find = transaction.prepare_cached(ready(tenant))?;
        let mut take = transaction.prepare_cached(
            "UPDATE token SET status = 'executing', lease = lease + 1, lease_owner = ?3, lease_node = ?4,
             lease_since = ?5, lease_until = ?6 WHERE instance = ?1 AND n = ?2",
        )?;
        for job_type in &claim.types {
            let left = claim.max - claimed.len();
            let rows = find
                .query_map(params![&**job_type, at_most(left), tenant], |row| read_claimed(row, job_type))?;
            for row in rows {
                let (scope, job) = row?;
                let variables = seen(&transaction, &mut documents, job.instance, scope)?;
                claimed.push(Claimed { variables, ..job });
            }
        }
        let lease = &claim.lease;
        let until = lease.until.map(|until| until.0);
        for job in &claimed {
            let (instance, token) = (job.instance.0, job.token);
            take.execute(params![instance, token, &*lease.worker, lease.node, lease.since.0, until])?;
        }
    }
    if !claimed.is_empty() {
        transaction.commit()?;
    }
    Ok(claimed)
}

macro_rules! ready {
    ($of:literal) => {
        concat!(
            "SELECT t.instance, i.definition, t.n, t.node, t.job, t.lease + 1, t.attempt,
             coalesce(t.owns, t.branch, t.scope) FROM token t JOIN process_instance i ON i.id = t.instance
             WHERE t.status = 'ready' AND t.job_type = ?1 AND ",
            $of,
            " ORDER BY t.instance, t.n LIMIT ?2"
        )
    };
}

/// Ready jobs of a type: of all tenants, of the default one, or of one with a name, which has an index for it.
fn ready(tenant: Option<&str>) -> &'static str {
    match tenant {
        None => ready!("?3 IS NULL"),
        Some("") => ready!("t.tenant = ?3"),
        Some(_) => ready!("t.tenant = ?3 AND t.tenant <> ''"),
    }
}

/// What was read of scopes: the one around each, and its variables.
type Documents = HashMap<(InstanceId, Number), (Option<Number>, Option<Arc<str>>)>;

/// The variables that a scope sees: its own first, those of the root last.
fn seen(
    connection: &Connection,
    documents: &mut Documents,
    instance: InstanceId,
    mut scope: Number,
) -> rusqlite::Result<Vec<Arc<str>>> {
    let mut find = connection.prepare_cached(
        "SELECT (SELECT parent FROM scope WHERE instance = ?1 AND n = ?2),
                (SELECT document FROM variables WHERE instance = ?1 AND scope = ?2)",
    )?;
    let mut seen = Vec::new();
    loop {
        let (parent, document) = match documents.entry((instance, scope)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let read =
                    find.query_row(params![instance.0, scope], |row| Ok((row.get(0)?, row.get(1)?)))?;
                new.insert(read).clone()
            }
        };
        seen.extend(document);
        let Some(parent) = parent.filter(|_| scope != ROOT) else { return Ok(seen) };
        scope = parent;
    }
}

/// The scope in which the job's token reads, and the job, still without variables.
fn read_claimed(row: &Row<'_>, job_type: &Arc<str>) -> rusqlite::Result<(Number, Claimed)> {
    let claimed = Claimed {
        instance: InstanceId(row.get(0)?),
        definition: row.get(1)?,
        token: row.get(2)?,
        node: row.get(3)?,
        job: Job { number: row.get(4)?, job_type: Arc::clone(job_type) },
        lease: row.get(5)?,
        attempt: row.get(6)?,
        variables: Vec::new(),
    };
    Ok((row.get(7)?, claimed))
}

pub(super) fn extend(
    connection: &mut Connection,
    tenant: &Tenant,
    job: ItemId,
    lease: u32,
    until: Timestamp,
) -> Result<bool, Error> {
    let sql = "UPDATE token SET lease_until = ?4 WHERE instance = ?1 AND job = ?2 AND lease = ?3
               AND status = 'executing' AND lease_until IS NOT NULL AND tenant = ?5";
    let parameters = params![job.instance.0, job.number, lease, until.0, tenant.as_str()];
    let changed = connection.execute(sql, parameters);
    changed.map(|rows| rows == 1).map_err(complaint)
}

/// What is due, and whether leases have expired.
pub(super) struct DueNow {
    pub(super) due: Vec<Due>,
    pub(super) next: Option<Timestamp>,
    pub(super) expired: bool,
    pub(super) in_doubt: Vec<ItemId>,
    pub(super) starts: Vec<StartEvent>,
    pub(super) letters: Vec<Letter>,
    pub(super) messages_over: bool,
}

pub(super) fn due(connection: &mut Connection, now: Timestamp, limit: usize) -> Result<DueNow, Error> {
    due_now(connection, now, limit).map_err(complaint)
}

fn due_now(connection: &mut Connection, now: Timestamp, limit: usize) -> rusqlite::Result<DueNow> {
    let mut timers = connection.prepare_cached(
        "SELECT instance, n, due_at FROM timer WHERE held = 0 AND due_at <= ?1 ORDER BY due_at LIMIT ?2",
    )?;
    let due = timers
        .query_map(params![now.0, at_most(limit)], |row| {
            Ok(Due { instance: InstanceId(row.get(0)?), timer: row.get(1)?, at: Timestamp(row.get(2)?) })
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut earliest = connection.prepare_cached(
        "SELECT (SELECT min(due_at) FROM timer WHERE held = 0 AND due_at > ?1),
                (SELECT min(lease_until) FROM token WHERE lease_until > ?1),
                EXISTS (SELECT 1 FROM token WHERE lease_until <= ?1),
                EXISTS (SELECT 1 FROM message WHERE expires_at < ?1)",
    )?;
    let (timer, lease, expired, messages_over): (Option<i64>, Option<i64>, bool, bool) =
        earliest.query_row([now.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let (starts, start) = mail::due_starts(connection, now, limit)?;
    let next = [timer, lease].into_iter().flatten().map(Timestamp).chain(start).min();
    let letters = mail::due(connection, now, limit)?;
    let in_doubt = if expired { in_doubt(connection, now, limit)? } else { Vec::new() };
    Ok(DueNow { due, next, expired, in_doubt, starts, letters, messages_over })
}

/// A saga waits for the job.
const UNDONE: &str = "mode = 'finishing'";
/// A token goes back to ready, or to created while its instance is paused.
const FREE: &str =
    "UPDATE token SET lease_owner = NULL, lease_node = NULL, lease_since = NULL, lease_until = NULL,
    status = CASE (SELECT i.status FROM process_instance i WHERE i.id = token.instance)
             WHEN 'paused' THEN 'created' ELSE 'ready' END";

pub(super) fn expire(connection: &mut Connection, now: Timestamp) -> Result<Vec<Arc<str>>, Error> {
    let sql = format!(
        "{FREE} WHERE lease_until IS NOT NULL AND lease_until <= ?1 AND NOT {UNDONE} RETURNING job_type"
    );
    freed(connection, &sql, now.0).map_err(complaint)
}

/// Jobs whose leases have expired and that a saga waits for.
fn in_doubt(connection: &Connection, now: Timestamp, limit: usize) -> rusqlite::Result<Vec<ItemId>> {
    let sql = format!(
        "SELECT instance, job FROM token WHERE lease_until IS NOT NULL AND lease_until <= ?1 AND job IS NOT NULL
         AND {UNDONE} LIMIT ?2"
    );
    let read = |row: &Row<'_>| Ok(ItemId { instance: InstanceId(row.get(0)?), number: row.get(1)? });
    connection.prepare_cached(&sql)?.query_map(params![now.0, at_most(limit)], read)?.collect()
}

fn freed(connection: &mut Connection, sql: &str, key: i64) -> rusqlite::Result<Vec<Arc<str>>> {
    let mut update = connection.prepare_cached(sql)?;
    let rows = update.query_map([key], |row| row.get::<_, String>(0))?;
    let mut types: Vec<Arc<str>> = rows.map(|row| row.map(Arc::from)).collect::<rusqlite::Result<_>>()?;
    types.sort();
    types.dedup();
    Ok(types)
}

/// The file lock says that nobody else lives here, so there is one number, and what a former process held is free.
pub(super) fn hold_node(
    connection: &mut Connection,
    held: Option<NodeLease>,
    owner: &str,
    now: Timestamp,
) -> Result<NodeLease, Error> {
    let number = 0;
    let run = |connection: &mut Connection| -> rusqlite::Result<NodeLease> {
        let high_water: i64 = connection.query_row(
            "SELECT coalesce(max(high_water), 0) FROM node WHERE number = ?1",
            [number],
            |row| row.get(0),
        )?;
        if held.is_none() {
            connection.execute(
                &format!(
                    "UPDATE token SET lease_node = NULL, lease_until = 0 WHERE lease_node = ?1 AND {UNDONE}"
                ),
                [number],
            )?;
            freed(
                connection,
                &format!("{FREE} WHERE lease_node = ?1 RETURNING job_type"),
                i64::from(number),
            )?;
            // Nobody knows whether receivers were looked for.
            connection.execute("UPDATE message SET due_at = 0", [])?;
            // Nor whether what was in the hands of the last life has arrived.
            connection.execute("UPDATE outbox SET due_at = 0 WHERE state = 'ready'", [])?;
        }
        // A renewal ends no later for being one of many; a new life begins above all that came before.
        let until = match held {
            Some(_) => high_water.max(now.0 + NODE_LEASE_MS),
            None => high_water.max(now.0) + NODE_LEASE_MS,
        };
        connection.execute(
            "INSERT INTO node (number, owner, until, high_water) VALUES (?1, ?2, ?3, ?3)
             ON CONFLICT DO UPDATE SET owner = excluded.owner, until = excluded.until, high_water = excluded.high_water",
            params![number, owner, until],
        )?;
        let (until, high_water) = (Timestamp(until), Timestamp(high_water));
        Ok(NodeLease { number, until, high_water, store_time: now, news: None })
    };
    run(connection).map_err(complaint)
}

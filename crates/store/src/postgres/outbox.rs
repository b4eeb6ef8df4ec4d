//! Streams to sinks: added to by turns, taken when due, marked.
//!
//! **Invariant:** marking locks one row at a time, so it never waits for a batch that waits for it.

use std::sync::Arc;

use tokio_postgres::Row;
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::outbox::{Delivered, Deliveries, Delivery, Piece, Sink, Stream};
use crate::postgres::connection::{Connection, Parameter, Request, column};
use crate::postgres::pool::Pool;
use crate::postgres::views::{ask, rows_at_most};
use crate::shard::shard;

/// Rows are locked in the order of their keys: `pieces` come sorted.
const ADD: &str =
    "INSERT INTO outbox (shard, instance, sink, next_seq, last_seq, due_at, state, attempt, lease)
    SELECT shard, instance, sink, next_seq, last_seq, due_at, 'ready', 0, 0
    FROM unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS w (shard, instance, sink, next_seq, last_seq, due_at)
    ON CONFLICT (shard, instance, sink) DO UPDATE SET last_seq = excluded.last_seq";
const CHANGE_SINK: &str =
    "UPDATE sink SET kind = $2::text, settings = $3::text WHERE name = $1::text RETURNING name";
const FORGET_STREAMS: &str = "DELETE FROM outbox WHERE sink = $1::text";
const INSERT_SINK: &str = "INSERT INTO sink (name, kind, settings, since)
    VALUES ($1::text, $2::text, $3::text, $4::bigint) ON CONFLICT DO NOTHING RETURNING name";
const DROP_SINK: &str = "DELETE FROM sink WHERE name = $1::text RETURNING name";
const SINKS: &str = "SELECT name, kind, settings, since FROM sink ORDER BY name";
const TAKE: &str = "UPDATE outbox o SET due_at = $3::bigint, lease = o.lease + 1
    FROM (SELECT shard, instance, sink, due_at FROM outbox WHERE sink = $1::text AND state = 'ready' AND due_at <= $2::bigint
          ORDER BY due_at, instance LIMIT $4::bigint FOR UPDATE SKIP LOCKED) w
    WHERE o.shard = w.shard AND o.instance = w.instance AND o.sink = w.sink
    RETURNING o.instance, o.next_seq, o.last_seq, o.attempt, o.lease, w.due_at";
const NEXT: &str =
    "SELECT min(due_at) FROM outbox WHERE sink = $1::text AND state = 'ready' AND due_at > $2::bigint";
const FINISH: &str =
    "DELETE FROM outbox WHERE shard = $1::smallint AND instance = $2::bigint AND sink = $3::text
    AND lease = $4::bigint AND last_seq <= $5::bigint AND next_seq = $6::bigint RETURNING lease";
const ADVANCE: &str =
    "UPDATE outbox SET next_seq = $5::bigint + 1, attempt = 0, due_at = $7::bigint, error = NULL
    WHERE shard = $1::smallint AND instance = $2::bigint AND sink = $3::text AND lease = $4::bigint
    AND next_seq = $6::bigint RETURNING lease";
const FAIL: &str = "UPDATE outbox SET next_seq = $5::bigint + 1, attempt = $7::bigint, due_at = $8::bigint,
    error = $9::text, state = $10::text
    WHERE shard = $1::smallint AND instance = $2::bigint AND sink = $3::text AND lease = $4::bigint
    AND next_seq = $6::bigint RETURNING lease";
const DEAD: &str = "SELECT instance, next_seq, last_seq, attempt, due_at, coalesce(error, '') FROM outbox
    WHERE sink = $1::text AND state = 'dead' AND instance > $2::bigint ORDER BY instance LIMIT $3::bigint";
const REDELIVER: &str = "UPDATE outbox SET state = 'ready', attempt = 0, due_at = $3::bigint
    WHERE sink = $1::text AND state = 'dead' AND ($2::bigint IS NULL OR instance = $2::bigint) RETURNING instance";

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 2] = [NEXT, DEAD];

pub(super) fn add<'a>(pieces: &[Piece]) -> Request<'a> {
    let parameters = vec![
        column(pieces, |piece| shard(piece.instance)),
        column(pieces, |piece| piece.instance.0),
        column(pieces, |piece| piece.sink.to_string()),
        column(pieces, |piece| piece.first_seq.cast_signed()),
        column(pieces, |piece| piece.last_seq.cast_signed()),
        column(pieces, |piece| piece.at.0),
    ];
    Request { sql: ADD, parameters }
}

pub(super) async fn keep_sink(pool: &Pool, sink: &Sink) -> Result<bool, Error> {
    let said = || -> Vec<Parameter<'_>> {
        vec![Box::new(&*sink.name), Box::new(sink.kind.as_str()), Box::new(sink.settings.as_str())]
    };
    let connection = pool.take().await?;
    connection.run("BEGIN").await?;
    let known = connection.query(Request { sql: CHANGE_SINK, parameters: said() }).await?;
    let mut new = false;
    if known.is_empty() {
        forget(&connection, &sink.name).await?;
        let mut parameters = said();
        parameters.push(Box::new(sink.since.0));
        new = !connection.query(Request { sql: INSERT_SINK, parameters }).await?.is_empty();
    }
    connection.run("COMMIT").await?;
    connection.give_back();
    Ok(new)
}

pub(super) async fn drop_sink(pool: &Pool, name: &str) -> Result<bool, Error> {
    let connection = pool.take().await?;
    connection.run("BEGIN").await?;
    forget(&connection, name).await?;
    let dropped = connection.query(Request { sql: DROP_SINK, parameters: vec![Box::new(name)] }).await?;
    connection.run("COMMIT").await?;
    connection.give_back();
    Ok(!dropped.is_empty())
}

async fn forget(connection: &Connection, name: &str) -> Result<(), Error> {
    connection.query(Request { sql: FORGET_STREAMS, parameters: vec![Box::new(name)] }).await.map(drop)
}

pub(super) async fn sinks(pool: &Pool) -> Result<Vec<Sink>, Error> {
    let rows = ask(pool, SINKS, Vec::new()).await?;
    let read = |row: &Row| {
        let (name, kind, settings): (&str, String, String) = (row.get(0), row.get(1), row.get(2));
        Sink { name: name.into(), kind, settings, since: Timestamp(row.get(3)) }
    };
    Ok(rows.iter().map(read).collect())
}

pub(super) async fn take(
    pool: &Pool,
    sink: &Arc<str>,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> Result<Deliveries, Error> {
    let parameters: Vec<Parameter<'_>> =
        vec![Box::new(&**sink), Box::new(now.0), Box::new(until.0), Box::new(rows_at_most(limit))];
    let rows = ask(pool, TAKE, parameters).await?;
    let read = |row: &Row| {
        let attempt: i64 = row.get(3);
        let delivery = Delivery {
            sink: Arc::clone(sink),
            instance: InstanceId(row.get(0)),
            next_seq: row.get::<_, i64>(1).cast_unsigned(),
            last_seq: row.get::<_, i64>(2).cast_unsigned(),
            attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
            lease: row.get(4),
        };
        (row.get::<_, i64>(5), delivery)
    };
    let mut taken: Vec<(i64, Delivery)> = rows.iter().map(read).collect();
    taken.sort_by_key(|(due, delivery)| (*due, delivery.instance));
    // Whoever was due and found no place is due now.
    let after = if taken.len() == limit { i64::MIN } else { now.0 };
    let next = ask(pool, NEXT, vec![Box::new(&**sink), Box::new(after)]).await?;
    let next: Option<i64> = next.first().and_then(|row| row.get(0));
    Ok(Deliveries {
        taken: taken.into_iter().map(|(_, delivery)| delivery).collect(),
        next: next.map(Timestamp),
    })
}

pub(super) async fn mark(
    pool: &Pool,
    outcomes: &[(Delivery, Delivered)],
    now: Timestamp,
) -> Result<Vec<bool>, Error> {
    let connection = pool.take().await?;
    let mut marked = Vec::with_capacity(outcomes.len());
    for (delivery, delivered) in outcomes {
        marked.push(mark_one(&connection, delivery, delivered, now).await?);
    }
    connection.give_back();
    Ok(marked)
}

async fn mark_one(
    connection: &Connection,
    delivery: &Delivery,
    delivered: &Delivered,
    now: Timestamp,
) -> Result<bool, Error> {
    let through = match delivered {
        Delivered::Through(seq) | Delivered::Failed { through: seq, .. } => *seq,
    };
    let place = || -> Vec<Parameter<'_>> {
        let (instance, lease) = (delivery.instance, delivery.lease);
        vec![
            Box::new(shard(instance)),
            Box::new(instance.0),
            Box::new(&*delivery.sink),
            Box::new(lease),
            Box::new(through.cast_signed()),
            Box::new(delivery.next_seq.cast_signed()),
        ]
    };
    let mut parameters = place();
    let sql = match delivered {
        Delivered::Through(_) => {
            let finished = connection.query(Request { sql: FINISH, parameters: place() }).await?;
            if !finished.is_empty() {
                return Ok(true);
            }
            parameters.push(Box::new(now.0));
            ADVANCE
        }
        Delivered::Failed { through, error, again } => {
            let attempt = if *through >= delivery.next_seq { 1 } else { delivery.attempt + 1 };
            parameters.push(Box::new(i64::from(attempt)));
            parameters.push(Box::new(again.unwrap_or(now).0));
            parameters.push(Box::new(error.as_str()));
            parameters.push(Box::new(if again.is_some() { "ready" } else { "dead" }));
            FAIL
        }
    };
    Ok(!connection.query(Request { sql, parameters }).await?.is_empty())
}

pub(super) async fn dead_streams(
    pool: &Pool,
    sink: &Arc<str>,
    after: InstanceId,
    limit: usize,
) -> Result<Vec<Stream>, Error> {
    let parameters: Vec<Parameter<'_>> =
        vec![Box::new(&**sink), Box::new(after.0), Box::new(rows_at_most(limit))];
    let rows = ask(pool, DEAD, parameters).await?;
    let read = |row: &Row| Stream {
        sink: Arc::clone(sink),
        instance: InstanceId(row.get(0)),
        next_seq: row.get::<_, i64>(1).cast_unsigned(),
        last_seq: row.get::<_, i64>(2).cast_unsigned(),
        attempt: u32::try_from(row.get::<_, i64>(3)).unwrap_or(u32::MAX),
        at: Timestamp(row.get(4)),
        error: row.get(5),
    };
    Ok(rows.iter().map(read).collect())
}

pub(super) async fn redeliver(
    pool: &Pool,
    sink: &str,
    instance: Option<InstanceId>,
    now: Timestamp,
) -> Result<u64, Error> {
    let parameters: Vec<Parameter<'_>> =
        vec![Box::new(sink), Box::new(instance.map(|id| id.0)), Box::new(now.0)];
    Ok(ask(pool, REDELIVER, parameters).await?.len() as u64)
}

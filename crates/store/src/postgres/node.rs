//! Node numbers: leased by the database's clock, and counted in lives.
//!
//! **Invariant:** a job that is bound to a node is bound to one life of its number. When that life is over the job is
//! free, even if the number has a new holder, or a commit of the old one arrives late.

use std::sync::{Mutex, PoisonError};

use tokio_postgres::Row;
use tyer_engine::Timestamp;
use tyer_map::Map;

use crate::error::Error;
use crate::outbox::Sink;
use crate::postgres::connection::{Connection, Parameter, Request};
use crate::postgres::glance::{self, Glance};
use crate::postgres::pool::Pool;
use crate::rows::{News, NodeLease};

/// How long a node may be silent before others take its jobs.
const NODE_LEASE_MS: i64 = 10_000;
/// Numbers per generation.
const NUMBERS: i64 = 1024;

/// The lives of numbers that were leased through this store.
#[derive(Default)]
pub(super) struct Lives(Mutex<Map<u16, i64>>);

impl Lives {
    /// How rows name the present life of a number; generation 0 was never alive.
    pub(super) fn life(&self, number: u16) -> i64 {
        let lives = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lives.get(&number).copied().unwrap_or(0) * NUMBERS + i64::from(number)
    }

    fn note(&self, number: u16, generation: i64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(number, generation);
    }
}

/// The number of a node, from the life that a row names.
pub(super) fn number(life: i64) -> u16 {
    u16::try_from(life.rem_euclid(NUMBERS)).expect("below 1024")
}

/// The lives that hold jobs are found by skipping through the index; there are few.
macro_rules! dead {
    () => {
        "clock AS MATERIALIZED
        (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now),
    holding (life) AS (
        (SELECT lease_node FROM token WHERE lease_node IS NOT NULL ORDER BY lease_node LIMIT 1)
        UNION ALL
        SELECT (SELECT t.lease_node FROM token t WHERE t.lease_node > holding.life ORDER BY t.lease_node LIMIT 1)
        FROM holding WHERE holding.life IS NOT NULL),
    dead AS (SELECT life FROM holding, clock WHERE life IS NOT NULL AND NOT EXISTS (SELECT 1 FROM node
        WHERE node.number = life % 1024 AND node.generation = life / 1024 AND node.until >= clock.now))"
    };
}

/// A renewal brings all news with it: an idle node asks nothing else at that moment.
const RENEW: &str = concat!(
    "WITH RECURSIVE asked AS MATERIALIZED (SELECT $4::bigint AS now), ",
    dead!(),
    ", ",
    glance::ready!(),
    ", mine AS (SELECT number, high_water FROM node, clock
        WHERE number = $1::smallint AND owner = $2::text AND until >= clock.now FOR UPDATE OF node),
    renewed AS (UPDATE node SET until = greatest(node.until, clock.now + $3::bigint),
        high_water = greatest(node.until, clock.now + $3::bigint)
        FROM mine, clock WHERE node.number = mine.number
        RETURNING node.number, node.generation, node.until, mine.high_water)
    SELECT renewed.number, renewed.generation, renewed.until, renewed.high_water, clock.now,
    EXISTS (SELECT 1 FROM dead), ARRAY (SELECT name FROM sink ORDER BY name), ARRAY (SELECT kind FROM sink ORDER BY name),
    ARRAY (SELECT settings FROM sink ORDER BY name), ARRAY (SELECT since FROM sink ORDER BY name), ",
    glance::columns!(),
    " FROM renewed, clock"
);
const TAKE: &str = "WITH clock AS MATERIALIZED
        (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now),
    free AS (SELECT number, high_water FROM node, clock WHERE owner IS NULL OR until < clock.now
        ORDER BY number LIMIT 1 FOR UPDATE OF node SKIP LOCKED)
    UPDATE node SET generation = node.generation + 1, owner = $1::text,
        until = greatest(clock.now, free.high_water) + $2::bigint,
        high_water = greatest(clock.now, free.high_water) + $2::bigint
    FROM free, clock WHERE node.number = free.number
    RETURNING node.number, node.generation, node.until, free.high_water, clock.now";
/// A job that a saga waits for has run out, and stays.
const FREE_DEAD: &str = concat!(
    "WITH RECURSIVE ",
    dead!(),
    ", over AS (SELECT t.shard, t.instance, t.n, t.lease, i.status,
            t.mode = 'finishing'
            AS undone FROM dead
        JOIN token t ON t.lease_node = dead.life AND t.lease_node IS NOT NULL
        JOIN process_instance i ON i.shard = ANY (ARRAY[t.shard]) AND i.id = t.instance
        FOR UPDATE OF t SKIP LOCKED FOR SHARE OF i SKIP LOCKED)
    UPDATE token t SET lease_node = NULL,
        lease_owner = CASE WHEN over.undone THEN t.lease_owner END,
        lease_since = CASE WHEN over.undone THEN t.lease_since END,
        lease_until = CASE WHEN over.undone THEN 0 END,
        status = CASE WHEN over.undone THEN t.status WHEN over.status = 'paused' THEN 'created' ELSE 'ready' END
    FROM over WHERE t.shard = ANY (ARRAY[over.shard]) AND (t.instance, t.n) = (over.instance, over.n) AND t.lease = over.lease"
);

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [RENEW];

/// Renews the lease while it lasts; later than that it is a new life, and what the old one held is free.
pub(super) async fn hold(
    pool: &Pool,
    lives: &Lives,
    held: Option<NodeLease>,
    owner: &str,
    now: Timestamp,
) -> Result<NodeLease, Error> {
    let connection = pool.take().await?;
    let renewed = match held {
        Some(held) => renew(&connection, &held, owner, now).await?,
        None => None,
    };
    let lease = match renewed {
        Some(row) => {
            // What is freed below is no news yet: then everybody looks.
            let news = (!row.get::<_, bool>(DEAD)).then(|| news(&row, now));
            NodeLease { news, ..noted(lives, &row) }
        }
        None => noted(lives, &take(&connection, owner).await?),
    };
    if lease.news.is_none() {
        connection.query(Request { sql: FREE_DEAD, parameters: Vec::new() }).await?;
    }
    connection.give_back();
    Ok(lease)
}

async fn renew(
    connection: &Connection,
    held: &NodeLease,
    owner: &str,
    now: Timestamp,
) -> Result<Option<Row>, Error> {
    let number = i16::try_from(held.number)
        .map_err(|_| Error::Refused(format!("{} is no node number", held.number)))?;
    let parameters: Vec<Parameter<'_>> =
        vec![Box::new(number), Box::new(owner), Box::new(NODE_LEASE_MS), Box::new(now.0)];
    Ok(connection.query(Request { sql: RENEW, parameters }).await?.pop())
}

async fn take(connection: &Connection, owner: &str) -> Result<Row, Error> {
    let parameters: Vec<Parameter<'_>> = vec![Box::new(owner), Box::new(NODE_LEASE_MS)];
    let taken = connection.query(Request { sql: TAKE, parameters }).await?.pop();
    taken.ok_or_else(|| Error::Unavailable("all 1024 node numbers are taken".to_owned()))
}

/// Where the answer to a renewal says that a dead node holds jobs; its sinks follow, then the glance.
const DEAD: usize = 5;

fn news(row: &Row, now: Timestamp) -> News {
    let texts = |column: usize| row.get::<_, Vec<&str>>(DEAD + column);
    let rest = texts(2).into_iter().zip(texts(3)).zip(row.get::<_, Vec<i64>>(DEAD + 4));
    let sinks = texts(1).into_iter().zip(rest).map(|(name, ((kind, settings), since))| Sink {
        name: name.into(),
        kind: kind.to_owned(),
        settings: settings.to_owned(),
        since: Timestamp(since),
    });
    let sinks = sinks.collect();
    let glance = Glance::read(row, DEAD + 5);
    News { due: glance.is_anything_due(now), next: glance.next(), ready: glance.ready, sinks }
}

fn noted(lives: &Lives, row: &Row) -> NodeLease {
    let number = number(i64::from(row.get::<_, i16>(0)));
    lives.note(number, row.get(1));
    NodeLease {
        number,
        until: Timestamp(row.get(2)),
        high_water: Timestamp(row.get(3)),
        store_time: Timestamp(row.get(4)),
        news: None,
    }
}

//! The commit protocol on PostgreSQL: check in one round trip, write set-wise and commit in another. Where all turns are of
//! the simple sort, most of the writes are checks too, and go with the first.
//!
//! **Invariant:** `COMMIT` is sent only after every write before it was; when one of them is refused, the server
//! makes it a rollback.
//! **Invariant:** an answer that was lost after `COMMIT` was sent is an unknown outcome, never a failure.

use tokio_postgres::error::SqlState;

use crate::chain;
use crate::error::Error;
use crate::postgres::check::{self, Checked};
use crate::postgres::complaint;
use crate::postgres::connection::{Connection, Request, column};
use crate::postgres::node::Lives;
use crate::postgres::pool::Pool;
use crate::postgres::write;
use crate::postgres::write::swift::{Checks, Hoped};
use crate::shard::shard;
use crate::turn::{Outcome, Turn, TurnKey};

pub(super) async fn commit(pool: &Pool, lives: &Lives, batch: Vec<Turn>) -> Result<Vec<Outcome>, Error> {
    let connection = pool.take().await?;
    if let Some(outcomes) = swiftly(&connection, lives, &batch).await? {
        connection.give_back();
        return Ok(outcomes);
    }
    let checked: Checked = check::check(&connection, &batch).await?;
    let outcomes = chain::judge(&batch, &checked)?;
    let written = chain::coalesce(batch, &outcomes);
    if written.is_empty() {
        connection.run("ROLLBACK").await?;
        connection.fence().await?;
    } else {
        finish(&connection, &write::requests(&written, &checked, lives)).await?;
    }
    connection.give_back();
    Ok(outcomes)
}

/// None = nothing is written: the batch is not simple, or not all of it held.
async fn swiftly(
    connection: &Connection,
    lives: &Lives,
    batch: &[Turn],
) -> Result<Option<Vec<Outcome>>, Error> {
    let Some(hoped) = Hoped::of(batch) else { return Ok(None) };
    let outcomes = chain::judge(batch, &hoped)?;
    if outcomes.iter().any(|outcome| *outcome != Outcome::Committed) {
        return Ok(None);
    }
    let mut written = chain::coalesce(batch.to_vec(), &outcomes);
    written.sort_by_key(|one| one.instance);
    let Some(checks) = Checks::of(&written, &hoped, lives) else { return Ok(None) };
    let answers = connection.together(Some("BEGIN"), &checks.requests, None).await?;
    if !checks.held(&answers) {
        connection.run("ROLLBACK").await?;
        return Ok(None);
    }
    finish(connection, &write::rest(&written, lives)).await?;
    Ok(Some(outcomes))
}

async fn finish(connection: &Connection, requests: &[Request<'_>]) -> Result<(), Error> {
    let mut pipeline = connection.pipeline(requests).await?;
    pipeline.send_all(requests).await.map_err(complaint)?;
    // From here on it may have gone out, whatever is heard of it.
    pipeline.send_text("COMMIT").await.map_err(|error| Error::Unknown(error.to_string()))?;
    let mut replies = pipeline.replies().await;
    let commit = replies.pop().expect("the commit was sent");
    for reply in replies {
        reply.map_err(|error| match error.as_db_error() {
            // The server works in order: it had not come to the commit yet.
            Some(_) => complaint(error),
            None => Error::Unknown(error.to_string()),
        })?;
    }
    commit.map(drop).map_err(|error| match error.code() {
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => complaint(error),
        _ => Error::Unknown(error.to_string()),
    })
}

/// Waits for whoever is inserting the instance. The row that this leaves when nobody was is rolled back.
const WAIT_FOR_START: &str =
    "INSERT INTO process_instance (shard, id, definition, version, counter, started_at,
    retries, errors, priority, status, tenant) SELECT shard, id, 0, 0, 0, 0, 0, 0, 0, '', ''
    FROM unnest($1::smallint[], $2::bigint[]) AS wanted (shard, id) ON CONFLICT DO NOTHING";
/// Waits for whoever is changing it.
const WAIT_FOR_TURN: &str = "SELECT i.id FROM unnest($1::smallint[], $2::bigint[]) AS wanted (shard, id)
    JOIN process_instance i ON (i.shard, i.id)
    BETWEEN (wanted.shard, wanted.id) AND (wanted.shard, wanted.id) FOR UPDATE OF i";
const FIND_TURNS: &str = "SELECT h.instance, h.first_seq, h.turn
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS wanted (shard, instance, first_seq)
    JOIN history h ON h.shard = wanted.shard AND h.instance = wanted.instance AND h.first_seq = wanted.first_seq";

/// Final, because the transaction in question has held one of two things since before its `COMMIT` was sent: the lock on
/// the instance's row, or (for a start) the unique key of the row it has inserted. Both are waited for here, and only
/// then is history read. A backend whose client is gone ends by itself: it works off what it was sent, or is told to
/// roll back after some idle seconds.
pub(super) async fn settle(pool: &Pool, turns: &[TurnKey]) -> Result<Vec<bool>, Error> {
    let mut sorted: Vec<TurnKey> = turns.to_vec();
    sorted.sort_by_key(|key| (key.instance, key.first_seq));
    let by_id = |sql| Request {
        sql,
        parameters: vec![column(&sorted, |key| shard(key.instance)), column(&sorted, |key| key.instance.0)],
    };
    let mut find = by_id(FIND_TURNS);
    find.parameters.push(column(&sorted, |key| key.first_seq.cast_signed()));
    let requests = [by_id(WAIT_FOR_START), by_id(WAIT_FOR_TURN), find];
    let connection = pool.take().await?;
    let answers = connection.together(Some("BEGIN"), &requests, Some("ROLLBACK")).await?;
    connection.fence().await?;
    connection.give_back();
    let found: Vec<(i64, i64, i64)> = answers
        .into_iter()
        .flatten()
        .filter(|row| row.len() == 3)
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();
    Ok(turns
        .iter()
        .map(|key| found.contains(&(key.instance.0, key.first_seq.cast_signed(), key.turn)))
        .collect())
}

//! The commit protocol on PostgreSQL: check in one round trip, write set-wise and commit in another. Where all turns are of
//! the simple sort, most of the writes are checks too, and go with the first.
//!
//! **Invariant:** `COMMIT` is sent only after every write before it was; when one of them is refused, the server
//! makes it a rollback.
//! **Invariant:** an answer that was lost after `COMMIT` was sent is an unknown outcome, never a failure.

use tokio_postgres::error::SqlState;

use crate::chain;
use crate::error::Error;
use crate::postgres::check::{self, Checked, Wanted};
use crate::postgres::complaint;
use crate::postgres::connection::{Connection, Request, column};
use crate::postgres::node::Lives;
use crate::postgres::pool::Pool;
use crate::postgres::write;
use crate::postgres::write::swift::{self, Checks, Hoped};
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
        finish(&connection, &write::requests(&written, 0, &checked, lives)).await?;
    }
    connection.give_back();
    Ok(outcomes)
}

/// What is simple in a batch is checked by writing it; the rest is checked beside it and written with what follows.
/// None = nothing is written: nothing is simple, or not all of that held.
async fn swiftly(
    connection: &Connection,
    lives: &Lives,
    batch: &[Turn],
) -> Result<Option<Vec<Outcome>>, Error> {
    let is_simple = swift::simple(batch);
    let part = |simple: bool| -> Vec<Turn> {
        let of_part = batch.iter().zip(&is_simple).filter(|(_, is)| **is == simple);
        of_part.map(|(turn, _)| turn.clone()).collect()
    };
    let (simple, others) = (part(true), part(false));
    if simple.is_empty() {
        return Ok(None);
    }
    let hoped = Hoped::of(batch.iter().zip(&is_simple).filter(|(_, is)| **is).map(|(turn, _)| turn));
    let hoped_outcomes = chain::judge(&simple, &hoped)?;
    if hoped_outcomes.iter().any(|outcome| *outcome != Outcome::Committed) {
        return Ok(None);
    }
    let mut written = chain::coalesce(simple, &hoped_outcomes);
    written.sort_by_key(|one| one.instance);
    let wanted = Wanted::of(&others);
    let Some(Checks { requests: mut asked, expected }) = Checks::of(&written, &hoped, lives) else {
        return Ok(None);
    };
    asked.extend(wanted.requests());
    let answers = connection.together(Some("BEGIN"), &asked, None).await?;
    let (counted, answers) = answers.split_at(expected.len());
    if !swift::held(&expected, counted) {
        connection.run("ROLLBACK").await?;
        return Ok(None);
    }
    let checked = wanted.checked(connection, answers).await?;
    let outcomes = chain::judge(&others, &checked)?;
    drop(asked);
    let first = written.len();
    written.extend(chain::coalesce(others, &outcomes));
    finish(connection, &write::requests(&written, first, &checked, lives)).await?;
    Ok(Some(merged(&is_simple, outcomes)))
}

/// Outcomes in the order of the batch: what was simple has held.
fn merged(is_simple: &[bool], others: Vec<Outcome>) -> Vec<Outcome> {
    let mut others = others.into_iter();
    let outcome = |is_simple: &bool| match is_simple {
        true => Outcome::Committed,
        false => others.next().expect("an outcome for each turn"),
    };
    is_simple.iter().map(outcome).collect()
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
    JOIN process_instance i ON i.shard = ANY (ARRAY[wanted.shard]) AND i.id = wanted.id FOR UPDATE OF i";
pub(super) const FIND_TURNS: &str = "SELECT h.instance, h.first_seq, h.turn
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS wanted (shard, instance, first_seq)
    JOIN history h ON h.shard = ANY (ARRAY[wanted.shard]) AND (h.instance, h.first_seq) = (wanted.instance, wanted.first_seq)";

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

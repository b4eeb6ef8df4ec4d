//! Letters and start events: looked for, posted, named when nobody has seen to them.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::mail::{Errand, Letter, Message, Post, Signal, Sought, StartEvent, StartEventKey, Take, Waiting};
use crate::sqlite::write::mail::{put_message, put_signal};
use crate::sqlite::{at_most, complaint};
use crate::tenant::Tenant;
use crate::words;

/// Is it still there to be taken?
pub(super) fn can_take(transaction: &Transaction<'_>, take: &Take) -> rusqlite::Result<bool> {
    let there =
        |sql: &str, id: i64| -> rusqlite::Result<bool> { transaction.prepare_cached(sql)?.exists([id]) };
    let free = |id: i64, taker: &str| -> rusqlite::Result<bool> {
        let mut find = transaction.prepare_cached("SELECT 1 FROM taken WHERE letter = ?1 AND taker = ?2")?;
        Ok(!find.exists(params![id, taker])?)
    };
    match take {
        Take::Errand { id, .. } => there("SELECT 1 FROM inbox WHERE id = ?1", *id),
        Take::Message { id, taker } => {
            Ok(there("SELECT 1 FROM message WHERE id = ?1", *id)? && free(*id, taker)?)
        }
        Take::Signal { id, taker } => {
            Ok(there("SELECT 1 FROM signal WHERE id = ?1", *id)? && free(*id, taker)?)
        }
        Take::StartTimer { event, due, .. } => {
            let mut find = transaction.prepare_cached(
                "SELECT due_at FROM start_event WHERE definition = ?1 AND node = ?2 AND position = ?3",
            )?;
            let key = params![event.definition, event.node, event.position];
            Ok(find.query_row(key, |row| row.get(0)).optional()? == Some(due.0))
        }
    }
}

pub(super) fn post(connection: &mut Connection, posts: &[&Post]) -> Result<Vec<bool>, Error> {
    let run = |connection: &mut Connection| -> rusqlite::Result<Vec<bool>> {
        let transaction = connection.transaction()?;
        let posted = posts.iter().map(|post| post_one(&transaction, post)).collect::<Result<_, _>>()?;
        transaction.commit()?;
        Ok(posted)
    };
    run(connection).map_err(complaint)
}

fn post_one(transaction: &Transaction<'_>, post: &Post) -> rusqlite::Result<bool> {
    match post {
        Post::Message(message) => {
            if is_known(transaction, message)? {
                return Ok(false);
            }
            put_message(transaction, message)?;
        }
        Post::Signal(signal) => put_signal(transaction, signal)?,
        Post::Examined(id, now) => {
            transaction.prepare_cached("UPDATE message SET due_at = NULL WHERE id = ?1")?.execute([id])?;
            let over = transaction
                .prepare_cached("DELETE FROM message WHERE id = ?1 AND expires_at <= ?2")?
                .execute(params![id, now.0])?;
            if over > 0 {
                forget_takers(transaction, *id)?;
            }
        }
        Post::Delivered(id, Some((instance, n))) => {
            let mut update = transaction
                .prepare_cached("UPDATE signal SET cursor_instance = ?2, cursor_n = ?3 WHERE id = ?1")?;
            update.execute(params![id, instance.0, n])?;
        }
        Post::Delivered(id, None) => {
            transaction.prepare_cached("DELETE FROM signal WHERE id = ?1")?.execute([id])?;
            forget_takers(transaction, *id)?;
        }
        Post::Dropped(_, id) => {
            transaction.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([id])?;
        }
    }
    Ok(true)
}

fn is_known(transaction: &Transaction<'_>, message: &Message) -> rusqlite::Result<bool> {
    let Some(message_id) = &message.message_id else { return Ok(false) };
    let mut find = transaction.prepare_cached(
        "SELECT 1 FROM message WHERE tenant = ?6 AND name = ?1 AND key IS ?2 AND message_id = ?3 AND expires_at >= ?4
         AND id <> ?5",
    )?;
    let (tenant, published) = (message.tenant.as_str(), message.published_at.0);
    find.exists(params![&*message.name, message.key, message_id, published, message.id, tenant])
}

fn forget_takers(transaction: &Transaction<'_>, letter: i64) -> rusqlite::Result<()> {
    transaction.prepare_cached("DELETE FROM taken WHERE letter = ?1")?.execute([letter])?;
    Ok(())
}

/// Those who want any message of the name, and those who want this key: each is a range of one index.
const WAIT_FOR_MESSAGE: &str =
    "SELECT * FROM (SELECT s.instance AS instance, s.n AS n, d.key FROM subscription s
        JOIN process_instance i ON i.id = s.instance JOIN process_definition d ON d.id = i.definition
        WHERE s.tenant = ?5 AND s.kind = 'message' AND s.name = ?1 AND s.key IS NULL
        AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.letter = ?3 AND t.taker = d.key)
        ORDER BY s.instance, s.n LIMIT ?4)
    UNION ALL SELECT * FROM (SELECT s.instance, s.n, d.key FROM subscription s
        JOIN process_instance i ON i.id = s.instance JOIN process_definition d ON d.id = i.definition
        WHERE s.tenant = ?5 AND s.kind = 'message' AND s.name = ?1 AND s.key = ?2
        AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.letter = ?3 AND t.taker = d.key)
        ORDER BY s.instance, s.n LIMIT ?4)
    ORDER BY 1, 2 LIMIT ?4";
const WAIT_FOR_SIGNAL: &str = "SELECT s.instance, s.n, d.key FROM subscription s
    JOIN process_instance i ON i.id = s.instance JOIN process_definition d ON d.id = i.definition
    WHERE s.tenant = ?7 AND s.kind = 'signal' AND s.name = ?1 AND s.key IS NULL AND (s.instance, s.n) > (?2, ?3)
    AND s.since <= ?4 AND s.instance IS NOT ?5
    ORDER BY s.instance, s.n LIMIT ?6";

pub(super) fn waiting(
    connection: &mut Connection,
    sought: &Sought,
    limit: usize,
) -> Result<Vec<Waiting>, Error> {
    let read = |row: &Row<'_>| {
        Ok(Waiting { instance: InstanceId(row.get(0)?), subscription: row.get(1)?, process: row.get(2)? })
    };
    let run = || -> rusqlite::Result<Vec<Waiting>> {
        match sought {
            Sought::Message { id, tenant, name, key } => connection
                .prepare_cached(WAIT_FOR_MESSAGE)?
                .query_map(params![&**name, key, id, at_most(limit), tenant.as_str()], read)?
                .collect(),
            Sought::Signal(signal) => {
                let (sender, (instance, n)) = (signal.sender.map(|id| id.0), signal.cursor);
                let (tenant, name, at) = (signal.tenant.as_str(), &*signal.name, signal.published_at.0);
                connection
                    .prepare_cached(WAIT_FOR_SIGNAL)?
                    .query_map(params![name, instance.0, n, at, sender, at_most(limit), tenant], read)?
                    .collect()
            }
        }
    };
    run().map_err(complaint)
}

const START_EVENT: &str =
    "SELECT definition, node, position, process, kind, name, due_at, cycle, tenant FROM start_event";

pub(super) fn start_events(
    connection: &mut Connection,
    tenant: &Tenant,
    message: bool,
    name: &str,
) -> Result<Vec<StartEvent>, Error> {
    let kind = if message { "message" } else { "signal" };
    let sql = format!(
        "{START_EVENT} WHERE tenant = ?3 AND kind = ?1 AND name = ?2 ORDER BY definition, node, position"
    );
    let run = || -> rusqlite::Result<Vec<StartEvent>> {
        connection
            .prepare_cached(&sql)?
            .query_map(params![kind, name, tenant.as_str()], start_event)?
            .collect()
    };
    run().map_err(complaint)
}

/// Start events whose moment has come, and the next moment after those.
pub(super) fn due_starts(
    connection: &Connection,
    now: Timestamp,
    limit: usize,
) -> rusqlite::Result<(Vec<StartEvent>, Option<Timestamp>)> {
    let sql =
        format!("{START_EVENT} WHERE due_at <= ?1 ORDER BY due_at, definition, node, position LIMIT ?2");
    let due = connection
        .prepare_cached(&sql)?
        .query_map(params![now.0, at_most(limit)], start_event)?
        .collect::<rusqlite::Result<_>>()?;
    let next: Option<i64> = connection
        .prepare_cached("SELECT min(due_at) FROM start_event WHERE due_at > ?1")?
        .query_row([now.0], |row| row.get(0))?;
    Ok((due, next.map(Timestamp)))
}

fn start_event(row: &Row<'_>) -> rusqlite::Result<StartEvent> {
    let kind = row.get_ref(4)?.as_str()?;
    let (name, cycle): (Option<String>, Option<String>) = (row.get(5)?, row.get(7)?);
    let wanted = words::read_start_wanted(kind, name.as_deref(), row.get(6)?, cycle.as_deref());
    Ok(StartEvent {
        key: StartEventKey { definition: row.get(0)?, node: row.get(1)?, position: row.get(2)? },
        tenant: super::load::tenant(row, 8)?,
        process: row.get(3)?,
        wanted: super::load::read(4, wanted)?,
    })
}

const MESSAGE: &str =
    "SELECT id, name, key, message_id, variables, published_at, expires_at, due_at, tenant FROM message";

pub(super) fn buffered(
    connection: &mut Connection,
    tenant: &Tenant,
    name: &str,
    key: Option<&str>,
    taker: &str,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Message>, Error> {
    let with_key = if key.is_some() { "key = ?2" } else { "?2 IS NULL" };
    let sql = format!(
        "{MESSAGE} WHERE tenant = ?6 AND name = ?1 AND {with_key} AND expires_at >= ?3
         AND NOT EXISTS (SELECT 1 FROM taken WHERE letter = message.id AND taker = ?4) ORDER BY id LIMIT ?5"
    );
    let run = || -> rusqlite::Result<Vec<Message>> {
        let mut find = connection.prepare_cached(&sql)?;
        find.query_map(params![name, key, now.0, taker, at_most(limit), tenant.as_str()], message)?.collect()
    };
    run().map_err(complaint)
}

pub(super) fn message(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        id: row.get(0)?,
        tenant: super::load::tenant(row, 8)?,
        name: row.get::<_, String>(1)?.into(),
        key: row.get(2)?,
        message_id: row.get(3)?,
        variables: row.get(4)?,
        published_at: Timestamp(row.get(5)?),
        expires_at: Timestamp(row.get(6)?),
        due: row.get::<_, Option<i64>>(7)?.map(Timestamp),
    })
}

/// What nobody has seen to, oldest first.
pub(super) fn due(connection: &Connection, now: Timestamp, limit: usize) -> rusqlite::Result<Vec<Letter>> {
    let errand = |row: &Row<'_>| {
        Ok(Letter::Errand(Errand {
            id: row.get(0)?,
            target: InstanceId(row.get(1)?),
            sender: InstanceId(row.get(2)?),
            due: Timestamp(row.get(3)?),
            kind: row.get(4)?,
            body: row.get(5)?,
        }))
    };
    let signal = |row: &Row<'_>| {
        Ok(Letter::Signal(Signal {
            id: row.get(0)?,
            tenant: super::load::tenant(row, 8)?,
            name: Arc::from(row.get::<_, String>(1)?),
            sender: row.get::<_, Option<i64>>(2)?.map(InstanceId),
            published_at: Timestamp(row.get(3)?),
            cursor: (InstanceId(row.get(4)?), row.get(5)?),
            due: Timestamp(row.get(6)?),
            variables: row.get(7)?,
        }))
    };
    let limits = params![now.0, at_most(limit)];
    let mut found: Vec<Letter> = connection
        .prepare_cached(
            "SELECT id, target, sender, due_at, kind, body FROM inbox WHERE due_at <= ?1 ORDER BY id LIMIT ?2",
        )?
        .query_map(limits, errand)?
        .collect::<rusqlite::Result<_>>()?;
    let messages = format!("{MESSAGE} WHERE due_at <= ?1 ORDER BY id LIMIT ?2");
    for row in connection.prepare_cached(&messages)?.query_map(limits, message)? {
        found.push(Letter::Message(row?));
    }
    let mut signals = connection.prepare_cached(
        "SELECT id, name, sender, published_at, cursor_instance, cursor_n, due_at, variables, tenant FROM signal
         WHERE due_at <= ?1 ORDER BY id LIMIT ?2",
    )?;
    for row in signals.query_map(limits, signal)? {
        found.push(row?);
    }
    Ok(found)
}

/// Messages whose time is over are forgotten, some at a time.
pub(super) fn forget_old(connection: &mut Connection, now: Timestamp) -> Result<(), Error> {
    let run = |connection: &mut Connection| -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        transaction.execute(
            "DELETE FROM taken WHERE letter IN (SELECT id FROM message WHERE expires_at < ?1 ORDER BY expires_at LIMIT 1000)",
            [now.0],
        )?;
        transaction.execute(
            "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE expires_at < ?1 ORDER BY expires_at LIMIT 1000)",
            [now.0],
        )?;
        transaction.commit()
    };
    run(connection).map_err(complaint)
}

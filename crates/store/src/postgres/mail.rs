//! Letters and start events: looked for, posted, named when nobody has seen to them.

use tokio_postgres::Row;
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::mail::{Errand, Letter, Message, Post, Signal, Sought, StartEvent, StartEventKey, Waiting};
use crate::postgres::connection::{Connection, Parameter, Request};
use crate::postgres::load;
use crate::postgres::pool::Pool;
use crate::postgres::views::{ask, rows_at_most};
use crate::postgres::write::mail::{DELETE_ERRANDS, errand_keys, insert_messages, insert_signals};
use crate::postgres::write::number;
use crate::tenant::Tenant;
use crate::words;

/// A message with the same id whose time is over does not stand in the way.
const MAKE_ROOM: &str =
    "DELETE FROM message WHERE tenant = $5::text AND name = $1::text AND coalesce(key, '') = $2::text
    AND message_id = $3::text AND message_id IS NOT NULL AND expires_at < $4::bigint";
const IS_THERE: &str = "SELECT id FROM message WHERE id = $1::bigint";
const EXAMINED: &str = "UPDATE message SET due_at = NULL WHERE id = $1::bigint AND due_at IS NOT NULL";
const DELETE_OVER: &str =
    "WITH over AS (DELETE FROM message WHERE id = $1::bigint AND expires_at <= $2::bigint RETURNING id)
    DELETE FROM taken WHERE letter IN (SELECT id FROM over)";
const DELIVERED: &str =
    "UPDATE signal SET cursor_instance = $2::bigint, cursor_n = $3::bigint WHERE id = $1::bigint";
const DELETE_SIGNAL: &str = "WITH done AS (DELETE FROM signal WHERE id = $1::bigint RETURNING id)
    DELETE FROM taken WHERE letter IN (SELECT id FROM done)";

pub(super) async fn post(pool: &Pool, posts: &[Post]) -> Result<Vec<bool>, Error> {
    let connection = pool.take().await?;
    connection.run("BEGIN").await?;
    let mut posted = Vec::with_capacity(posts.len());
    for post in posts {
        posted.push(post_one(&connection, post).await?);
    }
    connection.run("COMMIT").await?;
    connection.give_back();
    Ok(posted)
}

async fn post_one(connection: &Connection, post: &Post) -> Result<bool, Error> {
    let requests: Vec<Request<'_>> = match post {
        Post::Message(message) => return post_message(connection, message).await,
        Post::Signal(signal) => vec![insert_signals(&[signal])],
        Post::Examined(id, now) => vec![
            Request { sql: EXAMINED, parameters: vec![Box::new(*id)] },
            Request { sql: DELETE_OVER, parameters: vec![Box::new(*id), Box::new(now.0)] },
        ],
        Post::Delivered(id, Some((instance, n))) => {
            let parameters: Vec<Parameter<'_>> =
                vec![Box::new(*id), Box::new(instance.0), Box::new(i64::from(*n))];
            vec![Request { sql: DELIVERED, parameters }]
        }
        Post::Delivered(id, None) => vec![Request { sql: DELETE_SIGNAL, parameters: vec![Box::new(*id)] }],
        Post::Dropped(target, id) => {
            vec![Request { sql: DELETE_ERRANDS, parameters: errand_keys(&[(*target, *id)]) }]
        }
    };
    connection.together(None, &requests, None).await?;
    Ok(true)
}

async fn post_message(connection: &Connection, message: &Message) -> Result<bool, Error> {
    if let Some(message_id) = &message.message_id {
        let parameters: Vec<Parameter<'_>> = vec![
            Box::new(&*message.name),
            Box::new(message.key.as_deref().unwrap_or_default()),
            Box::new(message_id.as_str()),
            Box::new(message.published_at.0),
            Box::new(message.tenant.as_str()),
        ];
        connection.query(Request { sql: MAKE_ROOM, parameters }).await?;
    }
    if !connection.query(insert_messages(&[message])).await?.is_empty() {
        return Ok(true);
    }
    connection.fence().await?;
    // Posted again after an answer was lost, it is there under its own id.
    let again = Request { sql: IS_THERE, parameters: vec![Box::new(message.id)] };
    Ok(!connection.query(again).await?.is_empty())
}

/// Those who want any message of the name, and those who want this key: each is a range of one index.
const WAIT_FOR_MESSAGE: &str = "(SELECT s.instance, s.n, d.key FROM subscription s
        JOIN process_instance i ON i.shard = s.shard AND i.id = s.instance
        JOIN process_definition d ON d.id = i.definition
        WHERE s.tenant = $5::text AND s.kind = 'message' AND s.name = $1::text AND s.key IS NULL
        AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.letter = $3::bigint AND t.taker = d.key)
        ORDER BY s.instance, s.n LIMIT $4::bigint)
    UNION ALL (SELECT s.instance, s.n, d.key FROM subscription s
        JOIN process_instance i ON i.shard = s.shard AND i.id = s.instance
        JOIN process_definition d ON d.id = i.definition
        WHERE s.tenant = $5::text AND s.kind = 'message' AND s.name = $1::text AND s.key = $2::text
        AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.letter = $3::bigint AND t.taker = d.key)
        ORDER BY s.instance, s.n LIMIT $4::bigint)
    ORDER BY 1, 2 LIMIT $4::bigint";
const WAIT_FOR_SIGNAL: &str = "SELECT s.instance, s.n, d.key FROM subscription s
    JOIN process_instance i ON i.shard = s.shard AND i.id = s.instance
    JOIN process_definition d ON d.id = i.definition
    WHERE s.tenant = $7::text AND s.kind = 'signal' AND s.name = $1::text AND s.key IS NULL
    AND (s.instance, s.n) > ($2::bigint, $3::bigint)
    AND s.since <= $4::bigint AND s.instance IS DISTINCT FROM $5::bigint
    ORDER BY s.instance, s.n LIMIT $6::bigint";

pub(super) async fn waiting(pool: &Pool, sought: &Sought, limit: usize) -> Result<Vec<Waiting>, Error> {
    let limit = rows_at_most(limit);
    let (sql, parameters): (_, Vec<Parameter<'_>>) = match sought {
        Sought::Message { id, tenant, name, key } => (
            WAIT_FOR_MESSAGE,
            vec![
                Box::new(&**name),
                Box::new(key.as_deref()),
                Box::new(*id),
                Box::new(limit),
                Box::new(tenant.as_str()),
            ],
        ),
        Sought::Signal(signal) => (
            WAIT_FOR_SIGNAL,
            vec![
                Box::new(&*signal.name),
                Box::new(signal.cursor.0.0),
                Box::new(i64::from(signal.cursor.1)),
                Box::new(signal.published_at.0),
                Box::new(signal.sender.map(|id| id.0)),
                Box::new(limit),
                Box::new(signal.tenant.as_str()),
            ],
        ),
    };
    let rows = ask(pool, sql, parameters).await?;
    let read = |row: &Row| {
        let (instance, subscription) = (InstanceId(row.get(0)), number(row.get(1))?);
        Ok(Waiting { instance, subscription, process: row.get(2) })
    };
    rows.iter().map(read).collect()
}

const START_EVENTS: &str =
    "SELECT definition, node, position, process, kind, name, due_at, cycle, tenant FROM start_event
    WHERE tenant = $3::text AND kind = $1::text AND name = $2::text ORDER BY definition, node, position";
const DUE_STARTS: &str =
    "SELECT definition, node, position, process, kind, name, due_at, cycle, tenant FROM start_event
    WHERE due_at <= $1::bigint ORDER BY due_at, definition, node, position LIMIT $2::bigint";
const NEXT_START: &str = "SELECT min(due_at) FROM start_event WHERE due_at > $1::bigint";

pub(super) async fn start_events(
    pool: &Pool,
    tenant: &Tenant,
    message: bool,
    name: &str,
) -> Result<Vec<StartEvent>, Error> {
    let kind = if message { "message" } else { "signal" };
    let parameters: Vec<Parameter<'_>> = vec![Box::new(kind), Box::new(name), Box::new(tenant.as_str())];
    let rows = ask(pool, START_EVENTS, parameters).await?;
    rows.iter().map(start_event).collect()
}

fn start_event(row: &Row) -> Result<StartEvent, Error> {
    let wanted = words::read_start_wanted(row.get(4), row.get(5), row.get(6), row.get(7))?;
    let key = StartEventKey { definition: row.get(0), node: row.get(1), position: number(row.get(2))? };
    Ok(StartEvent { key, tenant: load::tenant(row, 8), process: row.get(3), wanted })
}

const BUFFERED_OF_KEY: &str =
    "SELECT id, name, key, message_id, variables, published_at, expires_at, due_at, tenant FROM message m
    WHERE tenant = $6::text AND name = $1::text AND expires_at >= $2::bigint
    AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.letter = m.id AND t.taker = $3::text)
    AND key = $5::text ORDER BY id LIMIT $4::bigint";
const BUFFERED: &str =
    "SELECT id, name, key, message_id, variables, published_at, expires_at, due_at, tenant FROM message m
    WHERE tenant = $5::text AND name = $1::text AND expires_at >= $2::bigint
    AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.letter = m.id AND t.taker = $3::text)
    ORDER BY id LIMIT $4::bigint";

pub(super) async fn buffered(
    pool: &Pool,
    tenant: &Tenant,
    name: &str,
    key: Option<&str>,
    taker: &str,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Message>, Error> {
    let mut parameters: Vec<Parameter<'_>> =
        vec![Box::new(name), Box::new(now.0), Box::new(taker), Box::new(rows_at_most(limit))];
    let rows = match key {
        Some(key) => {
            parameters.extend([Box::new(key) as Parameter<'_>, Box::new(tenant.as_str())]);
            ask(pool, BUFFERED_OF_KEY, parameters).await?
        }
        None => {
            parameters.push(Box::new(tenant.as_str()));
            ask(pool, BUFFERED, parameters).await?
        }
    };
    Ok(rows.iter().map(message).collect())
}

pub(super) fn message(row: &Row) -> Message {
    Message {
        id: row.get(0),
        tenant: load::tenant(row, 8),
        name: row.get::<_, &str>(1).into(),
        key: row.get(2),
        message_id: row.get(3),
        variables: row.get(4),
        published_at: Timestamp(row.get(5)),
        expires_at: Timestamp(row.get(6)),
        due: row.get::<_, Option<i64>>(7).map(Timestamp),
    }
}

const DUE_ERRANDS: &str =
    "SELECT id, target, sender, due_at, kind, body FROM inbox WHERE due_at <= $1::bigint
    ORDER BY id LIMIT $2::bigint";
const DUE_MESSAGES: &str =
    "SELECT id, name, key, message_id, variables, published_at, expires_at, due_at, tenant FROM message
    WHERE due_at <= $1::bigint ORDER BY id LIMIT $2::bigint";
const DUE_SIGNALS: &str =
    "SELECT id, name, sender, published_at, cursor_instance, cursor_n, due_at, variables, tenant FROM signal
    WHERE due_at <= $1::bigint ORDER BY id LIMIT $2::bigint";
const OVER: &str = "SELECT EXISTS (SELECT 1 FROM message WHERE expires_at < $1::bigint)";
const FORGET_OVER: &str = "WITH over AS (SELECT id FROM message WHERE expires_at < $1::bigint
        ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM message m USING over WHERE m.id = over.id RETURNING m.id)
    DELETE FROM taken t USING gone WHERE t.letter = gone.id";

/// What nobody has seen to.
pub(super) struct Due {
    pub(super) starts: Vec<StartEvent>,
    pub(super) next_start: Option<Timestamp>,
    pub(super) letters: Vec<Letter>,
}

/// Names what is due, and forgets messages whose time is over.
pub(super) async fn due(connection: &Connection, now: Timestamp, limit: usize) -> Result<Due, Error> {
    let limit = rows_at_most(limit);
    let both = |sql| Request { sql, parameters: vec![Box::new(now.0), Box::new(limit)] };
    let one = |sql| Request { sql, parameters: vec![Box::new(now.0)] };
    let requests = [
        both(DUE_STARTS),
        one(NEXT_START),
        both(DUE_ERRANDS),
        both(DUE_MESSAGES),
        both(DUE_SIGNALS),
        one(OVER),
    ];
    let answers = connection.together(None, &requests, None).await?;
    let [starts, next, errands, messages, signals, over] = &answers[..] else {
        unreachable!("every request has its answer")
    };
    if over.first().is_some_and(|row| row.get(0)) {
        connection.query(one(FORGET_OVER)).await?;
    }
    let mut letters: Vec<Letter> = errands.iter().map(errand).collect();
    letters.extend(messages.iter().map(|row| Letter::Message(message(row))));
    for row in signals {
        letters.push(Letter::Signal(signal(row)?));
    }
    Ok(Due {
        starts: starts.iter().map(start_event).collect::<Result<_, _>>()?,
        next_start: next.first().and_then(|row| row.get::<_, Option<i64>>(0)).map(Timestamp),
        letters,
    })
}

fn errand(row: &Row) -> Letter {
    Letter::Errand(Errand {
        id: row.get(0),
        target: InstanceId(row.get(1)),
        sender: InstanceId(row.get(2)),
        due: Timestamp(row.get(3)),
        kind: row.get(4),
        body: row.get(5),
    })
}

fn signal(row: &Row) -> Result<Signal, Error> {
    Ok(Signal {
        id: row.get(0),
        tenant: load::tenant(row, 8),
        name: row.get::<_, &str>(1).into(),
        sender: row.get::<_, Option<i64>>(2).map(InstanceId),
        published_at: Timestamp(row.get(3)),
        cursor: (InstanceId(row.get(4)), number(row.get(5))?),
        due: Timestamp(row.get(6)),
        variables: row.get(7),
    })
}

//! What turns take from others and leave for them, and the keys under which messages began instances.

use tyer_engine::{InstanceId, StartWanted};

use super::push;
use crate::chain::Written;
use crate::mail::{Errand, Letter, Message, Signal, StartEventKey, Take};
use crate::postgres::connection::{Parameter, Request, column};
use crate::shard::shard;
use crate::words;

const INSERT_ERRANDS: &str = "INSERT INTO inbox (shard, id, target, sender, due_at, kind, body)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])";
pub(in crate::postgres) const DELETE_ERRANDS: &str =
    "DELETE FROM inbox e USING unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    WHERE e.shard = ANY (ARRAY[w.shard]) AND e.id = w.id";
const INSERT_MESSAGES: &str =
    "INSERT INTO message (id, published_at, expires_at, due_at, name, key, message_id, variables, tenant)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[]) ON CONFLICT DO NOTHING RETURNING id";
const INSERT_SIGNALS: &str =
    "INSERT INTO signal (id, sender, published_at, cursor_instance, cursor_n, due_at, name, variables, tenant)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
    $8::text[], $9::text[]) ON CONFLICT DO NOTHING";
const INSERT_TAKEN: &str = "INSERT INTO taken (letter, taker) SELECT * FROM unnest($1::bigint[], $2::text[])";
const MOVE_STARTS: &str = "UPDATE start_event s SET due_at = w.due_at, cycle = w.cycle
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
    AS w (definition, node, position, due_at, cycle)
    WHERE s.definition = ANY (ARRAY[w.definition]) AND (s.node, s.position) = (w.node, w.position)";
const DELETE_STARTS: &str = "DELETE FROM start_event s
    USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS w (definition, node, position)
    WHERE s.definition = ANY (ARRAY[w.definition]) AND (s.node, s.position) = (w.node, w.position)";
const INSERT_START_KEYS: &str = "INSERT INTO start_key (tenant, process, key, instance)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])";
const DELETE_START_KEYS: &str =
    "DELETE FROM start_key k USING unnest($1::text[], $2::text[], $3::text[]) AS w (tenant, process, key)
    WHERE k.tenant = ANY (ARRAY[w.tenant]) AND (k.process, k.key) = (w.process, w.key)";
pub(in crate::postgres) const FORGET_STARTS: &str =
    "DELETE FROM start_event WHERE tenant = $1::text AND process = $2::text";
const INSERT_STARTS: &str =
    "INSERT INTO start_event (definition, process, tenant, node, position, kind, name, due_at, cycle)
    SELECT $1::bigint, $2::text, $9::text, * FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[])";

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [DELETE_ERRANDS, DELETE_START_KEYS, MOVE_STARTS, DELETE_STARTS];

pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    start_keys(requests, written);
    let takes: Vec<&'a Take> =
        written.iter().flat_map(|one| &one.mail).filter_map(|mail| mail.takes.as_ref()).collect();
    if !takes.is_empty() {
        taken(requests, &takes);
    }
    let (mut errands, mut messages, mut signals) = (Vec::new(), Vec::new(), Vec::new());
    for letter in written.iter().flat_map(|one| &one.mail).flat_map(|mail| &mail.leaves) {
        match letter {
            Letter::Errand(errand) => errands.push(errand),
            Letter::Message(message) => messages.push(message),
            Letter::Signal(signal) => signals.push(signal),
        }
    }
    push(requests, &errands, insert_errands);
    push(requests, &messages, insert_messages);
    push(requests, &signals, insert_signals);
}

fn start_keys<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    type Key<'a> = (&'a str, &'a str, &'a str, InstanceId);
    let new: Vec<Key<'a>> = written
        .iter()
        .filter_map(|one| Some((one.tenant(), &*one.process.id, one.new_start_key()?, one.instance)))
        .collect();
    let over: Vec<Key<'a>> = written
        .iter()
        .filter_map(|one| Some((one.tenant(), &*one.process.id, one.freed_start_key()?, one.instance)))
        .collect();
    let key = |rows: &[Key<'a>]| -> Vec<Parameter<'a>> {
        vec![
            column(rows, |(tenant, ..)| *tenant),
            column(rows, |(_, process, ..)| *process),
            column(rows, |(_, _, key, _)| *key),
        ]
    };
    push(requests, &over, |rows| Request { sql: DELETE_START_KEYS, parameters: key(rows) });
    push(requests, &new, |rows| {
        let mut parameters = key(rows);
        parameters.push(column(rows, |(.., id)| id.0));
        Request { sql: INSERT_START_KEYS, parameters }
    });
}

fn taken<'a>(requests: &mut Vec<Request<'a>>, takes: &[&'a Take]) {
    let (mut errands, mut takers, mut moved, mut over) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for take in takes {
        match take {
            Take::Errand { target, id } => errands.push((*target, *id)),
            Take::Message { id, taker } | Take::Signal { id, taker } => takers.push((*id, taker.as_str())),
            Take::StartTimer { event, next: Some((due, cycle)), .. } => {
                moved.push((event, due.0, cycle.as_deref()));
            }
            Take::StartTimer { event, next: None, .. } => over.push((event, 0, None)),
        }
    }
    push(requests, &errands, |rows| Request { sql: DELETE_ERRANDS, parameters: errand_keys(rows) });
    push(requests, &takers, |rows| {
        let parameters = vec![column(rows, |(id, _)| *id), column(rows, |(_, taker)| *taker)];
        Request { sql: INSERT_TAKEN, parameters }
    });
    let key = |rows: &[(&'a StartEventKey, i64, Option<&'a str>)]| -> Vec<Parameter<'a>> {
        vec![
            column(rows, |(event, ..)| event.definition),
            column(rows, |(event, ..)| event.node.as_str()),
            column(rows, |(event, ..)| i64::from(event.position)),
        ]
    };
    push(requests, &moved, |rows| {
        let mut parameters = key(rows);
        parameters.extend([column(rows, |(_, due, _)| *due), column(rows, |(.., cycle)| *cycle)]);
        Request { sql: MOVE_STARTS, parameters }
    });
    push(requests, &over, |rows| Request { sql: DELETE_STARTS, parameters: key(rows) });
}

pub(in crate::postgres) fn errand_keys<'a>(rows: &[(InstanceId, i64)]) -> Vec<Parameter<'a>> {
    vec![column(rows, |(target, _)| shard(*target)), column(rows, |(_, id)| *id)]
}

fn insert_errands<'a>(rows: &[&'a Errand]) -> Request<'a> {
    let parameters = vec![
        column(rows, |errand| shard(errand.target)),
        column(rows, |errand| errand.id),
        column(rows, |errand| errand.target.0),
        column(rows, |errand| errand.sender.0),
        column(rows, |errand| errand.due.0),
        column(rows, |errand| errand.kind.as_str()),
        column(rows, |errand| errand.body.as_str()),
    ];
    Request { sql: INSERT_ERRANDS, parameters }
}

/// Their ids come back, but for those that are known.
pub(in crate::postgres) fn insert_messages<'a>(rows: &[&'a Message]) -> Request<'a> {
    let parameters = vec![
        column(rows, |message| message.id),
        column(rows, |message| message.published_at.0),
        column(rows, |message| message.expires_at.0),
        column(rows, |message| message.due.map(|due| due.0)),
        column(rows, |message| &*message.name),
        column(rows, |message| message.key.as_deref()),
        column(rows, |message| message.message_id.as_deref()),
        column(rows, |message| message.variables.as_str()),
        column(rows, |message| message.tenant.as_str()),
    ];
    Request { sql: INSERT_MESSAGES, parameters }
}

pub(in crate::postgres) fn insert_signals<'a>(rows: &[&'a Signal]) -> Request<'a> {
    let parameters = vec![
        column(rows, |signal| signal.id),
        column(rows, |signal| signal.sender.map(|id| id.0)),
        column(rows, |signal| signal.published_at.0),
        column(rows, |signal| signal.cursor.0.0),
        column(rows, |signal| i64::from(signal.cursor.1)),
        column(rows, |signal| signal.due.0),
        column(rows, |signal| &*signal.name),
        column(rows, |signal| signal.variables.as_str()),
        column(rows, |signal| signal.tenant.as_str()),
    ];
    Request { sql: INSERT_SIGNALS, parameters }
}

/// Start events of a new version.
pub(in crate::postgres) fn insert_starts<'a>(
    definition: i64,
    (tenant, process): (&'a str, &'a str),
    rows: &'a [(String, u32, StartWanted)],
) -> Request<'a> {
    let parameters: Vec<Parameter<'a>> = vec![
        Box::new(definition),
        Box::new(process),
        Box::new(rows.iter().map(|(node, ..)| node.as_str()).collect::<Vec<_>>()),
        column(rows, |(_, position, _)| i64::from(*position)),
        column(rows, |(.., wanted)| words::start_wanted(wanted).0),
        Box::new(rows.iter().map(|(.., wanted)| words::start_wanted(wanted).1).collect::<Vec<_>>()),
        column(rows, |(.., wanted)| words::start_wanted(wanted).2),
        Box::new(rows.iter().map(|(.., wanted)| words::start_wanted(wanted).3).collect::<Vec<_>>()),
        Box::new(tenant),
    ];
    Request { sql: INSERT_STARTS, parameters }
}

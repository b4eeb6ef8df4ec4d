//! The second half of a commit: all rows of a batch, one statement per table and kind of change.
//!
//! **Invariant:** a statement without rows is not sent.

pub(super) mod mail;
mod scope;
pub(super) mod swift;
mod token;
mod undo;
mod wait;

use tyer_engine::{InstanceId, Number, Timestamp};
use tyer_map::{Map, Set};
use tyer_model::{NodeIx, Process};

use crate::chain::Written;
use crate::changes::{Changes, Rows};
use crate::error::Error;
use crate::outbox::pieces;
use crate::postgres::check::{self, Checked, Named};
use crate::postgres::connection::{Parameter, Request, column};
use crate::postgres::node::Lives;
use crate::postgres::outbox;
use crate::rows::InstanceRow;
use crate::shard::shard;
use crate::turn::{Packed, TurnKey};
use crate::words::Word;

/// History is JSON, as `engine::pack` writes it.
const FORMAT: i16 = 1;

pub(super) const INSERT_INSTANCES: &str = "INSERT INTO process_instance (shard, id, definition, version, counter,
    ended_at, retries, errors, status, last_error, started_at, parent, parent_call, priority, business_key, started_by,
    start_key, tenant)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::smallint[],
    $15::text[], $16::text[], $17::text[], $18::text[])
    ON CONFLICT DO NOTHING RETURNING id";
const UPDATE_INSTANCES: &str = "UPDATE process_instance i SET definition = w.definition, version = w.version,
    counter = w.counter, ended_at = w.ended_at, retries = w.retries, errors = w.errors, status = w.status,
    last_error = w.last_error
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::text[], $10::text[])
    AS w (shard, id, definition, version, counter, ended_at, retries, errors, status, last_error)
    WHERE i.shard = ANY (ARRAY[w.shard]) AND i.id = w.id";
const DELETE_INSTANCES: &str = "DELETE FROM process_instance i
    USING unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    WHERE i.shard = ANY (ARRAY[w.shard]) AND i.id = w.id";
const FORGET_KEYS: &str = "DELETE FROM idempotency i USING unnest($1::text[], $2::text[]) AS w (tenant, key)
    WHERE i.tenant = w.tenant AND i.key = w.key";
const INSERT_HISTORY: &str = "INSERT INTO history (shard, instance, first_seq, count, turn, at, format, events)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[],
    $7::smallint[], $8::text[])";

/// What the test of the plans looks at: all that finds rows by their key.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    let own = [UPDATE_INSTANCES, DELETE_INSTANCES];
    let rooms = [&own[..], &token::STATEMENTS, &scope::STATEMENTS, &wait::STATEMENTS, &undo::STATEMENTS];
    rooms.into_iter().chain([&mail::STATEMENTS[..]]).flatten().copied().collect()
}

/// Everything that is left to do for the turns that hold. Of the first, so many were written with their checks.
pub(super) fn requests<'a>(
    written: &'a [Written],
    swift: usize,
    checked: &'a Checked,
    lives: &Lives,
) -> Vec<Request<'a>> {
    let mut requests = Vec::with_capacity(8);
    let (swift, others) = written.split_at(swift);
    correct_starts(&mut requests, others, checked);
    correct_keys(&mut requests, others, checked);
    let moved: Vec<(InstanceId, &'a InstanceRow)> = others
        .iter()
        .map(|one| (one.instance, &one.changes.instance))
        .filter(|(id, row)| checked.started.get(id) != Some(&row.version))
        .collect();
    push(&mut requests, &moved, update_instances);
    token::write(&mut requests, swift, others, lives);
    scope::write(&mut requests, written, swift.len());
    rare(&mut requests, written);
    let history: Vec<&'a (TurnKey, Packed)> = others.iter().flat_map(|one| &one.history).collect();
    push(&mut requests, &history, insert_history);
    requests
}

/// Rows that most turns have none of.
fn rare<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    wait::write(requests, written);
    undo::write(requests, written);
    mail::write(requests, written);
    push(requests, &pieces(written), outbox::add);
}

/// A number of a thing inside an instance, as stored.
pub(super) fn number(stored: i64) -> Result<Number, Error> {
    Number::try_from(stored)
        .map_err(|_| Error::Damaged(format!("{stored} is no number of a thing inside an instance")))
}

/// The row of a new instance; its id comes back if nobody had it.
pub(super) fn insert_instances<'a>(rows: &[(InstanceId, &'a InstanceRow)]) -> Request<'a> {
    Request { sql: INSERT_INSTANCES, parameters: insert_columns(rows) }
}

/// All there is to say of an instance.
fn insert_columns<'a>(rows: &[(InstanceId, &'a InstanceRow)]) -> Vec<Parameter<'a>> {
    let mut parameters = changing(rows);
    parameters.extend([
        column(rows, |(_, row)| row.started_at.0),
        column(rows, |(_, row)| row.parent.map(|parent| parent.instance.0)),
        column(rows, |(_, row)| row.parent.map(|parent| i64::from(parent.number))),
        column(rows, |(_, row)| i16::from(row.priority)),
        column(rows, |(_, row)| row.business_key.as_deref()),
        column(rows, |(_, row)| row.started_by.as_deref()),
        column(rows, |(_, row)| row.start_key.as_deref()),
        column(rows, |(_, row)| row.tenant.as_str()),
    ]);
    parameters
}

fn update_instances<'a>(rows: &[(InstanceId, &'a InstanceRow)]) -> Request<'a> {
    Request { sql: UPDATE_INSTANCES, parameters: changing(rows) }
}

/// What a turn changes of an instance.
fn changing<'a>(rows: &[(InstanceId, &'a InstanceRow)]) -> Vec<Parameter<'a>> {
    vec![
        column(rows, |(id, _)| shard(*id)),
        column(rows, |(id, _)| id.0),
        column(rows, |(_, row)| row.definition),
        column(rows, |(_, row)| row.version.cast_signed()),
        column(rows, |(_, row)| i64::from(row.counter)),
        column(rows, |(_, row)| row.ended_at.map(|at| at.0)),
        column(rows, |(_, row)| i64::from(row.retries)),
        column(rows, |(_, row)| i64::from(row.errors)),
        column(rows, |(_, row)| row.status.word()),
        column(rows, |(_, row)| row.last_error.as_deref()),
    ]
}

/// A row to be put in its place, with what names its node.
#[derive(Clone, Copy)]
struct Put<'a, T> {
    instance: InstanceId,
    tenant: &'a str,
    n: Number,
    process: &'a Process,
    row: &'a T,
}

impl<'a, T> Put<'a, T> {
    fn name(&self, node: NodeIx) -> &'a str {
        &self.process.node(node).id
    }
}

/// How rows of one table are written.
#[derive(Clone, Copy)]
struct Statements {
    /// Rows that are new with this commit: nobody has to look whether they are there.
    insert: &'static str,
    /// Rows that were there, or had been there and are again.
    put: &'static str,
    delete: &'static str,
}

/// From what inserts rows, what it does when they are there, and what deletes them.
macro_rules! written_with {
    ($insert:literal, $there:literal, $delete:literal) => {
        Statements { insert: $insert, put: concat!($insert, " ", $there), delete: $delete }
    };
}
use written_with;

/// Puts and deletes the changed rows of one table; `columns` follow those that say which row it is.
fn table<'a, T: 'a>(
    requests: &mut Vec<Request<'a>>,
    written: impl IntoIterator<Item = &'a Written>,
    rows: impl Fn(&'a Changes) -> &'a Rows<T>,
    Statements { insert, put, delete }: Statements,
    columns: impl Fn(&[Put<'a, T>]) -> Vec<Parameter<'a>>,
) {
    let (mut new, mut there, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for one in written {
        for (n, change) in rows(&one.changes) {
            match &change.row {
                Some(row) => {
                    let (instance, tenant, process) = (one.instance, one.tenant(), &*one.process);
                    let rows = if change.new { &mut new } else { &mut there };
                    rows.push(Put { instance, tenant, n: *n, process, row });
                }
                None => gone.push((one.instance, *n)),
            }
        }
    }
    for (sql, rows) in [(insert, new), (put, there)] {
        push(requests, &rows, |rows| {
            let mut parameters = place(rows, |put| (put.instance, put.n));
            parameters.extend(columns(rows));
            Request { sql, parameters }
        });
    }
    push(requests, &gone, |rows| Request { sql: delete, parameters: place(rows, |row| *row) });
}

/// Adds a statement if it has rows.
fn push<'a, R>(requests: &mut Vec<Request<'a>>, rows: &[R], request: impl FnOnce(&[R]) -> Request<'a>) {
    if !rows.is_empty() {
        requests.push(request(rows));
    }
}

/// The columns that every table of an instance's things begins with.
fn place<'a, R>(rows: &[R], of: impl Fn(&R) -> (InstanceId, Number)) -> Vec<Parameter<'a>> {
    vec![
        column(rows, |row| shard(of(row).0)),
        column(rows, |row| of(row).0.0),
        column(rows, |row| i64::from(of(row).1)),
    ]
}

/// Rows inserted by the check for starts that do not hold must not stay.
fn correct_starts(requests: &mut Vec<Request<'_>>, written: &[Written], checked: &Checked) {
    let held: Set<InstanceId> = written.iter().map(|one| one.instance).collect();
    let undone: Vec<InstanceId> = checked.started.keys().filter(|id| !held.contains(id)).copied().collect();
    push(requests, &undone, |rows| Request {
        sql: DELETE_INSTANCES,
        parameters: vec![column(rows, |id| shard(*id)), column(rows, |id| id.0)],
    });
}

/// Nor must keys; and a key may have been inserted for one start of the batch, and held by another.
fn correct_keys<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written], checked: &'a Checked) {
    let key = |one: &'a Written| Some((&one.changes.instance.tenant, one.idempotency_key.as_deref()?));
    let holders: Map<Named<'a>, &'a Written> =
        written.iter().filter_map(|one| Some((key(one)?, one))).collect();
    let holder = |key: &Named<'a>| holders.get(key).map(|one| one.instance);
    let wrong: Vec<Named<'a>> = checked
        .new_keys
        .iter()
        .map(|((tenant, key), id)| ((tenant, &**key), *id))
        .filter(|(key, id)| holder(key) != Some(*id))
        .map(|(key, _)| key)
        .collect();
    let right: Vec<(Named<'a>, InstanceId, Timestamp)> = wrong
        .iter()
        .filter_map(|key| holders.get(key).map(|one| (*key, one.instance, one.changes.instance.started_at)))
        .collect();
    push(requests, &wrong, |rows| Request { sql: FORGET_KEYS, parameters: check::named(rows) });
    push(requests, &right, check::remember_keys);
}

fn insert_history<'a>(rows: &[&'a (TurnKey, Packed)]) -> Request<'a> {
    Request { sql: INSERT_HISTORY, parameters: history_columns(rows) }
}

fn history_columns<'a>(rows: &[&'a (TurnKey, Packed)]) -> Vec<Parameter<'a>> {
    let count = |packed: &Packed| i32::try_from(packed.count).expect("a turn has fewer than 2^31 events");
    vec![
        column(rows, |(key, _)| shard(key.instance)),
        column(rows, |(key, _)| key.instance.0),
        column(rows, |(key, _)| key.first_seq.cast_signed()),
        column(rows, |(_, packed)| count(packed)),
        column(rows, |(key, _)| key.turn),
        column(rows, |(_, packed)| packed.at.0),
        column(rows, |_| FORMAT),
        column(rows, |row| &*row.1.events),
    ]
}

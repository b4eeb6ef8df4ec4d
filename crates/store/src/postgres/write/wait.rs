//! What tokens wait for: tasks, timers, incidents.

use std::collections::BTreeMap;

use tyer_engine::{InstanceId, Number};
use tyer_model::Process;

use super::{place, push, token};
use crate::chain::Written;
use crate::changes::{Change, Changes};
use crate::postgres::connection::{Request, column};
use crate::rows::{IncidentRow, TaskRow, TimerRow};
use crate::words::{Word, timer_kind};

const INSERT_TASKS: &str =
    "INSERT INTO user_task (shard, instance, n, token, due_at, created_at, priority, node, name,
    assignee, candidate_users, candidate_groups, form)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::smallint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])";
const DELETE_TASKS: &str = "DELETE FROM user_task t
    USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";
const INSERT_TIMERS: &str = "INSERT INTO timer (shard, instance, n, token, due_at, visits, held, kind)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::boolean[], $8::text[])";
const DELETE_TIMERS: &str = "DELETE FROM timer t
    USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";
const HOLD_TIMERS: &str = "UPDATE timer t SET held = w.held
    FROM unnest($1::smallint[], $2::bigint[], $3::boolean[]) AS w (shard, instance, held)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.held <> w.held";
const INSERT_INCIDENTS: &str = "INSERT INTO incident (shard, instance, n, token, at, kind, message)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])";
const DELETE_INCIDENTS: &str = "DELETE FROM incident t
    USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";

pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    let (tasks, done) = split(written, |changes| &changes.tasks);
    push(requests, &tasks, insert_tasks);
    push(requests, &done, |rows| delete(DELETE_TASKS, rows));
    let (timers, done) = split(written, |changes| &changes.timers);
    push(requests, &timers, insert_timers);
    push(requests, &done, |rows| delete(DELETE_TIMERS, rows));
    let held: Vec<(InstanceId, bool)> =
        written.iter().filter_map(|one| Some((one.instance, one.changes.held?))).collect();
    push(requests, &held, |rows| Request { sql: HOLD_TIMERS, parameters: token::hold(rows) });
    let (incidents, done) = split(written, |changes| &changes.incidents);
    push(requests, &incidents, insert_incidents);
    push(requests, &done, |rows| delete(DELETE_INCIDENTS, rows));
}

/// A new row; these are never updated by their number.
struct New<'a, T> {
    instance: InstanceId,
    n: Number,
    process: &'a Process,
    row: &'a T,
}

type Gone = (InstanceId, Number);

fn split<'a, T>(
    written: &'a [Written],
    of: impl Fn(&'a Changes) -> &'a BTreeMap<Number, Change<T>>,
) -> (Vec<New<'a, T>>, Vec<Gone>) {
    let (mut new, mut gone) = (Vec::new(), Vec::new());
    for one in written {
        for (n, change) in of(&one.changes) {
            match &change.row {
                Some(row) => new.push(New { instance: one.instance, n: *n, process: &one.process, row }),
                None => gone.push((one.instance, *n)),
            }
        }
    }
    (new, gone)
}

fn delete<'a>(sql: &'static str, rows: &[Gone]) -> Request<'a> {
    Request { sql, parameters: place(rows, |row| *row) }
}

fn insert_tasks<'a>(rows: &[New<'a, TaskRow>]) -> Request<'a> {
    let mut parameters = place(rows, |new| (new.instance, new.n));
    parameters.extend([
        column(rows, |new| i64::from(new.row.token)),
        column(rows, |new| new.row.asked.due.map(|due| due.0)),
        column(rows, |new| new.row.created_at.0),
        column(rows, |new| i16::from(new.row.asked.priority)),
        column(rows, |new| &*new.process.node(new.row.node).id),
        column(rows, |new| new.row.asked.name.as_deref()),
        column(rows, |new| new.row.asked.assignee.as_deref()),
        column(rows, |new| names(&new.row.asked.candidate_users)),
        column(rows, |new| names(&new.row.asked.candidate_groups)),
        column(rows, |new| new.row.asked.form.as_deref()),
    ]);
    Request { sql: INSERT_TASKS, parameters }
}

fn names(names: &[String]) -> String {
    serde_json::to_string(names).expect("texts are always JSON")
}

fn insert_timers<'a>(rows: &[New<'a, TimerRow>]) -> Request<'a> {
    let mut parameters = place(rows, |new| (new.instance, new.n));
    parameters.extend([
        column(rows, |new| i64::from(new.row.timer.token)),
        column(rows, |new| new.row.timer.due.0),
        column(rows, |new| timer_kind(new.row.timer.kind).1),
        column(rows, |new| new.row.held),
        column(rows, |new| timer_kind(new.row.timer.kind).0),
    ]);
    Request { sql: INSERT_TIMERS, parameters }
}

fn insert_incidents<'a>(rows: &[New<'a, IncidentRow>]) -> Request<'a> {
    let mut parameters = place(rows, |new| (new.instance, new.n));
    parameters.extend([
        column(rows, |new| new.row.token.map(i64::from)),
        column(rows, |new| new.row.at.0),
        column(rows, |new| new.row.kind.word()),
        column(rows, |new| &*new.row.message),
    ]);
    Request { sql: INSERT_INCIDENTS, parameters }
}

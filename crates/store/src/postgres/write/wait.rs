//! What tokens and scopes wait for: tasks, timers, messages and signals.

use tyer_engine::InstanceId;

use super::{Statements, place, push, table, token, written_with};
use crate::chain::Written;
use crate::postgres::connection::{Request, column};
use crate::rows::candidates_of;
use crate::words;

const TASKS: Statements = written_with!(
    "INSERT INTO user_task (shard, instance, n, token, due_at, created_at, priority, node, name, assignee,
    candidate_users, candidate_groups, form, tenant)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::smallint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])",
    "ON CONFLICT (shard, instance, n) DO UPDATE SET due_at = excluded.due_at, priority = excluded.priority,
    node = excluded.node, assignee = excluded.assignee",
    "DELETE FROM user_task t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)"
);
const TIMERS: Statements = written_with!(
    "INSERT INTO timer (shard, instance, n, token, scope, due_at, visits, held, kind, node, cycle)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::boolean[], $9::text[], $10::text[], $11::text[])",
    "ON CONFLICT (shard, instance, n) DO UPDATE SET node = excluded.node, held = excluded.held",
    "DELETE FROM timer t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)"
);
const HOLD_TIMERS: &str = "UPDATE timer t SET held = w.held
    FROM unnest($1::smallint[], $2::bigint[], $3::boolean[]) AS w (shard, instance, held)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.instance AND t.held <> w.held";
const SUBSCRIPTIONS: Statements = written_with!(
    "INSERT INTO subscription (shard, instance, n, token, scope, position, since, kind, node, name, key, tenant)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])",
    "ON CONFLICT (shard, instance, n) DO UPDATE SET node = excluded.node, kind = excluded.kind",
    "DELETE FROM subscription t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)"
);

const CANDIDATES: (&str, &str) = (
    "INSERT INTO task_candidate (shard, instance, n, kind, who, tenant)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[]) ON CONFLICT DO NOTHING",
    "DELETE FROM task_candidate t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)",
);

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 5] =
    [TASKS.delete, TIMERS.delete, HOLD_TIMERS, SUBSCRIPTIONS.delete, CANDIDATES.1];

pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    table(
        requests,
        written,
        |changes| &changes.tasks,
        TASKS,
        |rows| {
            vec![
                column(rows, |put| i64::from(put.row.token)),
                column(rows, |put| put.row.asked.due.map(|due| due.0)),
                column(rows, |put| put.row.created_at.0),
                column(rows, |put| i16::from(put.row.asked.priority)),
                column(rows, |put| put.name(put.row.node)),
                column(rows, |put| put.row.asked.name.as_deref()),
                column(rows, |put| put.row.asked.assignee.as_deref()),
                column(rows, |put| words::names(&put.row.asked.candidate_users)),
                column(rows, |put| words::names(&put.row.asked.candidate_groups)),
                column(rows, |put| put.row.asked.form.as_deref()),
                column(rows, |put| put.tenant),
            ]
        },
    );
    candidates(requests, written);
    table(
        requests,
        written,
        |changes| &changes.timers,
        TIMERS,
        |rows| {
            vec![
                column(rows, |put| put.row.timer.token.map(i64::from)),
                column(rows, |put| put.row.timer.scope.map(i64::from)),
                column(rows, |put| put.row.timer.due.0),
                column(rows, |put| words::timer_kind(put.row.timer.kind).1),
                column(rows, |put| put.row.held),
                column(rows, |put| words::timer_kind(put.row.timer.kind).0),
                column(rows, |put| put.name(put.row.timer.node)),
                column(rows, |put| put.row.timer.cycle.as_deref()),
            ]
        },
    );
    let held: Vec<(InstanceId, bool)> =
        written.iter().filter_map(|one| Some((one.instance, one.changes.held?))).collect();
    push(requests, &held, |rows| Request { sql: HOLD_TIMERS, parameters: token::hold(rows) });
    table(
        requests,
        written,
        |changes| &changes.subscriptions,
        SUBSCRIPTIONS,
        |rows| {
            vec![
                column(rows, |put| put.row.token.map(i64::from)),
                column(rows, |put| put.row.scope.map(i64::from)),
                column(rows, |put| words::wanted(&put.row.wanted).trigger.map(i64::from)),
                column(rows, |put| put.row.since.0),
                column(rows, |put| words::wanted(&put.row.wanted).kind),
                column(rows, |put| put.name(put.row.node)),
                column(rows, |put| words::wanted(&put.row.wanted).name),
                column(rows, |put| words::wanted(&put.row.wanted).key),
                column(rows, |put| put.tenant),
            ]
        },
    );
}

/// Who may do a task: the same for as long as it is there, gone with it.
fn candidates<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    let (mut there, mut gone) = (Vec::new(), Vec::new());
    for one in written {
        for (n, change) in &one.changes.tasks {
            match &change.row {
                Some(task) if change.new => {
                    there.extend(candidates_of(task).map(|who| ((one.instance, *n), who, one.tenant())));
                }
                Some(_) => {}
                None => gone.push((one.instance, *n)),
            }
        }
    }
    push(requests, &there, |rows| {
        let mut parameters = place(rows, |(task, ..)| *task);
        parameters.push(column(rows, |(_, (kind, _), _)| *kind));
        parameters.push(column(rows, |(_, (_, who), _)| *who));
        parameters.push(column(rows, |(.., tenant)| *tenant));
        Request { sql: CANDIDATES.0, parameters }
    });
    push(requests, &gone, |rows| Request { sql: CANDIDATES.1, parameters: place(rows, |task| *task) });
}

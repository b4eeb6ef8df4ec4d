//! Tokens: born, moved, gone, and held or let go with their instance.

use tyer_engine::{InstanceId, Job, Number};
use tyer_model::Process;

use super::{place, push};
use crate::chain::Written;
use crate::postgres::connection::{Parameter, Request, column};
use crate::postgres::node::Lives;
use crate::rows::{Hold, Lease, TokenRow};
use crate::shard::shard;
use crate::words::{self, Word};

const INSERT: &str = "INSERT INTO token (shard, instance, n, owns, branch, source, attempt, tries, since, node, flow, wait,
    marks, mode, job, lease, lease_node, lease_since, lease_until, status, job_type, lease_owner, scope, parent, fork,
    tenant) SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::text[], $21::text[], $22::text[],
    $23::bigint[], $24::bigint[], $25::bigint[], $26::text[])";
/// Scope, parent, fork and tenant are a token's for life.
const UPDATE: &str = "UPDATE token t SET owns = w.owns, branch = w.branch, source = w.source, attempt = w.attempt,
    tries = w.tries, since = w.since, node = w.node, flow = w.flow, wait = w.wait, marks = w.marks, mode = w.mode,
    job = w.job, lease = w.lease, lease_node = w.lease_node, lease_since = w.lease_since, lease_until = w.lease_until,
    status = w.status, job_type = w.job_type, lease_owner = w.lease_owner
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[],
    $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::text[], $21::text[], $22::text[])
    AS w (shard, instance, n, owns, branch, source, attempt, tries, since, node, flow, wait, marks, mode, job, lease,
    lease_node, lease_since, lease_until, status, job_type, lease_owner)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)";
/// Who holds an old job is not this turn's to say.
const UPDATE_HELD: &str = "UPDATE token t SET owns = w.owns, branch = w.branch, source = w.source, attempt = w.attempt,
    tries = w.tries, since = w.since, node = w.node, flow = w.flow, wait = w.wait, marks = w.marks, mode = w.mode
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
    AS w (shard, instance, n, owns, branch, source, attempt, tries, since, node, flow, wait, marks, mode)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)";
const DELETE: &str =
    "DELETE FROM token t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)";
/// Pause and resume, whoever has claimed a token meanwhile: an executing token keeps its lease.
const HOLD: &str = "UPDATE token t SET status = CASE WHEN w.held THEN 'created' ELSE 'ready' END
    FROM unnest($1::smallint[], $2::bigint[], $3::boolean[]) AS w (shard, instance, held)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND t.instance = w.instance AND t.job IS NOT NULL
    AND t.status = CASE WHEN w.held THEN 'ready' ELSE 'created' END";

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [UPDATE, UPDATE_HELD, DELETE, HOLD];

/// A token's row with what names its node, flow and holder.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    instance: InstanceId,
    tenant: &'a str,
    n: Number,
    process: &'a Process,
    row: &'a TokenRow,
    lease_node: Option<i64>,
}

/// Tokens by what becomes of them.
#[derive(Default)]
pub(super) struct Sorted<'a> {
    pub(super) born: Vec<Row<'a>>,
    pub(super) moved: Vec<Row<'a>>,
    held: Vec<Row<'a>>,
    pub(super) gone: Vec<(InstanceId, Number)>,
}

impl<'a> Sorted<'a> {
    pub(super) fn of(written: impl IntoIterator<Item = &'a Written>, lives: &Lives) -> Sorted<'a> {
        let mut sorted = Sorted::default();
        for one in written {
            for (n, change) in &one.changes.tokens {
                let (instance, n) = (one.instance, *n);
                let Some(row) = &change.row else {
                    sorted.gone.push((instance, n));
                    continue;
                };
                let node = row.lease().and_then(|lease| lease.node);
                let lease_node = node.map(|number| lives.life(number));
                let kind = match (change.new, &row.hold) {
                    (true, _) => &mut sorted.born,
                    (false, Hold::Kept) => &mut sorted.held,
                    (false, Hold::Nobody | Hold::Taken(_)) => &mut sorted.moved,
                };
                let tenant = one.tenant();
                kind.push(Row { instance, tenant, n, process: &one.process, row, lease_node });
            }
        }
        sorted
    }
}

/// Of the swift ones what moves or goes, and what begins with its instance, was written with the checks.
pub(super) fn write<'a>(
    requests: &mut Vec<Request<'a>>,
    swift: &'a [Written],
    others: &'a [Written],
    lives: &Lives,
) {
    let Sorted { mut born, moved, mut held, gone } = Sorted::of(others, lives);
    born.extend(Sorted::of(swift.iter().filter(|one| !one.is_start), lives).born);
    held.extend(Sorted::of(swift, lives).held);
    push(requests, &born, |rows| Request { sql: INSERT, parameters: born_columns(rows) });
    push(requests, &moved, |rows| Request { sql: UPDATE, parameters: moved_columns(rows) });
    push(requests, &held, |rows| Request { sql: UPDATE_HELD, parameters: walking(rows) });
    push(requests, &gone, |rows| Request { sql: DELETE, parameters: place(rows, |row| *row) });
    pauses(requests, swift.iter().chain(others));
}

fn pauses<'a>(requests: &mut Vec<Request<'a>>, written: impl Iterator<Item = &'a Written>) {
    let paused: Vec<(InstanceId, bool)> =
        written.filter_map(|one| Some((one.instance, one.changes.held?))).collect();
    push(requests, &paused, |rows| Request { sql: HOLD, parameters: hold(rows) });
}

/// Which instances are held (true) or let go.
pub(super) fn hold<'a>(rows: &[(InstanceId, bool)]) -> Vec<Parameter<'a>> {
    vec![column(rows, |(id, _)| shard(*id)), column(rows, |(id, _)| id.0), column(rows, |(_, held)| *held)]
}

pub(super) fn born_columns<'a>(rows: &[Row<'a>]) -> Vec<Parameter<'a>> {
    walking(rows).into_iter().chain(held_by(rows)).chain(for_life(rows)).collect()
}

pub(super) fn moved_columns<'a>(rows: &[Row<'a>]) -> Vec<Parameter<'a>> {
    walking(rows).into_iter().chain(held_by(rows)).collect()
}

/// What a turn says of every token that it touches.
fn walking<'a>(rows: &[Row<'a>]) -> Vec<Parameter<'a>> {
    let mut columns = place(rows, |row| (row.instance, row.n));
    columns.extend([
        column(rows, |Row { row, .. }| row.token.owns.map(i64::from)),
        column(rows, |Row { row, .. }| row.token.branch.map(i64::from)),
        column(rows, |Row { row, .. }| words::wait(&row.token.wait).1.map(i64::from)),
        column(rows, |Row { row, .. }| i64::from(row.token.attempt)),
        column(rows, |Row { row, .. }| row.token.tries.map(i64::from)),
        column(rows, |Row { row, .. }| row.token.since.0),
        column(rows, |row| row.node()),
        column(rows, |row| row.flow()),
        column(rows, |Row { row, .. }| words::wait(&row.token.wait).0),
        column(rows, |Row { row, process, .. }| words::marks(process, &row.token.marks)),
        column(rows, |Row { row, .. }| row.token.mode.word()),
    ]);
    columns
}

/// What a turn says of a job that is its own.
fn held_by<'a>(rows: &[Row<'a>]) -> Vec<Parameter<'a>> {
    vec![
        column(rows, |row| row.job().map(|job| i64::from(job.number))),
        column(rows, |row| row.lease().map_or(0, |lease| i64::from(lease.number))),
        column(rows, |row| row.lease_node),
        column(rows, |row| row.lease().map(|lease| lease.since.0)),
        column(rows, |row| row.lease().and_then(|lease| lease.until).map(|until| until.0)),
        column(rows, |row| if row.lease().is_some() { "executing" } else { row.row.status.word() }),
        column(rows, |row| row.job().map(|job| &*job.job_type)),
        column(rows, |row| row.lease().map(|lease| &*lease.worker)),
    ]
}

fn for_life<'a>(rows: &[Row<'a>]) -> Vec<Parameter<'a>> {
    vec![
        column(rows, |Row { row, .. }| i64::from(row.token.scope)),
        column(rows, |Row { row, .. }| row.token.parent.map(i64::from)),
        column(rows, |Row { row, .. }| row.token.group.map(i64::from)),
        column(rows, |row| row.tenant),
    ]
}

impl<'a> Row<'a> {
    pub(super) fn key(&self) -> (InstanceId, Number) {
        (self.instance, self.n)
    }

    fn node(&self) -> &'a str {
        &self.process.node(self.row.token.node).id
    }

    fn flow(&self) -> Option<&'a str> {
        self.row.token.flow.map(|flow| &*self.process.flow(flow).id)
    }

    fn lease(&self) -> Option<&'a Lease> {
        self.row.lease()
    }

    fn job(&self) -> Option<&'a Job> {
        self.row.token.job()
    }
}

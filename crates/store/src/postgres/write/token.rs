//! Tokens: born, moved, gone, and held or let go with their instance.

use tyer_engine::{InstanceId, Job, Number};
use tyer_model::Process;

use super::{place, push};
use crate::chain::Written;
use crate::postgres::connection::{Parameter, Request, column};
use crate::postgres::node::Lives;
use crate::rows::{Lease, TokenRow};
use crate::shard::shard;
use crate::words::Word;

const INSERT: &str = "INSERT INTO token (shard, instance, n, scope, parent, branch, attempt, since, job, lease, lease_node,
    lease_since, lease_until, status, mode, node, flow, job_type, lease_owner)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::text[],
    $15::text[], $16::text[], $17::text[], $18::text[], $19::text[])";
const UPDATE: &str = "UPDATE token t SET scope = w.scope, parent = w.parent, branch = w.branch, attempt = w.attempt,
    since = w.since, job = w.job, lease = w.lease, lease_node = w.lease_node, lease_since = w.lease_since,
    lease_until = w.lease_until, status = w.status, mode = w.mode, node = w.node, flow = w.flow,
    job_type = w.job_type, lease_owner = w.lease_owner
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::text[], $15::text[],
    $16::text[], $17::text[], $18::text[], $19::text[])
    AS w (shard, instance, n, scope, parent, branch, attempt, since, job, lease, lease_node, lease_since, lease_until,
    status, mode, node, flow, job_type, lease_owner)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";
const DELETE: &str =
    "DELETE FROM token t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.n = w.n";
/// Pause and resume, whoever has claimed a token meanwhile: an executing token keeps its lease.
const HOLD: &str = "UPDATE token t SET status = CASE WHEN w.held THEN 'created' ELSE 'ready' END
    FROM unnest($1::smallint[], $2::bigint[], $3::boolean[]) AS w (shard, instance, held)
    WHERE t.shard = w.shard AND t.instance = w.instance AND t.job IS NOT NULL
    AND t.status = CASE WHEN w.held THEN 'ready' ELSE 'created' END";

/// A token's row with what names its node, flow and holder.
#[derive(Clone, Copy)]
struct Row<'a> {
    instance: InstanceId,
    n: Number,
    process: &'a Process,
    row: &'a TokenRow,
    lease_node: Option<i64>,
}

pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written], lives: &Lives) {
    let (mut born, mut moved, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for one in written {
        for (n, change) in &one.changes.tokens {
            let (instance, n) = (one.instance, *n);
            match &change.row {
                None => gone.push((instance, n)),
                Some(row) => {
                    let node = row.lease.as_ref().and_then(|lease| lease.node);
                    let lease_node = node.map(|number| lives.life(number));
                    let kind = if change.new { &mut born } else { &mut moved };
                    kind.push(Row { instance, n, process: &one.process, row, lease_node });
                }
            }
        }
    }
    let held: Vec<(InstanceId, bool)> =
        written.iter().filter_map(|one| Some((one.instance, one.changes.held?))).collect();
    push(requests, &born, |rows| Request { sql: INSERT, parameters: columns(rows) });
    push(requests, &moved, |rows| Request { sql: UPDATE, parameters: columns(rows) });
    push(requests, &gone, |rows| Request { sql: DELETE, parameters: place(rows, |row| *row) });
    push(requests, &held, |rows| Request { sql: HOLD, parameters: hold(rows) });
}

/// Which instances are held (true) or let go.
pub(super) fn hold<'a>(rows: &[(InstanceId, bool)]) -> Vec<Parameter<'a>> {
    vec![column(rows, |(id, _)| shard(*id)), column(rows, |(id, _)| id.0), column(rows, |(_, held)| *held)]
}

fn columns<'a>(rows: &[Row<'a>]) -> Vec<Parameter<'a>> {
    let mut columns = place(rows, |row| (row.instance, row.n));
    columns.extend([
        column(rows, |Row { row, .. }| i64::from(row.token.scope)),
        column(rows, |Row { row, .. }| row.token.parent.map(i64::from)),
        column(rows, |Row { row, .. }| row.token.group.map(i64::from)),
        column(rows, |Row { row, .. }| i64::from(row.token.attempt)),
        column(rows, |Row { row, .. }| row.token.since.0),
        column(rows, |row| row.job().map(|job| i64::from(job.number))),
        column(rows, |row| row.lease().map_or(0, |lease| i64::from(lease.number))),
        column(rows, |row| row.lease_node),
        column(rows, |row| row.lease().map(|lease| lease.since.0)),
        column(rows, |row| row.lease().and_then(|lease| lease.until).map(|until| until.0)),
        column(rows, |row| if row.lease().is_some() { "executing" } else { row.row.status.word() }),
        column(rows, |Row { row, .. }| row.token.mode.word()),
        column(rows, |row| row.node()),
        column(rows, |row| row.flow()),
        column(rows, |row| row.job().map(|job| &*job.job_type)),
        column(rows, |row| row.lease().map(|lease| &*lease.worker)),
    ]);
    columns
}

impl<'a> Row<'a> {
    fn node(&self) -> &'a str {
        &self.process.node(self.row.token.node).id
    }

    fn flow(&self) -> Option<&'a str> {
        self.row.token.flow.map(|flow| &*self.process.flow(flow).id)
    }

    fn lease(&self) -> Option<&'a Lease> {
        self.row.lease.as_ref()
    }

    fn job(&self) -> Option<&'a Job> {
        self.row.token.job()
    }
}

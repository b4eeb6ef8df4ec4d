//! Turns that rely on nothing but versions, leases and the newest definition: the checks are part of the writes.
//!
//! One statement begins instances, one moves them on. Each says of how many rows its conditions held; when it was not all,
//! the transaction is rolled back and the batch goes the way of every other, which can tell what did not hold. Turns that rely
//! on more go that way within the same transaction.
//!
//! **Invariant:** an instance's row that another has locked is skipped, never waited for, and no other row of any instance
//! is touched then. The lease of a job is compared by the write that ends it.
//! **Invariant:** rows of which no check depends follow only when all checks held.

use tokio_postgres::Row;
use tyer_engine::{InstanceId, Number};
use tyer_map::{Map, Set};

use super::{changing, history_columns, insert_columns, place, token};
use crate::chain::{Facts, Written};
use crate::error::Error;
use crate::mail::Take;
use crate::postgres::connection::{Parameter, Request, column};
use crate::postgres::node::Lives;
use crate::tenant::Tenant;
use crate::turn::Turn;

const BEGIN: &str = "WITH begun AS (INSERT INTO process_instance (shard, id, definition, version, counter, ended_at, retries,
        errors, status, last_error, started_at, parent, parent_call, priority, business_key, started_by, start_key, tenant)
        SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
        $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::smallint[],
        $15::text[], $16::text[], $17::text[], $18::text[]) ON CONFLICT DO NOTHING RETURNING id),
    born AS (INSERT INTO token (shard, instance, n, owns, branch, source, attempt, tries, since, node, flow, wait, marks, mode,
        job, lease, lease_node, lease_since, lease_until, status, job_type, lease_owner, scope, parent, fork, tenant)
        SELECT * FROM unnest($19::smallint[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[],
        $25::bigint[], $26::bigint[], $27::bigint[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[],
        $33::bigint[], $34::bigint[], $35::bigint[], $36::bigint[], $37::bigint[], $38::text[], $39::text[], $40::text[],
        $41::bigint[], $42::bigint[], $43::bigint[], $44::text[])
        WHERE (SELECT count(*) FROM begun) = cardinality($1::smallint[])),
    known AS (INSERT INTO variables (shard, instance, scope, document)
        SELECT * FROM unnest($45::smallint[], $46::bigint[], $47::bigint[], $48::text[])
        WHERE (SELECT count(*) FROM begun) = cardinality($1::smallint[])),
    told AS (INSERT INTO history (shard, instance, first_seq, count, turn, at, format, events)
        SELECT * FROM unnest($49::smallint[], $50::bigint[], $51::bigint[], $52::integer[], $53::bigint[], $54::bigint[],
        $55::smallint[], $56::text[])
        WHERE (SELECT count(*) FROM begun) = cardinality($1::smallint[]))
    SELECT (SELECT count(*) FROM begun), (SELECT count(*)
        FROM unnest($57::text[], $58::text[], $59::bigint[]) AS w (tenant, key, definition)
        WHERE w.definition = (SELECT p.id FROM process_definition p WHERE p.tenant = w.tenant AND p.key = w.key
            ORDER BY p.version DESC LIMIT 1))";

/// What moves with the instances is materialized, so that nothing is asked again of a token that was claimed meanwhile.
const MOVE: &str = "WITH wanted AS MATERIALIZED (SELECT w.*, i.ctid AS place FROM unnest($1::smallint[], $2::bigint[],
        $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[],
        $11::bigint[]) AS w (shard, id, definition, version, counter, ended_at, retries, errors, status, last_error, base)
        JOIN process_instance i ON i.shard = ANY (ARRAY[w.shard]) AND i.id = w.id
        WHERE i.version = w.base FOR UPDATE OF i SKIP LOCKED),
    moved AS (UPDATE process_instance i SET definition = w.definition, version = w.version, counter = w.counter,
        ended_at = w.ended_at, retries = w.retries, errors = w.errors, status = w.status, last_error = w.last_error
        FROM wanted w WHERE i.ctid = w.place RETURNING i.id),
    walking AS MATERIALIZED (SELECT w.* FROM unnest($12::smallint[], $13::bigint[], $14::bigint[], $15::bigint[],
        $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::text[], $22::text[], $23::text[],
        $24::text[], $25::text[], $26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[], $31::text[],
        $32::text[], $33::text[], $34::bigint[], $35::bigint[]) AS w (shard, instance, n, owns, branch, source, attempt, tries,
        since, node, flow, wait, marks, mode, job, lease, lease_node, lease_since, lease_until, status, job_type, lease_owner,
        old_job, old_lease) WHERE (SELECT count(*) FROM moved) = cardinality($1::smallint[])),
    walked AS (UPDATE token t SET owns = w.owns, branch = w.branch, source = w.source, attempt = w.attempt, tries = w.tries,
        since = w.since, node = w.node, flow = w.flow, wait = w.wait, marks = w.marks, mode = w.mode, job = w.job,
        lease = w.lease, lease_node = w.lease_node, lease_since = w.lease_since, lease_until = w.lease_until,
        status = w.status, job_type = w.job_type, lease_owner = w.lease_owner
        FROM walking w WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)
        AND (w.old_lease IS NULL OR t.lease = w.old_lease AND t.job = w.old_job AND t.status = 'executing')
        RETURNING w.old_lease),
    leaving AS MATERIALIZED (SELECT w.* FROM unnest($36::smallint[], $37::bigint[], $38::bigint[], $39::bigint[],
        $40::bigint[]) AS w (shard, instance, n, old_job, old_lease)
        WHERE (SELECT count(*) FROM moved) = cardinality($1::smallint[])),
    gone AS (DELETE FROM token t USING leaving w
        WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)
        AND (w.old_lease IS NULL OR t.lease = w.old_lease AND t.job = w.old_job AND t.status = 'executing')
        RETURNING w.old_lease),
    told AS (INSERT INTO history (shard, instance, first_seq, count, turn, at, format, events)
        SELECT * FROM unnest($41::smallint[], $42::bigint[], $43::bigint[], $44::integer[], $45::bigint[], $46::bigint[],
        $47::smallint[], $48::text[])
        WHERE (SELECT count(*) FROM moved) = cardinality($1::smallint[]))
    SELECT (SELECT count(*) FROM moved), (SELECT count(old_lease) FROM walked) + (SELECT count(old_lease) FROM gone)";

/// What the test of the plans looks at.
#[cfg(test)]
pub(in crate::postgres) const STATEMENTS: [&str; 2] = [BEGIN, MOVE];

/// All that a batch relies on, as if it held.
pub(in crate::postgres) struct Hoped<'a> {
    versions: Map<InstanceId, u64>,
    leases: Map<(InstanceId, Number), (Number, u32)>,
    newest: Map<(&'a Tenant, &'a str), i64>,
}

/// Which turns rely on nothing else, nor does another of their instance. New ids are waited for in one order: when one is
/// begun by a turn that is not simple, none is.
pub(in crate::postgres) fn simple(batch: &[Turn]) -> Vec<bool> {
    let not_simple = |turn: &&Turn| {
        let relies = &turn.relies;
        let more = relies.idempotency_key.is_some() || !relies.unclaimed.is_empty();
        more || turn.mail.takes.is_some() || turn.start_key().is_some()
    };
    let others: Set<InstanceId> = batch.iter().filter(not_simple).map(|turn| turn.key.instance).collect();
    let begun: Set<InstanceId> =
        batch.iter().filter(|turn| turn.is_start()).map(|turn| turn.key.instance).collect();
    let all_begin_so = begun.iter().all(|id| !others.contains(id));
    let is_simple = |id: &InstanceId| !others.contains(id) && (all_begin_so || !begun.contains(id));
    batch.iter().map(|turn| is_simple(&turn.key.instance)).collect()
}

impl<'a> Hoped<'a> {
    /// Of turns that are simple.
    pub(in crate::postgres) fn of(turns: impl Iterator<Item = &'a Turn>) -> Hoped<'a> {
        let (mut versions, mut leases, mut newest) = (Map::new(), Map::new(), Map::new());
        for turn in turns {
            let id = turn.key.instance;
            versions.entry(id).or_insert(turn.base_version());
            if let Some((token, job, lease)) = turn.relies.lease {
                leases.entry((id, token)).or_insert((job, lease));
            }
            if let Some(process) = turn.newest_of() {
                newest.entry(process).or_insert(turn.changes.instance.definition);
            }
        }
        Hoped { versions, leases, newest }
    }

    fn lease_of(&self, id: InstanceId, token: Number) -> Option<(Number, u32)> {
        self.leases.get(&(id, token)).copied()
    }
}

impl Facts for Hoped<'_> {
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error> {
        Ok(self.versions.get(&instance).copied())
    }

    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error> {
        Ok(self.lease_of(instance, token))
    }

    fn is_free(&self, _instance: InstanceId, _token: Number) -> Result<bool, Error> {
        Ok(false)
    }

    fn newest(&self, tenant: &Tenant, process: &str) -> Result<Option<i64>, Error> {
        Ok(self.newest.get(&(tenant, process)).copied())
    }

    fn idempotency_key(&self, _tenant: &Tenant, _key: &str) -> Result<Option<InstanceId>, Error> {
        Ok(None)
    }

    fn start_key(&self, _tenant: &Tenant, _process: &str, _key: &str) -> Result<Option<InstanceId>, Error> {
        Ok(None)
    }

    fn can_take(&self, _take: &Take) -> Result<bool, Error> {
        Ok(false)
    }
}

/// Statements, and what each has to answer if everything holds.
pub(in crate::postgres) struct Checks<'a> {
    pub(in crate::postgres) requests: Vec<Request<'a>>,
    pub(in crate::postgres) expected: Vec<(usize, usize)>,
}

impl<'a> Checks<'a> {
    /// None = a lease is relied on that no write compares.
    pub(in crate::postgres) fn of(
        written: &'a [Written],
        hoped: &Hoped<'a>,
        lives: &Lives,
    ) -> Option<Checks<'a>> {
        let (starts, steps): (Vec<&'a Written>, Vec<&'a Written>) =
            written.iter().partition(|one| one.is_start);
        let mut checks = Checks { requests: Vec::with_capacity(2), expected: Vec::with_capacity(2) };
        if !starts.is_empty() {
            checks.requests.push(begin(&starts, hoped, lives));
            checks.expected.push((starts.len(), hoped.newest.len()));
        }
        if !steps.is_empty() {
            checks.requests.push(step(&steps, hoped, lives)?);
            checks.expected.push((steps.len(), hoped.leases.len()));
        }
        Some(checks)
    }
}

/// Did everything hold?
pub(in crate::postgres) fn held(expected: &[(usize, usize)], answers: &[Vec<Row>]) -> bool {
    let counted = answers.iter().flatten().map(|row| (row.get::<_, i64>(0), row.get::<_, i64>(1)));
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    counted.eq(expected.iter().map(|(rows, more)| (number(*rows), number(*more))))
}

fn begin<'a>(starts: &[&'a Written], hoped: &Hoped<'a>, lives: &Lives) -> Request<'a> {
    let rows: Vec<_> = starts.iter().map(|one| (one.instance, &one.changes.instance)).collect();
    let mut parameters = insert_columns(&rows);
    parameters.extend(token::born_columns(&token::Sorted::of(starts.iter().copied(), lives).born));
    let variables: Vec<(InstanceId, Number, &'a str)> = starts
        .iter()
        .flat_map(|one| one.changes.variables.iter().map(|(scope, change)| (one.instance, *scope, change)))
        .filter_map(|(id, scope, change)| Some((id, scope, change.row.as_deref()?)))
        .collect();
    parameters.extend(place(&variables, |(id, scope, _)| (*id, *scope)));
    parameters.push(column(&variables, |(.., document)| *document));
    parameters.extend(told(starts));
    let newest: Vec<_> = hoped.newest.iter().collect();
    parameters.extend([
        column(&newest, |((tenant, _), _)| tenant.as_str()),
        column(&newest, |((_, process), _)| *process),
        column(&newest, |(_, definition)| **definition),
    ]);
    Request { sql: BEGIN, parameters }
}

fn step<'a>(steps: &[&'a Written], hoped: &Hoped<'a>, lives: &Lives) -> Option<Request<'a>> {
    let rows: Vec<_> = steps.iter().map(|one| (one.instance, &one.changes.instance)).collect();
    let mut parameters = changing(&rows);
    parameters
        .push(column(steps, |one| one.history.first().map_or(0, |(key, _)| key.first_seq.cast_signed() - 1)));
    let sorted = token::Sorted::of(steps.iter().copied(), lives);
    let lease = |id: InstanceId, n: Number| hoped.lease_of(id, n);
    let moved: Vec<(InstanceId, Number)> = sorted.moved.iter().map(token::Row::key).collect();
    let compared = moved.iter().chain(&sorted.gone).filter(|(id, n)| lease(*id, *n).is_some()).count();
    if compared != hoped.leases.len() {
        return None;
    }
    parameters.extend(token::moved_columns(&sorted.moved));
    parameters.extend(old_leases(&moved, hoped));
    parameters.extend(place(&sorted.gone, |row| *row));
    parameters.extend(old_leases(&sorted.gone, hoped));
    parameters.extend(told(steps));
    Some(Request { sql: MOVE, parameters })
}

/// The jobs that are relied on, and under which lease.
fn old_leases<'a>(tokens: &[(InstanceId, Number)], hoped: &Hoped<'_>) -> Vec<Parameter<'a>> {
    vec![
        column(tokens, |(id, n)| hoped.lease_of(*id, *n).map(|(job, _)| i64::from(job))),
        column(tokens, |(id, n)| hoped.lease_of(*id, *n).map(|(_, lease)| i64::from(lease))),
    ]
}

fn told<'a>(written: &[&'a Written]) -> Vec<Parameter<'a>> {
    history_columns(&written.iter().flat_map(|one| &one.history).collect::<Vec<_>>())
}

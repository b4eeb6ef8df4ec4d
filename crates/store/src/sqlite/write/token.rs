//! Tokens: born, moved, gone, and held or let go with their instance.
//!
//! **Invariant:** who holds an old job is not this turn's to say: status and lease columns stay as they are.

use rusqlite::{CachedStatement, Transaction, params};
use tyer_engine::Number;

use crate::chain::Written;
use crate::changes::Change;
use crate::rows::{Hold, TokenRow};
use crate::sqlite::commit::Before;
use crate::words::{self, Word};

const INSERT: &str = "INSERT INTO token (instance, n, node, flow, wait, source, owns, branch, marks, attempt, tries, since,
    status, job, job_type, lease, lease_owner, lease_node, lease_since, lease_until, mode, scope, parent, fork, tenant)
    VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25)";
/// Scope, parent, fork and tenant are a token's for life.
const UPDATE: &str = "UPDATE token SET node = ?3, flow = ?4, wait = ?5, source = ?6, owns = ?7, branch = ?8, marks = ?9,
    attempt = ?10, tries = ?11, since = ?12, status = ?13, job = ?14, job_type = ?15, lease = ?16, lease_owner = ?17,
    lease_node = ?18, lease_since = ?19, lease_until = ?20, mode = ?21 WHERE instance = ?1 AND n = ?2";
/// The job before it was with the same node, with no end set: status and holder stay.
const UPDATE_SAME_HOLDER: &str =
    "UPDATE token SET node = ?3, flow = ?4, wait = ?5, source = ?6, owns = ?7, branch = ?8, marks = ?9, attempt = ?10,
    tries = ?11, since = ?12, job = ?13, job_type = ?14, lease = ?15, lease_owner = ?16, lease_since = ?17, mode = ?18
    WHERE instance = ?1 AND n = ?2";
const UPDATE_HELD: &str =
    "UPDATE token SET node = ?3, flow = ?4, wait = ?5, source = ?6, owns = ?7, branch = ?8,
    marks = ?9, attempt = ?10, tries = ?11, since = ?12, mode = ?13 WHERE instance = ?1 AND n = ?2";
const DELETE: &str = "DELETE FROM token WHERE instance = ?1 AND n = ?2";

pub(super) fn write(
    transaction: &Transaction<'_>,
    written: &[Written],
    before: &Before,
) -> rusqlite::Result<()> {
    let mut statements = Statements {
        insert: transaction.prepare_cached(INSERT)?,
        update: transaction.prepare_cached(UPDATE)?,
        update_same_holder: transaction.prepare_cached(UPDATE_SAME_HOLDER)?,
        update_held: transaction.prepare_cached(UPDATE_HELD)?,
        before,
    };
    let mut delete = transaction.prepare_cached(DELETE)?;
    for one in written {
        for (n, Change { new, row }) in &one.changes.tokens {
            match row {
                Some(row) => put(&mut statements, one, *n, *new, row)?,
                None => delete.execute(params![one.instance.0, n])?,
            };
        }
    }
    hold(transaction, written)
}

struct Statements<'a> {
    insert: CachedStatement<'a>,
    update: CachedStatement<'a>,
    update_same_holder: CachedStatement<'a>,
    update_held: CachedStatement<'a>,
    before: &'a Before,
}

fn put(
    statements: &mut Statements<'_>,
    one: &Written,
    n: Number,
    new: bool,
    row: &TokenRow,
) -> rusqlite::Result<usize> {
    let (id, token, lease) = (one.instance.0, &row.token, row.lease());
    let node = &*one.process.node(token.node).id;
    let flow = token.flow.map(|flow| &*one.process.flow(flow).id);
    let (wait, source) = words::wait(&token.wait);
    let marks = words::marks(&one.process, &token.marks);
    let (owns, branch, attempt, tries, since) =
        (token.owns, token.branch, token.attempt, token.tries, token.since.0);
    let mode = token.mode.word();
    if row.hold == Hold::Kept {
        return statements.update_held.execute(params![
            id, n, node, flow, wait, source, owns, branch, marks, attempt, tries, since, mode
        ]);
    }
    let status = if lease.is_some() { "executing" } else { row.status.word() };
    let (job, job_type) = token.job().map(|job| (job.number, &*job.job_type)).unzip();
    let (leases, owner) = (lease.map_or(0, |lease| lease.number), lease.map(|lease| &*lease.worker));
    let (holder, held_since) = (lease.and_then(|lease| lease.node), lease.map(|lease| lease.since.0));
    let until = lease.and_then(|lease| lease.until).map(|until| until.0);
    let same_holder = lease.is_some() && until.is_none() && statements.before.held(one.instance, n, holder);
    if !new && same_holder {
        return statements.update_same_holder.execute(params![
            id, n, node, flow, wait, source, owns, branch, marks, attempt, tries, since, job, job_type,
            leases, owner, held_since, mode
        ]);
    }
    if !new {
        return statements.update.execute(params![
            id, n, node, flow, wait, source, owns, branch, marks, attempt, tries, since, status, job,
            job_type, leases, owner, holder, held_since, until, mode
        ]);
    }
    let (scope, parent, fork) = (token.scope, token.parent, token.group);
    statements.insert.execute(params![
        id,
        n,
        node,
        flow,
        wait,
        source,
        owns,
        branch,
        marks,
        attempt,
        tries,
        since,
        status,
        job,
        job_type,
        leases,
        owner,
        holder,
        held_since,
        until,
        mode,
        scope,
        parent,
        fork,
        one.tenant()
    ])
}

/// Pause and resume, whoever has claimed a token meanwhile: an executing token keeps its lease.
fn hold(transaction: &Transaction<'_>, written: &[Written]) -> rusqlite::Result<()> {
    for one in written {
        let Some(held) = one.changes.held else { continue };
        let (from, to) = if held { ("ready", "created") } else { ("created", "ready") };
        let mut tokens = transaction.prepare_cached(
            "UPDATE token SET status = ?3 WHERE instance = ?1 AND status = ?2 AND job IS NOT NULL",
        )?;
        tokens.execute(params![one.instance.0, from, to])?;
    }
    Ok(())
}

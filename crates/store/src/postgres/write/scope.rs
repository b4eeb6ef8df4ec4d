//! Scopes, and apart from them their variables.

use super::{Statements, push, table, written_with};
use crate::chain::Written;
use crate::indexed::{self, Indexed};
use crate::postgres::connection::{Parameter, Request, column};
use crate::shard::shard;
use crate::words;

const SCOPES: Statements = written_with!(
    "INSERT INTO scope (shard, instance, n, parent, owner, total, started, completed, terminated, kind, node)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::text[], $11::text[])",
    "ON CONFLICT (shard, instance, n) DO UPDATE SET started = excluded.started, completed = excluded.completed,
    terminated = excluded.terminated, node = excluded.node",
    "DELETE FROM scope s USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE s.shard = ANY (ARRAY[w.shard]) AND (s.instance, s.n) = (w.instance, w.n)"
);
const VARIABLES: Statements = written_with!(
    "INSERT INTO variables (shard, instance, scope, document)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[])",
    "ON CONFLICT (shard, instance, scope) DO UPDATE SET document = excluded.document",
    "DELETE FROM variables v USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, scope)
    WHERE v.shard = ANY (ARRAY[w.shard]) AND (v.instance, v.scope) = (w.instance, w.scope)"
);

/// A value that has not changed is not written.
const INDEX: (&str, &str) = (
    "INSERT INTO variable_index AS v (shard, instance, name, number, text, tenant)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::text[], $4::double precision[], $5::text[], $6::text[])
    ON CONFLICT (shard, instance, name) DO UPDATE SET number = excluded.number, text = excluded.text
    WHERE v.number IS DISTINCT FROM excluded.number OR v.text IS DISTINCT FROM excluded.text",
    "DELETE FROM variable_index v USING unnest($1::smallint[], $2::bigint[], $3::text[]) AS w (shard, instance, name)
    WHERE v.shard = ANY (ARRAY[w.shard]) AND (v.instance, v.name) = (w.instance, w.name)",
);

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 3] = [SCOPES.delete, VARIABLES.delete, INDEX.1];

/// The variables of the first so many are there already, where the instance is new.
pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written], swift: usize) {
    scopes(requests, written);
    let are_there = |(at, one): &(usize, &Written)| *at < swift && one.is_start;
    variables(requests, written.iter().enumerate().filter(|one| !are_there(one)).map(|(_, one)| one));
    index(requests, written);
}

fn scopes<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    table(
        requests,
        written,
        |changes| &changes.scopes,
        SCOPES,
        |rows| {
            vec![
                column(rows, |put| i64::from(put.row.parent)),
                column(rows, |put| i64::from(put.row.owner)),
                column(rows, |put| words::scope_kind(put.row.kind).1.map(i64::from)),
                column(rows, |put| i64::from(put.row.rounds.0)),
                column(rows, |put| i64::from(put.row.rounds.1)),
                column(rows, |put| i64::from(put.row.rounds.2)),
                column(rows, |put| words::scope_kind(put.row.kind).0),
                column(rows, |put| put.name(put.row.node)),
            ]
        },
    );
}

fn variables<'a>(requests: &mut Vec<Request<'a>>, written: impl IntoIterator<Item = &'a Written>) {
    table(
        requests,
        written,
        |changes| &changes.variables,
        VARIABLES,
        |rows| vec![column(rows, |put| put.row.as_str())],
    );
}

/// Variables that instances are found by.
fn index<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    let (there, gone): (Vec<Indexed<'a>>, _) =
        indexed::changed(written).into_iter().partition(|one| one.value.is_some());
    push(requests, &there, |rows| {
        let mut parameters = which(rows);
        parameters.push(column(rows, |one| one.value.as_ref().and_then(|value| value.columns().0)));
        parameters.push(column(rows, |one| {
            one.value.as_ref().and_then(|value| value.columns().1).map(str::to_owned)
        }));
        parameters.push(column(rows, |one| one.tenant));
        Request { sql: INDEX.0, parameters }
    });
    push(requests, &gone, |rows| Request { sql: INDEX.1, parameters: which(rows) });
}

fn which<'a>(rows: &[Indexed<'a>]) -> Vec<Parameter<'a>> {
    vec![
        column(rows, |one| shard(one.instance)),
        column(rows, |one| one.instance.0),
        column(rows, |one| one.name),
    ]
}

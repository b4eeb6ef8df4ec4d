//! What a failure leaves behind: records of completed steps, undoings, incidents.

use super::{Statements, table, written_with};
use crate::chain::Written;
use crate::postgres::connection::{Request, column};
use crate::words::Word;

const RECORDS: Statements = written_with!(
    "INSERT INTO compensation_record (shard, instance, n, scope, inner_scope, status, node, variables)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
    $8::text[])",
    "ON CONFLICT (shard, instance, n) DO UPDATE SET scope = excluded.scope, status = excluded.status,
    node = excluded.node, variables = excluded.variables",
    "DELETE FROM compensation_record t
    USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)"
);
const SAGAS: Statements = written_with!(
    "INSERT INTO saga (shard, instance, n, scope, token, since, cause, message)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::text[], $8::text[])",
    "",
    "DELETE FROM saga t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)"
);
const INCIDENTS: Statements = written_with!(
    "INSERT INTO incident (shard, instance, n, token, at, kind, message, tenant)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
    $8::text[])",
    "",
    "DELETE FROM incident t USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE t.shard = ANY (ARRAY[w.shard]) AND (t.instance, t.n) = (w.instance, w.n)"
);

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 3] = [RECORDS.delete, SAGAS.delete, INCIDENTS.delete];

pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
    table(
        requests,
        written,
        |changes| &changes.records,
        RECORDS,
        |rows| {
            vec![
                column(rows, |put| i64::from(put.row.scope)),
                column(rows, |put| put.row.inner.map(i64::from)),
                column(rows, |put| put.row.status.word()),
                column(rows, |put| put.name(put.row.node)),
                column(rows, |put| put.row.variables.to_json()),
            ]
        },
    );
    table(
        requests,
        written,
        |changes| &changes.sagas,
        SAGAS,
        |rows| {
            vec![
                column(rows, |put| i64::from(put.row.scope)),
                column(rows, |put| i64::from(put.row.token)),
                column(rows, |put| put.row.since.map(i64::from)),
                column(rows, |put| put.row.cause.word()),
                column(rows, |put| put.row.message.as_deref()),
            ]
        },
    );
    table(
        requests,
        written,
        |changes| &changes.incidents,
        INCIDENTS,
        |rows| {
            vec![
                column(rows, |put| put.row.token.map(i64::from)),
                column(rows, |put| put.row.at.0),
                column(rows, |put| put.row.kind.word()),
                column(rows, |put| &*put.row.message),
                column(rows, |put| put.tenant),
            ]
        },
    );
}

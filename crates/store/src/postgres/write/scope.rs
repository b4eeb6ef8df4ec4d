//! Scopes, and apart from them their variables.

use super::table;
use crate::chain::Written;
use crate::postgres::connection::{Request, column};
use crate::words;

const SCOPES: (&str, &str) = (
    "INSERT INTO scope (shard, instance, n, parent, owner, total, started, completed, terminated, kind, node)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::text[], $11::text[])
    ON CONFLICT (shard, instance, n) DO UPDATE SET started = excluded.started, completed = excluded.completed,
    terminated = excluded.terminated, node = excluded.node",
    "DELETE FROM scope s USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, n)
    WHERE s.shard = w.shard AND s.instance = w.instance AND s.n = w.n",
);
const VARIABLES: (&str, &str) = (
    "INSERT INTO variables (shard, instance, scope, document)
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[])
    ON CONFLICT (shard, instance, scope) DO UPDATE SET document = excluded.document",
    "DELETE FROM variables v USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS w (shard, instance, scope)
    WHERE v.shard = w.shard AND v.instance = w.instance AND v.scope = w.scope",
);

pub(super) fn write<'a>(requests: &mut Vec<Request<'a>>, written: &'a [Written]) {
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
    table(
        requests,
        written,
        |changes| &changes.variables,
        VARIABLES,
        |rows| vec![column(rows, |put| put.row.as_str())],
    );
}

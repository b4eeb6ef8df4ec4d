//! The statements that find pages of instances.
//!
//! **Invariant:** no statement here scans a table (a test reads their plans).

/// What an instance must be, whichever way it is found. What is not asked for is null.
macro_rules! residual {
    () => {
        "i.tenant = $17::text AND i.id > $1::bigint AND i.id < $2::bigint
        AND ($4::text[] IS NULL OR i.status = ANY ($4::text[]))
        AND ($5::bigint[] IS NULL OR i.definition = ANY ($5::bigint[]))
        AND ($6::text IS NULL OR i.business_key = $6::text)
        AND ($7::bigint IS NULL OR i.started_at >= $7::bigint) AND ($8::bigint IS NULL OR i.started_at < $8::bigint)
        AND ($9::bigint IS NULL OR i.ended_at >= $9::bigint) AND ($10::bigint IS NULL OR i.ended_at < $10::bigint)
        AND ($11::boolean IS NULL OR $11::boolean = EXISTS (
            SELECT 1 FROM incident x WHERE x.shard = i.shard AND x.instance = i.id))
        AND ($12::text IS NULL OR EXISTS (
            SELECT 1 FROM token x WHERE x.shard = i.shard AND x.instance = i.id AND x.node = $12::text))
        AND ($13::text[] IS NULL OR NOT EXISTS (
            SELECT 1 FROM unnest($13::text[], $14::text[], $15::double precision[], $16::text[])
                AS t (name, compare, number, text)
            WHERE NOT EXISTS (SELECT 1 FROM variable_index x
                WHERE x.shard = i.shard AND x.instance = i.id AND x.name = t.name AND CASE t.compare
                WHEN 'eq' THEN coalesce(x.number = t.number, x.text = t.text)
                WHEN 'gt' THEN coalesce(x.number > t.number, x.text > t.text)
                WHEN 'ge' THEN coalesce(x.number >= t.number, x.text >= t.text)
                WHEN 'lt' THEN coalesce(x.number < t.number, x.text < t.text)
                ELSE coalesce(x.number <= t.number, x.text <= t.text) END)))"
    };
}
/// A page of what a way leads to.
macro_rules! page {
    ($select:literal, $order:literal) => {
        concat!(
            listed!(),
            " JOIN (",
            $select,
            residual!(),
            $order,
            " LIMIT $3::bigint) AS f ON i.shard = f.shard AND i.id = f.id",
            $order
        )
    };
}
macro_rules! listed {
    () => {
        "SELECT i.id, i.definition, i.status, i.business_key, i.parent, i.parent_call, i.started_at, i.ended_at,
        coalesce(p.key, ''), coalesce(p.version, 0),
        (SELECT count(*) FROM incident x WHERE x.shard = i.shard AND x.instance = i.id), i.tenant
        FROM process_instance i LEFT JOIN process_definition p ON p.id = i.definition"
    };
}
pub(in crate::postgres) const LISTED: &str = listed!();

/// The newest of each status and definition, together: also where everything is asked for, as keys begin with the shard.
pub(super) const BY_STATUS: &str = concat!(
    listed!(),
    " JOIN (SELECT n.shard, n.id FROM unnest($18::text[]) AS s (status) CROSS JOIN unnest($19::bigint[]) AS d (definition)
      CROSS JOIN LATERAL (SELECT i.shard, i.id FROM process_instance i
        WHERE i.status = s.status AND i.definition = d.definition AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT $3::bigint) AS n ORDER BY n.id DESC LIMIT $3::bigint) AS f
      ON i.shard = f.shard AND i.id = f.id ORDER BY i.id DESC"
);
pub(super) const BY_KEY: &str = page!(
    "SELECT i.shard, i.id FROM process_instance i WHERE i.tenant = $17::text AND i.business_key = $6::text AND ",
    " ORDER BY i.id DESC"
);
/// One bound above: of two PostgreSQL may begin at the later one, and walk.
pub(super) const BY_END: &str = page!(
    "SELECT i.shard, i.id FROM process_instance i
     WHERE i.tenant = $17::text AND i.ended_at >= $18::bigint AND (i.ended_at, i.id) < ($19::bigint, $20::bigint) AND ",
    " ORDER BY i.ended_at DESC, i.id DESC"
);
/// The first of an instance stands for all of them, so that it ends with the page; `DISTINCT` would sort all of them first.
pub(super) const BY_INCIDENT: &str = page!(
    "SELECT i.shard, i.id FROM incident x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.instance > $1::bigint AND x.instance < $2::bigint
     AND NOT EXISTS (SELECT 1 FROM incident y WHERE y.shard = x.shard AND y.instance = x.instance AND y.n < x.n) AND ",
    " ORDER BY i.id DESC"
);
pub(super) const BY_NODE: &str = page!(
    "SELECT i.shard, i.id FROM token x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.node = $12::text AND x.instance > $1::bigint AND x.instance < $2::bigint
     AND NOT EXISTS (SELECT 1 FROM token y
        WHERE y.shard = x.shard AND y.instance = x.instance AND y.node = x.node AND y.n < x.n) AND ",
    " ORDER BY i.id DESC"
);
pub(super) const BY_NUMBER: &str = page!(
    "SELECT i.shard, i.id FROM variable_index x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.name = $18::text AND x.number = $19::double precision
     AND x.instance > $1::bigint AND x.instance < $2::bigint AND ",
    " ORDER BY i.id DESC"
);
pub(super) const BY_TEXT: &str = page!(
    "SELECT i.shard, i.id FROM variable_index x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.name = $18::text AND x.text = $19::text
     AND x.instance > $1::bigint AND x.instance < $2::bigint AND ",
    " ORDER BY i.id DESC"
);
/// Some in a range of values, in one value; `$5` is an end that is not in it.
pub(super) const NUMBERS: &str = "SELECT array_agg(instance) FROM (SELECT instance FROM variable_index
    WHERE tenant = $1::text AND name = $2::text AND number >= $3::double precision AND number <= $4::double precision
    AND number IS DISTINCT FROM $5::double precision AND instance > $6::bigint AND instance < $7::bigint
    LIMIT $8::bigint) AS few";
pub(super) const TEXTS: &str = "SELECT array_agg(instance) FROM (SELECT instance FROM variable_index
    WHERE tenant = $1::text AND name = $2::text AND text >= $3::text AND text <= $4::text
    AND text IS DISTINCT FROM $5::text AND instance > $6::bigint AND instance < $7::bigint LIMIT $8::bigint) AS few";
/// In one slice, and in the range; `$5` is an end that is not in it. Not the whole key at once: PostgreSQL 15 reads on until
/// the first column of such a comparison changes.
macro_rules! in_slice {
    ($of:literal, $column:literal, $type:literal) => {
        concat!(
            "v.tenant = $1::text AND v.name = $2::text AND (v.instance >> 46) = ",
            $of,
            ".s AND v.",
            $column,
            " >= $3::",
            $type,
            " AND v.",
            $column,
            " <= $4::",
            $type,
            " AND v.",
            $column,
            " IS DISTINCT FROM $5::",
            $type
        )
    };
}
/// Slices of ids with anything in the range: each is found from the one after it, and asked with one look into the index.
/// `CASE` keeps the planner from making a join of the question.
macro_rules! slices {
    ($column:literal, $type:literal) => {
        concat!(
            "WITH RECURSIVE slice (s) AS (
        (SELECT v.instance >> 46 FROM variable_index v
            WHERE v.tenant = $1::text AND v.name = $2::text AND v.",
            $column,
            " IS NOT NULL AND (v.instance >> 46) <= ($7::bigint >> 46) ORDER BY v.instance >> 46 DESC LIMIT 1)
        UNION ALL
        SELECT (SELECT v.instance >> 46 FROM variable_index v
            WHERE v.tenant = $1::text AND v.name = $2::text AND v.",
            $column,
            " IS NOT NULL AND (v.instance >> 46) < slice.s ORDER BY v.instance >> 46 DESC LIMIT 1)
        FROM slice WHERE slice.s > ($6::bigint >> 46))
    SELECT array_agg(slice.s) FROM slice WHERE CASE WHEN EXISTS (SELECT 1 FROM variable_index v WHERE ",
            in_slice!("slice", $column, $type),
            ") THEN true END"
        )
    };
}
/// The newest of the range in these slices.
macro_rules! newest {
    ($column:literal, $type:literal) => {
        concat!(
            "SELECT array_agg(instance) FROM (SELECT n.instance FROM unnest($9::bigint[]) AS w (s)
        CROSS JOIN LATERAL (SELECT v.instance FROM variable_index v WHERE ",
            in_slice!("w", $column, $type),
            " AND v.instance > $6::bigint AND v.instance < $7::bigint OFFSET 0) AS n
        ORDER BY n.instance DESC LIMIT $8::bigint) AS newest"
        )
    };
}
pub(super) const SLICES_OF_NUMBERS: &str = slices!("number", "double precision");
pub(super) const SLICES_OF_TEXTS: &str = slices!("text", "text");
pub(super) const NEWEST_NUMBERS: &str = newest!("number", "double precision");
pub(super) const NEWEST_TEXTS: &str = newest!("text", "text");
/// Those of these that are what is asked for.
pub(super) const FITTING: &str = page!(
    "SELECT i.shard, i.id FROM unnest($18::smallint[], $19::bigint[]) AS x (shard, id)
     JOIN process_instance i ON i.shard = x.shard AND i.id = x.id WHERE ",
    " ORDER BY i.id DESC"
);
/// So many of each status and definition are newer.
pub(super) const NEAR: &str = "SELECT max(n.id) FROM unnest($1::text[]) AS s (status) CROSS JOIN unnest($2::bigint[]) AS d (definition)
    CROSS JOIN LATERAL (SELECT i.id FROM process_instance i WHERE i.status = s.status AND i.definition = d.definition
        AND i.id < $3::bigint ORDER BY i.id DESC OFFSET $4::bigint LIMIT 1) AS n";
pub(super) const FEW_IN_STATUS: &str =
    "SELECT count(*) FROM unnest($1::text[]) AS s (status) CROSS JOIN unnest($2::bigint[]) AS d (definition)
    CROSS JOIN LATERAL (SELECT 1 FROM process_instance i WHERE i.status = s.status AND i.definition = d.definition
        AND i.id > $3::bigint AND i.id < $4::bigint LIMIT $5::bigint) AS n";
pub(super) const COUNT: &str =
    concat!("SELECT count(*) FROM process_instance i WHERE coalesce($3::bigint, 0) = 0 AND ", residual!());
pub(super) const COUNT_STATUS: &str = "SELECT count(*) FROM process_instance
    WHERE status = ANY ($1::text[]) AND definition = ANY ($2::bigint[])";
pub(super) const DEFINITIONS: &str = "SELECT id FROM process_definition
    WHERE tenant = $3::text AND ($1::text IS NULL OR key = $1::text) AND ($2::bigint IS NULL OR version = $2::bigint)";

/// Every way, for the test that reads plans.
#[cfg(test)]
pub(in crate::postgres) const STATEMENTS: [&str; 17] = [
    BY_STATUS,
    BY_KEY,
    BY_END,
    BY_INCIDENT,
    BY_NODE,
    BY_NUMBER,
    BY_TEXT,
    SLICES_OF_NUMBERS,
    SLICES_OF_TEXTS,
    NEWEST_NUMBERS,
    NEWEST_TEXTS,
    FITTING,
    NEAR,
    FEW_IN_STATUS,
    COUNT_STATUS,
    NUMBERS,
    TEXTS,
];

//! Pages of instances: each is found by one index, and looked at for the rest.
//!
//! **Invariant:** no statement here scans a table (a test reads their plans).

use tokio_postgres::Row;
use tyer_engine::{InstanceId, ItemId, Status, Timestamp};

use crate::error::Error;
use crate::filter::{Comparison, IndexedValue, InstanceFilter, InstancePlace, VariableTest, Way};
use crate::postgres::connection::Parameter;
use crate::postgres::load;
use crate::postgres::pool::Pool;
use crate::postgres::views::{ask, rows_at_most};
use crate::postgres::write::number;
use crate::views::ListedInstance;
use crate::words::Word;

/// A range of values with more rows than this is not sorted: instances are walked instead, as they are dense in it.
const FEW: i64 = 10_000;

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
pub(super) const LISTED: &str = listed!();

/// The newest of each status and definition, together: also where everything is asked for, as keys begin with the shard.
const BY_STATUS: &str = concat!(
    listed!(),
    " JOIN (SELECT n.shard, n.id FROM unnest($18::text[]) AS s (status) CROSS JOIN unnest($19::bigint[]) AS d (definition)
      CROSS JOIN LATERAL (SELECT i.shard, i.id FROM process_instance i
        WHERE i.status = s.status AND i.definition = d.definition AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT $3::bigint) AS n ORDER BY n.id DESC LIMIT $3::bigint) AS f
      ON i.shard = f.shard AND i.id = f.id ORDER BY i.id DESC"
);
const BY_KEY: &str = page!(
    "SELECT i.shard, i.id FROM process_instance i WHERE i.tenant = $17::text AND i.business_key = $6::text AND ",
    " ORDER BY i.id DESC"
);
const BY_END: &str = page!(
    "SELECT i.shard, i.id FROM process_instance i
     WHERE i.tenant = $17::text AND i.ended_at >= $18::bigint AND i.ended_at < $19::bigint
     AND (i.ended_at, i.id) < ($20::bigint, $21::bigint) AND ",
    " ORDER BY i.ended_at DESC, i.id DESC"
);
const BY_INCIDENT: &str = page!(
    "SELECT i.shard, i.id FROM (SELECT DISTINCT instance, shard FROM incident
        WHERE tenant = $17::text AND instance > $1::bigint AND instance < $2::bigint ORDER BY instance DESC) AS x
     JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance WHERE ",
    " ORDER BY i.id DESC"
);
const BY_NODE: &str = page!(
    "SELECT i.shard, i.id FROM (SELECT DISTINCT instance, shard FROM token
        WHERE tenant = $17::text AND node = $12::text AND instance > $1::bigint AND instance < $2::bigint
        ORDER BY instance DESC) AS x
     JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance WHERE ",
    " ORDER BY i.id DESC"
);
const BY_NUMBER: &str = page!(
    "SELECT i.shard, i.id FROM variable_index x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.name = $18::text AND x.number = $19::double precision
     AND x.instance > $1::bigint AND x.instance < $2::bigint AND ",
    " ORDER BY i.id DESC"
);
const BY_TEXT: &str = page!(
    "SELECT i.shard, i.id FROM variable_index x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.name = $18::text AND x.text = $19::text
     AND x.instance > $1::bigint AND x.instance < $2::bigint AND ",
    " ORDER BY i.id DESC"
);
/// The ends of a range are included here; the residual looks closer.
const BY_NUMBERS: &str = page!(
    "SELECT i.shard, i.id FROM variable_index x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.name = $18::text AND x.number >= $19::double precision AND x.number <= $20::double precision AND ",
    " ORDER BY i.id DESC"
);
const BY_TEXTS: &str = page!(
    "SELECT i.shard, i.id FROM variable_index x JOIN process_instance i ON i.shard = x.shard AND i.id = x.instance
     WHERE x.tenant = $17::text AND x.name = $18::text AND x.text >= $19::text AND ($20::text IS NULL OR x.text <= $20::text) AND ",
    " ORDER BY i.id DESC"
);
const COUNT: &str =
    concat!("SELECT count(*) FROM process_instance i WHERE coalesce($3::bigint, 0) = 0 AND ", residual!());
const COUNT_STATUS: &str = "SELECT count(*) FROM process_instance
    WHERE status = ANY ($1::text[]) AND definition = ANY ($2::bigint[])";
const FEW_NUMBERS: &str =
    "SELECT count(*) FROM (SELECT 1 FROM variable_index WHERE tenant = $5::text AND name = $1::text
    AND number >= $2::double precision AND number <= $3::double precision LIMIT $4::bigint) AS few";
const FEW_TEXTS: &str =
    "SELECT count(*) FROM (SELECT 1 FROM variable_index WHERE tenant = $5::text AND name = $1::text
    AND text >= $2::text AND ($3::text IS NULL OR text <= $3::text) LIMIT $4::bigint) AS few";
const DEFINITIONS: &str = "SELECT id FROM process_definition
    WHERE tenant = $3::text AND ($1::text IS NULL OR key = $1::text) AND ($2::bigint IS NULL OR version = $2::bigint)";

pub(super) async fn instances(
    pool: &Pool,
    filter: &InstanceFilter,
    after: Option<InstancePlace>,
    limit: usize,
) -> Result<Vec<ListedInstance>, Error> {
    let definitions = definitions(pool, filter).await?;
    for way in filter.ways() {
        let (sql, more) = match way {
            Way::Ended => (BY_END, by_end(filter, after)),
            Way::Equal(test) => equal(test),
            Way::Range(test) => match range(pool, filter.tenant.as_str(), test).await? {
                Some(found) => found,
                None => continue,
            },
            Way::Key => (BY_KEY, Vec::new()),
            Way::Incident => (BY_INCIDENT, Vec::new()),
            Way::Node => (BY_NODE, Vec::new()),
            Way::Status => (BY_STATUS, by_status(filter, &definitions)),
        };
        let mut parameters = asked(filter, &definitions, after, rows_at_most(limit));
        parameters.extend(more);
        return ask(pool, sql, parameters).await?.iter().map(listed).collect();
    }
    unreachable!("the last way always leads there")
}

pub(super) async fn count(pool: &Pool, filter: &InstanceFilter) -> Result<u64, Error> {
    let definitions = definitions(pool, filter).await?;
    let rows = match filter.is_plain() {
        true => ask(pool, COUNT_STATUS, by_status(filter, &definitions)).await?,
        false => ask(pool, COUNT, asked(filter, &definitions, None, 0)).await?,
    };
    Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0).cast_unsigned()))
}

async fn definitions(pool: &Pool, filter: &InstanceFilter) -> Result<Vec<i64>, Error> {
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(filter.process.as_deref()),
        Box::new(filter.version.map(i64::from)),
        Box::new(filter.tenant.as_str()),
    ];
    Ok(ask(pool, DEFINITIONS, parameters).await?.iter().map(|row| row.get(0)).collect())
}

/// What the residual names.
fn asked<'a>(
    filter: &'a InstanceFilter,
    definitions: &[i64],
    after: Option<InstancePlace>,
    limit: i64,
) -> Vec<Parameter<'a>> {
    let below = match (filter.ids.1, after.filter(|_| filter.ended.is_open())) {
        (Some(below), Some(after)) => below.min(after.id).0,
        (below, after) => below.or(after.map(|after| after.id)).map_or(i64::MAX, |id| id.0),
    };
    let words: Vec<&'static str> = filter.statuses.iter().map(|status| status.word()).collect();
    let tests = (!filter.variables.is_empty()).then_some(&filter.variables);
    let names = tests.map(|tests| tests.iter().map(|test| test.name.as_str()).collect::<Vec<_>>());
    let compare = tests.map(|tests| tests.iter().map(|test| test.comparison.word()).collect::<Vec<_>>());
    let numbers = tests.map(|tests| tests.iter().map(|test| test.value.columns().0).collect::<Vec<_>>());
    let texts = tests.map(|tests| tests.iter().map(|test| test.value.columns().1).collect::<Vec<_>>());
    vec![
        Box::new(filter.ids.0.map_or(0, |id| id.0)),
        Box::new(below),
        Box::new(limit),
        Box::new((!words.is_empty()).then_some(words)),
        Box::new(filter.process.as_ref().map(|_| definitions.to_vec())),
        Box::new(filter.business_key.as_deref()),
        Box::new(filter.started.from.map(|at| at.0)),
        Box::new(filter.started.to.map(|at| at.0)),
        Box::new(filter.ended.from.map(|at| at.0)),
        Box::new(filter.ended.to.map(|at| at.0)),
        Box::new(filter.has_incident),
        Box::new(filter.node.as_deref()),
        Box::new(names),
        Box::new(compare),
        Box::new(numbers),
        Box::new(texts),
        Box::new(filter.tenant.as_str()),
    ]
}

fn by_status<'a>(filter: &InstanceFilter, definitions: &[i64]) -> Vec<Parameter<'a>> {
    let every = || Status::WORDS.iter().map(|(_, word)| *word).collect();
    let statuses: Vec<&'static str> = match filter.statuses.is_empty() {
        true => every(),
        false => filter.statuses.iter().map(|status| status.word()).collect(),
    };
    vec![Box::new(statuses), Box::new(definitions.to_vec())]
}

fn by_end<'a>(filter: &InstanceFilter, after: Option<InstancePlace>) -> Vec<Parameter<'a>> {
    let end = |at: Option<Timestamp>| at.map_or(i64::MAX, |at| at.0);
    vec![
        Box::new(filter.ended.from.map_or(0, |at| at.0)),
        Box::new(end(filter.ended.to)),
        Box::new(end(after.and_then(|after| after.ended))),
        Box::new(after.map_or(i64::MAX, |after| after.id.0)),
    ]
}

fn equal(test: &VariableTest) -> (&'static str, Vec<Parameter<'_>>) {
    let name: Parameter<'_> = Box::new(test.name.as_str());
    match &test.value {
        IndexedValue::Number(number) => (BY_NUMBER, vec![name, Box::new(*number)]),
        IndexedValue::Text(text) => (BY_TEXT, vec![name, Box::new(text.as_str())]),
    }
}

/// The statement for a range with few values in it, and its ends.
async fn range<'a>(
    pool: &Pool,
    tenant: &str,
    test: &'a VariableTest,
) -> Result<Option<(&'static str, Vec<Parameter<'a>>)>, Error> {
    let upwards = matches!(test.comparison, Comparison::Greater | Comparison::GreaterOrEqual);
    let ends = || -> Vec<Parameter<'a>> {
        let name: Parameter<'a> = Box::new(test.name.as_str());
        match (&test.value, upwards) {
            (IndexedValue::Number(least), true) => vec![name, Box::new(*least), Box::new(f64::MAX)],
            (IndexedValue::Number(most), false) => vec![name, Box::new(f64::MIN), Box::new(*most)],
            (IndexedValue::Text(least), true) => {
                vec![name, Box::new(least.as_str()), Box::new(None::<&str>)]
            }
            (IndexedValue::Text(most), false) => vec![name, Box::new(""), Box::new(Some(most.as_str()))],
        }
    };
    let (count, sql) = match &test.value {
        IndexedValue::Number(_) => (FEW_NUMBERS, BY_NUMBERS),
        IndexedValue::Text(_) => (FEW_TEXTS, BY_TEXTS),
    };
    let mut parameters: Vec<Parameter<'_>> = ends();
    parameters.extend([Box::new(FEW) as Parameter<'_>, Box::new(tenant)]);
    let rows = ask(pool, count, parameters).await?;
    let found: i64 = rows.first().map_or(0, |row| row.get(0));
    Ok((found < FEW).then(|| (sql, ends())))
}

pub(super) fn listed(row: &Row) -> Result<ListedInstance, Error> {
    let parent = match (row.get::<_, Option<i64>>(4), row.get::<_, Option<i64>>(5)) {
        (Some(instance), Some(call)) => {
            Some(ItemId { instance: InstanceId(instance), number: number(call)? })
        }
        _ => None,
    };
    Ok(ListedInstance {
        id: InstanceId(row.get(0)),
        definition: row.get(1),
        status: load::word(row, 2)?,
        business_key: row.get(3),
        parent,
        started_at: Timestamp(row.get(6)),
        ended_at: row.get::<_, Option<i64>>(7).map(Timestamp),
        process: row.get(8),
        process_version: number(row.get(9))?,
        incidents: number(row.get(10))?,
        tenant: load::tenant(row, 11),
    })
}

/// Every way, for the test that reads plans.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 12] = [
    BY_STATUS,
    BY_KEY,
    BY_END,
    BY_INCIDENT,
    BY_NODE,
    BY_NUMBER,
    BY_TEXT,
    BY_NUMBERS,
    BY_TEXTS,
    COUNT_STATUS,
    FEW_NUMBERS,
    FEW_TEXTS,
];

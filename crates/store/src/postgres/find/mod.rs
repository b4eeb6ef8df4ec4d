//! Pages of instances: each is found by one index, and looked at for the rest.
//!
//! **Invariant:** what is looked at to find a page is bounded, but for conditions that no index knows.

mod range;
mod statements;

use tokio_postgres::Row;
use tyer_engine::{InstanceId, ItemId, Status, Timestamp};

use crate::error::Error;
use crate::filter::{FEW, IndexedValue, InstanceFilter, InstancePlace, VariableTest, Way};
use crate::postgres::connection::Parameter;
use crate::postgres::load;
use crate::postgres::pool::Pool;
use crate::postgres::views::{ask, rows_at_most};
use crate::postgres::write::number;
use crate::views::ListedInstance;
use crate::words::Word;
pub(super) use statements::LISTED;
#[cfg(test)]
pub(super) use statements::STATEMENTS;
use statements::{
    BY_END, BY_INCIDENT, BY_KEY, BY_NODE, BY_NUMBER, BY_STATUS, BY_TEXT, COUNT, COUNT_STATUS, DEFINITIONS,
    FEW_IN_STATUS,
};

pub(super) async fn instances(
    pool: &Pool,
    filter: &InstanceFilter,
    after: Option<InstancePlace>,
    limit: usize,
) -> Result<Vec<ListedInstance>, Error> {
    let asked = Asked { pool, filter, definitions: definitions(pool, filter).await?, after, limit };
    let few = filter.may_be_few() && asked.are_fewer_than(FEW).await?;
    for way in if few { vec![Way::Status] } else { filter.ways() } {
        let (sql, more) = match way {
            Way::Ended => (BY_END, by_end(filter, after)),
            Way::Equal(test) => equal(test),
            Way::Range(test) => match range::page(&asked, test).await? {
                Some(found) => return Ok(found),
                None => continue,
            },
            Way::Key => (BY_KEY, Vec::new()),
            Way::Incident => (BY_INCIDENT, Vec::new()),
            Way::Node => (BY_NODE, Vec::new()),
            Way::Status => (BY_STATUS, by_status(filter, &asked.definitions)),
        };
        return asked.page(sql, more, asked.above()).await;
    }
    unreachable!("the last way always leads there")
}

/// One question.
struct Asked<'a> {
    pool: &'a Pool,
    filter: &'a InstanceFilter,
    /// Those that are asked for, or all of the tenant.
    definitions: Vec<i64>,
    after: Option<InstancePlace>,
    limit: usize,
}

impl<'a> Asked<'a> {
    fn above(&self) -> i64 {
        self.filter.ids.0.map_or(0, |id| id.0)
    }

    fn below(&self) -> i64 {
        match (self.filter.ids.1, self.after.filter(|_| self.filter.ended.is_open())) {
            (Some(below), Some(after)) => below.min(after.id).0,
            (below, after) => below.or(after.map(|after| after.id)).map_or(i64::MAX, |id| id.0),
        }
    }

    async fn page(
        &self,
        sql: &'static str,
        more: Vec<Parameter<'a>>,
        above: i64,
    ) -> Result<Vec<ListedInstance>, Error> {
        let between = (above, self.below());
        let mut parameters = asked(self.filter, &self.definitions, between, rows_at_most(self.limit));
        parameters.extend(more);
        ask(self.pool, sql, parameters).await?.iter().map(listed).collect()
    }

    /// Not many have the statuses that are asked for: to look at all of them is quicker than any other way.
    async fn are_fewer_than(&self, few: i64) -> Result<bool, Error> {
        let mut parameters = by_status(self.filter, &self.definitions);
        let (above, below) = (self.above(), self.below());
        parameters.extend([Box::new(above) as Parameter<'_>, Box::new(below), Box::new(few)]);
        let rows = ask(self.pool, FEW_IN_STATUS, parameters).await?;
        Ok(rows.first().is_some_and(|row| row.get::<_, i64>(0) < few))
    }
}

pub(super) async fn count(pool: &Pool, filter: &InstanceFilter) -> Result<u64, Error> {
    let definitions = definitions(pool, filter).await?;
    let rows = match filter.is_plain() {
        true => ask(pool, COUNT_STATUS, by_status(filter, &definitions)).await?,
        false => {
            let ids = filter.ids;
            let between = (ids.0.map_or(0, |id| id.0), ids.1.map_or(i64::MAX, |id| id.0));
            ask(pool, COUNT, asked(filter, &definitions, between, 0)).await?
        }
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
    (above, below): (i64, i64),
    limit: i64,
) -> Vec<Parameter<'a>> {
    let words: Vec<&'static str> = filter.statuses.iter().map(|status| status.word()).collect();
    let tests = (!filter.variables.is_empty()).then_some(&filter.variables);
    let names = tests.map(|tests| tests.iter().map(|test| test.name.as_str()).collect::<Vec<_>>());
    let compare = tests.map(|tests| tests.iter().map(|test| test.comparison.word()).collect::<Vec<_>>());
    let numbers = tests.map(|tests| tests.iter().map(|test| test.value.columns().0).collect::<Vec<_>>());
    let texts = tests.map(|tests| tests.iter().map(|test| test.value.columns().1).collect::<Vec<_>>());
    vec![
        Box::new(above),
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
    let before = filter.ended.to.map_or((i64::MAX, i64::MAX), |to| (to.0, i64::MIN));
    let end = |after: InstancePlace| (after.ended.map_or(i64::MAX, |at| at.0), after.id.0);
    let below = after.map_or(before, |after| before.min(end(after)));
    vec![Box::new(filter.ended.from.map_or(0, |at| at.0)), Box::new(below.0), Box::new(below.1)]
}

fn equal(test: &VariableTest) -> (&'static str, Vec<Parameter<'_>>) {
    let name: Parameter<'_> = Box::new(test.name.as_str());
    match &test.value {
        IndexedValue::Number(number) => (BY_NUMBER, vec![name, Box::new(*number)]),
        IndexedValue::Text(text) => (BY_TEXT, vec![name, Box::new(text.as_str())]),
    }
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

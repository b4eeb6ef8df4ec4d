//! Pages of instances with a variable in a range of values: newest first, while the index is by value.
//!
//! **Invariant:** a range with few in it is gathered whole; of one with many the newest instances are looked at first, and
//! only when the page is not full then, all of the range.

use tyer_engine::{InstanceId, Status};

use super::statements::{BY_STATUS, FEW_NUMBERS, FEW_TEXTS, FITTING, NEAR, NEWEST_NUMBERS, NEWEST_TEXTS};
use super::{Asked, by_status};
use crate::error::Error;
use crate::filter::{Comparison, FEW, FEW_VALUES, IndexedValue, VariableTest};
use crate::postgres::connection::Parameter;
use crate::postgres::views::{ask, rows_at_most};
use crate::shard::shard;
use crate::views::ListedInstance;
use crate::words::Word;

/// Instances that are looked at in one statement.
const AT_ONCE: usize = 500;

/// A page, or nothing where many are in the range and other conditions are more telling.
pub(super) async fn page(
    asked: &Asked<'_>,
    test: &VariableTest,
) -> Result<Option<Vec<ListedInstance>>, Error> {
    let range = Range(test);
    if range.has_few(asked).await? {
        let ids = range.newest(asked, FEW_VALUES).await?;
        return fitting(asked, &ids).await.map(Some);
    }
    let near = near(asked).await?;
    let above = near.unwrap_or(asked.above());
    let found = asked.page(BY_STATUS, by_status(asked.filter, &asked.definitions), above).await?;
    if near.is_none() || found.len() == asked.limit {
        return Ok(Some(found));
    }
    if !asked.filter.has_only(test) {
        return Ok(None);
    }
    let ids = range.newest(asked, rows_at_most(asked.limit)).await?;
    fitting(asked, &ids).await.map(Some)
}

/// A range of values.
struct Range<'a>(&'a VariableTest);

impl<'a> Range<'a> {
    /// From where to where.
    fn ends(&self) -> [Parameter<'a>; 2] {
        let upwards = matches!(self.0.comparison, Comparison::Greater | Comparison::GreaterOrEqual);
        match (&self.0.value, upwards) {
            (IndexedValue::Number(least), true) => [Box::new(*least), Box::new(f64::MAX)],
            (IndexedValue::Number(most), false) => [Box::new(f64::MIN), Box::new(*most)],
            (IndexedValue::Text(least), true) => [Box::new(least.as_str()), Box::new(None::<&str>)],
            (IndexedValue::Text(most), false) => [Box::new(""), Box::new(Some(most.as_str()))],
        }
    }

    /// An end that is not in it.
    fn except(&self) -> Parameter<'a> {
        let strict = matches!(self.0.comparison, Comparison::Greater | Comparison::Less);
        match &self.0.value {
            IndexedValue::Number(number) => Box::new(strict.then_some(*number)),
            IndexedValue::Text(text) => Box::new(strict.then_some(text.as_str())),
        }
    }

    fn of_numbers(&self) -> bool {
        matches!(self.0.value, IndexedValue::Number(_))
    }

    async fn has_few(&self, asked: &Asked<'_>) -> Result<bool, Error> {
        let mut parameters: Vec<Parameter<'_>> = vec![Box::new(self.0.name.as_str())];
        parameters.extend(self.ends());
        parameters.extend([Box::new(FEW_VALUES) as Parameter<'_>, Box::new(asked.filter.tenant.as_str())]);
        let sql = if self.of_numbers() { FEW_NUMBERS } else { FEW_TEXTS };
        let rows = ask(asked.pool, sql, parameters).await?;
        Ok(rows.first().is_none_or(|row| row.get::<_, i64>(0) < FEW_VALUES))
    }

    async fn newest(&self, asked: &Asked<'_>, limit: i64) -> Result<Vec<i64>, Error> {
        let mut parameters: Vec<Parameter<'_>> =
            vec![Box::new(asked.filter.tenant.as_str()), Box::new(self.0.name.as_str())];
        parameters.extend(self.ends());
        parameters.push(self.except());
        let (above, below) = (asked.above(), asked.below());
        parameters.extend([Box::new(above) as Parameter<'_>, Box::new(below), Box::new(limit)]);
        let sql = if self.of_numbers() { NEWEST_NUMBERS } else { NEWEST_TEXTS };
        Ok(ask(asked.pool, sql, parameters).await?.iter().map(|row| row.get(0)).collect())
    }
}

/// The first of these that are what is asked for.
async fn fitting(asked: &Asked<'_>, ids: &[i64]) -> Result<Vec<ListedInstance>, Error> {
    let mut found = Vec::new();
    for some in ids.chunks(AT_ONCE) {
        let shards: Vec<i16> = some.iter().map(|id| shard(InstanceId(*id))).collect();
        let more: Vec<Parameter<'_>> = vec![Box::new(shards), Box::new(some.to_vec())];
        found.extend(asked.page(FITTING, more, asked.above()).await?);
        if found.len() >= asked.limit {
            break;
        }
    }
    found.truncate(asked.limit);
    Ok(found)
}

/// So that not many are newer: the id above which instances are looked at one by one, if there are more than these.
async fn near(asked: &Asked<'_>) -> Result<Option<i64>, Error> {
    let statuses = match asked.filter.statuses.len() {
        0 => Status::WORDS.len(),
        some => some,
    };
    let each = FEW / rows_at_most((statuses * asked.definitions.len()).max(1));
    let skipped = each.max(rows_at_most(asked.limit));
    let mut parameters = by_status(asked.filter, &asked.definitions);
    parameters.extend([Box::new(asked.below()) as Parameter<'_>, Box::new(skipped)]);
    let rows = ask(asked.pool, NEAR, parameters).await?;
    let near: Option<i64> = rows.first().and_then(|row| row.get(0));
    Ok(near.filter(|near| *near > asked.above()))
}

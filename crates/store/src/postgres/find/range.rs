//! Pages of instances with a variable in a range of values: newest first, while the index is by value.
//!
//! **Invariant:** a range with few in it is gathered whole; of one with many the newest instances are looked at first, and
//! only when the page is not full then, all of the range.

use tyer_engine::{InstanceId, Status};

use super::statements::{BY_STATUS, FITTING, NEAR, NEWEST_NUMBERS, NEWEST_TEXTS, NUMBERS, TEXTS};
use super::{Asked, by_status};
use crate::error::Error;
use crate::filter::{Comparison, FEW, FEW_VALUES, IndexedValue, VariableTest};
use crate::postgres::connection::Parameter;
use crate::postgres::views::{ask, rows_at_most};
use crate::shard::shard;
use crate::views::ListedInstance;
use crate::words::Word;

/// Instances that are looked at in one statement.
const AT_ONCE: usize = 100;

/// No text of characters that mean something comes after it.
const LAST: &str = "\u{10FFFF}\u{10FFFF}";

/// A page, or nothing where many are in the range and other conditions are more telling.
pub(super) async fn page(
    asked: &Asked<'_>,
    test: &VariableTest,
) -> Result<Option<Vec<ListedInstance>>, Error> {
    let range = Range(test);
    let mut ids = range.gather(asked, false, FEW_VALUES).await?;
    if rows_at_most(ids.len()) < FEW_VALUES {
        ids.sort_unstable_by(|a, b| b.cmp(a));
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
    let mut ids = range.gather(asked, true, rows_at_most(asked.limit)).await?;
    ids.sort_unstable_by(|a, b| b.cmp(a));
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
            (IndexedValue::Text(least), true) => [Box::new(least.as_str()), Box::new(LAST)],
            (IndexedValue::Text(most), false) => [Box::new(""), Box::new(most.as_str())],
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

    /// So many of those in it: whichever, or the newest.
    async fn gather(&self, asked: &Asked<'_>, newest: bool, limit: i64) -> Result<Vec<i64>, Error> {
        let mut parameters: Vec<Parameter<'_>> =
            vec![Box::new(asked.filter.tenant.as_str()), Box::new(self.0.name.as_str())];
        parameters.extend(self.ends());
        parameters.push(self.except());
        let (above, below) = (asked.above(), asked.below());
        parameters.extend([Box::new(above) as Parameter<'_>, Box::new(below), Box::new(limit)]);
        let sql = match (self.of_numbers(), newest) {
            (true, false) => NUMBERS,
            (true, true) => NEWEST_NUMBERS,
            (false, false) => TEXTS,
            (false, true) => NEWEST_TEXTS,
        };
        let rows = ask(asked.pool, sql, parameters).await?;
        Ok(rows.first().and_then(|row| row.get(0)).unwrap_or_default())
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

//! Pages of instances with a variable in a range of values: newest first, while the index is by value.
//!
//! **Invariant:** a range with few in it is gathered whole; of one with many the newest instances are looked at first. When the
//! page is not full then, slices of ids follow, newest first: an index says at once which of them have a value in the range.

use tyer_engine::{InstanceId, Status};

use super::statements::{
    BY_STATUS, FITTING, NEAR, NEWEST_NUMBERS, NEWEST_TEXTS, NUMBERS, SLICES_OF_NUMBERS, SLICES_OF_TEXTS,
    TEXTS,
};
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
    let ids = range.gather(asked).await?;
    if rows_at_most(ids.len()) < FEW_VALUES {
        return fitting(asked, &sorted(ids)).await.map(Some);
    }
    let near = near(asked).await?;
    let above = near.unwrap_or(asked.above());
    let found = asked.page(BY_STATUS, by_status(asked.filter, &asked.definitions), above).await?;
    if near.is_none() || found.len() == asked.limit {
        return Ok(Some(found));
    }
    if !asked.filter.has_only(test) && asked.are_fewer_than(FEW_VALUES).await? {
        return Ok(None);
    }
    range.by_slices(asked).await.map(Some)
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

    /// Some of those in it, whichever: all, if they are few.
    async fn gather(&self, asked: &Asked<'_>) -> Result<Vec<i64>, Error> {
        let sql = if self.of_numbers() { NUMBERS } else { TEXTS };
        self.ids(asked, sql, vec![Box::new(FEW_VALUES)]).await
    }

    /// The newest slices are looked at by themselves, older ones in ever more at a time.
    async fn by_slices(&self, asked: &Asked<'_>) -> Result<Vec<ListedInstance>, Error> {
        let (slices, newest) = match self.of_numbers() {
            true => (SLICES_OF_NUMBERS, NEWEST_NUMBERS),
            false => (SLICES_OF_TEXTS, NEWEST_TEXTS),
        };
        // What else is asked for is not known of an id.
        let enough = if asked.filter.has_only(self.0) { rows_at_most(asked.limit) } else { i64::MAX };
        let slices = sorted(self.ids(asked, slices, Vec::new()).await?);
        let (mut found, mut left, mut together) = (Vec::new(), &slices[..], 1);
        while !left.is_empty() && found.len() < asked.limit {
            let (some, rest) = left.split_at(left.len().min(together));
            let more: Vec<Parameter<'_>> = vec![Box::new(enough), Box::new(some.to_vec())];
            let ids = sorted(self.ids(asked, newest, more).await?);
            found.extend(fitting(asked, &ids).await?);
            (left, together) = (rest, together * 2);
        }
        found.truncate(asked.limit);
        Ok(found)
    }

    /// The list that a statement answers with.
    async fn ids(
        &self,
        asked: &Asked<'_>,
        sql: &'static str,
        more: Vec<Parameter<'_>>,
    ) -> Result<Vec<i64>, Error> {
        let mut parameters: Vec<Parameter<'_>> =
            vec![Box::new(asked.filter.tenant.as_str()), Box::new(self.0.name.as_str())];
        parameters.extend(self.ends());
        parameters.push(self.except());
        let (above, below) = (asked.above(), asked.below());
        parameters.extend([Box::new(above) as Parameter<'_>, Box::new(below)]);
        parameters.extend(more);
        let rows = ask(asked.pool, sql, parameters).await?;
        Ok(rows.first().and_then(|row| row.get(0)).unwrap_or_default())
    }
}

/// Newest first.
fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{InstanceFilter, InstancePlace};
    use crate::postgres::pool::Pool;
    use crate::postgres::{find, schema};

    /// Instances 1 to 100 of one process, four to a slice, every tenth failed; the amount and the word of each say which it is.
    async fn hundred(pool: &Pool, name: &str) {
        let connection = pool.take().await.expect("a connection");
        connection.run(&format!("CREATE SCHEMA {name}; SET search_path = {name}")).await.expect("a schema");
        connection.give_back();
        schema::migrate(pool).await.expect("the schema is sound");
        let shards: Vec<String> =
            (1..=100).map(|i: i64| format!("({i}, {})", shard(InstanceId(i << 44)))).collect();
        let rows = format!(
            "INSERT INTO deployment (id, tenant, checksum, resource, deployed_at) VALUES (1, '', 'c', '', 0);
            INSERT INTO process_definition (id, deployment, key, version) VALUES (7, 1, 'p', 1);
            INSERT INTO process_instance (shard, id, definition, status, version, counter, priority, started_at, retries, errors)
            SELECT s, i::bigint << 44, 7, CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'running' END, 1, 1, 50, i, 0, 0
            FROM (VALUES {}) AS n (i, s);
            INSERT INTO variable_index (shard, instance, name, number) SELECT shard, id, 'amount', id >> 44 FROM process_instance;
            INSERT INTO variable_index (shard, instance, name, text)
            SELECT shard, id, 'word', to_char(id >> 44, 'FM000') FROM process_instance",
            shards.join(", ")
        );
        let connection = pool.take().await.expect("the same connection");
        connection.run(&rows).await.expect("rows");
        connection.give_back();
    }

    async fn found(pool: &Pool, comparison: Comparison, number: f64, statuses: Vec<Status>) -> Vec<i64> {
        let value = IndexedValue::Number(number);
        let test = VariableTest { name: "amount".to_owned(), comparison, value };
        page_of(pool, test, statuses, None).await
    }

    async fn page_of(pool: &Pool, test: VariableTest, statuses: Vec<Status>, after: Option<i64>) -> Vec<i64> {
        let filter = InstanceFilter { variables: vec![test], statuses, ..InstanceFilter::default() };
        let after = after.map(|id| InstancePlace { ended: None, id: InstanceId(id << 44) });
        let page = find::instances(pool, &filter, after, 4).await.expect("a page");
        page.iter().map(|instance| instance.id.0 >> 44).collect()
    }

    /// How a page goes on, of numbers and of words.
    async fn goes_on(pool: &Pool) {
        let less = |after| {
            let value = IndexedValue::Number(50.0);
            let test = VariableTest { name: "amount".to_owned(), comparison: Comparison::Less, value };
            page_of(pool, test, Vec::new(), after)
        };
        assert_eq!(less(Some(46)).await, [45, 44, 43, 42], "in the next slice");
        assert_eq!(less(Some(45)).await, [44, 43, 42, 41], "within a slice");
        assert_eq!(less(Some(3)).await, [2, 1]);
        let word = |after| {
            let value = IndexedValue::Text("050".to_owned());
            let test = VariableTest { name: "word".to_owned(), comparison: Comparison::LessOrEqual, value };
            page_of(pool, test, Vec::new(), after)
        };
        assert_eq!(word(None).await, [50, 49, 48, 47], "words have slices too");
        assert_eq!(word(Some(47)).await, [46, 45, 44, 43]);
    }

    #[tokio::test]
    async fn the_newest_of_a_range_come_first_wherever_they_stand() {
        let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
        let name = format!("tyer_range_{}", std::process::id());
        let pool = Pool::new(&base, 1).expect("a pool");
        hundred(&pool, &name).await;
        let none = Vec::new;
        assert_eq!(found(&pool, Comparison::Less, 10.0, none()).await, [9, 8, 7, 6], "few");
        assert_eq!(found(&pool, Comparison::Greater, 10.0, none()).await, [100, 99, 98, 97], "many, near");
        assert_eq!(found(&pool, Comparison::Less, 50.0, none()).await, [49, 48, 47, 46], "many, far");
        assert_eq!(found(&pool, Comparison::LessOrEqual, 50.0, none()).await, [50, 49, 48, 47]);
        let failed = vec![Status::Failed];
        assert_eq!(
            found(&pool, Comparison::Less, 50.0, failed).await,
            [40, 30, 20, 10],
            "few have the status"
        );
        let running = vec![Status::Running];
        assert_eq!(
            found(&pool, Comparison::Less, 50.0, running).await,
            [49, 48, 47, 46],
            "another condition"
        );
        goes_on(&pool).await;
        let connection = pool.take().await.expect("a connection");
        connection.run(&format!("DROP SCHEMA {name} CASCADE")).await.expect("the schema is ours");
        connection.give_back();
    }
}

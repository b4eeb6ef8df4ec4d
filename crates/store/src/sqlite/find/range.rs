//! Pages of instances with a variable in a range of values: newest first, while the index is by value.
//!
//! **Invariant:** a range with few in it is gathered whole; of one with many the newest instances are looked at first. When the
//! page is not full then, slices of ids follow, newest first: an index says at once which of them have a value in the range.

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, OptionalExtension, ToSql};

use super::statements::{
    FITS, NEAR, NUMBERS, NUMBERS_OF_SLICE, SLICE_OF_NUMBERS, SLICE_OF_TEXTS, TEXTS, TEXTS_OF_SLICE,
};
use super::{Asked, Places};
use crate::filter::{Comparison, FEW, FEW_VALUES, IndexedValue, InstanceFilter, VariableTest};
use crate::words::Word;

/// Ids whose first bits are the same, but for the last so many, are a slice: the schema's index says so too.
const SLICE: u32 = 46;

/// A range as the statements name it.
struct Range<'a> {
    name: &'a str,
    least: Value,
    most: Value,
    /// An end that is not in it.
    except: Value,
    /// What finds some of it, the next slice of ids, and those of it in a slice.
    statements: [&'static str; 3],
}

/// A page, or nothing where many are in the range and other conditions are more telling.
pub(super) fn page(
    connection: &Connection,
    asked: &Asked,
    filter: &InstanceFilter,
    test: &VariableTest,
    limit: usize,
) -> rusqlite::Result<Option<Places>> {
    let range = Range::of(test);
    let ids = range.gather(connection, asked)?;
    if i64::try_from(ids.len()).unwrap_or(i64::MAX) < FEW_VALUES {
        return fitting(connection, asked, &sorted(ids), limit).map(Some);
    }
    let near = near(connection, asked, limit)?;
    let places = asked.by_status(connection, limit, near.unwrap_or(asked.above))?;
    if near.is_none() || places.len() == limit {
        return Ok(Some(places));
    }
    if !filter.has_only(test) && asked.are_fewer_than(connection, FEW_VALUES)? {
        return Ok(None);
    }
    range.by_slices(connection, asked, limit).map(Some)
}

impl<'a> Range<'a> {
    fn of(test: &'a VariableTest) -> Range<'a> {
        let upwards = matches!(test.comparison, Comparison::Greater | Comparison::GreaterOrEqual);
        let strict = matches!(test.comparison, Comparison::Greater | Comparison::Less);
        let (value, lowest, highest, statements) = match &test.value {
            IndexedValue::Number(number) => {
                let (lowest, highest) = (Value::Real(f64::MIN), Value::Real(f64::MAX));
                (Value::Real(*number), lowest, highest, [NUMBERS, SLICE_OF_NUMBERS, NUMBERS_OF_SLICE])
            }
            IndexedValue::Text(text) => {
                // Bytes come after every text.
                let (lowest, highest) = (Value::Text(String::new()), Value::Blob(Vec::new()));
                (Value::Text(text.clone()), lowest, highest, [TEXTS, SLICE_OF_TEXTS, TEXTS_OF_SLICE])
            }
        };
        let except = if strict { value.clone() } else { Value::Null };
        let (least, most) = if upwards { (value, highest) } else { (lowest, value) };
        Range { name: &test.name, least, most, except, statements }
    }

    /// Some of those in it, whichever: all, if they are few.
    fn gather(&self, connection: &Connection, asked: &Asked) -> rusqlite::Result<Vec<i64>> {
        self.ids(&mut connection.prepare_cached(self.statements[0])?, asked, (":limit", &FEW_VALUES))
    }

    /// The newest slice first; of each all that is in the range, as its values are in order, and not its ids.
    fn by_slices(&self, connection: &Connection, asked: &Asked, limit: usize) -> rusqlite::Result<Places> {
        let mut next = connection.prepare_cached(self.statements[1])?;
        let mut of_slice = connection.prepare_cached(self.statements[2])?;
        let (mut places, mut before) = (Vec::new(), (asked.below >> SLICE) + 1);
        let tenant = asked.tenant.as_str();
        while places.len() < limit {
            let parameters = (tenant, self.name, before, asked.above);
            let Some(slice) = next.query_row(parameters, |row| row.get(0)).optional()? else { break };
            let ids = sorted(self.ids(&mut of_slice, asked, (":slice", &slice))?);
            places.extend(fitting(connection, asked, &ids, limit - places.len())?);
            before = slice;
        }
        Ok(places)
    }

    fn ids(
        &self,
        statement: &mut CachedStatement<'_>,
        asked: &Asked,
        one_more: (&'static str, &dyn ToSql),
    ) -> rusqlite::Result<Vec<i64>> {
        let parameters: [(&str, &dyn ToSql); 8] = [
            (":tenant", &asked.tenant.as_str()),
            (":name", &self.name),
            (":least", &self.least),
            (":most", &self.most),
            (":except", &self.except),
            (":above", &asked.above),
            (":below", &asked.below),
            one_more,
        ];
        statement.query_map(&parameters[..], |row| row.get(0))?.collect()
    }
}

/// Newest first.
fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids
}

/// The first of these that are what is asked for.
fn fitting(connection: &Connection, asked: &Asked, ids: &[i64], limit: usize) -> rusqlite::Result<Places> {
    let mut find = connection.prepare_cached(FITS)?;
    let mut places = Vec::new();
    for id in ids {
        if places.len() == limit {
            break;
        }
        places.extend(asked.run(&mut find, &[(":one", id)])?);
    }
    Ok(places)
}

/// So that not many are newer: the id above which instances are looked at one by one, if there are more than these.
fn near(connection: &Connection, asked: &Asked, limit: usize) -> rusqlite::Result<Option<i64>> {
    let pairs = asked.pairs(connection)?;
    let each = FEW / i64::try_from(pairs.len().max(1)).unwrap_or(i64::MAX);
    let skipped = each.max(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut find = connection.prepare_cached(NEAR)?;
    let mut near = None;
    for (status, definition) in pairs {
        let parameters = (status.word(), definition, asked.below, skipped);
        let mut rows = find.query(parameters)?;
        if let Some(row) = rows.next()? {
            near = near.max(Some(row.get(0)?));
        }
    }
    Ok(near.filter(|near| *near > asked.above))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::InstancePlace;
    use crate::sqlite::{find, schema};
    use tyer_engine::{InstanceId, Status};

    /// Instances 1 to 100 of one process, four to a slice, every tenth failed; the amount and the word of each say which it is.
    fn hundred() -> Connection {
        let mut connection = Connection::open_in_memory().expect("memory opens");
        schema::migrate(&mut connection).expect("the schema is sound");
        let rows = "INSERT INTO deployment VALUES (1, '', 'c', x'', 0);
            INSERT INTO process_definition (id, deployment, key, version) VALUES (7, 1, 'p', 1);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO process_instance (id, definition, status, version, counter, priority, started_at, retries, errors)
            SELECT i << 44, 7, iif(i % 10 = 0, 'failed', 'running'), 1, 1, 50, i, 0, 0 FROM n;
            INSERT INTO variable_index (instance, name, number) SELECT id, 'amount', id >> 44 FROM process_instance;
            INSERT INTO variable_index (instance, name, text)
            SELECT id, 'word', printf('%03d', id >> 44) FROM process_instance;";
        connection.execute_batch(rows).expect("rows");
        connection
    }

    fn found(comparison: Comparison, number: f64, statuses: Vec<Status>) -> Vec<i64> {
        page_of("amount", comparison, IndexedValue::Number(number), statuses, None)
    }

    fn page_of(
        name: &str,
        comparison: Comparison,
        value: IndexedValue,
        statuses: Vec<Status>,
        after: Option<i64>,
    ) -> Vec<i64> {
        let variables = vec![VariableTest { name: name.to_owned(), comparison, value }];
        let filter = InstanceFilter { variables, statuses, ..InstanceFilter::default() };
        let after = after.map(|id| InstancePlace { ended: None, id: InstanceId(id << 44) });
        let page = find::instances(&mut hundred(), &filter, after, 4).expect("a page");
        page.iter().map(|instance| instance.id.0 >> 44).collect()
    }

    #[test]
    fn a_range_with_few_in_it_is_gathered_and_looked_at() {
        assert_eq!(found(Comparison::Less, 10.0, Vec::new()), [9, 8, 7, 6]);
        assert_eq!(
            found(Comparison::LessOrEqual, 15.0, vec![Status::Failed, Status::Running]),
            [15, 14, 13, 12]
        );
    }

    #[test]
    fn of_a_range_with_many_in_it_the_newest_come_first_wherever_they_stand() {
        assert_eq!(found(Comparison::Greater, 10.0, Vec::new()), [100, 99, 98, 97], "near");
        assert_eq!(
            found(Comparison::Less, 50.0, Vec::new()),
            [49, 48, 47, 46],
            "far, and the end is not in it"
        );
        assert_eq!(found(Comparison::LessOrEqual, 50.0, Vec::new()), [50, 49, 48, 47]);
        assert_eq!(
            found(Comparison::Less, 50.0, vec![Status::Running]),
            [49, 48, 47, 46],
            "with another condition"
        );
        assert_eq!(
            found(Comparison::Less, 50.0, vec![Status::Failed]),
            [40, 30, 20, 10],
            "few have the status"
        );
    }

    #[test]
    fn a_range_goes_on_where_its_page_ended_and_ends_where_it_ends() {
        let number =
            |after| page_of("amount", Comparison::Less, IndexedValue::Number(50.0), Vec::new(), after);
        assert_eq!(number(Some(46)), [45, 44, 43, 42], "in the next slice");
        assert_eq!(number(Some(45)), [44, 43, 42, 41], "within a slice");
        assert_eq!(number(Some(3)), [2, 1]);
        let word = |after| {
            let value = IndexedValue::Text("050".to_owned());
            page_of("word", Comparison::LessOrEqual, value, Vec::new(), after)
        };
        assert_eq!(word(None), [50, 49, 48, 47], "words have slices too");
        assert_eq!(word(Some(47)), [46, 45, 44, 43]);
    }
}

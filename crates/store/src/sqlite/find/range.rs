//! Pages of instances with a variable in a range of values: newest first, while the index is by value.
//!
//! **Invariant:** a range with few in it is gathered whole; of one with many the newest instances are looked at first, and
//! only when the page is not full then, all of the range.

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use super::statements::{FITS, NEAR, NUMBERS, TEXTS};
use super::{Asked, Places};
use crate::filter::{Comparison, FEW, FEW_VALUES, IndexedValue, InstanceFilter, VariableTest};
use crate::words::Word;

/// A range as the statements name it.
struct Range<'a> {
    name: &'a str,
    least: Value,
    most: Value,
    /// An end that is not in it.
    except: Value,
    sql: &'static str,
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
    let mut ids = range.gather(connection, asked, FEW_VALUES)?;
    if i64::try_from(ids.len()).unwrap_or(i64::MAX) < FEW_VALUES {
        ids.sort_unstable_by(|a, b| b.cmp(a));
        return fitting(connection, asked, &ids, limit).map(Some);
    }
    let near = near(connection, asked, limit)?;
    let places = asked.by_status(connection, limit, near.unwrap_or(asked.above))?;
    if near.is_none() || places.len() == limit {
        return Ok(Some(places));
    }
    if !filter.has_only(test) {
        return Ok(None);
    }
    let mut ids = range.gather(connection, asked, -1)?;
    newest(&mut ids, limit);
    Ok(Some(ids.into_iter().map(|id| (None, id)).collect()))
}

impl<'a> Range<'a> {
    fn of(test: &'a VariableTest) -> Range<'a> {
        let upwards = matches!(test.comparison, Comparison::Greater | Comparison::GreaterOrEqual);
        let strict = matches!(test.comparison, Comparison::Greater | Comparison::Less);
        let (value, lowest, highest, sql) = match &test.value {
            IndexedValue::Number(number) => {
                let (lowest, highest) = (Value::Real(f64::MIN), Value::Real(f64::MAX));
                (Value::Real(*number), lowest, highest, NUMBERS)
            }
            IndexedValue::Text(text) => {
                // Bytes come after every text.
                let (lowest, highest) = (Value::Text(String::new()), Value::Blob(Vec::new()));
                (Value::Text(text.clone()), lowest, highest, TEXTS)
            }
        };
        let except = if strict { value.clone() } else { Value::Null };
        let (least, most) = if upwards { (value, highest) } else { (lowest, value) };
        Range { name: &test.name, least, most, except, sql }
    }

    /// So many of those in it, whichever; all if fewer than none are asked for.
    fn gather(&self, connection: &Connection, asked: &Asked, limit: i64) -> rusqlite::Result<Vec<i64>> {
        let mut find = connection.prepare_cached(self.sql)?;
        let parameters: [(&str, &dyn ToSql); 8] = [
            (":tenant", &asked.tenant.as_str()),
            (":name", &self.name),
            (":least", &self.least),
            (":most", &self.most),
            (":except", &self.except),
            (":above", &asked.above),
            (":below", &asked.below),
            (":limit", &limit),
        ];
        find.query_map(&parameters[..], |row| row.get(0))?.collect()
    }
}

/// The newest of these, newest first.
fn newest(ids: &mut Vec<i64>, limit: usize) {
    if ids.len() > limit {
        ids.select_nth_unstable_by(limit, |a, b| b.cmp(a));
        ids.truncate(limit);
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
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
    use crate::sqlite::{find, schema};
    use tyer_engine::Status;

    /// Instances 1 to 100 of one process, every tenth failed; the amount of each is its id.
    fn hundred() -> Connection {
        let mut connection = Connection::open_in_memory().expect("memory opens");
        schema::migrate(&mut connection).expect("the schema is sound");
        let rows = "INSERT INTO deployment VALUES (1, '', 'c', x'', 0);
            INSERT INTO process_definition (id, deployment, key, version) VALUES (7, 1, 'p', 1);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO process_instance (id, definition, status, version, counter, priority, started_at, retries, errors)
            SELECT i, 7, iif(i % 10 = 0, 'failed', 'running'), 1, 1, 50, i, 0, 0 FROM n;
            INSERT INTO variable_index (instance, name, number) SELECT id, 'amount', id FROM process_instance;";
        connection.execute_batch(rows).expect("rows");
        connection
    }

    fn found(comparison: Comparison, number: f64, statuses: Vec<Status>) -> Vec<i64> {
        let value = IndexedValue::Number(number);
        let variables = vec![VariableTest { name: "amount".to_owned(), comparison, value }];
        let filter = InstanceFilter { variables, statuses, ..InstanceFilter::default() };
        let page = find::instances(&mut hundred(), &filter, None, 4).expect("a page");
        page.iter().map(|instance| instance.id.0).collect()
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
}

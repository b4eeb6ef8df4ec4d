//! Pages of instances: each is found by one index, and looked at for the rest.
//!
//! **Invariant:** no statement here scans a table (a test reads their plans).

use rusqlite::{CachedStatement, Connection, Row, ToSql};
use tyer_engine::{InstanceId, ItemId, Status, Timestamp};

use crate::error::Error;
use crate::filter::{IndexedValue, InstanceFilter, InstancePlace, VariableTest, Way};
use crate::sqlite::{at_most, complaint, load};
use crate::tenant::Tenant;
use crate::views::ListedInstance;
use crate::words::Word;

/// A range of values with more rows than this is not sorted: instances are walked instead, as they are dense in it.
const FEW: i64 = 10_000;

/// What an instance must be, whichever way it is found. What is not asked for is null.
macro_rules! residual {
    () => {
        "i.tenant = :tenant AND i.id > :above AND i.id < :below
        AND (:statuses IS NULL OR i.status IN (SELECT value FROM json_each(:statuses)))
        AND (:definitions IS NULL OR i.definition IN (SELECT value FROM json_each(:definitions)))
        AND (:key IS NULL OR i.business_key = :key)
        AND (:started_from IS NULL OR i.started_at >= :started_from)
        AND (:started_to IS NULL OR i.started_at < :started_to)
        AND (:ended_from IS NULL OR i.ended_at >= :ended_from) AND (:ended_to IS NULL OR i.ended_at < :ended_to)
        AND (:incident IS NULL OR :incident = EXISTS (SELECT 1 FROM incident x WHERE x.instance = i.id))
        AND (:node IS NULL OR EXISTS (SELECT 1 FROM token x WHERE x.instance = i.id AND x.node = :node))
        AND (:tests IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(:tests) t WHERE NOT EXISTS (
            SELECT 1 FROM variable_index x WHERE x.instance = i.id AND x.name = t.value ->> 'name'
            AND CASE t.value ->> 'is'
                WHEN 'eq' THEN coalesce(x.number = t.value ->> 'number', x.text = t.value ->> 'text')
                WHEN 'gt' THEN coalesce(x.number > t.value ->> 'number', x.text > t.value ->> 'text')
                WHEN 'ge' THEN coalesce(x.number >= t.value ->> 'number', x.text >= t.value ->> 'text')
                WHEN 'lt' THEN coalesce(x.number < t.value ->> 'number', x.text < t.value ->> 'text')
                ELSE coalesce(x.number <= t.value ->> 'number', x.text <= t.value ->> 'text') END)))"
    };
}

const BY_STATUS: &str = concat!(
    "SELECT i.id, NULL FROM process_instance i INDEXED BY process_instance_status
     WHERE i.status = :one_status AND i.definition = :one_definition AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT :limit"
);
const BY_KEY: &str = concat!(
    "SELECT i.id, NULL FROM process_instance i INDEXED BY process_instance_business_key
     WHERE i.business_key = :key AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT :limit"
);
const BY_END: &str = concat!(
    "SELECT i.id, i.ended_at FROM process_instance i INDEXED BY process_instance_ended
     WHERE i.tenant = :tenant AND i.ended_at >= :first_end AND i.ended_at < :last_end AND (i.ended_at, i.id) < (:after_end, :after_id) AND ",
    residual!(),
    " ORDER BY i.ended_at DESC, i.id DESC LIMIT :limit"
);
const BY_INCIDENT: &str = concat!(
    "SELECT i.id, NULL FROM (SELECT DISTINCT instance FROM incident INDEXED BY incident_newest
     WHERE tenant = :tenant AND instance > :above AND instance < :below
     ORDER BY instance DESC) f CROSS JOIN process_instance i ON i.id = f.instance WHERE ",
    residual!(),
    " ORDER BY f.instance DESC LIMIT :limit"
);
const BY_NODE: &str = concat!(
    "SELECT i.id, NULL FROM (SELECT DISTINCT instance FROM token INDEXED BY token_node
     WHERE tenant = :tenant AND node = :node AND instance > :above AND instance < :below
     ORDER BY instance DESC) f CROSS JOIN process_instance i ON i.id = f.instance WHERE ",
    residual!(),
    " ORDER BY f.instance DESC LIMIT :limit"
);
const BY_NUMBER: &str = concat!(
    "SELECT i.id, NULL FROM variable_index f INDEXED BY variable_index_number
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.name = :name AND f.number = :number AND f.instance > :above AND f.instance < :below AND ",
    residual!(),
    " ORDER BY f.instance DESC LIMIT :limit"
);
const BY_TEXT: &str = concat!(
    "SELECT i.id, NULL FROM variable_index f INDEXED BY variable_index_text
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.name = :name AND f.text = :text AND f.instance > :above AND f.instance < :below AND ",
    residual!(),
    " ORDER BY f.instance DESC LIMIT :limit"
);
/// The ends of a range are included here; the residual looks closer.
const BY_NUMBERS: &str = concat!(
    "SELECT i.id, NULL FROM variable_index f INDEXED BY variable_index_number
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.name = :name AND f.number BETWEEN :least AND :most AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT :limit"
);
const BY_TEXTS: &str = concat!(
    "SELECT i.id, NULL FROM variable_index f INDEXED BY variable_index_text
     CROSS JOIN process_instance i ON i.id = f.instance
     WHERE f.tenant = :tenant AND f.name = :name AND f.text >= :least AND (:most IS NULL OR f.text <= :most) AND ",
    residual!(),
    " ORDER BY i.id DESC LIMIT :limit"
);
const COUNT: &str = concat!("SELECT count(*), NULL FROM process_instance i WHERE ", residual!());
const COUNT_STATUS: &str = "SELECT count(*) FROM process_instance INDEXED BY process_instance_status
    WHERE status = ?1 AND definition = ?2";
const FEW_NUMBERS: &str =
    "SELECT count(*) FROM (SELECT 1 FROM variable_index INDEXED BY variable_index_number
    WHERE tenant = ?5 AND name = ?1 AND number BETWEEN ?2 AND ?3 LIMIT ?4)";
const FEW_TEXTS: &str = "SELECT count(*) FROM (SELECT 1 FROM variable_index INDEXED BY variable_index_text
    WHERE tenant = ?5 AND name = ?1 AND text >= ?2 AND (?3 IS NULL OR text <= ?3) LIMIT ?4)";
pub(super) const LISTED: &str = "SELECT i.id, i.definition, i.status, i.business_key, i.parent, i.parent_call, i.started_at,
    i.ended_at, coalesce(p.key, ''), coalesce(p.version, 0), (SELECT count(*) FROM incident x WHERE x.instance = i.id),
    i.tenant FROM process_instance i LEFT JOIN process_definition p ON p.id = i.definition";

/// The places of instances in their list: their end, if the list is by it, and their id.
type Places = Vec<(Option<i64>, i64)>;

/// Values for what a statement names.
struct Asked {
    values: Vec<(&'static str, Box<dyn ToSql>)>,
    tenant: Tenant,
    statuses: Vec<Status>,
    definitions: Option<Vec<i64>>,
}

pub(super) fn instances(
    connection: &mut Connection,
    filter: &InstanceFilter,
    after: Option<InstancePlace>,
    limit: usize,
) -> Result<Vec<ListedInstance>, Error> {
    // What is on the page and where it stands are read as of one moment.
    let run = |connection: &mut Connection| -> rusqlite::Result<Vec<ListedInstance>> {
        let transaction = connection.transaction()?;
        let places = places(&transaction, filter, after, limit)?;
        let mut find = transaction.prepare_cached(&format!("{LISTED} WHERE i.id = ?1"))?;
        places.iter().map(|(_, id)| find.query_row([id], listed)).collect()
    };
    run(connection).map_err(complaint)
}

pub(super) fn count(connection: &mut Connection, filter: &InstanceFilter) -> Result<u64, Error> {
    let run = |connection: &Connection| -> rusqlite::Result<u64> {
        let asked = Asked::new(connection, filter, None, 0)?;
        if filter.is_plain() {
            return asked.count(connection);
        }
        let counted = asked.run(&mut connection.prepare_cached(COUNT)?, &[])?;
        Ok(counted.first().map_or(0, |(_, count)| count.cast_unsigned()))
    };
    run(connection).map_err(complaint)
}

fn places(
    connection: &Connection,
    filter: &InstanceFilter,
    after: Option<InstancePlace>,
    limit: usize,
) -> rusqlite::Result<Places> {
    let asked = Asked::new(connection, filter, after, limit)?;
    let run = |sql: &str, more: &[(&'static str, &dyn ToSql)]| {
        asked.run(&mut connection.prepare_cached(sql)?, more)
    };
    for way in filter.ways() {
        return match way {
            Way::Ended => {
                let (first, last) = (filter.ended.from.map_or(0, |at| at.0), end_of(filter.ended.to));
                let after_end = end_of(after.and_then(|after| after.ended));
                let after_id = after.map_or(i64::MAX, |after| after.id.0);
                let more: [(&str, &dyn ToSql); 4] = [
                    (":first_end", &first),
                    (":last_end", &last),
                    (":after_end", &after_end),
                    (":after_id", &after_id),
                ];
                run(BY_END, &more)
            }
            Way::Equal(test) => match &test.value {
                IndexedValue::Number(number) => run(BY_NUMBER, &[(":name", &test.name), (":number", number)]),
                IndexedValue::Text(text) => run(BY_TEXT, &[(":name", &test.name), (":text", text)]),
            },
            Way::Range(test) => match range(connection, filter.tenant.as_str(), test)? {
                Some((sql, least, most)) => {
                    run(sql, &[(":name", &test.name), (":least", &least), (":most", &most)])
                }
                None => continue,
            },
            Way::Key => run(BY_KEY, &[]),
            Way::Incident => run(BY_INCIDENT, &[]),
            Way::Node => run(BY_NODE, &[]),
            Way::Status => asked.by_status(connection, limit),
        };
    }
    unreachable!("the last way always leads there")
}

fn end_of(at: Option<Timestamp>) -> i64 {
    at.map_or(i64::MAX, |at| at.0)
}

/// The statement for a range with few values in it, and its ends.
fn range(
    connection: &Connection,
    tenant: &str,
    test: &VariableTest,
) -> rusqlite::Result<Option<(&'static str, rusqlite::types::Value, rusqlite::types::Value)>> {
    use crate::filter::Comparison::{Greater, GreaterOrEqual};
    use rusqlite::types::Value;
    let upwards = matches!(test.comparison, Greater | GreaterOrEqual);
    let (count, sql, least, most) = match &test.value {
        IndexedValue::Number(number) => {
            let (least, most) = if upwards { (*number, f64::MAX) } else { (f64::MIN, *number) };
            (FEW_NUMBERS, BY_NUMBERS, Value::Real(least), Value::Real(most))
        }
        IndexedValue::Text(text) if upwards => (FEW_TEXTS, BY_TEXTS, Value::Text(text.clone()), Value::Null),
        IndexedValue::Text(text) => {
            (FEW_TEXTS, BY_TEXTS, Value::Text(String::new()), Value::Text(text.clone()))
        }
    };
    let mut counting = connection.prepare_cached(count)?;
    let parameters = rusqlite::params![test.name, least, most, FEW, tenant];
    let found: i64 = counting.query_row(parameters, |row| row.get(0))?;
    Ok((found < FEW).then_some((sql, least, most)))
}

impl Asked {
    fn new(
        connection: &Connection,
        filter: &InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> rusqlite::Result<Asked> {
        let definitions = definitions(connection, filter)?;
        let words: Vec<&str> = filter.statuses.iter().map(|status| status.word()).collect();
        let json = |list: String| Some(list);
        let below = match (filter.ids.1, after.filter(|_| filter.ended.is_open())) {
            (Some(below), Some(after)) => below.min(after.id).0,
            (below, after) => below.or(after.map(|after| after.id)).map_or(i64::MAX, |id| id.0),
        };
        let tests = (!filter.variables.is_empty()).then(|| tests(&filter.variables));
        let values: Vec<(&'static str, Box<dyn ToSql>)> = vec![
            (":tenant", Box::new(filter.tenant.to_string())),
            (":above", Box::new(filter.ids.0.map_or(0, |id| id.0))),
            (":below", Box::new(below)),
            (":statuses", Box::new((!words.is_empty()).then(|| json(crate::words::names(&words))).flatten())),
            (":definitions", Box::new(definitions.as_ref().map(|ids| crate::words::names(ids)))),
            (":key", Box::new(filter.business_key.clone())),
            (":started_from", Box::new(filter.started.from.map(|at| at.0))),
            (":started_to", Box::new(filter.started.to.map(|at| at.0))),
            (":ended_from", Box::new(filter.ended.from.map(|at| at.0))),
            (":ended_to", Box::new(filter.ended.to.map(|at| at.0))),
            (":incident", Box::new(filter.has_incident)),
            (":node", Box::new(filter.node.clone())),
            (":tests", Box::new(tests)),
            (":limit", Box::new(at_most(limit))),
        ];
        let (tenant, statuses) = (filter.tenant.clone(), filter.statuses.clone());
        Ok(Asked { values, tenant, statuses, definitions })
    }

    fn run(
        &self,
        statement: &mut CachedStatement<'_>,
        more: &[(&'static str, &dyn ToSql)],
    ) -> rusqlite::Result<Places> {
        let own = self.values.iter().map(|(name, value)| (*name, &**value));
        for (name, value) in own.chain(more.iter().copied()) {
            // A count has no limit.
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, value)?;
            }
        }
        let mut rows = statement.raw_query();
        let mut places = Vec::new();
        while let Some(row) = rows.next()? {
            places.push((row.get(1)?, row.get(0)?));
        }
        Ok(places)
    }

    /// Every status with every definition that is asked for.
    fn pairs(&self, connection: &Connection) -> rusqlite::Result<Vec<(Status, i64)>> {
        let definitions = match &self.definitions {
            Some(definitions) => definitions.clone(),
            None => all_definitions(connection, &self.tenant)?,
        };
        let asked = |status: &Status| self.statuses.is_empty() || self.statuses.contains(status);
        let statuses = Status::WORDS.iter().map(|(status, _)| *status).filter(asked);
        Ok(statuses.flat_map(|status| definitions.iter().map(move |one| (status, *one))).collect())
    }

    fn count(&self, connection: &Connection) -> rusqlite::Result<u64> {
        let mut find = connection.prepare_cached(COUNT_STATUS)?;
        let mut total: i64 = 0;
        for (status, definition) in self.pairs(connection)? {
            total += find.query_row((status.word(), definition), |row| row.get::<_, i64>(0))?;
        }
        Ok(total.cast_unsigned())
    }

    /// The newest of each status and definition, together.
    fn by_status(&self, connection: &Connection, limit: usize) -> rusqlite::Result<Places> {
        let mut find = connection.prepare_cached(BY_STATUS)?;
        let mut places = Vec::new();
        for (status, definition) in self.pairs(connection)? {
            let more: [(&str, &dyn ToSql); 2] =
                [(":one_status", &status.word()), (":one_definition", &definition)];
            places.extend(self.run(&mut find, &more)?);
        }
        places.sort_unstable_by(|a, b| b.cmp(a));
        places.truncate(limit);
        Ok(places)
    }
}

fn definitions(connection: &Connection, filter: &InstanceFilter) -> rusqlite::Result<Option<Vec<i64>>> {
    let Some(process) = &filter.process else { return Ok(None) };
    let sql =
        "SELECT id FROM process_definition WHERE tenant = ?3 AND key = ?1 AND (?2 IS NULL OR version = ?2)";
    let mut find = connection.prepare_cached(sql)?;
    let found =
        find.query_map(rusqlite::params![process, filter.version, filter.tenant.as_str()], |row| row.get(0))?;
    found.collect::<rusqlite::Result<_>>().map(Some)
}

fn all_definitions(connection: &Connection, tenant: &Tenant) -> rusqlite::Result<Vec<i64>> {
    let mut find = connection.prepare_cached("SELECT id FROM process_definition WHERE tenant = ?1")?;
    find.query_map([tenant.as_str()], |row| row.get(0))?.collect()
}

fn tests(tests: &[VariableTest]) -> String {
    let told = tests.iter().map(|test| {
        let (number, text) = test.value.columns();
        serde_json::json!({ "name": test.name, "is": test.comparison.word(), "number": number, "text": text })
    });
    serde_json::Value::Array(told.collect()).to_string()
}

pub(super) fn listed(row: &Row<'_>) -> rusqlite::Result<ListedInstance> {
    let call: Option<i64> = row.get(4)?;
    Ok(ListedInstance {
        id: InstanceId(row.get(0)?),
        definition: row.get(1)?,
        status: load::word(row, 2)?,
        business_key: row.get(3)?,
        parent: match call {
            Some(instance) => Some(ItemId { instance: InstanceId(instance), number: row.get(5)? }),
            None => None,
        },
        started_at: Timestamp(row.get(6)?),
        ended_at: row.get::<_, Option<i64>>(7)?.map(Timestamp),
        process: row.get(8)?,
        process_version: row.get(9)?,
        incidents: row.get(10)?,
        tenant: load::tenant(row, 11)?,
    })
}

#[cfg(test)]
mod tests_of_plans {
    use super::*;
    use crate::sqlite::plans::no_scan;

    #[test]
    fn no_page_of_instances_is_found_by_a_scan() {
        for sql in [
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
        ] {
            no_scan(sql);
        }
        no_scan(&format!("{LISTED} WHERE i.id = ?1"));
    }
}

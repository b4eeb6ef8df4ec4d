//! Pages of instances: each is found by one index, and looked at for the rest.
//!
//! **Invariant:** what is looked at to find a page is bounded, but for conditions that no index knows.

mod range;
mod statements;

use rusqlite::{CachedStatement, Connection, Row, ToSql};
use tyer_engine::{InstanceId, ItemId, Status, Timestamp};

use crate::error::Error;
use crate::filter::{FEW, IndexedValue, InstanceFilter, InstancePlace, VariableTest, Way};
use crate::sqlite::{at_most, complaint, load};
use crate::tenant::Tenant;
use crate::views::ListedInstance;
use crate::words::Word;
pub(super) use statements::LISTED;
use statements::{
    BY_END, BY_INCIDENT, BY_KEY, BY_NODE, BY_NUMBER, BY_STATUS, BY_TEXT, COUNT, COUNT_STATUS, FEW_IN_STATUS,
};

/// The places of instances in their list: their end, if the list is by it, and their id.
type Places = Vec<(Option<i64>, i64)>;

/// Values for what a statement names.
struct Asked {
    values: Vec<(&'static str, Box<dyn ToSql>)>,
    tenant: Tenant,
    statuses: Vec<Status>,
    definitions: Option<Vec<i64>>,
    /// Between these two, without them.
    above: i64,
    below: i64,
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
    let few = filter.may_be_few() && asked.are_fewer_than(connection, FEW)?;
    for way in if few { vec![Way::Status] } else { filter.ways() } {
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
            Way::Range(test) => match range::page(connection, &asked, filter, test, limit)? {
                Some(places) => Ok(places),
                None => continue,
            },
            Way::Key => run(BY_KEY, &[]),
            Way::Incident => run(BY_INCIDENT, &[]),
            Way::Node => run(BY_NODE, &[]),
            Way::Status => asked.by_status(connection, limit, asked.above),
        };
    }
    unreachable!("the last way always leads there")
}

fn end_of(at: Option<Timestamp>) -> i64 {
    at.map_or(i64::MAX, |at| at.0)
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
        let above = filter.ids.0.map_or(0, |id| id.0);
        let tests = (!filter.variables.is_empty()).then(|| tests(&filter.variables));
        let values: Vec<(&'static str, Box<dyn ToSql>)> = vec![
            (":tenant", Box::new(filter.tenant.to_string())),
            (":above", Box::new(above)),
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
        Ok(Asked { values, tenant, statuses, definitions, above, below })
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

    /// Not many have the statuses that are asked for: to look at all of them is quicker than any other way.
    fn are_fewer_than(&self, connection: &Connection, few: i64) -> rusqlite::Result<bool> {
        let mut find = connection.prepare_cached(FEW_IN_STATUS)?;
        let mut left = few;
        for (status, definition) in self.pairs(connection)? {
            let parameters = (status.word(), definition, self.above, self.below, left);
            left -= find.query_row(parameters, |row| row.get::<_, i64>(0))?;
            if left <= 0 {
                return Ok(false);
            }
        }
        Ok(true)
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
    fn by_status(&self, connection: &Connection, limit: usize, above: i64) -> rusqlite::Result<Places> {
        let mut find = connection.prepare_cached(BY_STATUS)?;
        let mut places = Vec::new();
        for (status, definition) in self.pairs(connection)? {
            let more: [(&str, &dyn ToSql); 3] =
                [(":one_status", &status.word()), (":one_definition", &definition), (":above", &above)];
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

//! Triggers that write down every row, and what they have written.
//!
//! **Invariant:** a row is a change of the commit that wrote it, and of no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use rusqlite::Connection;
use serde_json::Value;

use super::Recording;
use crate::floor::rows::{Cell, Commit, Kind, RowChange};
use crate::workload;

/// Tables that are not written by instances.
const NOT_OURS: [&str; 6] = ["deployment", "process_definition", "start_event", "node", "sink", "recorded"];
/// What an update of these writes even if it has not changed: the engine does.
const ALWAYS_SET: [(&str, &[&str]); 2] = [
    ("process_instance", &["status", "version", "counter", "ended_at"]),
    (
        "token",
        &[
            "node",
            "flow",
            "status",
            "parent",
            "fork",
            "attempt",
            "since",
            "job",
            "job_type",
            "lease",
            "lease_owner",
            "lease_node",
            "lease_since",
        ],
    ),
];
/// Numbers above this are ids: moments in milliseconds are far below.
const FIRST_ID: i64 = 1 << 50;

/// Reads what the triggers wrote.
pub(super) struct Notebook {
    connection: Connection,
    tables: BTreeMap<String, Table>,
    /// The last line of each commit, and its turns.
    ends: Vec<(i64, u64)>,
}

struct Table {
    columns: Vec<String>,
    key: BTreeSet<String>,
}

impl Notebook {
    pub(super) fn open(file: &Path) -> Result<Notebook> {
        let connection = Connection::open(file)?;
        connection.execute_batch(
            "CREATE TABLE recorded (line INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, kind TEXT, was TEXT, is_now TEXT)",
        )?;
        let names: Vec<String> = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut tables = BTreeMap::new();
        for name in names.into_iter().filter(|name| !NOT_OURS.contains(&&**name)) {
            let table = Table::of(&connection, &name)?;
            connection.execute_batch(&table.triggers(&name))?;
            tables.insert(name, table);
        }
        Ok(Notebook { connection, tables, ends: Vec::new() })
    }

    /// What was written before does not count.
    pub(super) fn begin(&mut self) -> Result<()> {
        self.connection.execute("DELETE FROM recorded", [])?;
        self.ends.clear();
        Ok(())
    }

    pub(super) fn end_of_commit(&mut self, turns: u64) {
        let last = self.connection.query_row("SELECT max(line) FROM recorded", [], |row| row.get(0));
        // A line that cannot be read leaves its rows to the next commit, where the recording is found wanting.
        self.ends.push((last.unwrap_or(0), turns));
    }

    pub(super) fn recording(&self) -> Result<Recording> {
        let mut lines = self.connection.prepare("SELECT line, name, kind, was, is_now FROM recorded")?;
        let mut lines = lines.query([])?;
        let mut commits: Vec<Commit> =
            self.ends.iter().map(|(_, turns)| Commit { changes: Vec::new(), turns: *turns }).collect();
        let mut ids = Vec::new();
        let mut there = BTreeSet::new();
        while let Some(row) = lines.next()? {
            let (line, name, kind): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let table = self.tables.get(&name).context("a table that was seen")?;
            let read = |at: usize| -> Result<Vec<Value>> {
                Ok(serde_json::from_str(&row.get::<_, Option<String>>(at)?.unwrap_or("[]".to_owned()))?)
            };
            let mut change = table.change(&name, &kind, &read(3)?, &read(4)?, &mut ids);
            let key = format!("{name} {:?}", change.key);
            match change.kind {
                Kind::Delete => drop(there.remove(&key)),
                // What replaces a row is an update of it.
                Kind::Insert if !there.insert(key) => change.kind = Kind::Update,
                Kind::Insert | Kind::Update => {}
            }
            let commit = self.ends.iter().position(|(last, _)| line <= *last);
            let commit = commit.context("rows were written outside of any commit")?;
            commits[commit].changes.push(change);
        }
        commits.retain(|commit| !commit.changes.is_empty());
        Ok(Recording { commits })
    }
}

impl Table {
    fn of(connection: &Connection, name: &str) -> Result<Table> {
        let mut columns = Vec::new();
        let mut key = BTreeSet::new();
        let mut described =
            connection.prepare(&format!("SELECT name, pk FROM pragma_table_info('{name}')"))?;
        let mut described = described.query([])?;
        while let Some(row) = described.next()? {
            let column: String = row.get(0)?;
            if row.get::<_, i64>(1)? > 0 {
                key.insert(column.clone());
            }
            columns.push(column);
        }
        Ok(Table { columns, key })
    }

    fn triggers(&self, name: &str) -> String {
        let row = |which: &str| {
            let columns: Vec<String> =
                self.columns.iter().map(|column| format!("{which}.\"{column}\"")).collect();
            format!("json_array({})", columns.join(", "))
        };
        let (was, is_now) = (row("old"), row("new"));
        [("INSERT", "NULL", &*is_now), ("UPDATE", &*was, &*is_now), ("DELETE", &*was, "NULL")]
            .map(|(kind, was, is_now)| {
                format!(
                    "CREATE TRIGGER record_{name}_{kind} AFTER {kind} ON {name} BEGIN
                     INSERT INTO recorded (name, kind, was, is_now) VALUES ('{name}', '{kind}', {was}, {is_now}); END;"
                )
            })
            .concat()
    }

    fn change(
        &self,
        name: &str,
        kind: &str,
        was: &[Value],
        is_now: &[Value],
        ids: &mut Vec<i64>,
    ) -> RowChange {
        let kind = match kind {
            "INSERT" => Kind::Insert,
            "UPDATE" => Kind::Update,
            _ => Kind::Delete,
        };
        let row = if kind == Kind::Delete { was } else { is_now };
        let always = ALWAYS_SET.iter().find(|(table, _)| *table == name).map_or(&[][..], |(_, set)| set);
        let (mut key, mut values) = (Vec::new(), Vec::new());
        for (at, column) in self.columns.iter().enumerate() {
            let value = &row[at];
            if self.key.contains(column) {
                key.push((column.clone(), cell(value, ids, true)));
            } else if match kind {
                Kind::Insert => !value.is_null(),
                Kind::Update => was[at] != *value || always.contains(&&**column),
                Kind::Delete => false,
            } {
                values.push((column.clone(), cell(value, ids, false)));
            }
        }
        if kind == Kind::Update && values.is_empty() {
            let rest = self.columns.iter().zip(row).filter(|(column, _)| !self.key.contains(*column));
            values.extend(rest.map(|(column, value)| (column.clone(), cell(value, ids, false))));
        }
        RowChange { table: name.to_owned(), kind, key, values }
    }
}

/// An id becomes one where it is first seen in a key.
fn cell(value: &Value, ids: &mut Vec<i64>, in_key: bool) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::String(text) if *text == workload::order(0) => Cell::Order,
        Value::String(text) if *text == workload::person(0) => Cell::Person,
        Value::String(text) => Cell::Text(text.clone()),
        Value::Number(number) => match number.as_i64() {
            Some(number) if in_key && number >= FIRST_ID && !ids.contains(&number) => {
                ids.push(number);
                Cell::Id(ids.len() as u16 - 1)
            }
            Some(number) => ids
                .iter()
                .position(|id| *id == number)
                .map_or(Cell::Integer(number), |at| Cell::Id(at as u16)),
            None => Cell::Real(number.as_f64().unwrap_or_default()),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Cell::Text(value.to_string()),
    }
}

//! The floor on SQLite: prepared statements, one transaction per group of waiting turns, WAL and FULL.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use rusqlite::{CachedStatement, Connection, Transaction, params};

use crate::floor::rows::{Cell, Commit, Kind, Plan, RowChange};
use crate::floor::{THIN_EVENTS, id};
use crate::processes;
use crate::workload::{Run, VARIABLES};

const SETTINGS: &str = "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;";
const THIN: &str =
    "CREATE TABLE instance (id INTEGER PRIMARY KEY, status TEXT NOT NULL, version INTEGER NOT NULL);
    CREATE TABLE variables (instance INTEGER PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE history (instance INTEGER NOT NULL, seq INTEGER NOT NULL, events TEXT NOT NULL,
                          PRIMARY KEY (instance, seq)) WITHOUT ROWID;";

/// Instances that are written in one transaction: the first, how many, and how many people there are.
#[derive(Clone, Copy)]
struct Group {
    first: u64,
    size: u64,
    people: u64,
}

/// Exactly the engine's rows.
pub(crate) fn own_rows(path: &Path, plan: &Plan, count: u64) -> Result<Run> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(include_str!("../../../crates/store/src/sqlite/schema.sql"))?;
    connection.execute_batch(include_str!("../../../crates/store/src/sqlite/lists.sql"))?;
    connection.set_prepared_statement_cache_capacity(256);
    let statements: Vec<Vec<String>> =
        plan.commits.iter().map(|commit| commit.changes.iter().map(statement).collect()).collect();
    let turns: Vec<u64> = plan.commits.iter().map(|commit| commit.turns).collect();
    groups(&mut connection, count, plan.at_once, &turns, |transaction, group, at| {
        write(transaction, &plan.commits[at], &statements[at], group)
    })
}

/// A fixed small set of rows: an instance, its variables, packed events for every turn.
pub(crate) fn thin(path: &Path, plan: &Plan, count: u64) -> Result<Run> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(THIN)?;
    let turns = plan.turns();
    groups(&mut connection, count, plan.at_once, &turns, |transaction, group, commit| {
        let first: u64 = turns[..commit].iter().sum();
        let mut instance = match commit {
            0 => transaction
                .prepare_cached("INSERT INTO instance (id, status, version) VALUES (?1, ?2, ?3)")?,
            _ => transaction.prepare_cached("UPDATE instance SET status = ?2, version = ?3 WHERE id = ?1")?,
        };
        let mut variables = transaction.prepare_cached("INSERT INTO variables VALUES (?1, ?2)")?;
        let mut history = transaction.prepare_cached("INSERT INTO history VALUES (?1, ?2, ?3)")?;
        for at in group.first..group.first + group.size {
            instance.execute(params![id(at), "running", first * 2])?;
            if commit == 0 {
                variables.execute(params![id(at), VARIABLES])?;
            }
            for turn in first..first + turns[commit] {
                history.execute(params![id(at), turn * 2 + 1, THIN_EVENTS])?;
            }
        }
        Ok(())
    })
}

/// As many instances at once as the engine has under way; each turn of a group is one commit.
fn groups(
    connection: &mut Connection,
    count: u64,
    at_once: usize,
    turns: &[u64],
    mut write: impl FnMut(&Transaction<'_>, Group, usize) -> Result<()>,
) -> Result<Run> {
    let (started, cpu) = (Instant::now(), processes::own_cpu());
    let mut run = Run { instances: count, ..Run::default() };
    let mut first = 0;
    while first < count {
        let group = Group { first, size: (count - first).min(at_once as u64), people: at_once as u64 };
        for (at, turns) in turns.iter().enumerate() {
            let transaction = connection.transaction()?;
            write(&transaction, group, at)?;
            transaction.commit()?;
            run.commits += 1;
            run.turns += group.size * turns;
        }
        first += group.size;
    }
    run.wall = started.elapsed();
    run.cpu = processes::own_cpu() - cpu;
    Ok(run)
}

/// The statement that changes such a row: values first, then the key.
fn statement(change: &RowChange) -> String {
    let names = |cells: &[(String, Cell)]| cells.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (values, key) = (names(&change.values), names(&change.key));
    let equal = |names: &[String], first: usize, between: &str| {
        let each = names.iter().enumerate().map(|(at, name)| format!("\"{name}\" = ?{}", first + at));
        each.collect::<Vec<_>>().join(between)
    };
    let (table, found) = (&change.table, equal(&key, values.len() + 1, " AND "));
    match change.kind {
        Kind::Insert => {
            let all: Vec<String> = values.iter().chain(&key).map(|name| format!("\"{name}\"")).collect();
            let places: Vec<String> = (1..=all.len()).map(|at| format!("?{at}")).collect();
            format!("INSERT INTO {table} ({}) VALUES ({})", all.join(", "), places.join(", "))
        }
        Kind::Update => format!("UPDATE {table} SET {} WHERE {found}", equal(&values, 1, ", ")),
        Kind::Delete => format!("DELETE FROM {table} WHERE {}", equal(&key, 1, " AND ")),
    }
}

fn write(transaction: &Transaction<'_>, commit: &Commit, statements: &[String], group: Group) -> Result<()> {
    for (change, sql) in commit.changes.iter().zip(statements) {
        let mut statement = transaction.prepare_cached(sql)?;
        for at in group.first..group.first + group.size {
            for (place, (_, cell)) in change.values.iter().chain(&change.key).enumerate() {
                bind(&mut statement, place + 1, cell, at, group.people)?;
            }
            statement.raw_execute()?;
        }
    }
    Ok(())
}

fn bind(
    statement: &mut CachedStatement<'_>,
    place: usize,
    cell: &Cell,
    at: u64,
    people: u64,
) -> rusqlite::Result<()> {
    match cell {
        Cell::Null => statement.raw_bind_parameter(place, rusqlite::types::Null),
        Cell::Integer(number) => statement.raw_bind_parameter(place, number),
        Cell::Real(number) => statement.raw_bind_parameter(place, number),
        Cell::Text(text) => statement.raw_bind_parameter(place, text),
        Cell::Id(_) => statement.raw_bind_parameter(place, cell.id(at)),
        Cell::Order | Cell::Person => statement.raw_bind_parameter(place, cell.name(at, people)),
    }
}

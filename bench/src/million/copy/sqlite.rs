//! Copies on SQLite: indexes are made when all rows are there, as sorting is quicker than finding places one by one.

use std::path::Path;

use anyhow::Result;
use rusqlite::Connection;

use super::{EPOCH_MS, Made, SPAN_MS, TABLES, base, statement};

pub(super) fn copy(file: &Path, made: &[Made]) -> Result<()> {
    let connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY",
    )?;
    let indexes = indexes(&connection)?;
    for (name, _) in &indexes {
        connection.execute_batch(&format!("DROP INDEX {name}"))?;
    }
    connection.execute_batch("BEGIN")?;
    for table in TABLES {
        let columns: Vec<String> = connection
            .prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for (sort, (id, copies)) in made.iter().enumerate().filter(|(_, (_, copies))| *copies > 0) {
            let sql = statement(table, &columns, &series(sort, base(*id), *copies), &id.0.to_string());
            connection.execute(&sql, [])?;
        }
    }
    connection.execute_batch("COMMIT")?;
    for (_, sql) in &indexes {
        connection.execute_batch(sql)?;
    }
    connection.execute_batch("PRAGMA journal_mode = WAL")?;
    drop(connection);
    // What is measured later does not share the disk with what was only written into the system's memory.
    Ok(std::fs::File::open(file)?.sync_all()?)
}

/// Those that are not part of a table.
fn indexes(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let sql = "SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
    let mut find = connection.prepare(sql)?;
    let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?)))?;
    let all: Vec<(String, String, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let ours = all.into_iter().filter(|(_, _, table)| TABLES.contains(&table.as_str()));
    Ok(ours.map(|(name, sql, _)| (name, sql)).collect())
}

/// The copies of a sort: number, moment, id.
fn series(sort: usize, base: i64, copies: i64) -> String {
    format!(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {last}),
         m(i, at) AS (SELECT i, {base} + i * {SPAN_MS} / {copies} FROM n),
         s(i, at, id) AS (SELECT i, at, ((at - {EPOCH_MS}) << 22) | ({sort} << 12) | (i & 4095) FROM m)",
        last = copies - 1,
    )
}

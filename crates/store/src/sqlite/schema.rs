//! Tables and their versions: forward only, one transaction per step.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::error::Error;
use crate::sqlite::complaint;

/// Each step brings the schema to the version that is its position + 1.
const STEPS: &[&str] = &[
    include_str!("schema.sql"),
    include_str!("lists.sql"),
    include_str!("questions.sql"),
    include_str!("keeping.sql"),
    include_str!("outbox.sql"),
    include_str!("slices.sql"),
];

/// Eight kilobytes hold a turn's history in one page; small pages spill it.
const SETTINGS: &str = "
    PRAGMA page_size = 8192;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -65536;
    PRAGMA busy_timeout = 5000;
";

pub(crate) fn connect(path: &Path) -> Result<Connection, Error> {
    let opened = Connection::open(path).and_then(|connection| {
        connection.execute_batch(SETTINGS)?;
        connection.set_prepared_statement_cache_capacity(64);
        // Else every new value of a parameter may choose another partial index, and the statement is parsed again for it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(connection)
    });
    opened.map_err(|error| match complaint(error) {
        Error::Damaged(text) => Error::Damaged(format!("{}: {text}", path.display())),
        other @ (Error::Unavailable(_)
        | Error::Unknown(_)
        | Error::Refused(_)
        | Error::DiskFailed(_)
        | Error::InUse(_)
        | Error::NewerSchema { .. }) => {
            Error::Unavailable(format!("cannot open {}: {other}", path.display()))
        }
    })
}

/// SQLite opens a file that it may not write for reading alone, without a word.
pub(super) fn writable(connection: &Connection, path: &Path) -> Result<(), Error> {
    match connection.is_readonly("main").map_err(complaint)? {
        true => Err(Error::Unavailable(format!(
            "{} is read-only: give this user the right to write the file and its folder",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// The version that this program writes.
pub(crate) fn known() -> i64 {
    i64::try_from(STEPS.len()).expect("few steps")
}

/// Data of a newer program is not touched.
pub(crate) fn is_known(found: i64) -> Result<(), Error> {
    let known = known();
    if found > known { Err(Error::NewerSchema { found, known }) } else { Ok(()) }
}

pub(crate) fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(complaint)?;
    is_known(found)?;
    for (step, sql) in (0..).zip(STEPS).skip_while(|(step, _)| *step < found) {
        let transaction = connection.transaction().map_err(complaint)?;
        transaction.execute_batch(sql).map_err(complaint)?;
        transaction.pragma_update(None, "user_version", step + 1).map_err(complaint)?;
        transaction.commit().map_err(complaint)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables, views and indexes.
    fn layout(connection: &Connection) -> Vec<(String, Option<String>)> {
        let sql = "SELECT name, sql FROM sqlite_schema ORDER BY name";
        let mut find = connection.prepare(sql).expect("a statement");
        let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("rows")
    }

    #[test]
    fn from_every_step_on_the_schema_becomes_the_same() {
        let mut new = Connection::open_in_memory().expect("memory opens");
        migrate(&mut new).expect("a new one is made");
        for begun in 1..=STEPS.len() {
            let mut old = Connection::open_in_memory().expect("memory opens");
            for step in &STEPS[..begun] {
                old.execute_batch(step).expect("a step is sound");
            }
            old.pragma_update(None, "user_version", begun).expect("a version");
            migrate(&mut old).expect("the rest is done");
            assert_eq!(layout(&old), layout(&new), "from step {begun}");
            migrate(&mut old).expect("doing it again changes nothing");
        }
    }

    #[test]
    fn a_step_that_fails_leaves_the_version_before_it() {
        let mut connection = Connection::open_in_memory().expect("memory opens");
        connection.execute_batch(STEPS[0]).expect("a step is sound");
        // Somebody's own table stands in the way of the next step.
        connection.execute_batch("CREATE TABLE task_candidate (a)").expect("a table");
        connection.pragma_update(None, "user_version", 1).expect("a version");
        assert!(matches!(
            migrate(&mut connection),
            Err(Error::Unavailable(_) | Error::Refused(_) | Error::Damaged(_))
        ));
        let version: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version");
        assert_eq!(version, 1);
        let index = "SELECT count(*) FROM sqlite_schema WHERE name = 'token_node'";
        let half: i64 = connection.query_row(index, [], |row| row.get(0)).expect("a count");
        assert_eq!(half, 0, "nothing of the step is there");
        connection.execute_batch("DROP TABLE task_candidate").expect("it goes away");
        migrate(&mut connection).expect("now it can be done");
    }
}

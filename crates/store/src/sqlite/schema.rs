//! Tables and their versions: forward only, one transaction per step.

use std::path::Path;

use rusqlite::Connection;

use crate::error::Error;
use crate::sqlite::complaint;

/// Each step brings the schema to the version that is its position + 1.
const STEPS: &[&str] = &[
    include_str!("schema.sql"),
    include_str!("lists.sql"),
    include_str!("questions.sql"),
    include_str!("outbox.sql"),
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

pub(super) fn connect(path: &Path) -> Result<Connection, Error> {
    let opened = Connection::open(path).and_then(|connection| {
        connection.execute_batch(SETTINGS)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    });
    opened.map_err(|error| match complaint(error) {
        Error::Damaged(text) => Error::Damaged(format!("{}: {text}", path.display())),
        other @ (Error::Unavailable(_)
        | Error::Unknown(_)
        | Error::Refused(_)
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

pub(super) fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(complaint)?;
    let known = i64::try_from(STEPS.len()).expect("few steps");
    if found > known {
        return Err(Error::NewerSchema { found, known });
    }
    for (step, sql) in (0..).zip(STEPS).skip_while(|(step, _)| *step < found) {
        let transaction = connection.transaction().map_err(complaint)?;
        transaction.execute_batch(sql).map_err(complaint)?;
        transaction.pragma_update(None, "user_version", step + 1).map_err(complaint)?;
        transaction.commit().map_err(complaint)?;
    }
    Ok(())
}

//! A copy of the whole store while work goes on, and the way back.
//!
//! A backup is a SQLite file, whichever store it is of: it can be looked at, opened and restored into either.
//!
//! **Invariant:** a file under the name of the backup is whole: it is written under another name, checked, synced and
//! then renamed.
//! **Invariant:** nothing is ever overwritten.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::error::Error;
use crate::sqlite::{complaint, schema};

/// Copies the store in `database` as of one moment, whether an engine works on it or not.
///
/// # Errors
/// There is no such store, there is something at `target` already, or the disk is full.
pub fn backup(database: &Path, target: &Path) -> Result<(), Error> {
    let connection = reading(database)?;
    let part = Part::begin(target)?;
    // One read transaction: what is committed meanwhile is not in it, and nobody waits for it.
    let into = format!("VACUUM INTO '{}'", part.path.display().to_string().replace('\'', "''"));
    connection.execute_batch(&into).map_err(|error| about(target, complaint(error)))?;
    part.finish()
}

/// Makes the store in `database` from a backup.
///
/// # Errors
/// There is a store already, or the backup is not whole or of a newer program.
pub fn restore(backup: &Path, database: &Path) -> Result<(), Error> {
    check(backup)?;
    let part = Part::begin(database)?;
    std::fs::copy(backup, &part.path).map_err(|error| io(&part.path, "cannot write", &error))?;
    let mut connection = schema::connect(&part.path)?;
    schema::migrate(&mut connection)?;
    // Closing moves the log into the file: one file is renamed.
    connection.execute_batch("PRAGMA journal_mode = DELETE").map_err(complaint)?;
    drop(connection);
    part.finish()
}

/// Is it whole, and of a version that this program knows?
pub(crate) fn check(backup: &Path) -> Result<Connection, Error> {
    let connection = reading(backup)?;
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(complaint)?;
    schema::is_known(found)?;
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('process_instance', 'history')";
    let tables: i64 = connection.query_row(tables, [], |row| row.get(0)).map_err(complaint)?;
    if tables < 2 {
        return Err(Error::Damaged(format!("{} is no backup of a store", backup.display())));
    }
    let damage: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(complaint)?;
    match damage.as_str() {
        "ok" => Ok(connection),
        _ => Err(Error::Damaged(format!("{}: {damage}", backup.display()))),
    }
}

fn reading(path: &Path) -> Result<Connection, Error> {
    if !path.is_file() {
        return Err(Error::Unavailable(format!("there is no file {}", path.display())));
    }
    // A log can only be read by whoever may write beside it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| about(path, complaint(error)))?;
    connection.execute_batch("PRAGMA busy_timeout = 5000").map_err(|error| about(path, complaint(error)))?;
    Ok(connection)
}

/// A file on its way: gone if it does not get there.
pub(crate) struct Part {
    pub(crate) path: PathBuf,
    target: PathBuf,
}

impl Part {
    pub(crate) fn begin(target: &Path) -> Result<Part, Error> {
        let mut name = target.as_os_str().to_owned();
        name.push("-part");
        let path = PathBuf::from(name);
        if let Some(there) = [target, &path].into_iter().find(|path| path.exists()) {
            return Err(Error::Unavailable(format!(
                "{} is there already: name another file, or move it away",
                there.display()
            )));
        }
        Ok(Part { path, target: target.to_owned() })
    }

    /// Checks it, makes it durable, and gives it its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        drop(check(&self.path)?);
        let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all());
        sync(&self.path).map_err(|error| io(&self.path, "cannot sync", &error))?;
        std::fs::rename(&self.path, &self.target).map_err(|error| io(&self.target, "cannot name", &error))?;
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        sync(folder).map_err(|error| io(folder, "cannot sync", &error))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After a rename there is nothing left; a part that nobody wants is no loss.
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.path.display()));
        }
    }
}

fn io(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::Unavailable(format!("{what} {}: {error}", path.display()))
}

fn about(path: &Path, error: Error) -> Error {
    Error::Unavailable(format!("{}: {error}", path.display()))
}

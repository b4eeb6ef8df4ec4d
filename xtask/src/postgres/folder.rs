//! `target/postgres`: the lock, the note about a cluster that was started by hand, and the place of the clusters.
//!
//! **Invariant:** whoever starts or stops a cluster holds the lock; a test run holds it until its cluster is gone.

use super::account::Account;
use super::server::{self, Server};
use crate::checkout;
use anyhow::{Context, Result, bail};
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The folder, locked.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Refuses when a test run holds it.
    pub(crate) fn open() -> Result<Folder> {
        let (path, lock) = folder_and_lock()?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                bail!("a test run uses the private PostgreSQL; wait for its end")
            }
            Err(TryLockError::Error(error)) => {
                Err(error).context("cannot lock the folder of the private PostgreSQL")
            }
        }
    }

    /// Waits until no other test run holds it.
    pub(crate) fn open_after_other_runs() -> Result<Folder> {
        let (path, lock) = folder_and_lock()?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            eprintln!(
                "    waits for another test run that uses the private PostgreSQL of this target folder"
            );
        }
        lock.lock().context("cannot lock the folder of the private PostgreSQL")?;
        Ok(Folder { path, _lock: lock })
    }

    /// The URL of the cluster that was started by hand and still runs. Needs no lock.
    pub(crate) fn url_by_hand() -> Option<String> {
        let note = std::fs::read_to_string(note_in(&path())).ok()?;
        let (url, data) = note.trim_end().split_once('\n')?;
        server::is_running(Path::new(data)).then(|| url.to_owned())
    }

    /// Remembers that `server` was started by hand, for the eyes of this user alone: the URL holds the password.
    pub(crate) fn note_by_hand(&self, server: &Server) -> Result<()> {
        let note = note_in(&self.path);
        let _ = std::fs::remove_file(&note);
        let text = format!("{}\n{}\n", server.url(), server.data().display());
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&note)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", note.display()))
    }

    /// A folder of the account's own, where clusters are made: in here, or where temporary files go when the account
    /// cannot reach in here.
    pub(crate) fn for_cluster(&self, account: &Account) -> Result<PathBuf> {
        let here = self.path.join("clusters");
        std::fs::create_dir_all(&here).with_context(|| format!("cannot create {}", here.display()))?;
        account.own(&here)?;
        if account.can_write(&here) {
            return Ok(here);
        }
        let elsewhere = self.elsewhere();
        eprintln!(
            "    {account} cannot enter {}, so the cluster goes to {}",
            here.display(),
            elsewhere.display()
        );
        create_private(&elsewhere, account)?;
        account.own(&elsewhere)?;
        if !account.can_write(&elsewhere) {
            bail!("{account} can write neither to {} nor to {}", here.display(), elsewhere.display());
        }
        Ok(elsewhere)
    }

    /// The same name in each run, so that the next one finds what this one has left.
    fn elsewhere(&self) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        self.path.hash(&mut hasher);
        std::env::temp_dir().join(format!("tyer-postgres-{:016x}", hasher.finish()))
    }
}

/// Temporary folders are everyone's: a link, or a folder that a stranger has put there, is refused.
fn create_private(folder: &Path, account: &Account) -> Result<()> {
    if let Err(error) = std::fs::create_dir(folder) {
        let found = std::fs::symlink_metadata(folder).map_err(|_| error);
        let found = found.with_context(|| format!("cannot create {}", folder.display()))?;
        if !found.is_dir() || !account.is_owner(&found) {
            bail!("{} is not a folder of {account}; remove it", folder.display());
        }
    }
    Ok(())
}

fn path() -> PathBuf {
    checkout::target().join("postgres")
}

fn note_in(folder: &Path) -> PathBuf {
    folder.join("by-hand")
}

fn folder_and_lock() -> Result<(PathBuf, File)> {
    let path = path();
    std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path.join("lock"));
    let lock = lock.with_context(|| format!("cannot open the lock in {}", path.display()))?;
    Ok((path, lock))
}

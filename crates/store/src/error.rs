//! What can go wrong between us and the disk.

/// The world's fault. Messages name the store and what to do.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Nothing was written; trying again may help.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The commit may or may not have happened: ask `settle`.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
    /// The store refused what we wrote: trying again will not help.
    #[error("the store refused the rows: {0}")]
    Refused(String),
    /// Reading or writing failed below the store. It takes nothing more until it is opened anew: after a failed write the
    /// system may call pages clean that never reached the disk, so what it says from then on cannot be trusted.
    #[error(
        "the disk failed: {0}: nothing that was acknowledged is lost; look at the disk and at the system's log, mend it, \
         and start this node again, which then finds out whether this was done"
    )]
    DiskFailed(String),
    /// Another runtime has this file open.
    #[error("{0} is open in another process: stop that one, or use PostgreSQL to share")]
    InUse(String),
    /// Written by a newer program.
    #[error("the data has schema version {found}, this program knows {known}: use a newer program")]
    NewerSchema {
        /// The version of the data.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// Stored data that cannot be read.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
}

impl Error {
    /// May the same call succeed later?
    pub fn is_transient(&self) -> bool {
        matches!(self, Error::Unavailable(_) | Error::Unknown(_) | Error::DiskFailed(_))
    }
}

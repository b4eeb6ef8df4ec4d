//! Where a transcript is played: the bare engine, or the runtime on some store.
//!
//! **Invariant:** every stage gives the same answers; the text does not show on which one it was played.

mod bare;
mod embedded;

use tyer_engine::{Command, Instance, InstanceId, Number, Rejection, Timestamp, Variables};

pub use bare::Bare;
pub use embedded::{Embedded, Habit, Open};

/// How long a worker of a transcript holds a job that it claimed.
pub(crate) const LEASE_MS: i64 = 300_000;
/// What the worker of a transcript is called.
pub(crate) const WORKER: &str = "worker";

/// A place on which one instance lives.
pub trait Stage {
    /// Begins the instance.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn start(&mut self, variables: Variables) -> Result<(), Refusal>;

    /// Offers a command. The result of a job that was claimed before is offered under its lease.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn offer(&mut self, command: Command) -> Result<(), Refusal>;

    /// A worker takes a job. False when it is not to be had; true also when the worker has it already.
    ///
    /// # Errors
    /// What broke.
    fn claim(&mut self, job: Number) -> Result<bool, Refusal>;

    /// Time passes, and what is due fires in due order. A token that made room for others goes on once.
    ///
    /// # Errors
    /// What broke.
    fn advance(&mut self, ms: i64) -> Result<(), Refusal>;

    /// The moment it is.
    fn now(&self) -> Timestamp;

    /// The turns after this many events, oldest first.
    ///
    /// # Errors
    /// What broke.
    fn history(&mut self, after: u64) -> Result<Vec<Page>, Refusal>;

    /// The state of the instance; blank before it has begun.
    ///
    /// # Errors
    /// What broke.
    fn state(&mut self) -> Result<Instance, Refusal>;

    /// A line of the transcript has been answered: the moment to crash, if that is what the stage is for.
    ///
    /// # Errors
    /// What broke.
    fn line_ended(&mut self) -> Result<(), Refusal> {
        Ok(())
    }
}

/// One turn of the history, packed.
#[derive(Clone, Debug)]
pub struct Page {
    /// The number of its first event.
    pub first_seq: u64,
    /// When.
    pub at: Timestamp,
    /// A JSON array of events.
    pub events: String,
}

/// Why a stage did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The engine refused: part of the answer.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Something that no transcript expects.
    #[error("{0}")]
    Broken(String),
}

/// The instance that commands name before one has begun.
pub(crate) fn nobody() -> InstanceId {
    InstanceId(1)
}

//! Where a transcript is played: the bare engine, or the runtime on some store.
//!
//! **Invariant:** every stage gives the same answers; the text does not show on which one it was played.

mod bare;
#[cfg(feature = "stages")]
mod embedded;

use tyer_engine::{Command, Instance, InstanceId, Number, Rejection, Start, Timestamp, Variables};

pub use bare::Bare;
#[cfg(feature = "stages")]
pub use embedded::{Embedded, Habit, Open};

/// How long a worker of a transcript holds a job that it claimed.
pub(crate) const LEASE_MS: i64 = 300_000;
/// What the worker of a transcript is called.
pub(crate) const WORKER: &str = "worker";

/// A place on which instances live. After every call, whatever instances have to say to each other has been said.
pub trait Stage {
    /// A BPMN file is there from now on: newer versions of its processes.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn deploy(&mut self, bpmn: &[u8]) -> Result<(), Refusal>;

    /// Begins an instance of the newest version of a process. Definition and version are the stage's to say.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn start(&mut self, process: &str, start: Start) -> Result<InstanceId, Refusal>;

    /// Offers a command. The result of a job that was claimed before is offered under its lease.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn offer(&mut self, instance: InstanceId, command: Command) -> Result<(), Refusal>;

    /// The instance goes on under the newest version of its process; old and new ids of nodes.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn migrate(&mut self, instance: InstanceId, mapping: Vec<(String, String)>) -> Result<(), Refusal>;

    /// A worker takes a job. False when it is not to be had; true also when the worker has it already.
    ///
    /// # Errors
    /// What broke.
    fn claim(&mut self, instance: InstanceId, job: Number) -> Result<bool, Refusal>;

    /// Publishes a message.
    ///
    /// # Errors
    /// The refusal, or what broke.
    fn publish(&mut self, message: Published) -> Result<(), Refusal>;

    /// Sends a signal to everybody.
    ///
    /// # Errors
    /// What broke.
    fn signal(&mut self, name: &str, variables: Variables) -> Result<(), Refusal>;

    /// Time passes, and what is due fires in due order. A token that made room for others goes on once.
    ///
    /// # Errors
    /// What broke.
    fn advance(&mut self, ms: i64) -> Result<(), Refusal>;

    /// The moment it is.
    fn now(&self) -> Timestamp;

    /// Every instance that has begun, in any order.
    ///
    /// # Errors
    /// What broke.
    fn instances(&mut self) -> Result<Vec<InstanceId>, Refusal>;

    /// The turns of an instance after this many events, oldest first.
    ///
    /// # Errors
    /// What broke.
    fn history(&mut self, instance: InstanceId, after: u64) -> Result<Vec<Page>, Refusal>;

    /// The state of an instance.
    ///
    /// # Errors
    /// What broke.
    fn state(&mut self, instance: InstanceId) -> Result<Instance, Refusal>;

    /// A line of the transcript has been answered: the moment to crash, if that is what the stage is for.
    ///
    /// # Errors
    /// What broke.
    fn line_ended(&mut self) -> Result<(), Refusal> {
        Ok(())
    }
}

/// A message from outside.
#[derive(Clone, Debug)]
pub struct Published {
    /// Its name.
    pub name: String,
    /// Whom it is for; none = its name is enough.
    pub key: Option<String>,
    /// What makes it the same message when it is published again.
    pub id: Option<String>,
    /// How long it waits for somebody who wants it; 0 = not at all.
    pub ttl_ms: i64,
    /// What comes with it.
    pub variables: Variables,
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

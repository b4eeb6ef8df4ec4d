//! Durable rows: rows in, rows out, no BPMN decisions.
//!
//! [`Store`] is what a crash may not break; [`Views`] is what people look at. `memory`, `sqlite` and `postgres`
//! implement both, and one contract suite runs on each.
//!
//! **Invariant:** a turn is written whole or not at all, and only if everything it relies on still holds.
//! **Invariant:** of two commits that rely on the same version of an instance, at most one succeeds.

mod audit;
mod chain;
mod changes;
mod error;
mod filter;
mod indexed;
pub mod intercept;
mod mail;
pub mod memory;
mod outbox;
#[cfg(feature = "postgres")]
pub mod postgres;
mod restore;
mod rows;
#[cfg(feature = "postgres")]
mod shard;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod tenant;
mod turn;
mod upkeep;
mod views;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod words;

use std::future::Future;
use std::pin::Pin;

use tyer_engine::{InstanceId, ItemId, Timestamp};

pub use audit::{audit, invariants};
pub use changes::{Change, Changes, Rows};
pub use error::Error;
pub use filter::{
    Comparison, IndexedValue, InstanceFilter, InstancePlace, Span, TaskFilter, TaskPlace, VariableTest,
};
pub use mail::{
    Errand, Letter, Mail, Mailbox, Message, Post, Signal, Sought, StartEvent, StartEventKey, Take, Waiting,
};
pub use outbox::{Delivered, Deliveries, Delivery, Outbox, Sink, Stream};
pub use restore::{RestoreError, restore};
pub use rows::{
    Claim, Claimed, Definition, Deployment, Due, Hold, IncidentRow, InstanceRow, Lease, Loaded, LoadedToken,
    NewProcess, News, NodeLease, RecordRow, SagaRow, ScopeRow, Stored, SubscriptionRow, TaskRow, TimerRow,
    TokenRow, Which, Woken,
};
#[cfg(feature = "postgres")]
pub use shard::shard as shard_of;
pub use tenant::{DEFAULT_TENANT, Tenant};
pub use turn::{Outcome, Packed, Relies, Turn, TurnKey};
pub use upkeep::{ForgetPlace, Forgotten, Over, Upkeep};
pub use views::{HistoryRow, ListedDefinition, ListedIncident, ListedInstance, OpenTask, Standing, Views};

/// The answer of a store, some time later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// What a crash may not break. Every method is atomic.
pub trait Store: Send + Sync + 'static {
    /// Writes a batch of turns in one transaction and answers, for each, whether it holds.
    ///
    /// Checks first: the version each chain of turns begins at, the lease, the idempotency key. Turns that hold are
    /// written together, and of several turns of one instance only the last state of each row. When a turn does not
    /// hold, the later turns of its instance in the batch do not either. When this returns `Ok`, what it calls
    /// committed is durable. [`Error::Unknown`] means that nobody knows: ask [`Store::settle`]. Any other error means
    /// that nothing was written.
    ///
    /// Where only one node may work on the store, commits are judged in the order in which their answers were first
    /// polled: a turn may be handed in before the commit of the turn it was stepped on has come back.
    fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>>;

    /// After an unknown outcome: which of these turns are durable? Waits for a commit that may still be going on, so
    /// the answer is final.
    fn settle(&self, turns: Vec<TurnKey>) -> Answer<'_, Vec<bool>>;

    /// The stored state of instances, each as of one moment; none for an id that is not there.
    fn load(&self, ids: Vec<InstanceId>) -> Answer<'_, Vec<Option<Loaded>>>;

    /// Claims ready jobs: each goes to one caller only, with a lease number one higher than ever before. When the answer
    /// is lost the jobs may be claimed all the same; they come back when the lease ends.
    fn claim(&self, claim: Claim) -> Answer<'_, Vec<Claimed>>;

    /// Moves the end of a lease, if it is still held under this number and the job is of this tenant. Can be repeated.
    fn extend(&self, tenant: &Tenant, job: ItemId, lease: u32, until: Timestamp) -> Answer<'_, bool>;

    /// What the passing of time has brought: leases that have expired are taken back (or
    /// named, if a saga waits for the job), messages whose time is over are
    /// forgotten, due timers and start events are named in due order, and letters that nobody has seen to. Naming
    /// changes nothing: a timer fires, and a letter is taken, when its turn is committed. Where several nodes share the
    /// store, the types of jobs that are ready are named too.
    fn wake(&self, now: Timestamp, limit: usize) -> Answer<'_, Woken>;

    /// Takes or renews the lease on a node number. Returns the lease as it now stands, with the store's own time.
    /// Jobs held by nodes whose lease has run out go back to ready. A renewal may bring news of what there is to do at
    /// this moment. Where there is only one node, a new life looks for
    /// receivers of all messages again.
    fn hold_node(&self, held: Option<NodeLease>, owner: &str, now: Timestamp) -> Answer<'_, NodeLease>;

    /// Stores a file and its processes. The same content again gives the versions it already has. Start events of a new
    /// version wait instead of those of the versions before.
    fn deploy(&self, deployment: Deployment) -> Answer<'_, Vec<Definition>>;
}

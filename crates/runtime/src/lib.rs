//! The runtime: take → load → step → commit → tell. Its [`Engine`] is what a program embeds.
//!
//! **Invariant:** nothing leaves the process (an answer, a job, a hint) before the commit it rests on.
//! **Invariant:** an instance is stepped by one track only, one command at a time.
//! **Invariant:** the cache may only speed up success: a refusal is given on freshly loaded state.
#![deny(missing_docs)]

mod builder;
mod clock;
mod control;
mod deploy;
mod doctor;
mod engine;
mod envelope;
mod error;
mod events;
mod export;
mod glance;
mod handle;
mod idle;
mod ids;
mod input;
mod job;
mod jobs;
mod limits;
mod lists;
mod live;
mod mail;
mod mask;
mod node;
mod nodes;
mod options;
mod own_transaction;
mod past;
mod preview;
mod processes;
mod relay;
mod rest;
mod shared;
mod start;
mod statistics;
mod tasks;
mod tell;
mod tenant;
mod timers;
mod track;
mod upkeep;
mod workers;

pub use builder::Builder;
pub use clock::TestClock;
pub use control::Snapshot;
pub use deploy::{Deployed, DeployedProcess};
pub use doctor::Checkup;
pub use engine::{Engine, Metrics};
pub use envelope::Envelope;
pub use error::Error;
pub use events::{Events, HistoryEvent};
pub use export::Export;
pub use glance::Glance;
pub use handle::{Finished, Handle, Overview};
pub use input::JobInput;
pub use job::{Job, JobError};
pub use jobs::{ActivateJobs, ActiveJob};
pub use live::{Happened, Live};
pub use mail::{PublishMessage, Published, Signalled};
pub use nodes::{NodeState, NodeStatus};
pub use options::WorkerOptions;
pub use own_transaction::{Dialect, Insert, SqlValue};
pub use preview::Preview;
#[cfg(feature = "webhooks")]
pub use relay::Webhook;
pub use relay::{DeadLetter, DeliveryError, SinkOptions, SinkStatus, Told};
pub use start::StartInstance;
pub use statistics::{NodeStatistics, Statistics};
#[cfg(feature = "postgres")]
pub use tokio_postgres;
pub use track::Done;
pub use tyer_engine::{
    Command, Effects, Explanation, InstanceId, ItemId, Modification, Number, Placement, Rejection, Status,
    TaskAction, Timestamp, Variables,
};
pub use tyer_store::memory::Memory as MemoryStore;
pub use tyer_store::{
    Comparison, Error as StoreError, HistoryRow, IndexedValue, InstanceFilter, InstancePlace,
    ListedDefinition, ListedIncident, ListedInstance, LoadedToken, Mailbox, Message, OpenTask, Outbox, Span,
    Store, TaskFilter, TaskPlace, Tenant, Upkeep, VariableTest, Views,
};
pub use upkeep::Retention;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
pub use upkeep::restore_into_postgres;
#[cfg(feature = "sqlite")]
pub use upkeep::{backup_of_file, restore};

//! A turn on its way to the disk: what it relies on, what it changed, what it tells history.

use std::sync::Arc;

use tyer_engine::{InstanceId, Number, Timestamp};
use tyer_model::Process;

use crate::changes::Changes;
use crate::mail::Mail;
use crate::tenant::Tenant;

/// One command's work on one instance, ready to be committed. Its parts are boxed: turns go through many hands, and a
/// vector of hundreds of them should be short enough for the allocator to have it at hand.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Names it for ever.
    pub key: TurnKey,
    /// Names nodes and flows.
    pub process: Arc<Process>,
    /// What must still hold.
    pub relies: Box<Relies>,
    /// Rows to write.
    pub changes: Box<Changes>,
    /// Events to keep.
    pub history: Packed,
    /// What it takes from others and leaves for them.
    pub mail: Box<Mail>,
}

/// Where a turn stands in history, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnKey {
    /// The instance.
    pub instance: InstanceId,
    /// The number of its first event: one more than the version it relies on.
    pub first_seq: u64,
    /// Unique: tells this turn from another that tried the same step.
    pub turn: i64,
}

/// What must still hold when a turn is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relies {
    /// The job whose result it is, with the lease under which it was done. Compared only if given.
    pub lease: Option<(Number, Number, u32)>,
    /// A key under which only one instance may ever be started.
    pub idempotency_key: Option<String>,
    /// Tokens that this turn takes away because nobody holds their jobs.
    pub unclaimed: Vec<Number>,
    /// The process of which the instance's definition must be the newest version.
    pub newest_of: Option<String>,
}

/// The events of one turn, as history keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// How many.
    pub count: u32,
    /// When.
    pub at: Timestamp,
    /// JSON array of events.
    pub events: String,
}

/// What became of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is durable.
    Committed,
    /// The instance has moved on, is locked elsewhere, or an earlier turn of its chain did not hold.
    Conflict,
    /// The lease is not held under this number any more.
    LeaseLost,
    /// Another instance was started under this key, or lives under this start key.
    Duplicate(InstanceId),
    /// What it takes is gone: somebody else was first.
    Gone,
    /// Somebody has deployed a newer version of the process.
    Superseded,
}

impl Turn {
    /// The version of the instance that this turn was stepped on; 0 = it starts the instance.
    pub fn base_version(&self) -> u64 {
        self.key.first_seq - 1
    }

    /// Whose the instance is.
    pub(crate) fn tenant(&self) -> &Tenant {
        &self.changes.instance.tenant
    }

    /// The tenant, the process and the key of a start by message: only one such instance may live.
    pub(crate) fn start_key(&self) -> Option<(&Tenant, &str, &str)> {
        let key = self.changes.instance.start_key.as_deref().filter(|_| self.is_start())?;
        Some((self.tenant(), &self.process.id, key))
    }

    /// The tenant and the key under which only one instance may ever be started.
    pub(crate) fn idempotency_key(&self) -> Option<(&Tenant, &str)> {
        Some((self.tenant(), self.relies.idempotency_key.as_deref()?))
    }

    /// The tenant and the process of which the instance's definition must be the newest version.
    pub(crate) fn newest_of(&self) -> Option<(&Tenant, &str)> {
        Some((self.tenant(), self.relies.newest_of.as_deref()?))
    }

    /// Begins an instance.
    pub fn is_start(&self) -> bool {
        self.base_version() == 0
    }
}

//! What whoever keeps a store does with all of it.

use std::path::PathBuf;

use tyer_engine::{InstanceId, Timestamp};
use tyer_map::Map;

use crate::Answer;
use crate::tenant::Tenant;

/// Work on a whole store that no command asks for. None of it makes a command wait for long.
pub trait Upkeep: Send + Sync + 'static {
    /// Copies everything that was committed before this was called, as of one moment, into a new SQLite file. When this
    /// returns `Ok` the file is whole and durable; else there is none.
    fn backup(&self, target: PathBuf) -> Answer<'_, ()>;

    /// Forgets ended instances that are over by now, with their history and keys: looks at no more than `limit`, in the
    /// order of their end, tenant by tenant. One that somebody still needs stays: what it has said is not delivered, or
    /// the instance that called it lives. Says where the next step goes on; none = that was all.
    fn forget(&self, over: Over, after: Option<ForgetPlace>, limit: usize) -> Answer<'_, Forgotten>;

    /// How many transactions have written turns since the store was opened, where it writes several commits in one;
    /// none = as many as there were commits.
    fn transactions(&self) -> Option<u64> {
        None
    }
}

/// Which ended instances are over: those that ended before a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Over {
    /// Only this tenant's; none = everybody's.
    pub tenant: Option<Tenant>,
    /// Of these processes, by BPMN id: those that ended before this.
    pub processes: Map<String, Timestamp>,
    /// Of all other processes; none = none of them.
    pub others: Option<Timestamp>,
}

/// What a step has forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// These.
    pub instances: Vec<InstanceId>,
    /// Where the next step goes on.
    pub next: Option<ForgetPlace>,
}

/// The last instance that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgetPlace {
    /// Whose it was.
    pub tenant: Tenant,
    /// When it ended.
    pub ended: Timestamp,
    /// Its id.
    pub id: InstanceId,
}

impl Over {
    /// Where the first step begins.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn begin(&self) -> ForgetPlace {
        ForgetPlace::first_of(self.tenant.clone().unwrap_or_default())
    }

    /// Nothing that ended at this moment or later is over.
    pub(crate) fn latest(&self) -> Timestamp {
        let all = self.processes.values().copied().chain(self.others);
        all.max().unwrap_or(Timestamp(i64::MIN))
    }

    pub(crate) fn has(&self, process: &str, ended: Timestamp) -> bool {
        let before = self.processes.get(process).copied().or(self.others);
        before.is_some_and(|before| ended < before)
    }
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl ForgetPlace {
    /// Before everything of a tenant.
    pub(crate) fn first_of(tenant: Tenant) -> ForgetPlace {
        ForgetPlace { tenant, ended: Timestamp(i64::MIN), id: InstanceId(0) }
    }
}

/// Tables with rows of an instance, each found by the key that begins with it. The instance's own row goes last.
#[cfg(feature = "sqlite")]
pub(crate) const OF_INSTANCE: [&str; 13] = [
    "history",
    "variables",
    "variable_index",
    "compensation_record",
    "saga",
    "incident",
    "scope",
    "subscription",
    "timer",
    "task_candidate",
    "user_task",
    "token",
    "idempotency",
];

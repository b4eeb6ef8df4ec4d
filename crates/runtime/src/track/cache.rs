//! Instances that were stepped lately.
//!
//! **Invariant:** bounded; an instance with uncommitted turns is never dropped by age.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tyer_engine::{Instance, InstanceId, Number};
use tyer_store::Lease;

use crate::processes::Compiled;

/// Instances kept per track.
const CAPACITY: usize = 10_000;

pub(super) struct Cached {
    pub(super) instance: Instance,
    pub(super) compiled: Arc<Compiled>,
    /// Who holds which job, as far as this node knows.
    pub(super) leases: BTreeMap<Number, HeldJob>,
    /// The key of the message that began it.
    pub(super) start_key: Option<String>,
    used: u64,
}

/// A job in somebody's hands.
pub(super) struct HeldJob {
    /// The token that waits for it.
    pub(super) token: Number,
    pub(super) lease: Lease,
}

impl Cached {
    /// Somebody holds the job from now on.
    pub(super) fn hold(&mut self, job: Number, lease: Lease) {
        let Some(token) = self.instance.token_of_job(job) else { return };
        self.instance.executing.insert(job);
        self.leases.insert(job, HeldJob { token, lease });
        // Jobs that were taken away are not noticed one by one.
        if self.leases.len() > 2 * self.instance.tokens.len() + 16 {
            let instance = &mut self.instance;
            self.leases.retain(|job, _| instance.token_of_job(*job).is_some());
            instance.executing = self.leases.keys().copied().collect();
        }
    }

    /// The job has its result.
    pub(super) fn let_go(&mut self, job: Number) {
        self.instance.executing.remove(&job);
        self.leases.remove(&job);
    }
}

#[derive(Default)]
pub(super) struct Cache {
    entries: HashMap<InstanceId, Cached>,
    clock: u64,
}

impl Cache {
    pub(super) fn get_mut(&mut self, id: InstanceId) -> Option<&mut Cached> {
        self.clock += 1;
        let cached = self.entries.get_mut(&id)?;
        cached.used = self.clock;
        Some(cached)
    }

    pub(super) fn contains(&self, id: InstanceId) -> bool {
        self.entries.contains_key(&id)
    }

    pub(super) fn insert(
        &mut self,
        instance: Instance,
        compiled: Arc<Compiled>,
        leases: BTreeMap<Number, Lease>,
        start_key: Option<String>,
    ) {
        self.clock += 1;
        let (id, used) = (instance.id, self.clock);
        let mut cached = Cached { instance, compiled, leases: BTreeMap::new(), start_key, used };
        for (job, lease) in leases {
            cached.hold(job, lease);
        }
        self.entries.insert(id, cached);
    }

    pub(super) fn remove(&mut self, id: InstanceId) {
        self.entries.remove(&id);
    }

    /// A worker outside, or one that claimed from the store, has the job.
    pub(super) fn leased(&mut self, id: InstanceId, job: Number, lease: Lease) {
        if let Some(cached) = self.entries.get_mut(&id) {
            cached.hold(job, lease);
        }
    }

    /// Drops the older half when there are too many; those that `must_stay` do.
    pub(super) fn shrink(&mut self, must_stay: impl Fn(&InstanceId) -> bool) {
        if self.entries.len() <= CAPACITY {
            return;
        }
        let mut ages: Vec<u64> = self.entries.values().map(|cached| cached.used).collect();
        let middle = ages.len() / 2;
        let (_, median, _) = ages.select_nth_unstable(middle);
        let median = *median;
        self.entries.retain(|id, cached| cached.used >= median || must_stay(id));
    }
}

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
    pub(super) leases: BTreeMap<Number, Lease>,
    used: u64,
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
    ) {
        self.clock += 1;
        self.entries.insert(instance.id, Cached { instance, compiled, leases, used: self.clock });
    }

    pub(super) fn remove(&mut self, id: InstanceId) {
        self.entries.remove(&id);
    }

    pub(super) fn leased(&mut self, id: InstanceId, job: Number, lease: Lease) {
        if let Some(cached) = self.entries.get_mut(&id) {
            cached.leases.insert(job, lease);
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

//! Instances that were stepped lately.
//!
//! **Invariant:** bounded; an instance with uncommitted turns is never dropped by age.

use std::collections::HashMap;
use std::sync::Arc;

use tyer_engine::{Instance, InstanceId, Number};
use tyer_map::Map;
use tyer_store::Lease;

use crate::processes::Compiled;

pub(super) struct Cached {
    pub(super) instance: Instance,
    pub(super) compiled: Arc<Compiled>,
    /// Who holds which job, as far as this node knows.
    pub(super) leases: Map<Number, HeldJob>,
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

pub(super) struct Cache {
    capacity: usize,
    entries: HashMap<InstanceId, Cached>,
    clock: u64,
}

impl Cache {
    pub(super) fn of(capacity: usize) -> Cache {
        Cache { capacity, entries: HashMap::new(), clock: 0 }
    }

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
        leases: Map<Number, Lease>,
        start_key: Option<String>,
    ) {
        self.clock += 1;
        let (id, used) = (instance.id, self.clock);
        let mut cached = Cached { instance, compiled, leases: Map::new(), start_key, used };
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

    /// When there are too many, keeps the newest for half of the room; those that `must_stay` stay.
    pub(super) fn shrink(&mut self, must_stay: impl Fn(&InstanceId) -> bool) {
        if self.entries.len() <= self.capacity {
            return;
        }
        let keep = self.capacity.div_ceil(2);
        let mut ages: Vec<u64> = self.entries.values().map(|cached| cached.used).collect();
        let oldest_kept = match keep {
            0 => u64::MAX,
            _ => *ages.select_nth_unstable_by(keep - 1, |one, other| other.cmp(one)).1,
        };
        self.entries.retain(|id, cached| cached.used >= oldest_kept || must_stay(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(capacity: usize, instances: i64, stays: i64) -> Vec<i64> {
        let bpmn = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true">
            <startEvent id="s"/></process></definitions>"#;
        let process = tyer_model::import(bpmn.as_bytes()).expect("it can run").processes.remove(0);
        let definition = tyer_store::Definition::default();
        let compiled = Arc::new(Compiled { process: Arc::new(process), definition });
        let mut cache = Cache::of(capacity);
        for id in 1..=instances {
            cache.insert(Instance::blank(InstanceId(id)), Arc::clone(&compiled), Map::new(), None);
        }
        cache.get_mut(InstanceId(1));
        cache.shrink(|id| id.0 == stays);
        let mut kept: Vec<i64> = cache.entries.keys().map(|id| id.0).collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn those_that_were_idle_for_longest_are_forgotten_first() {
        assert_eq!(kept(4, 4, 0), [1, 2, 3, 4]);
        assert_eq!(kept(4, 5, 0), [1, 5], "the first one was used last");
        assert_eq!(kept(4, 5, 2), [1, 2, 5], "the second one has uncommitted turns");
        assert_eq!(kept(1, 3, 0), [1]);
        assert_eq!(kept(0, 3, 0), Vec::<i64>::new());
    }
}

//! How long a durable step takes while many are under way.
//!
//! A step is a command and its answer, or the end of a job and the beginning of the next job of the same instance: both
//! are durable by then. Where many are under way one instance in sixteen is looked at, so that looking costs nothing.
//!
//! **Invariant:** whoever is looked at is looked at from the first job to the last.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tyer_runtime::InstanceId;

/// Half of the steps took at most this long, and 99 of 100.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Latency {
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

impl Latency {
    /// Of so many steps, in any order.
    pub(crate) fn of(mut took: Vec<Duration>) -> Latency {
        took.sort_unstable();
        let at = |part: usize| took.get((took.len() * part / 100).min(took.len().saturating_sub(1)));
        let at = |part| at(part).copied().unwrap_or_default();
        Latency { p50: at(50), p99: at(99) }
    }
}

/// The steps of a run that are looked at.
pub(crate) struct Steps {
    /// All instances, and not one in sixteen.
    all: bool,
    took: Mutex<Vec<Duration>>,
    ended: Mutex<HashMap<InstanceId, Instant>>,
}

impl Steps {
    /// One instance in sixteen is looked at.
    pub(crate) fn some() -> Steps {
        Steps { all: false, took: Mutex::default(), ended: Mutex::default() }
    }

    /// Every instance is looked at.
    pub(crate) fn all() -> Steps {
        Steps { all: true, ..Steps::some() }
    }

    /// Is this instance looked at? Shards are spread evenly.
    pub(crate) fn looks_at(&self, instance: InstanceId) -> bool {
        self.all || tyer_store::shard_of(instance) & 15 == 0
    }

    /// A command was answered.
    pub(crate) fn answered(&self, took: Duration) {
        self.took.lock().unwrap_or_else(PoisonError::into_inner).push(took);
    }

    /// A job of the instance begins.
    pub(crate) fn job_begins(&self, instance: InstanceId) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).remove(&instance);
        if let Some(ended) = ended {
            self.answered(ended.elapsed());
        }
    }

    /// A job of the instance has been done.
    pub(crate) fn job_ends(&self, instance: InstanceId) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(instance, Instant::now());
    }

    /// What they came to since the last look.
    pub(crate) fn take(&self) -> Vec<Duration> {
        std::mem::take(&mut *self.took.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_steps_are_as_quick_as_the_median() {
        let latency = Latency::of((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(latency.p50, Duration::from_millis(101));
        assert_eq!(latency.p99, Duration::from_millis(199));
        assert_eq!(Latency::of(Vec::new()).p99, Duration::ZERO);
    }
}

//! Hints that something has been committed. A hint is never the truth: whoever misses it finds the row.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tyer_engine::InstanceId;

/// Who wants to know about which instance.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<HashMap<InstanceId, watch::Sender<u64>>>);

impl Watchers {
    fn map(&self) -> MutexGuard<'_, HashMap<InstanceId, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, the receiver hears of every commit of the instance.
    pub(crate) fn watch(&self, instance: InstanceId) -> watch::Receiver<u64> {
        self.map().entry(instance).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// The instance is now at this version.
    pub(crate) fn tell(&self, instance: InstanceId, version: u64) {
        let mut map = self.map();
        let Some(sender) = map.get(&instance) else { return };
        if sender.is_closed() {
            map.remove(&instance);
        } else {
            sender.send_replace(version);
        }
    }
}

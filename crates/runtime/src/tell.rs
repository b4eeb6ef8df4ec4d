//! Hints that something has been committed. A hint is never the truth: whoever misses it finds the row.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::shared::Shared;

/// Who wants to know about which instance.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<HashMap<InstanceId, watch::Sender<u64>>>);

/// Hears of the commits of one instance for as long as it lives.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    instance: InstanceId,
    told: Option<watch::Receiver<u64>>,
}

/// Wakes the timer service when something is due earlier than it thinks.
#[derive(Debug)]
pub(crate) struct Alarm {
    planned_ms: AtomicI64,
    pub(crate) earlier: Notify,
    /// Somebody else has looked: nothing is due before this.
    quiet_until: Mutex<Option<Instant>>,
}

impl Watchers {
    fn map(&self) -> MutexGuard<'_, HashMap<InstanceId, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instance is now at this version.
    pub(crate) fn tell(&self, instance: InstanceId, version: u64) {
        if let Some(sender) = self.map().get(&instance) {
            sender.send_replace(version);
        }
    }
}

impl Watch {
    pub(crate) fn new(shared: &Arc<Shared>, instance: InstanceId) -> Watch {
        let told = shared.watchers.map().entry(instance).or_insert_with(|| watch::Sender::new(0)).subscribe();
        Watch { shared: Arc::clone(shared), instance, told: Some(told) }
    }

    /// What is read from the store after this is newer than every hint before it.
    pub(crate) fn look(&mut self) {
        if let Some(told) = &mut self.told {
            told.mark_unchanged();
        }
    }

    /// A commit since the last look, or a second where other nodes commit without a hint.
    pub(crate) async fn changed(&mut self) -> Result<(), Error> {
        let Some(told) = &mut self.told else { return Err(Error::Closed) };
        let mut closing = self.shared.closing.subscribe();
        let second = Duration::from_secs(if self.shared.several_nodes { 1 } else { 3600 });
        tokio::select! {
            told = told.changed() => told.map_err(|_| Error::Closed),
            () = tokio::time::sleep(second) => Ok(()),
            _ = closing.wait_for(|closing| *closing) => Err(Error::Closed),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.told.take());
        let mut map = self.shared.watchers.map();
        if map.get(&self.instance).is_some_and(watch::Sender::is_closed) {
            map.remove(&self.instance);
        }
    }
}

impl Default for Alarm {
    fn default() -> Alarm {
        Alarm { planned_ms: AtomicI64::new(i64::MIN), earlier: Notify::new(), quiet_until: Mutex::default() }
    }
}

impl Alarm {
    /// The service looks now: whatever is armed from here on must tell it.
    pub(crate) fn looking(&self) {
        self.planned_ms.store(i64::MAX, Ordering::SeqCst);
    }

    /// The service will look again at this moment.
    pub(crate) fn planned(&self, at: Timestamp) {
        self.planned_ms.fetch_min(at.0, Ordering::SeqCst);
    }

    /// Nothing is due for so long, as far as the store knew just now.
    pub(crate) fn quiet(&self, pause: Duration) {
        *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + pause);
    }

    /// So long, and longer if it is known by then that there is nothing to look for.
    pub(crate) async fn rest(&self, pause: Duration) {
        tokio::time::sleep(pause).await;
        while let Some(end) = self.known_to_be_quiet() {
            tokio::time::sleep_until(end).await;
        }
    }

    fn known_to_be_quiet(&self) -> Option<Instant> {
        self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Something is due at this moment.
    pub(crate) fn due(&self, at: Timestamp) {
        if at.0 < self.planned_ms.load(Ordering::SeqCst) {
            self.earlier.notify_one();
        }
    }
}

//! The relay: what turns have left for sinks is delivered after their commit, in order, at least once.
//!
//! Each sink has a loop of its own, so that one that hangs holds up nobody else. A stream (one instance on its way to
//! one sink) is leased while it is delivered; what arrived is marked, what did not is tried again or dead.
//!
//! **Invariant:** I11: what is marked was delivered; what was not marked is delivered again.
//! **Invariant:** one delivery of a stream is under way at a time, in the order of its events.

mod deliver;
#[cfg(feature = "webhooks")]
mod hmac;
mod host;
mod sink;
mod subscribe;
#[cfg(feature = "webhooks")]
mod webhook;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::Notify;
use tyer_map::Map;
use tyer_store::{Sink, Tenant};

pub use deliver::{DeliveryError, Told};
pub(crate) use deliver::{Pumped, pump};
pub use sink::{DeadLetter, SinkOptions, SinkStatus};
#[cfg(feature = "webhooks")]
pub use webhook::Webhook;

use deliver::Receiver;

/// The sinks of a store, and those that this node delivers to.
#[derive(Default)]
pub(crate) struct Relay {
    /// Is there any sink? A host without sinks pays for this look alone.
    any: AtomicBool,
    /// All sinks: each turn leaves something for those that are told of its tenant.
    sinks: RwLock<Known>,
    hosted: Mutex<Map<Arc<str>, Arc<Hosted>>>,
}

/// Names of sinks.
#[derive(Default)]
struct Known {
    /// Told of every tenant.
    of_all: Option<Arc<[Arc<str>]>>,
    /// Told of one tenant.
    of_one: Map<Tenant, Vec<Arc<str>>>,
}

/// A sink that this node delivers to.
pub(crate) struct Hosted {
    name: Arc<str>,
    receiver: Box<dyn Receiver>,
    options: SinkOptions,
    /// As the store has it: a change makes it a new one.
    settings: String,
    /// A commit may have left something.
    wake: Notify,
    /// Somebody else has taken its place.
    over: AtomicBool,
}

impl Relay {
    /// The sinks that a turn of this tenant has to tell.
    pub(crate) fn told_of(&self, tenant: &Tenant) -> Option<Arc<[Arc<str>]>> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let known = self.sinks.read().unwrap_or_else(PoisonError::into_inner);
        match known.of_one.get(tenant) {
            None => known.of_all.clone(),
            Some(own) => Some(known.of_all.iter().flat_map(|all| all.iter()).chain(own).cloned().collect()),
        }
    }

    /// These are the sinks from now on.
    pub(crate) fn known(&self, sinks: &[Sink]) {
        let (mut of_all, mut of_one) = (Vec::new(), Map::<Tenant, Vec<Arc<str>>>::new());
        for Sink { name, .. } in sinks {
            match sink::owner(name) {
                None => of_all.push(Arc::clone(name)),
                Some(tenant) => of_one.entry(tenant).or_default().push(Arc::clone(name)),
            }
        }
        let of_all = (!of_all.is_empty()).then(|| of_all.into());
        *self.sinks.write().unwrap_or_else(PoisonError::into_inner) = Known { of_all, of_one };
        self.any.store(!sinks.is_empty(), Ordering::Release);
    }

    /// A turn that named sinks is durable.
    pub(crate) fn left(&self) {
        if self.any.load(Ordering::Acquire) {
            for hosted in self.hosted().values() {
                hosted.wake.notify_one();
            }
        }
    }

    pub(crate) fn all_hosted(&self) -> Vec<Arc<Hosted>> {
        self.hosted().values().cloned().collect()
    }

    fn hosted(&self) -> MutexGuard<'_, Map<Arc<str>, Arc<Hosted>>> {
        self.hosted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

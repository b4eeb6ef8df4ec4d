//! What the parts of one engine share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tyer_engine::{InstanceId, Timestamp};
use tyer_store::{Mailbox, Outbox, Store, Upkeep, Views};

use crate::clock::Clock;
use crate::error::Error;
use crate::ids::Ids;
use crate::limits::Limits;
use crate::live::Onlookers;
use crate::mail::PostOffice;
use crate::processes::Processes;
use crate::relay::Relay;
use crate::tell::{Alarm, Watchers};
use crate::track::Message;
use crate::workers::Workers;

/// A store as the runtime sees it.
pub(crate) trait Backend: Store + Mailbox + Outbox + Views + Upkeep {}
impl<T: Store + Mailbox + Outbox + Views + Upkeep> Backend for T {}

pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Backend>,
    /// Other nodes work on the same store.
    pub(crate) several_nodes: bool,
    pub(crate) clock: Clock,
    pub(crate) ids: Ids,
    pub(crate) processes: Processes,
    pub(crate) workers: Workers,
    pub(crate) watchers: Watchers,
    pub(crate) alarm: Alarm,
    pub(crate) office: PostOffice,
    pub(crate) relay: Relay,
    pub(crate) onlookers: Onlookers,
    pub(crate) counts: Counts,
    pub(crate) tracks: Vec<mpsc::Sender<Message>>,
    /// True when the engine stops: nothing new is taken.
    pub(crate) closing: watch::Sender<bool>,
    /// True while the engine begins nothing by itself.
    pub(crate) resting: watch::Sender<bool>,
    pub(crate) limits: Limits,
    /// A node that is silent for this long may not commit.
    pub(crate) node_lease: Duration,
    /// Commands taken and not yet answered: an idle engine has none.
    pub(crate) busy: AtomicU64,
    /// Dropped after the store: whoever waits for it knows that the store is let go.
    pub(crate) _gone: oneshot::Sender<()>,
}

/// What has happened since the engine was opened.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) started: AtomicU64,
    pub(crate) completed: AtomicU64,
    pub(crate) turns: AtomicU64,
    pub(crate) commits: AtomicU64,
}

impl Shared {
    /// Nothing new is taken from here on; sleepers wake up to see it.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
        self.workers.look();
    }

    /// From now on nothing begins by itself; or it does again.
    pub(crate) fn rest(&self, resting: bool) {
        self.resting.send_replace(resting);
        self.workers.rest(resting);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The queue of the one track that steps this instance.
    pub(crate) fn track_of(&self, instance: InstanceId) -> &mpsc::Sender<Message> {
        // The counter is in the low bits: neighbours go to different tracks.
        let spread = instance.0.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        &self.tracks[usize::try_from(spread).unwrap_or(0) % self.tracks.len()]
    }

    /// Hands a message to the track of its instance; waits while the track is full.
    pub(crate) async fn send(&self, message: Message) -> Result<(), Error> {
        self.track_of(message.instance()).send(message).await.map_err(|_| Error::Closed)
    }

    /// Refuses callers from outside while there is too much between instances to be seen to.
    pub(crate) fn admit(&self) -> Result<(), Error> {
        if self.office.waiting() >= self.limits.letters { Err(Error::Overloaded) } else { Ok(()) }
    }

    /// Hands a message over, or says that there is too much to do.
    pub(crate) fn offer(&self, message: Message) -> Result<(), Error> {
        self.track_of(message.instance()).try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Error::Overloaded,
            mpsc::error::TrySendError::Closed(_) => Error::Closed,
        })
    }
}

impl Counts {
    pub(crate) fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }
}

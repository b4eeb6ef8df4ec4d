//! The post office: what instances say to each other is seen to after the commit that said it.
//!
//! **Invariant:** what a sender says is seen to in the order in which it was said.
//! **Invariant:** a letter is in one pair of hands of this node at a time; between nodes its taking decides.

mod call;
mod message;
mod signal;
mod start;
mod write;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tyer_map::Set;
use tyer_store::{Letter, Post, StartEvent, StartEventKey, Tenant};

pub use message::{PublishMessage, Published};
pub use signal::Signalled;
pub(crate) use start::fire;
pub(crate) use write::{Sender, letters};

use crate::error::Error;
use crate::shared::Shared;
use crate::track::{Done, Request};

/// Letters that are seen to at the same time, but for those of one sender.
const LANES: usize = 32;
/// How long a letter waits when the store does not answer: longer each time, up to a limit.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Something to be seen to.
#[derive(Clone, Debug)]
pub(crate) enum Parcel {
    /// What a turn has left, or the store has named.
    Letter(Letter),
    /// Somebody waits for a message from now on: one may be there already.
    Look { tenant: Tenant, name: Arc<str>, key: Option<String>, process: String },
    /// No instance lives any more that a message with this key began.
    Freed { tenant: Tenant, process: String, key: String },
}

/// Where letters wait until they are seen to.
#[derive(Default)]
pub(crate) struct PostOffice {
    lanes: OnceLock<Vec<mpsc::UnboundedSender<Parcel>>>,
    shared: OnceLock<Weak<Shared>>,
    /// Parcels in the lanes.
    waiting: AtomicUsize,
    /// Ids of letters that this node sees to, or could not.
    held: Mutex<HashSet<i64>>,
    /// How many of those could not be seen to.
    in_vain: AtomicUsize,
    /// Start events that could not begin an instance.
    stuck: Mutex<Set<StartEventKey>>,
}

impl PostOffice {
    /// Opens the lanes. Under a test clock there is one, so that everything happens in one order.
    pub(crate) fn open(shared: &Arc<Shared>) {
        let count = if shared.clock.is_test() { 1 } else { LANES };
        let lanes = (0..count).map(|_| {
            let (sender, parcels) = mpsc::unbounded_channel();
            tokio::spawn(run(Arc::downgrade(shared), parcels));
            sender
        });
        let (lanes, weak) = (lanes.collect(), Arc::downgrade(shared));
        assert!(shared.office.lanes.set(lanes).is_ok(), "an office opens once");
        assert!(shared.office.shared.set(weak).is_ok(), "an office opens once");
    }

    /// Takes what was committed. Whether somebody has it already is seen here. Says how many are new.
    pub(crate) fn take(&self, parcels: Vec<Parcel>) -> usize {
        let (Some(lanes), Some(shared)) = (self.lanes.get(), self.shared.get().and_then(Weak::upgrade))
        else {
            return 0;
        };
        let mut new = 0;
        for parcel in parcels {
            if parcel.id().is_some_and(|id| !self.held().insert(id)) {
                continue;
            }
            new += 1;
            shared.busy.fetch_add(1, Ordering::SeqCst);
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let lane = parcel.lane(lanes.len());
            if lanes[lane].send(parcel).is_err() {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                shared.busy.fetch_sub(1, Ordering::SeqCst);
            }
        }
        new
    }

    /// How many parcels wait to be seen to.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Letters and start events that the store goes on naming although nothing is done about them in this life.
    pub(crate) fn passed_over(&self) -> usize {
        let stuck = self.stuck.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.in_vain.load(Ordering::Relaxed) + stuck
    }

    fn held(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Start events whose moment has come and that were not in vain.
    pub(crate) fn unstuck(&self, mut starts: Vec<StartEvent>) -> Vec<StartEvent> {
        let stuck = self.stuck.lock().unwrap_or_else(PoisonError::into_inner);
        starts.retain(|event| !stuck.contains(&event.key));
        starts
    }

    /// A start event that is refused is not tried again and again.
    fn give_up(&self, event: &StartEventKey) {
        self.stuck.lock().unwrap_or_else(PoisonError::into_inner).insert(event.clone());
    }

    /// It is not there any more.
    fn done(&self, id: i64) {
        self.held().remove(&id);
    }
}

impl Parcel {
    fn id(&self) -> Option<i64> {
        match self {
            Parcel::Letter(Letter::Errand(errand)) => Some(errand.id),
            Parcel::Letter(Letter::Message(message)) => Some(message.id),
            Parcel::Letter(Letter::Signal(signal)) => Some(signal.id),
            Parcel::Look { .. } | Parcel::Freed { .. } => None,
        }
    }

    /// What must keep its order shares a lane.
    fn lane(&self, lanes: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        match self {
            Parcel::Letter(Letter::Errand(errand)) => errand.sender.hash(&mut hasher),
            Parcel::Letter(Letter::Message(message)) => message.name.hash(&mut hasher),
            Parcel::Letter(Letter::Signal(signal)) => signal.id.hash(&mut hasher),
            Parcel::Look { name, .. } => name.hash(&mut hasher),
            Parcel::Freed { key, .. } => key.hash(&mut hasher),
        }
        usize::try_from(hasher.finish() % lanes as u64).expect("below the number of lanes")
    }
}

async fn run(shared: Weak<Shared>, mut parcels: mpsc::UnboundedReceiver<Parcel>) {
    let mut under_way = UnderWay::default();
    while let Some(parcel) = parcels.recv().await {
        let Some(shared) = shared.upgrade() else { return };
        if !*shared.closing.borrow() {
            see_to(&shared, &parcel, &mut under_way).await;
        }
        shared.office.waiting.fetch_sub(1, Ordering::Relaxed);
        shared.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Sees to a parcel until it is done, or nothing can be done about it. An outage of the store is waited out, however long.
async fn see_to(shared: &Arc<Shared>, parcel: &Parcel, under_way: &mut UnderWay) {
    let mut pause = FIRST_PAUSE;
    loop {
        let seen_to = match parcel {
            Parcel::Letter(Letter::Errand(errand)) => call::run(shared, errand, under_way).await,
            Parcel::Letter(Letter::Message(message)) => message::give(shared, message).await.map(drop),
            Parcel::Letter(Letter::Signal(signal)) => signal::deliver(shared, signal).await.map(drop),
            Parcel::Look { tenant, name, key, process } => {
                message::look(shared, tenant, name, key.as_deref(), process).await
            }
            Parcel::Freed { tenant, process, key } => message::freed(shared, tenant, process, key).await,
        };
        match seen_to {
            Ok(()) | Err(Error::Closed) => return,
            Err(error) if !may_pass(&error) => {
                shared.office.in_vain.fetch_add(usize::from(parcel.id().is_some()), Ordering::Relaxed);
                return tracing::error!(%error, ?parcel, "a letter could not be seen to: it waits for the next start");
            }
            Err(error) => {
                tracing::warn!(%error, "a letter could not be seen to yet");
                tokio::time::sleep(pause).await;
                pause = LONGEST_PAUSE.min(pause * 2);
            }
        }
        if *shared.closing.borrow() {
            return;
        }
    }
}

fn may_pass(error: &Error) -> bool {
    let transient = matches!(error, Error::Store(error) if error.is_transient());
    transient || matches!(error, Error::Conflict(_) | Error::Superseded | Error::Overloaded)
}

/// Commands of a lane that are not answered yet.
#[derive(Default)]
struct UnderWay(Vec<tokio::task::JoinHandle<()>>);

impl UnderWay {
    fn add(&mut self, task: tokio::task::JoinHandle<()>) {
        self.0.retain(|task| !task.is_finished());
        self.0.push(task);
    }

    /// Waits until all are answered.
    async fn land(&mut self) {
        for task in self.0.drain(..) {
            // A task that died has told its own story.
            let _ = task.await;
        }
    }
}

impl Shared {
    /// Hands a request to its track, and waits for what comes of it.
    async fn ask_track(
        &self,
        asked: (Request, oneshot::Receiver<Result<Done, Error>>),
    ) -> Result<Done, Error> {
        crate::workers::hand_in(self, asked).await?.await.unwrap_or(Err(Error::Closed))
    }

    async fn post(&self, post: Post) -> Result<bool, Error> {
        Ok(self.store.post(vec![post]).await?.first().copied().unwrap_or(false))
    }
}

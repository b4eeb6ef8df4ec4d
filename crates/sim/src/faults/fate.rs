//! A store that fails as a seed says: before the commit, after it, by pretending that somebody else was faster, slowly,
//! or for good.
//!
//! **Invariant:** what a store may not do does not happen: an error says that nothing was written, or that nobody knows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;
use tyer_store::{Answer, Error, Mailbox, Outcome, Post, Store, Turn};

use crate::random::Random;

/// Each sort of fault hits so many writes of a hundred.
const PERCENT: usize = 5;
/// How long a slow write takes.
const SLOW: Duration = Duration::from_millis(40);

/// What happens to a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Before,
    After,
    Conflict,
    Slow,
    /// The engine dies; was it written?
    Crash {
        written: bool,
    },
}

/// Decides what happens to each write.
pub(super) struct Fate {
    state: Mutex<State>,
    crashed: Notify,
    pub(super) faults: AtomicU64,
}

struct State {
    random: Random,
    calm: bool,
    /// Writes until the engine dies; none = it lives on.
    left: Option<usize>,
}

impl Fate {
    pub(super) fn new(random: Random) -> Arc<Fate> {
        let state = Mutex::new(State { random, calm: false, left: None });
        Arc::new(Fate { state, crashed: Notify::new(), faults: AtomicU64::new(0) })
    }

    /// A new engine: it dies after a while, or not.
    pub(super) fn begin(&self) {
        let mut state = self.state();
        let dies = !state.calm && state.random.chance(75);
        let left = state.random.between(1, 16);
        state.left = dies.then_some(left);
    }

    /// From here on nothing fails.
    pub(super) fn calm(&self) {
        let mut state = self.state();
        (state.calm, state.left) = (true, None);
    }

    /// Waits until the engine has died.
    pub(super) async fn crashed(&self) {
        self.crashed.notified().await;
    }

    /// The store as the engine sees it.
    pub(super) fn store(self: &Arc<Fate>, memory: &Arc<Memory>) -> Arc<Intercepted<Memory>> {
        let (commits, posts) = (Arc::clone(self), Arc::clone(self));
        Arc::new(Intercepted::writes(
            Arc::clone(memory),
            move |store, batch| commit(Arc::clone(&commits), store, batch),
            move |store, batch| post(Arc::clone(&posts), store, batch),
        ))
    }

    fn next(&self) -> Fault {
        let mut state = self.state();
        if state.calm {
            return Fault::None;
        }
        if let Some(left) = &mut state.left {
            let Some(less) = left.checked_sub(1) else {
                return Fault::Crash { written: false };
            };
            *left = less;
            if less == 0 {
                return Fault::Crash { written: state.random.chance(50) };
            }
        }
        let fault = match state.random.below(100) / PERCENT {
            0 => Fault::Before,
            1 => Fault::After,
            2 => Fault::Conflict,
            3 => Fault::Slow,
            _ => return Fault::None,
        };
        self.faults.fetch_add(1, Ordering::Relaxed);
        fault
    }

    /// The engine dies here: whoever waits for this write waits for ever.
    async fn die<T>(&self) -> Result<T, Error> {
        self.crashed.notify_one();
        std::future::pending().await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn commit(fate: Arc<Fate>, memory: Arc<Memory>, batch: Vec<Turn>) -> Answer<'static, Vec<Outcome>> {
    Box::pin(async move {
        match fate.next() {
            Fault::None => memory.commit(batch).await,
            Fault::Before => Err(Error::Unavailable("a planted outage".to_owned())),
            Fault::After => {
                memory.commit(batch).await?;
                Err(Error::Unknown("a planted loss of the answer".to_owned()))
            }
            Fault::Conflict => Ok(batch.iter().map(|_| Outcome::Conflict).collect()),
            Fault::Slow => {
                tokio::time::sleep(SLOW).await;
                memory.commit(batch).await
            }
            Fault::Crash { written } => {
                if written {
                    memory.commit(batch).await?;
                }
                fate.die().await
            }
        }
    })
}

fn post(fate: Arc<Fate>, memory: Arc<Memory>, posts: Vec<Post>) -> Answer<'static, Vec<bool>> {
    Box::pin(async move {
        match fate.next() {
            Fault::None | Fault::Conflict => memory.post(posts).await,
            Fault::Before => Err(Error::Unavailable("a planted outage".to_owned())),
            Fault::After => {
                memory.post(posts).await?;
                Err(Error::Unknown("a planted loss of the answer".to_owned()))
            }
            Fault::Slow => {
                tokio::time::sleep(SLOW).await;
                memory.post(posts).await
            }
            Fault::Crash { written } => {
                if written {
                    memory.post(posts).await?;
                }
                fate.die().await
            }
        }
    })
}

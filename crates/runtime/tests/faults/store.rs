//! A store that fails on purpose: before the commit, after it, or by pretending that somebody else was faster.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tyer_engine::InstanceId;
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;
use tyer_store::{Answer, Error, Outcome, Store, Turn};

/// What may go wrong with a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing was written.
    Before,
    /// Written, but the answer was lost.
    After,
    /// Nothing was written, and nobody knows.
    Lost,
    /// Every turn is told that its instance has moved on.
    Conflict,
    /// The batch as a whole is refused.
    Refused,
}

/// Decides when something goes wrong: the seed says when, `every` how often (1 in n).
pub(crate) struct Fate {
    faults: Vec<Fault>,
    every: u64,
    state: AtomicU64,
    pub(crate) happened: AtomicU64,
    /// Commits whose answers are not out yet, and the most there ever were.
    in_the_air: AtomicU64,
    pub(crate) most_in_the_air: AtomicU64,
    /// How often each instance was hit: the runtime gives up after many conflicts, and chance must not get there.
    hits: Mutex<HashMap<InstanceId, u32>>,
}

/// An instance is hit at most so often.
const HITS: u32 = 3;

/// Memory with faults.
pub(crate) fn faulty(seed: u64, every: u64, faults: &[Fault]) -> (Arc<Intercepted<Memory>>, Arc<Fate>) {
    answering_after(0, seed, every, faults)
}

/// Memory with faults that judges at once, and answers when everybody else has had so many turns: as a disk does.
pub(crate) fn answering_after(
    rounds: u32,
    seed: u64,
    every: u64,
    faults: &[Fault],
) -> (Arc<Intercepted<Memory>>, Arc<Fate>) {
    let state = AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let fate = Arc::new(Fate {
        faults: faults.to_vec(),
        every,
        state,
        happened: AtomicU64::new(0),
        in_the_air: AtomicU64::new(0),
        most_in_the_air: AtomicU64::new(0),
        hits: Mutex::default(),
    });
    let decides = Arc::clone(&fate);
    let store = Intercepted::commits(Memory::default(), move |memory, batch| {
        let (fault, fate) = (decides.next(&batch), Arc::clone(&decides));
        Box::pin(async move {
            let now = 1 + fate.in_the_air.fetch_add(1, Ordering::SeqCst);
            fate.most_in_the_air.fetch_max(now, Ordering::SeqCst);
            let answer = commit(memory, batch, fault).await;
            for _ in 0..rounds {
                tokio::task::yield_now().await;
            }
            fate.in_the_air.fetch_sub(1, Ordering::SeqCst);
            answer
        })
    });
    (Arc::new(store), fate)
}

fn commit(memory: Arc<Memory>, batch: Vec<Turn>, fault: Option<Fault>) -> Answer<'static, Vec<Outcome>> {
    Box::pin(async move {
        match fault {
            None => memory.commit(batch).await,
            Some(Fault::Before) => Err(Error::Unavailable("a planted outage".to_owned())),
            Some(Fault::After) => {
                memory.commit(batch).await?;
                Err(Error::Unknown("a planted loss of the answer".to_owned()))
            }
            Some(Fault::Lost) => Err(Error::Unknown("a planted loss of the request".to_owned())),
            Some(Fault::Conflict) => Ok(batch.iter().map(|_| Outcome::Conflict).collect()),
            Some(Fault::Refused) if batch.len() > 1 => Err(Error::Refused("a planted refusal".to_owned())),
            Some(Fault::Refused) => memory.commit(batch).await,
        }
    })
}

impl Fate {
    fn next(&self, batch: &[Turn]) -> Option<Fault> {
        if self.faults.is_empty() || !self.random().is_multiple_of(self.every) {
            return None;
        }
        let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        if batch.iter().any(|turn| hits.get(&turn.key.instance) == Some(&HITS)) {
            return None;
        }
        let instances: BTreeSet<InstanceId> = batch.iter().map(|turn| turn.key.instance).collect();
        for instance in instances {
            *hits.entry(instance).or_default() += 1;
        }
        self.happened.fetch_add(1, Ordering::SeqCst);
        let which = usize::try_from(self.random() >> 33).unwrap_or(0) % self.faults.len();
        Some(self.faults[which])
    }

    fn random(&self) -> u64 {
        let next = |x: u64| {
            let x = x ^ (x << 13);
            let x = x ^ (x >> 7);
            x ^ (x << 17)
        };
        self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |x| Some(next(x))).map_or(0, next)
    }
}

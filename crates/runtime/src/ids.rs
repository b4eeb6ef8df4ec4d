//! New ids: milliseconds, node, counter.
//!
//! **Invariant:** unique over all nodes and restarts: a node number is leased, and its holder begins above every
//! millisecond that a former holder could have used.

use std::sync::atomic::{AtomicU64, Ordering};

use tyer_engine::Timestamp;
use tyer_store::NodeLease;

use crate::error::Error;

/// 2020-01-01T00:00:00Z: 41 bits of milliseconds last until 2089.
const EPOCH_MS: i64 = 1_577_836_800_000;
const NODE_BITS: u32 = 10;
const COUNTER_BITS: u32 = 12;
/// A lease that does not end: renewing it does not shorten it.
const FOR_EVER: u64 = u64::MAX >> NODE_BITS;

/// The first id that can be made at this moment, on any node.
pub(crate) fn first_of(at: Timestamp) -> i64 {
    let most = (1_i64 << 41) - 1;
    at.0.saturating_sub(EPOCH_MS).clamp(0, most) << (NODE_BITS + COUNTER_BITS)
}

/// Makes ids for one node.
#[derive(Debug)]
pub(crate) struct Ids {
    /// Milliseconds since the epoch, then the counter: one more is always later.
    last: AtomicU64,
    /// Until when, in milliseconds since the epoch, and then the node's number: one value, so that both are of one lease.
    lease: AtomicU64,
}

impl Ids {
    pub(crate) fn new(lease: &NodeLease) -> Ids {
        let ids = Ids { last: AtomicU64::new(0), lease: AtomicU64::new(0) };
        ids.held(lease);
        ids
    }

    /// Under a test clock time jumps, and no other node shares the store's ids.
    pub(crate) fn for_ever(self) -> Ids {
        self.lease.fetch_or(FOR_EVER << NODE_BITS, Ordering::SeqCst);
        self
    }

    /// The lease as it stands now: the same number for longer, or another.
    pub(crate) fn held(&self, lease: &NodeLease) {
        if lease.number != self.node() || self.lease.load(Ordering::SeqCst) == 0 {
            // Before the number itself: whoever sees the number begins above its former holder.
            self.last.fetch_max(slot(lease.high_water.0 + 1), Ordering::SeqCst);
        }
        let held = self.lease.load(Ordering::SeqCst) >> NODE_BITS;
        let until = match held {
            FOR_EVER => FOR_EVER,
            _ => (lease.until.0 - EPOCH_MS).max(0).cast_unsigned(),
        };
        self.lease.store(until << NODE_BITS | u64::from(lease.number), Ordering::SeqCst);
    }

    pub(crate) fn node(&self) -> u16 {
        number(self.lease.load(Ordering::SeqCst))
    }

    /// The next id. A clock that stands or jumps back goes on from the last id; a full millisecond borrows the next.
    pub(crate) fn next(&self, now: Timestamp) -> Result<i64, Error> {
        let floor = slot(now.0);
        loop {
            let lease = self.lease.load(Ordering::SeqCst);
            let advance = |last: u64| Some((last + 1).max(floor));
            let last = match self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, advance) {
                Ok(last) | Err(last) => last,
            };
            if self.lease.load(Ordering::SeqCst) != lease {
                continue;
            }
            let new = (last + 1).max(floor);
            let (ms, counter) = (new >> COUNTER_BITS, new & ((1 << COUNTER_BITS) - 1));
            if ms > lease >> NODE_BITS {
                let text = "the lease on this node's number has run out and could not be renewed";
                return Err(Error::Store(tyer_store::Error::Unavailable(text.to_owned())));
            }
            let node = u64::from(number(lease));
            return Ok((ms << (NODE_BITS + COUNTER_BITS) | node << COUNTER_BITS | counter).cast_signed());
        }
    }
}

fn number(lease: u64) -> u16 {
    (lease & ((1 << NODE_BITS) - 1)) as u16
}

fn slot(ms: i64) -> u64 {
    (ms - EPOCH_MS).max(0).cast_unsigned() << COUNTER_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(number: u16, high_water: i64, until: i64) -> NodeLease {
        let (until, high_water) = (Timestamp(until), Timestamp(high_water));
        NodeLease { number, until, high_water, store_time: Timestamp(0), news: None }
    }

    #[test]
    fn ids_rise_even_when_the_clock_does_not() {
        let now = EPOCH_MS + 1_000_000;
        let ids = Ids::new(&lease(3, 0, now + 10_000));
        let mut last = 0;
        for back in 0..20_000 {
            let id = ids.next(Timestamp(now - back)).expect("the lease holds");
            assert!(id > last);
            assert_eq!(id >> COUNTER_BITS & 1023, 3);
            last = id;
        }
    }

    #[test]
    fn a_new_holder_begins_above_the_former() {
        let now = EPOCH_MS + 1_000_000;
        let former = Ids::new(&lease(0, 0, now)).next(Timestamp(now)).expect("the lease holds");
        let later =
            Ids::new(&lease(0, now, now + 10_000)).next(Timestamp(now - 5_000)).expect("the lease holds");
        assert!(later > former);
    }

    #[test]
    fn another_number_begins_above_its_former_holder_too() {
        let now = EPOCH_MS + 1_000_000;
        let ids = Ids::new(&lease(0, 0, now));
        ids.held(&lease(5, now + 500, now + 10_000));
        let id = ids.next(Timestamp(now)).expect("the lease holds");
        assert_eq!(id >> COUNTER_BITS & 1023, 5);
        assert!(id >> (COUNTER_BITS + NODE_BITS) > now + 500 - EPOCH_MS);
    }

    #[test]
    fn without_a_lease_there_is_no_id() {
        let now = EPOCH_MS + 1_000_000;
        assert!(Ids::new(&lease(0, 0, now)).next(Timestamp(now + 1)).is_err());
    }
}

//! Where moments come from: the machine (put right by the store's clock), or a test.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tyer_engine::Timestamp;

/// A clock that stands still until it is told to move.
///
/// ```
/// use tyer_runtime::TestClock;
/// let clock = TestClock::default();
/// let before = clock.now();
/// clock.advance_ms(5_000);
/// assert_eq!(clock.now(), before.plus_ms(5_000));
/// ```
#[derive(Clone, Debug)]
pub struct TestClock(Arc<AtomicI64>);

/// The clock of an engine.
#[derive(Debug)]
pub(crate) enum Clock {
    System { offset_ms: AtomicI64 },
    Test(TestClock),
}

impl Default for TestClock {
    /// Begins at 2030-01-01T00:00:00Z.
    fn default() -> TestClock {
        TestClock(Arc::new(AtomicI64::new(1_893_456_000_000)))
    }
}

impl TestClock {
    /// The moment it shows.
    pub fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    /// Moves it on.
    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock {
    pub(crate) fn system() -> Clock {
        Clock::System { offset_ms: AtomicI64::new(0) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        match self {
            Clock::System { offset_ms } => Timestamp(machine_ms() + offset_ms.load(Ordering::Relaxed)),
            Clock::Test(clock) => clock.now(),
        }
    }

    /// Several nodes share the clock of their store: this is how far the machine's is off.
    pub(crate) fn follow(&self, store_time: Timestamp, asked_at: Timestamp) {
        if let Clock::System { offset_ms } = self {
            let error = store_time.0 - asked_at.0;
            // What the round trip explains is not an error of the clock.
            let round_trip = self.now().0 - asked_at.0;
            if error < 0 || error > round_trip {
                offset_ms.fetch_add(error, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn is_test(&self) -> bool {
        matches!(self, Clock::Test(_))
    }
}

fn machine_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

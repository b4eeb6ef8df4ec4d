//! For tests of processes: time that is moved by hand, and waiting until nothing is under way.
//!
//! **Invariant:** idle means that no command is unanswered, no letter unseen and no job of this process unfinished.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tyer_engine::Timestamp;

use crate::clock::Clock;
use crate::engine::Engine;
use crate::error::Error;
use crate::relay::{Pumped, pump};
use crate::timers;

/// Looks without a pause before it is assumed that somebody needs real time.
const EAGER: u32 = 10_000;

impl Engine {
    /// Fires what is due and waits until nothing is under way, jobs of workers in this process included. For tests, with
    /// a [`TestClock`](crate::TestClock).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{Engine, TestClock};
    ///
    /// let clock = TestClock::default();
    /// let engine = Engine::memory().clock(&clock).await?;
    /// clock.advance_ms(60_000);
    /// engine.run_until_idle().await?;
    /// # Ok(()) }
    /// ```
    pub async fn run_until_idle(&self) -> Result<(), Error> {
        self.next_moment().await.map(drop)
    }

    /// Waits until nothing is under way, without a look at what is due. For tests.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// engine.start("order").send().await?;
    /// engine.settle().await?; // Its first jobs are done too.
    /// # Ok(()) }
    /// ```
    pub async fn settle(&self) -> Result<(), Error> {
        let mut looks: u32 = 0;
        while !self.is_idle() {
            looks = looks.saturating_add(1);
            match looks < EAGER {
                true => tokio::task::yield_now().await,
                false => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
        Ok(())
    }

    /// Moves the test clock on, from one due moment to the next: what is due fires in its order and at its time.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use std::time::Duration;
    /// use tyer_runtime::{Engine, TestClock};
    ///
    /// let engine = Engine::memory().clock(TestClock::default()).await?;
    /// engine.advance(Duration::from_secs(24 * 3_600)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    /// If the engine does not run on a [`TestClock`](crate::TestClock).
    pub async fn advance(&self, duration: Duration) -> Result<(), Error> {
        let Clock::Test(clock) = &self.shared.clock else { panic!("only a test clock can be moved") };
        let target = clock.now().plus_ms(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX));
        while let Some(next) = self.next_moment().await?.filter(|next| *next <= target) {
            clock.advance_ms((next.0 - clock.now().0).max(0));
        }
        clock.advance_ms((target.0 - clock.now().0).max(0));
        self.run_until_idle().await
    }

    /// Lets everything happen that can happen now; says when the next thing is due.
    async fn next_moment(&self) -> Result<Option<Timestamp>, Error> {
        loop {
            self.settle().await?;
            let looked = timers::look_once(&self.shared).await?;
            let told = self.tell_sinks().await?;
            if !looked.more && !told.any && self.is_idle() {
                return Ok(looked.next.into_iter().chain(told.next).min());
            }
        }
    }

    /// Under a test clock nothing is delivered by itself.
    async fn tell_sinks(&self) -> Result<Pumped, Error> {
        let mut told = Pumped { any: false, next: None };
        if self.shared.clock.is_test() {
            for sink in self.shared.relay.all_hosted() {
                let pumped = pump(&self.shared, &sink).await?;
                told.any |= pumped.any;
                told.next = told.next.into_iter().chain(pumped.next).min();
            }
        }
        Ok(told)
    }

    fn is_idle(&self) -> bool {
        self.shared.busy.load(Ordering::SeqCst) == 0 && self.shared.workers.are_idle()
    }
}

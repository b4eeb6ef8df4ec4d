//! How an engine is opened: on which store, with which clock, within which limits.
//!
//! **Invariant:** nothing is opened before the builder is awaited.

use std::borrow::Borrow;
use std::future::{Future, IntoFuture};
#[cfg(feature = "sqlite")]
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use tyer_store::memory::Memory;

use crate::clock::{Clock, TestClock};
use crate::engine::Engine;
use crate::error::Error;
use crate::limits::Limits;
use crate::shared::Backend;
use crate::upkeep::Retention;

/// How an engine is opened. Set what you need, then `.await` it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tyer_runtime::Error> {
/// use tyer_runtime::{Engine, TestClock};
///
/// let engine = Engine::memory().tracks(1).clock(TestClock::default()).await?;
/// engine.run_until_idle().await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is opened before `.await`"]
pub struct Builder {
    place: Place,
    pub(crate) tracks: usize,
    clock: Option<TestClock>,
    /// For all tracks together, in the end.
    pub(crate) limits: Limits,
    pub(crate) retention: Option<Retention>,
}

/// Where the engine keeps what it knows.
#[derive(Clone, Debug)]
enum Place {
    Memory,
    #[cfg(feature = "sqlite")]
    File(PathBuf),
    #[cfg(feature = "postgres")]
    Postgres(String),
}

impl Default for Builder {
    fn default() -> Builder {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Builder {
            place: Place::Memory,
            tracks: cores.min(8),
            clock: None,
            limits: Limits::default(),
            retention: None,
        }
    }
}

impl Builder {
    /// How many tracks share the instances: more is not faster than the machine has cores.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().tracks(4).await?;
    /// # Ok(()) }
    /// ```
    pub fn tracks(mut self, tracks: usize) -> Builder {
        self.tracks = tracks.max(1);
        self
    }

    /// Time stands still until the clock is moved, by [`Engine::advance`] or by hand; call
    /// [`Engine::run_until_idle`] after the latter.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use std::time::Duration;
    /// use tyer_runtime::{Engine, TestClock};
    ///
    /// let clock = TestClock::default();
    /// let engine = Engine::memory().clock(&clock).await?;
    /// let before = clock.now();
    /// engine.advance(Duration::from_secs(3_600)).await?;
    /// assert_eq!(clock.now(), before.plus_ms(3_600_000));
    /// # Ok(()) }
    /// ```
    pub fn clock(mut self, clock: impl Borrow<TestClock>) -> Builder {
        self.clock = Some(clock.borrow().clone());
        self
    }

    /// How many commands may wait at each track (16 384 when not said). Who comes when it is full is told
    /// [`Error::Overloaded`], and nothing has changed.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().queue(1_000).await?;
    /// # Ok(()) }
    /// ```
    pub fn queue(mut self, commands: usize) -> Builder {
        self.limits.queue = commands.max(1);
        self
    }

    /// How many instances each track remembers between two commands (10 000 when not said): those that were idle for
    /// longest are forgotten first, and loaded when they are needed again. 0: none.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().cache(500).await?;
    /// # Ok(()) }
    /// ```
    pub fn cache(mut self, instances: usize) -> Builder {
        self.limits.cache = instances;
        self
    }

    /// How many nodes a token may visit without any wait (ten million when not said) before it is stopped with an
    /// incident: a loop that never waits would run for ever.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().runaway(100_000).await?;
    /// # Ok(()) }
    /// ```
    pub fn runaway(mut self, visits: u64) -> Builder {
        self.limits.walk.visits_without_wait = visits.max(1);
        self.limits.walk.visits_per_turn = self.limits.walk.visits_per_turn.min(visits.max(1));
        self
    }

    /// On a store that forgets when the engine ends.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::builder().tracks(1).memory().await?;
    /// # Ok(()) }
    /// ```
    pub fn memory(mut self) -> Builder {
        self.place = Place::Memory;
        self
    }

    /// On a SQLite file, which is made if it is not there.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::builder().tracks(2).open("orders.db").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "sqlite")]
    pub fn open(mut self, path: impl AsRef<Path>) -> Builder {
        self.place = Place::File(path.as_ref().to_owned());
        self
    }

    /// On a PostgreSQL database, which other nodes may share.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::builder().tracks(2).postgres("postgres://localhost/orders").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "postgres")]
    pub fn postgres(mut self, url: &str) -> Builder {
        self.place = Place::Postgres(url.to_owned());
        self
    }

    /// On any store. `several_nodes`: others may work on it at the same time.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use std::sync::Arc;
    /// use tyer_runtime::{Engine, MemoryStore};
    ///
    /// let store = Arc::new(MemoryStore::default());
    /// let engine = Engine::builder().on(Arc::clone(&store), false).await?;
    /// # Ok(()) }
    /// ```
    pub async fn on(
        self,
        store: Arc<
            impl tyer_store::Store
            + tyer_store::Mailbox
            + tyer_store::Outbox
            + tyer_store::Views
            + tyer_store::Upkeep,
        >,
        several_nodes: bool,
    ) -> Result<Engine, Error> {
        Engine::open_on(self, store, several_nodes).await
    }

    pub(crate) fn take_clock(&mut self) -> Clock {
        self.clock.take().map_or_else(Clock::system, Clock::Test)
    }

    async fn opened(self) -> Result<Engine, Error> {
        let (store, several_nodes): (Arc<dyn Backend>, bool) = match &self.place {
            Place::Memory => (Arc::new(Memory::default()), false),
            #[cfg(feature = "sqlite")]
            Place::File(path) => (Arc::new(tyer_store::sqlite::Sqlite::open(path)?), false),
            #[cfg(feature = "postgres")]
            Place::Postgres(url) => {
                (Arc::new(tyer_store::postgres::Postgres::connect(url, self.tracks + 2).await?), true)
            }
        };
        Engine::open_on(self, store, several_nodes).await
    }
}

impl IntoFuture for Builder {
    type Output = Result<Engine, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Engine, Error>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.opened())
    }
}

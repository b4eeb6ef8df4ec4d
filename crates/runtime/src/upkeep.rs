//! What whoever keeps an engine's store does with all of it: copies it, and lets go of what is over.
//!
//! **Invariant:** nothing here makes a command wait: a copy is read beside the work, and forgetting goes in small steps.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tyer_engine::Timestamp;
use tyer_map::Map;
use tyer_store::{ForgetPlace, Over};

use crate::builder::Builder;
use crate::engine::Engine;
use crate::error::Error;
use crate::shared::Shared;

/// Instances looked at in one step.
const STEP: usize = 100;
/// Between two steps others have their turn.
const PAUSE: Duration = Duration::from_millis(20);
/// Between two rounds.
const ROUND: Duration = Duration::from_secs(600);

/// How long ended instances are kept, with their history and the keys they were started under. What nobody names is kept
/// for ever.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tyer_runtime::Error> {
/// use std::time::Duration;
/// use tyer_runtime::{Engine, Retention};
///
/// const DAY: Duration = Duration::from_secs(24 * 3_600);
/// let retention = Retention::default().keep(30 * DAY).keep_process("order", 3_650 * DAY);
/// let engine = Engine::memory().retention(retention).await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    processes: Map<String, Duration>,
    others: Option<Duration>,
}

impl Retention {
    /// Instances of every process that is not named are kept for this long after their end.
    #[must_use]
    pub fn keep(mut self, age: Duration) -> Retention {
        self.others = Some(age);
        self
    }

    /// Instances of this process, of whichever version and tenant, are kept for this long after their end.
    #[must_use]
    pub fn keep_process(mut self, process: impl Into<String>, age: Duration) -> Retention {
        self.processes.insert(process.into(), age);
        self
    }

    fn over(&self, now: Timestamp) -> Over {
        let before = |age: &Duration| {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            Timestamp(now.0.saturating_sub(age))
        };
        let processes = self.processes.iter().map(|(key, age)| (key.clone(), before(age)));
        Over { tenant: None, processes: processes.collect(), others: self.others.as_ref().map(before) }
    }
}

impl Builder {
    /// Forgets ended instances that are over, from time to time and a few at a time. Nothing is ever forgotten without
    /// this. Under a test clock it happens only in [`Engine::forget`].
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{Engine, Retention};
    /// let month = std::time::Duration::from_secs(30 * 24 * 3_600);
    /// let engine = Engine::memory().retention(Retention::default().keep(month)).await?;
    /// # Ok(()) }
    /// ```
    pub fn retention(mut self, retention: Retention) -> Builder {
        self.retention = Some(retention);
        self
    }
}

impl Engine {
    /// Copies everything that is acknowledged when this is called, of every tenant and as of one moment, into a new
    /// file, while work goes on. The copy is a SQLite file, whichever store it is of; `restore` puts it back. It is of the
    /// whole store, also when called on a tenant's view.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// engine.backup("orders-monday.db").await?;
    /// # Ok(()) }
    /// ```
    pub async fn backup(&self, target: impl AsRef<Path>) -> Result<(), Error> {
        Ok(self.shared.store.backup(target.as_ref().to_owned()).await?)
    }

    /// Forgets, now, every ended instance that is over: of every tenant, or of one when called on its view. Says how
    /// many.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::Retention;
    /// let week = std::time::Duration::from_secs(7 * 24 * 3_600);
    /// println!("{} are gone", engine.forget(&Retention::default().keep(week)).await?);
    /// # Ok(()) }
    /// ```
    pub async fn forget(&self, retention: &Retention) -> Result<u64, Error> {
        let over = Over { tenant: self.view.clone(), ..retention.over(self.shared.now()) };
        let (mut after, mut gone) = (None, 0);
        loop {
            let forgotten = step(&self.shared, &over, after).await?;
            gone += forgotten.0;
            let Some(next) = forgotten.1 else { return Ok(gone) };
            after = Some(next);
        }
    }
}

async fn step(
    shared: &Shared,
    over: &Over,
    after: Option<ForgetPlace>,
) -> Result<(u64, Option<ForgetPlace>), Error> {
    let forgotten = shared.store.forget(over.clone(), after, STEP).await?;
    if !forgotten.instances.is_empty() && !shared.clock.is_test() {
        tokio::time::sleep(PAUSE).await;
    }
    Ok((forgotten.instances.len() as u64, forgotten.next))
}

/// Round after round, for as long as the engine lives.
pub(crate) async fn run(shared: Weak<Shared>, retention: Retention) {
    let mut after = None;
    loop {
        let Some(shared) = shared.upgrade().filter(|shared| !*shared.closing.borrow()) else { return };
        let over = retention.over(shared.now());
        let pause = match step(&shared, &over, after.take()).await {
            Ok((_, Some(next))) => {
                after = Some(next);
                PAUSE
            }
            Ok((_, None)) => ROUND,
            Err(error) => {
                tracing::warn!(%error, "forgetting what is over has to wait");
                ROUND
            }
        };
        drop(shared);
        tokio::time::sleep(pause).await;
    }
}

/// Makes the store in a new file from a backup.
///
/// ```no_run
/// # fn example() -> Result<(), tyer_runtime::Error> {
/// tyer_runtime::restore("orders-monday.db", "orders.db")?;
/// # Ok(()) }
/// ```
#[cfg(feature = "sqlite")]
pub fn restore(backup: impl AsRef<Path>, database: impl AsRef<Path>) -> Result<(), Error> {
    Ok(tyer_store::sqlite::restore(backup.as_ref(), database.as_ref())?)
}

/// Fills an empty PostgreSQL database from a backup, of whichever store.
///
/// ```no_run
/// # async fn example() -> Result<(), tyer_runtime::Error> {
/// tyer_runtime::restore_into_postgres("orders-monday.db", "postgres://localhost/orders").await?;
/// # Ok(()) }
/// ```
#[cfg(all(feature = "sqlite", feature = "postgres"))]
pub async fn restore_into_postgres(backup: impl AsRef<Path>, url: &str) -> Result<(), Error> {
    Ok(tyer_store::postgres::restore(backup.as_ref(), url).await?)
}

/// Copies the store in a file, whether an engine works on it or not.
///
/// ```no_run
/// # fn example() -> Result<(), tyer_runtime::Error> {
/// tyer_runtime::backup_of_file("orders.db", "orders-monday.db")?;
/// # Ok(()) }
/// ```
#[cfg(feature = "sqlite")]
pub fn backup_of_file(database: impl AsRef<Path>, target: impl AsRef<Path>) -> Result<(), Error> {
    Ok(tyer_store::sqlite::backup(database.as_ref(), target.as_ref())?)
}

/// Keeps [`Shared`] from being named in a signature that others see.
pub(crate) fn begin(shared: &Arc<Shared>, retention: Option<Retention>) {
    if let Some(retention) = retention.filter(|_| !shared.clock.is_test()) {
        tokio::spawn(run(Arc::downgrade(shared), retention));
    }
}

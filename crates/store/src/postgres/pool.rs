//! A few connections, lent one at a time.
//!
//! **Invariant:** a connection comes back only when its borrower says that it is clean: one that was dropped in the
//! middle of a transaction, or saw an error, is closed, and its transaction with it.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Config, NoTls};

use crate::error::Error;
use crate::postgres::complaint;
use crate::postgres::connection::Connection;

/// How long to wait for a server that does not answer.
const SILENCE: Duration = Duration::from_secs(10);

/// Every statement goes by key, so no statistics make a scan better than an index: plans are made once and stay, and have to
/// be right whatever the planner believes of a table: that it is empty, because it was when somebody looked, or full. A
/// bitmap loses the order of its index, and with it the end of a page. Rows are named by all columns of their key, the first
/// with `= ANY (ARRAY[…])`: an equation there would let the planner read a table that it believes to be empty in the
/// order of its key and look each row up among those that were asked for, and a comparison of rows
/// (`(shard, id) BETWEEN …`) is read to the end of the shard, and makes it expect a ninth of the table.
/// A transaction whose client is gone lets go of its locks, and nobody waits for a lock for ever.
const SETTINGS: &str = "
    SET plan_cache_mode = force_generic_plan;
    SET jit = off;
    SET enable_seqscan = off;
    SET enable_bitmapscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET default_transaction_isolation = 'read committed';
    SET idle_in_transaction_session_timeout = '10s';
    SET lock_timeout = '20s';
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

pub(super) struct Pool {
    config: Config,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    pub(super) fn new(url: &str, connections: usize) -> Result<Pool, Error> {
        let mut config: Config = url.parse().map_err(|error| {
            Error::Unavailable(format!(
                "the URL of PostgreSQL cannot be read, expected postgres://user@host/database: {error}"
            ))
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(SILENCE);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        config.keepalives_idle(SILENCE);
        Ok(Pool { config, permits: Semaphore::new(connections.max(1)), idle: Mutex::new(Vec::new()) })
    }

    /// A connection of one's own, as soon as one is free.
    pub(super) async fn take(&self) -> Result<Lent<'_>, Error> {
        let permit = self.permits.acquire().await.expect("the semaphore is never closed");
        let connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        Ok(Lent { connection, pool: self, _permit: permit })
    }

    /// A session of one's own, beside the pool and with the server's own settings: for what takes long.
    #[cfg(feature = "sqlite")]
    pub(super) async fn session(&self) -> Result<tokio_postgres::Client, Error> {
        let (client, driver) = self.config.connect(NoTls).await.map_err(complaint)?;
        tokio::spawn(driver);
        Ok(client)
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle();
        idle.retain(|connection| !connection.is_closed());
        idle.pop()
    }

    async fn connect(&self) -> Result<Connection, Error> {
        let (client, driver) = self.config.connect(NoTls).await.map_err(complaint)?;
        tokio::spawn(async move {
            // Whoever uses the connection gets the same error as the answer to what was asked.
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to PostgreSQL has ended");
            }
        });
        client.batch_execute(SETTINGS).await.map_err(complaint)?;
        Ok(Connection::new(client))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection, closed when it is dropped.
pub(super) struct Lent<'a> {
    connection: Connection,
    pool: &'a Pool,
    _permit: SemaphorePermit<'a>,
}

impl Lent<'_> {
    /// No transaction is open and nothing went wrong: the next one may have it.
    pub(super) fn give_back(self) {
        self.pool.idle().push(self.connection);
    }
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

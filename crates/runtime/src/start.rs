//! How an instance is begun.

use serde::Serialize;
use tyer_engine::{Command, InstanceId, Start, Variables};
use tyer_store::Which;

use crate::engine::Engine;
use crate::error::Error;
use crate::handle::Handle;
use crate::own_transaction::{Begin, Dialect, Insert};
use crate::track::{Ask, Done, Request};

/// How often a start looks again for the newest version.
const TRIES: usize = 5;

/// The newest version, or the one with this number.
pub(crate) fn which(version: Option<u32>) -> Which {
    version.map_or(Which::Newest, Which::Number)
}

/// An instance about to begin.
///
/// ```
/// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
/// let order = engine
///     .start("order")
///     .variables(serde_json::json!({ "amount": 120 }))
///     .business_key("A-17")
///     .idempotency_key("checkout-9f3c")
///     .send()
///     .await?;
/// println!("{}", order.id());
/// # Ok(()) }
/// ```
#[must_use = "nothing begins before `send`"]
pub struct StartInstance {
    engine: Engine,
    process: String,
    version: Option<u32>,
    idempotency_key: Option<String>,
    variables: Result<Variables, Error>,
    start: Start,
}

impl StartInstance {
    pub(crate) fn new(engine: Engine, process: &str) -> StartInstance {
        let start = Start { priority: 50, ..Start::default() };
        let (process, variables) = (process.to_owned(), Ok(Variables::default()));
        StartInstance { engine, process, version: None, idempotency_key: None, variables, start }
    }

    /// A version other than the newest.
    pub fn version(mut self, version: u32) -> StartInstance {
        self.version = Some(version);
        self
    }

    /// Variables: anything that serialises to a JSON object.
    pub fn variables(mut self, variables: impl Serialize) -> StartInstance {
        self.variables = Variables::from_serialize(&variables).map_err(Error::from);
        self
    }

    /// Your own name for the instance; several may share it.
    pub fn business_key(mut self, key: impl Into<String>) -> StartInstance {
        self.start.business_key = Some(key.into());
        self
    }

    /// Short for [`StartInstance::business_key`].
    pub fn key(self, key: impl Into<String>) -> StartInstance {
        self.business_key(key)
    }

    /// Begins at these nodes instead of where the process begins.
    pub fn at(mut self, nodes: impl IntoIterator<Item = impl Into<String>>) -> StartInstance {
        self.start.at = nodes.into_iter().map(Into::into).collect();
        self
    }

    /// Starts under the same key give the same instance, however often and from wherever they are sent.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> StartInstance {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Who begins it.
    pub fn started_by(mut self, who: impl Into<String>) -> StartInstance {
        self.start.started_by = Some(who.into());
        self
    }

    /// 0 to 100; 50 is normal.
    pub fn priority(mut self, priority: u8) -> StartInstance {
        self.start.priority = priority.min(100);
        self
    }

    /// The row that begins it, to be written in a transaction of your own; with the instance that will begin when that
    /// transaction has been committed, and never before. The process must be there now. A start that is refused then (by
    /// the process itself) leaves its row in `inbox`, and an error in the log. An idempotency key has no part in it: your
    /// transaction decides whether it happens.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{Dialect, SqlValue};
    ///
    /// let (order, insert) = engine.start("order").key("A-17").insert(Dialect::Sqlite).await?;
    /// println!("{} will begin by {}", order.id(), insert.sql);
    /// for value in &insert.values {
    ///     match value {
    ///         SqlValue::Integer(number) => println!("bind {number}"),
    ///         SqlValue::Text(text) => println!("bind {text:?}"),
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn insert(self, dialect: Dialect) -> Result<(Handle, Insert), Error> {
        let StartInstance { engine, process, version, variables, start, .. } = self;
        let (shared, tenant) = (&engine.shared, engine.whose().clone());
        shared.processes.version(&*shared.store, &tenant, &process, which(version)).await?;
        let now = shared.now();
        let (id, target) = (shared.ids.next(now)?, InstanceId(shared.ids.next(now)?));
        let begin = Begin {
            tenant: tenant.to_string(),
            process,
            version,
            variables: variables?,
            business_key: start.business_key,
            started_by: start.started_by,
            priority: start.priority,
            at: start.at,
        };
        let insert = begin.insert(dialect, id, target, now);
        Ok((engine.instance(target), insert))
    }

    /// Begins with a transaction of your own on the PostgreSQL database of the engine: when it commits, exactly once; when
    /// it is rolled back, never. The id is known at once. See [`StartInstance::insert`] for other drivers and SQLite.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     engine: tyer_runtime::Engine, client: &mut tyer_runtime::tokio_postgres::Client,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut transaction = client.transaction().await?;
    /// transaction.execute("INSERT INTO orders (number) VALUES ('A-17')", &[]).await?;
    /// let order = engine.start("order").key("A-17").start_in(&mut transaction).await?;
    /// transaction.commit().await?;
    /// println!("{} begins within a second", order.id());
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "postgres")]
    pub async fn start_in(self, transaction: &mut tokio_postgres::Transaction<'_>) -> Result<Handle, Error> {
        let (handle, insert) = self.insert(Dialect::Postgres).await?;
        insert.run(transaction).await?;
        Ok(handle)
    }

    /// Begins; the answer comes when it is durable.
    pub async fn send(self) -> Result<Handle, Error> {
        let engine = self.engine.clone();
        let done = self.submit().await?;
        Ok(engine.instance(done.instance))
    }

    /// As [`StartInstance::send`], with what the first turn left behind.
    pub async fn submit(self) -> Result<Done, Error> {
        let StartInstance { engine, process, version, idempotency_key, variables, mut start } = self;
        let shared = &engine.shared;
        start.variables = variables?;
        for _ in 0..TRIES {
            let compiled =
                shared.processes.version(&*shared.store, engine.whose(), &process, which(version)).await?;
            start.definition = compiled.definition.id;
            start.version = compiled.definition.version;
            let id = InstanceId(shared.ids.next(shared.now())?);
            let command = Command::Start(Box::new(start.clone()));
            let (mut request, answer) = Request::new(id, Ask::Start(compiled, command), None);
            request.idempotency_key.clone_from(&idempotency_key);
            request.newest = version.is_none() && shared.several_nodes;
            match engine.ask((request, answer)).await {
                // Another node has deployed since we looked: look again.
                Err(Error::Superseded) => shared.processes.deployed(engine.whose(), &process),
                done => return done,
            }
        }
        Err(Error::Superseded)
    }
}

//! Messages: published, given to those who wait, kept for those who come.
//!
//! **Invariant:** a message goes to one instance of each process, and begins at most one.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tyer_engine::{Command, InstanceId, StartWanted, Timestamp, Variables};
use tyer_map::Set;
use tyer_store::{Message, Post, Sought, StartEvent, Take, Tenant, Waiting, Which};

use super::write::examine_at;
use crate::engine::Engine;
use crate::error::Error;
use crate::own_transaction::{Dialect, Insert, insert_message};
use crate::shared::Shared;
use crate::track::{Ask, Done, Request};

/// How long a message waits for its receiver, when nothing is said.
const TTL: Duration = Duration::from_secs(3_600);
/// Receivers looked at together.
const PAGE: usize = 100;

/// A message about to be published.
///
/// ```
/// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
/// let published = engine
///     .publish("paid")
///     .key("A-17")
///     .variables(serde_json::json!({ "amount": 120 }))
///     .message_id("payment-9f3c")
///     .send()
///     .await?;
/// println!("taken by {:?}", published.taken_by);
/// # Ok(()) }
/// ```
#[must_use = "nothing is published before `send`"]
pub struct PublishMessage {
    engine: Engine,
    name: Arc<str>,
    key: Option<String>,
    message_id: Option<String>,
    ttl: Duration,
    variables: Result<Variables, Error>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Nothing was published: a message with the same id still waits.
    pub duplicate: bool,
    /// Instances that this call has given it to, or begun with it. One that began to wait meanwhile may have fetched it
    /// itself: it has the message and is not among them.
    pub taken_by: Vec<InstanceId>,
}

impl Engine {
    /// Publishes a message: set what you need, then `send`.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// engine.publish("paid").key("A-17").send().await?;
    /// # Ok(()) }
    /// ```
    pub fn publish(&self, name: &str) -> PublishMessage {
        let (name, variables) = (Arc::from(name), Ok(Variables::default()));
        PublishMessage { engine: self.clone(), name, key: None, message_id: None, ttl: TTL, variables }
    }
}

impl PublishMessage {
    /// Whom it is for: those who wait with the same key.
    pub fn key(mut self, key: impl Into<String>) -> PublishMessage {
        self.key = Some(key.into());
        self
    }

    /// While a message of the same name, key and id waits, another is not published.
    pub fn message_id(mut self, id: impl Into<String>) -> PublishMessage {
        self.message_id = Some(id.into());
        self
    }

    /// How long it waits for receivers; an hour when not said.
    pub fn ttl(mut self, ttl: Duration) -> PublishMessage {
        self.ttl = ttl;
        self
    }

    /// What comes with it: anything that serialises to a JSON object.
    pub fn variables(mut self, variables: impl Serialize) -> PublishMessage {
        self.variables = Variables::from_serialize(&variables).map_err(Error::from);
        self
    }

    /// Publishes it; the answer comes when those who wait now have it.
    pub async fn send(self) -> Result<Published, Error> {
        let engine = self.engine.clone();
        let shared = &engine.shared;
        shared.admit()?;
        let message = self.message(examine_at(shared, shared.now()))?;
        if !shared.post(Post::Message(message.clone())).await? {
            return Ok(Published { duplicate: true, taken_by: Vec::new() });
        }
        let taken_by = give(shared, &message).await?;
        Ok(Published { duplicate: false, taken_by })
    }

    /// The row that publishes it, to be written in a transaction of your own: the message is there when that has been
    /// committed, and never before. While a message of the same name, key and id waits, it writes nothing.
    ///
    /// ```no_run
    /// # fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let insert = engine.publish("paid").key("A-17").insert(tyer_runtime::Dialect::Sqlite)?;
    /// println!("{} with {:?}", insert.sql, insert.values);
    /// # Ok(()) }
    /// ```
    pub fn insert(self, dialect: Dialect) -> Result<Insert, Error> {
        let now = self.engine.shared.now();
        Ok(insert_message(dialect, &self.message(Some(now))?))
    }

    /// Publishes it with a transaction of your own on the PostgreSQL database of the engine. See
    /// [`PublishMessage::insert`] for other drivers and SQLite.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     engine: tyer_runtime::Engine, client: &mut tyer_runtime::tokio_postgres::Client,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut transaction = client.transaction().await?;
    /// transaction.execute("UPDATE orders SET paid = true WHERE number = 'A-17'", &[]).await?;
    /// engine.publish("paid").key("A-17").publish_in(&mut transaction).await?;
    /// transaction.commit().await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "postgres")]
    pub async fn publish_in(self, transaction: &mut tokio_postgres::Transaction<'_>) -> Result<(), Error> {
        self.insert(Dialect::Postgres)?.run(transaction).await
    }

    fn message(self, due: Option<Timestamp>) -> Result<Message, Error> {
        let PublishMessage { engine, name, key, message_id, ttl, variables } = self;
        let shared = &engine.shared;
        let now = shared.now();
        Ok(Message {
            id: shared.ids.next(now)?,
            tenant: engine.whose().clone(),
            name,
            key,
            message_id,
            variables: variables?.to_json(),
            published_at: now,
            expires_at: now.plus_ms(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)),
            due,
        })
    }
}

/// Gives a message to those who wait for it and to the processes that it begins.
pub(super) async fn give(shared: &Arc<Shared>, message: &Message) -> Result<Vec<InstanceId>, Error> {
    let mut taken_by = give_to_waiting(shared, message).await?;
    for event in shared.store.start_events(&message.tenant, true, &message.name).await? {
        taken_by.extend(begin(shared, message, &event).await?);
    }
    let over = message.expires_at <= shared.now();
    if message.due.is_some() || over {
        shared.post(Post::Examined(message.id, shared.now())).await?;
    }
    shared.office.done(message.id);
    Ok(taken_by)
}

/// All who wait are known when there are fewer than a page of them: who comes later looks for messages himself.
async fn give_to_waiting(shared: &Arc<Shared>, message: &Message) -> Result<Vec<InstanceId>, Error> {
    let mut taken_by = Vec::new();
    loop {
        let Message { id, tenant, name, key, .. } = message.clone();
        let sought = Sought::Message { id, tenant, name, key };
        let mut have: Set<String> = Set::new();
        let before = taken_by.len();
        let page = shared.store.waiting(sought, PAGE).await?;
        let is_last = page.len() < PAGE;
        for waiting in page {
            if have.contains(&waiting.process) {
                continue;
            }
            match trigger(shared, message, &waiting).await {
                Ok(done) => {
                    taken_by.push(done.instance);
                    have.insert(waiting.process);
                }
                Err(Error::Gone) => drop(have.insert(waiting.process)),
                // It has gone on meanwhile.
                Err(Error::Rejected(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if is_last || taken_by.len() == before {
            return Ok(taken_by);
        }
    }
}

async fn trigger(shared: &Arc<Shared>, message: &Message, waiting: &Waiting) -> Result<Done, Error> {
    let variables = Variables::parse(&message.variables)?;
    let (subscription, name) = (waiting.subscription, Some(message.name.to_string()));
    let command = Command::Trigger { subscription, variables, message: name };
    let (mut request, answer) = Request::new(waiting.instance, Ask::Do(command), None);
    request.take = Some(Take::Message { id: message.id, taker: waiting.process.clone() });
    shared.ask_track((request, answer)).await
}

/// The message begins an instance, unless one with its key lives, or the process has the message already.
async fn begin(
    shared: &Arc<Shared>,
    message: &Message,
    event: &StartEvent,
) -> Result<Option<InstanceId>, Error> {
    let variables = Variables::parse(&message.variables)?;
    let take = Take::Message { id: message.id, taker: event.process.clone() };
    super::start::begin(shared, event, variables, take, message.key.clone()).await
}

/// Somebody of this process waits for a message from now on: the oldest that it can have is given.
pub(super) async fn look(
    shared: &Arc<Shared>,
    tenant: &Tenant,
    name: &str,
    key: Option<&str>,
    process: &str,
) -> Result<(), Error> {
    for message in shared.store.buffered(tenant, name, key, process, shared.now(), PAGE).await? {
        if !give_to_waiting(shared, &message).await?.is_empty() {
            return Ok(());
        }
    }
    Ok(())
}

/// An instance has ended that a message with this key began: the next message with the key may begin another.
pub(super) async fn freed(
    shared: &Arc<Shared>,
    tenant: &Tenant,
    process: &str,
    key: &str,
) -> Result<(), Error> {
    let compiled = shared.processes.version(&*shared.store, tenant, process, Which::Newest).await?;
    let triggers = tyer_engine::start_triggers(&compiled.process, shared.now()).unwrap_or_default();
    for trigger in triggers {
        let StartWanted::Message { name } = trigger.wanted else { continue };
        let buffered = shared.store.buffered(tenant, &name, Some(key), process, shared.now(), PAGE);
        for message in buffered.await? {
            if !give(shared, &message).await?.is_empty() {
                return Ok(());
            }
        }
    }
    Ok(())
}

//! Subscribers inside the program: named, told of every turn, at least once, also of those while they were away.

use std::future::Future;

use tyer_store::Sink;

use super::deliver::{DeliveryError, Receiver, Receiving, Told};
use super::sink::SinkOptions;
use crate::engine::Engine;
use crate::error::Error;

/// What the store calls a sink inside a program.
const KIND: &str = "subscriber";

struct Subscriber<F>(F);

impl<F, Fut> Receiver for Subscriber<F>
where
    F: Fn(Told) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), DeliveryError>> + Send + 'static,
{
    fn receive(&self, told: Told) -> Receiving<'_> {
        Box::pin((self.0)(told))
    }
}

impl Engine {
    /// Tells a handler of every turn of every instance (of a view of one tenant: of that tenant's), from the first time that this name subscribes: at least once, in
    /// order for each instance, one turn of an instance at a time. What happens while nobody of this name is there waits,
    /// and is told when the name subscribes again, in this life of the program or the next. Where several nodes share the
    /// store, any of those that have subscribed is told; the first subscription of a name takes some seconds there.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{Engine, Told};
    ///
    /// let engine = Engine::memory().await?;
    /// engine
    ///     .subscribe("audit", |told: Told| async move {
    ///         for event in &told.events {
    ///             println!("{} {} {}", told.instance, event.seq, event.event);
    ///         }
    ///         Ok(())
    ///     })
    ///     .await?;
    /// # Ok(()) }
    /// ```
    ///
    /// A handler that fails is told again later; after some tries that instance's events wait as a dead letter
    /// ([`Engine::dead_letters`], [`Engine::redeliver`]). Events that wait are kept until they are told or the sink is
    /// removed ([`Engine::remove_sink`]).
    pub async fn subscribe<F, Fut>(&self, name: &str, handler: F) -> Result<(), Error>
    where
        F: Fn(Told) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), DeliveryError>> + Send + 'static,
    {
        self.subscribe_with(name, SinkOptions::default(), handler).await
    }

    /// As [`Engine::subscribe`], with a say in how.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{DeliveryError, SinkOptions, Told};
    ///
    /// let options = SinkOptions::default().tries(3);
    /// engine.subscribe_with("mail", options, |_: Told| async { Err(DeliveryError::new("no mail today")) }).await?;
    /// # Ok(()) }
    /// ```
    pub async fn subscribe_with<F, Fut>(
        &self,
        name: &str,
        options: SinkOptions,
        handler: F,
    ) -> Result<(), Error>
    where
        F: Fn(Told) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), DeliveryError>> + Send + 'static,
    {
        let (name, settings) = (self.new_sink(name)?, "{}".to_owned());
        let shared = &self.shared;
        shared.refresh_sinks().await?;
        let taken =
            shared.store.sinks().await?.into_iter().any(|sink| sink.name == name && sink.kind != KIND);
        if taken {
            return Err(Error::Sink(format!("`{name}` is the name of a webhook: subscribe under another")));
        }
        let since = shared.now();
        let sink = Sink { name: name.clone(), kind: KIND.to_owned(), settings: settings.clone(), since };
        shared.register(sink).await?;
        shared.host(name, settings, options, Box::new(Subscriber(handler)));
        Ok(())
    }
}

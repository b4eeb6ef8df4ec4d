//! Sinks that are told over HTTP: each turn is one POST of a batch of CloudEvents, signed.
//!
//! **Invariant:** values of masked variables do not leave.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tyer_store::Sink;

use super::deliver::{DeliveryError, Receiver, Receiving, Told};
use super::hmac::hmac_sha256;
use super::sink::SinkOptions;
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::error::Error;
use crate::shared::Shared;

/// What the store calls a sink that is told over HTTP.
const KIND: &str = "webhook";
/// How the body is written (CloudEvents 1.0.2, JSON batch format).
const CONTENT_TYPE: &str = "application/cloudevents-batch+json";

/// An address that is told of every turn of every instance.
///
/// Each turn is one `POST` with a JSON array of CloudEvents, in order. It counts as delivered when the answer is a 2xx;
/// redirects are not followed. With a secret, `Tyer-Signature: sha256=<hex>` is the HMAC-SHA256 of the value of
/// `Tyer-Timestamp`, a full stop and the body.
///
/// ```no_run
/// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
/// use tyer_runtime::{SinkOptions, Webhook};
///
/// let billing = Webhook::new("billing", "https://billing.example/events")
///     .secret("correct horse battery staple")
///     .options(SinkOptions::default().tries(20));
/// engine.webhook(billing).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Webhook {
    name: String,
    url: String,
    secret: Option<String>,
    options: SinkOptions,
}

impl Webhook {
    /// Tells this address, under this name.
    ///
    /// ```
    /// let billing = tyer_runtime::Webhook::new("billing", "https://billing.example/events");
    /// ```
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> Webhook {
        let (name, url, options) = (name.into(), url.into(), SinkOptions::default());
        Webhook { name, url, secret: None, options }
    }

    /// Signs what is sent. The secret is kept in the store, for every node must know it.
    ///
    /// ```
    /// # use tyer_runtime::Webhook;
    /// let billing = Webhook::new("billing", "https://billing.example/events").secret("a long text");
    /// ```
    #[must_use]
    pub fn secret(mut self, secret: impl Into<String>) -> Webhook {
        self.secret = Some(secret.into());
        self
    }

    /// How it is told.
    ///
    /// ```
    /// # use tyer_runtime::{SinkOptions, Webhook};
    /// let options = SinkOptions::default().tries(3);
    /// let billing = Webhook::new("billing", "https://billing.example/events").options(options);
    /// ```
    #[must_use]
    pub fn options(mut self, options: SinkOptions) -> Webhook {
        self.options = options;
        self
    }
}

/// What the store keeps of a webhook.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    concurrency: usize,
    timeout_ms: u64,
    tries: u32,
    backoff_ms: (u64, u64),
}

impl Settings {
    fn of(webhook: &Webhook) -> Settings {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let SinkOptions { concurrency, timeout, tries, backoff } = webhook.options;
        Settings {
            url: webhook.url.clone(),
            secret: webhook.secret.clone(),
            concurrency,
            timeout_ms: ms(timeout),
            tries,
            backoff_ms: (ms(backoff.0), ms(backoff.1)),
        }
    }

    fn options(&self) -> SinkOptions {
        let backoff = (Duration::from_millis(self.backoff_ms.0), Duration::from_millis(self.backoff_ms.1));
        let timeout = Duration::from_millis(self.timeout_ms);
        SinkOptions { concurrency: self.concurrency.max(1), timeout, tries: self.tries, backoff }
    }
}

impl Engine {
    /// Tells an address of every turn of every instance from now on, or changes how it is told. Every node that shares
    /// the store delivers; a new name takes some seconds there.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::Webhook;
    /// engine.webhook(Webhook::new("billing", "https://billing.example/events").secret("a long text")).await?;
    /// # Ok(()) }
    /// ```
    pub async fn webhook(&self, webhook: Webhook) -> Result<(), Error> {
        let name = self.new_sink(&webhook.name)?;
        let url =
            reqwest::Url::parse(&webhook.url).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
        if url.is_none_or(|url| !url.has_host()) {
            let reason = format!("`{}` is no address of a webhook: use http:// or https://", webhook.url);
            return Err(Error::Sink(reason));
        }
        let known = self.shared.store.sinks().await?;
        if known.iter().any(|sink| sink.name == name && sink.kind != KIND) {
            return Err(Error::Sink(format!("`{name}` is the name of a subscriber: use another")));
        }
        let settings = serde_json::to_string(&Settings::of(&webhook)).expect("settings are always JSON");
        let sink = Sink { name, kind: KIND.to_owned(), settings, since: self.shared.now() };
        self.shared.register(sink).await
    }
}

/// This node delivers to every webhook of the store.
pub(super) fn host_all(shared: &Arc<Shared>, sinks: &[Sink]) -> Result<(), Error> {
    for sink in sinks.iter().filter(|sink| sink.kind == KIND) {
        let same =
            shared.relay.hosted().get(&sink.name).is_some_and(|hosted| hosted.settings() == sink.settings);
        if same {
            continue;
        }
        let damaged = |error| Error::Damaged(format!("settings of sink `{}`: {error}", sink.name));
        let settings: Settings = serde_json::from_str(&sink.settings).map_err(damaged)?;
        let options = settings.options();
        let poster = Poster { url: settings.url, secret: settings.secret, client: client()? };
        shared.host(Arc::clone(&sink.name), sink.settings.clone(), options, Box::new(poster));
    }
    Ok(())
}

/// Its connections belong to the tokio that made them: every webhook of every engine has one of its own.
fn client() -> Result<reqwest::Client, Error> {
    // Whoever has chosen a provider for the process before us keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let agent = concat!("tyer/", env!("CARGO_PKG_VERSION"));
    let built =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).user_agent(agent).build();
    built.map_err(|error| Error::Sink(format!("no HTTP client can be made: {}", words(&error))))
}

struct Poster {
    url: String,
    secret: Option<String>,
    client: reqwest::Client,
}

impl Receiver for Poster {
    fn receive(&self, told: Told) -> Receiving<'_> {
        Box::pin(async move {
            let body = cloud_events(&told)?;
            let at = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            let timestamp = at.as_secs().to_string();
            let mut request = self.client.post(&self.url).header("content-type", CONTENT_TYPE);
            request = request.header("tyer-timestamp", &timestamp);
            if let Some(secret) = &self.secret {
                let signed = [timestamp.as_bytes(), b".", body.as_bytes()].concat();
                let signature = hmac_sha256(secret.as_bytes(), &signed);
                request = request.header("tyer-signature", format!("sha256={signature}"));
            }
            let answer =
                request.body(body).send().await.map_err(|error| DeliveryError::new(words(&error)))?;
            match answer.status() {
                status if status.is_success() => Ok(()),
                status => Err(DeliveryError::new(format!("the answer was {status}"))),
            }
        })
    }
}

/// An error with its causes, without the address: it may hold a password.
fn words(error: &reqwest::Error) -> String {
    let mut words = vec!["the request failed".to_owned()];
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    words.join(": ")
}

/// <https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>
#[derive(Serialize)]
struct CloudEvent {
    specversion: &'static str,
    id: String,
    source: String,
    #[serde(rename = "type")]
    kind: String,
    subject: String,
    time: String,
    datacontenttype: &'static str,
    /// The extension `sequence`: the number of the event in its instance.
    sequence: String,
    data: tyer_map::Map<String, Box<RawValue>>,
}

/// A turn as a batch of CloudEvents.
fn cloud_events(told: &Told) -> Result<String, DeliveryError> {
    let mut batch = Vec::with_capacity(told.events.len());
    for event in &told.events {
        let envelope = Envelope::of(told.instance, event, &told.masked)?;
        batch.push(CloudEvent {
            specversion: "1.0",
            id: format!("{}-{}", envelope.instance_id, envelope.seq),
            source: format!("/workflows/{}", told.process),
            kind: envelope.kind,
            subject: envelope.instance_id,
            time: envelope.at,
            datacontenttype: "application/json",
            sequence: envelope.seq.to_string(),
            data: envelope.data,
        });
    }
    Ok(serde_json::to_string(&batch)?)
}

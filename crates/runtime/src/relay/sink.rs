//! Sinks as a program sees them: how they are told, what they have not got, and how that is tried again.

use std::sync::Arc;
use std::time::Duration;

use tyer_engine::{InstanceId, Timestamp};
use tyer_store::{Stream, Tenant};

use crate::engine::Engine;
use crate::error::Error;

/// How a sink is told.
///
/// ```
/// use std::time::Duration;
/// use tyer_runtime::SinkOptions;
///
/// let patient = SinkOptions::default().tries(20).backoff(Duration::from_secs(1), Duration::from_secs(3_600));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SinkOptions {
    /// Instances whose events are on their way at once.
    pub concurrency: usize,
    /// A delivery that takes longer has failed.
    pub timeout: Duration,
    /// How often a turn is tried before its stream is dead.
    pub tries: u32,
    /// How long to wait after the first failure, and at most: the wait doubles from try to try.
    pub backoff: (Duration, Duration),
}

/// A sink in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkStatus {
    /// Its name.
    pub name: String,
    /// `subscriber` or `webhook`.
    pub kind: String,
    /// Where a webhook sends.
    pub url: Option<String>,
    /// Since when it is there: it gets every turn after that.
    pub since: Timestamp,
}

/// A stream that is not tried any more: this instance's events do not reach the sink until somebody says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The sink.
    pub sink: String,
    /// The instance.
    pub instance: InstanceId,
    /// The first event that has not arrived.
    pub seq: u64,
    /// How many events wait behind it, itself included.
    pub waiting: u64,
    /// How often it was tried.
    pub tries: u32,
    /// When it was given up.
    pub at: Timestamp,
    /// What went wrong last.
    pub error: String,
}

impl Default for SinkOptions {
    fn default() -> SinkOptions {
        let backoff = (Duration::from_secs(1), Duration::from_secs(300));
        SinkOptions { concurrency: 32, timeout: Duration::from_secs(30), tries: 12, backoff }
    }
}

impl SinkOptions {
    /// So many instances at once (32 when not said); of one instance one turn after the other.
    ///
    /// ```
    /// let options = tyer_runtime::SinkOptions::default().concurrency(4);
    /// ```
    #[must_use]
    pub fn concurrency(mut self, streams: usize) -> SinkOptions {
        self.concurrency = streams.max(1);
        self
    }

    /// A delivery that takes longer has failed (30 s when not said).
    ///
    /// ```
    /// let options = tyer_runtime::SinkOptions::default().timeout(std::time::Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> SinkOptions {
        self.timeout = timeout;
        self
    }

    /// How often a turn is tried before its stream is dead (12 when not said).
    ///
    /// ```
    /// let options = tyer_runtime::SinkOptions::default().tries(3);
    /// ```
    #[must_use]
    pub fn tries(mut self, tries: u32) -> SinkOptions {
        self.tries = tries.max(1);
        self
    }

    /// How long to wait before the next try: `first`, then twice as long each time, never longer than `longest`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let options = tyer_runtime::SinkOptions::default().backoff(Duration::from_secs(1), Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn backoff(mut self, first: Duration, longest: Duration) -> SinkOptions {
        self.backoff = (first, longest);
        self
    }

    /// When to try again after so many failures; none = not by itself.
    pub(super) fn again(&self, failures: u32, now: Timestamp) -> Option<Timestamp> {
        let (first, longest) = self.backoff;
        let wait = first.saturating_mul(1 << failures.saturating_sub(1).min(30)).min(longest);
        let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        (failures < self.tries).then(|| now.plus_ms(wait_ms))
    }
}

impl Engine {
    /// All sinks of the store; of a view of one tenant, that tenant's.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for sink in engine.sinks().await? {
    ///     println!("{} ({})", sink.name, sink.kind);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn sinks(&self) -> Result<Vec<SinkStatus>, Error> {
        let (sinks, prefix) = (self.shared.store.sinks().await?, self.sink_name(""));
        let status = |sink: tyer_store::Sink| {
            let name = sink.name.strip_prefix(prefix.as_str())?.to_owned();
            let settings: serde_json::Value = serde_json::from_str(&sink.settings).unwrap_or_default();
            let url = settings.get("url").and_then(|url| url.as_str()).map(str::to_owned);
            Some(SinkStatus { name, kind: sink.kind, url, since: sink.since })
        };
        Ok(sinks.into_iter().filter_map(status).collect())
    }

    /// Takes a sink away, with everything that it has not got yet. False when there is none of this name.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// engine.remove_sink("audit").await?;
    /// # Ok(()) }
    /// ```
    pub async fn remove_sink(&self, name: &str) -> Result<bool, Error> {
        let dropped = self.shared.store.drop_sink(&self.sink_name(name)).await?;
        self.shared.refresh_sinks().await?;
        Ok(dropped)
    }

    /// Streams of a sink that are not tried any more, by instance.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for letter in engine.dead_letters("audit", tyer_runtime::InstanceId(0), 100).await? {
    ///     println!("{} from event {} on: {}", letter.instance, letter.seq, letter.error);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn dead_letters(
        &self,
        sink: &str,
        after: InstanceId,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, Error> {
        let streams = self.shared.store.dead_streams(&self.sink_name(sink), after, limit).await?;
        let letter = |stream: Stream| DeadLetter {
            sink: sink.to_owned(),
            instance: stream.instance,
            seq: stream.next_seq,
            waiting: (stream.last_seq + 1).saturating_sub(stream.next_seq),
            tries: stream.attempt,
            at: stream.at,
            error: stream.error,
        };
        Ok(streams.into_iter().map(letter).collect())
    }

    /// Dead letters of a sink, of one instance or of all, are tried again from now on. Says how many there were.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// println!("{} streams go on", engine.redeliver("audit", None).await?);
    /// # Ok(()) }
    /// ```
    pub async fn redeliver(&self, sink: &str, instance: Option<InstanceId>) -> Result<u64, Error> {
        let revived = self.shared.store.redeliver(&self.sink_name(sink), instance, self.shared.now()).await?;
        self.shared.relay.left();
        Ok(revived)
    }
}

/// The tenant whose sink it is: a sink of a view is stored under the names of both. None = the program's own, told of
/// every tenant.
pub(super) fn owner(name: &str) -> Option<Tenant> {
    name.rsplit_once('/').map(|(tenant, _)| Tenant::from(tenant))
}

impl Engine {
    /// What the store calls a sink of this view.
    fn sink_name(&self, name: &str) -> String {
        self.view.as_ref().map_or_else(|| name.to_owned(), |tenant| format!("{tenant}/{name}"))
    }

    /// What the store calls a new sink of this view: short, and the same in an address.
    pub(super) fn new_sink(&self, name: &str) -> Result<Arc<str>, Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if (1..=64).contains(&name.len()) && name.bytes().all(plain) {
            return Ok(self.sink_name(name).into());
        }
        let reason = format!("`{name}` is no name of a sink: use 1 to 64 letters, digits, `-`, `_` and `.`");
        Err(Error::Sink(reason))
    }
}

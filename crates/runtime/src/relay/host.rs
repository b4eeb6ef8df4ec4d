//! Which sinks this node delivers to, and the loop of each.
//!
//! **Invariant:** a sink is known to every node that can still commit before its registration returns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tyer_store::Sink;

use super::deliver::{Receiver, begin};
use super::{Hosted, SinkOptions};
use crate::error::Error;
use crate::shared::Shared;

/// What other nodes leave comes without a hint.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After an outage of the store.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a turn that was under way may take to be committed.
const MARGIN: Duration = Duration::from_secs(2);

impl Shared {
    /// Reads which sinks there are.
    pub(crate) async fn refresh_sinks(self: &Arc<Shared>) -> Result<(), Error> {
        let sinks = self.store.sinks().await?;
        self.know_sinks(&sinks)
    }

    /// These are the sinks there are.
    pub(crate) fn know_sinks(self: &Arc<Shared>, sinks: &[Sink]) -> Result<(), Error> {
        self.relay.known(sinks);
        let gone = |name: &Arc<str>| sinks.iter().all(|sink| sink.name != *name);
        self.relay.hosted().retain(|name, hosted| {
            let over = gone(name);
            if over {
                hosted.end();
            }
            !over
        });
        #[cfg(feature = "webhooks")]
        super::webhook::host_all(self, sinks)?;
        Ok(())
    }

    /// Stores a sink. When this returns, every node that can commit a turn knows of it.
    pub(super) async fn register(self: &Arc<Shared>, sink: Sink) -> Result<(), Error> {
        let new = self.store.keep_sink(sink).await?;
        self.refresh_sinks().await?;
        if new && self.several_nodes && !self.clock.is_test() {
            // A node reads the sinks whenever it renews its lease, and commits nothing without a lease.
            tokio::time::sleep(self.node_lease + MARGIN).await;
        }
        Ok(())
    }

    /// From now on this node delivers to the sink.
    pub(super) fn host(
        self: &Arc<Shared>,
        name: Arc<str>,
        settings: String,
        options: SinkOptions,
        receiver: Box<dyn Receiver>,
    ) {
        let (wake, over) = (Notify::new(), AtomicBool::new(false));
        let hosted = Arc::new(Hosted { name: Arc::clone(&name), receiver, options, settings, wake, over });
        if let Some(former) = self.relay.hosted().insert(name, Arc::clone(&hosted)) {
            former.end();
        }
        if !self.clock.is_test() {
            tokio::spawn(run(Arc::downgrade(self), hosted));
        }
    }
}

impl Hosted {
    fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.wake.notify_one();
    }

    #[cfg_attr(
        not(feature = "webhooks"),
        expect(dead_code, reason = "only webhooks are hosted by their settings")
    )]
    pub(super) fn settings(&self) -> &str {
        &self.settings
    }
}

/// Delivers to one sink until the engine closes or another takes its place.
async fn run(shared: Weak<Shared>, sink: Arc<Hosted>) {
    let mut under_way = JoinSet::new();
    loop {
        let Some(strong) = shared.upgrade() else { return };
        let (mut closing, mut resting) = (strong.closing.subscribe(), strong.resting.subscribe());
        if *closing.borrow() || sink.over.load(Ordering::SeqCst) {
            return;
        }
        if *resting.borrow() {
            drop(strong);
            tokio::select! {
                _ = resting.wait_for(|resting| !*resting) => {}
                _ = closing.wait_for(|closing| *closing) => return,
            }
            continue;
        }
        let pause = match begin(&strong, &sink, &mut under_way).await {
            Ok(pumped) => until(&strong, pumped.next),
            Err(error) => {
                tracing::warn!(%error, sink = %sink.name, "a sink could not be served yet");
                PAUSE
            }
        };
        drop(strong);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = sink.wake.notified() => {}
            Some(_) = under_way.join_next(), if !under_way.is_empty() => {
                while under_way.try_join_next().is_some() {}
            }
            _ = closing.wait_for(|closing| *closing) => return,
        }
    }
}

fn until(shared: &Shared, next: Option<tyer_engine::Timestamp>) -> Duration {
    let pause = next.map_or(Duration::from_secs(3_600), |next| {
        Duration::from_millis(next.0.saturating_sub(shared.now().0).max(0).cast_unsigned())
    });
    if shared.several_nodes { pause.min(LOOK_EVERY) } else { pause }
}

//! This node's number: leased, renewed, and given up by silence.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tyer_store::{News, NodeLease};

use crate::error::Error;
use crate::shared::Shared;
use crate::timers;

/// Renewed well before it runs out, and a little before the timer service would look for the third time.
const RENEW_EVERY: Duration = Duration::from_millis(3_040);

pub(crate) async fn renew(shared: Weak<Shared>, owner: String, mut lease: NodeLease) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let Some(shared) = shared.upgrade().filter(|shared| !*shared.closing.borrow()) else { return };
        let asked_at = shared.now();
        let renewed = shared.store.hold_node(Some(lease.clone()), &owner, asked_at).await;
        match with_sinks(&shared, renewed).await {
            Ok(mut renewed) => {
                if renewed.number != lease.number {
                    // Silent for too long. What was held under the old number is refused by its lease numbers.
                    tracing::warn!(
                        old = lease.number,
                        new = renewed.number,
                        "this node has another number now"
                    );
                }
                shared.clock.follow(renewed.store_time, asked_at);
                shared.ids.held(&renewed);
                let news = renewed.news.take();
                lease = renewed;
                if shared.several_nodes {
                    heard(&shared, news);
                }
            }
            Err(error) => tracing::warn!(%error, "the lease on this node's number could not be renewed yet"),
        }
    }
}

/// Jobs of a dead node, or of another that has no worker for them, may be ready.
fn heard(shared: &Arc<Shared>, news: Option<News>) {
    let Some(news) = news else { return shared.workers.look() };
    for job_type in &news.ready {
        shared.workers.more(job_type);
    }
    if !news.due {
        shared.alarm.quiet(timers::until(shared, news.next));
    }
}

/// Other nodes add sinks: a lease counts as renewed only when they are known, so that whoever has added one knows by when
/// all nodes leave something for it.
async fn with_sinks(
    shared: &Arc<Shared>,
    renewed: Result<NodeLease, tyer_store::Error>,
) -> Result<NodeLease, Error> {
    let renewed = renewed?;
    match &renewed.news {
        Some(news) => shared.know_sinks(&news.sinks)?,
        None if shared.several_nodes => shared.refresh_sinks().await?,
        None => {}
    }
    Ok(renewed)
}

//! This node's number: leased, renewed, and given up by silence.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tyer_store::NodeLease;

use crate::error::Error;
use crate::shared::Shared;

/// Renewed well before it runs out.
const RENEW_EVERY: Duration = Duration::from_secs(3);

pub(crate) async fn renew(shared: Weak<Shared>, owner: String, mut lease: NodeLease) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let Some(shared) = shared.upgrade().filter(|shared| !*shared.closing.borrow()) else { return };
        let asked_at = shared.now();
        let renewed = shared.store.hold_node(Some(lease.clone()), &owner, asked_at).await;
        match with_sinks(&shared, renewed).await {
            Ok(renewed) => {
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
                lease = renewed;
                if shared.several_nodes {
                    // Jobs of a dead node, or of another that has no worker for them, may be ready.
                    shared.workers.look();
                }
            }
            Err(error) => tracing::warn!(%error, "the lease on this node's number could not be renewed yet"),
        }
    }
}

/// Other nodes add sinks: a lease counts as renewed only when they are known, so that whoever has added one knows by when
/// all nodes leave something for it.
async fn with_sinks(
    shared: &Arc<Shared>,
    renewed: Result<NodeLease, tyer_store::Error>,
) -> Result<NodeLease, Error> {
    let renewed = renewed?;
    if shared.several_nodes {
        shared.refresh_sinks().await?;
    }
    Ok(renewed)
}

//! This node's number: leased, renewed, and given up by silence.

use std::sync::Weak;
use std::time::Duration;

use tyer_store::NodeLease;

use crate::shared::Shared;

/// Renewed well before it runs out.
const RENEW_EVERY: Duration = Duration::from_secs(3);

pub(crate) async fn renew(shared: Weak<Shared>, owner: String, mut lease: NodeLease) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let Some(shared) = shared.upgrade().filter(|shared| !*shared.closing.borrow()) else { return };
        let asked_at = shared.now();
        match shared.store.hold_node(Some(lease.clone()), &owner, asked_at).await {
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

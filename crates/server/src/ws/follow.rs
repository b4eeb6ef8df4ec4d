//! Follows one instance for one subscription.
//!
//! **Invariant:** the next event is read only after the last one found room in the queue.

use std::sync::Arc;

use tokio::sync::mpsc;
use tyer_engine::InstanceId;
use tyer_runtime::Engine;

use super::frames;
use crate::envelope::{Envelope, is_last};
use crate::error::Failure;

/// A frame on its way to the socket.
pub(super) struct Outgoing {
    /// Which life of which subscription: a frame of a former one is not sent.
    pub(super) life: u64,
    /// The event it carries; none for an error.
    pub(super) seq: Option<u64>,
    pub(super) text: String,
}

/// Runs until the instance has ended, or nobody listens.
pub(super) async fn follow(
    engine: Engine,
    instance: InstanceId,
    since: u64,
    sub: String,
    masked: Vec<Arc<str>>,
    life: u64,
    queue: mpsc::Sender<Outgoing>,
) {
    let mut events = engine.events(instance, since);
    loop {
        let next = events.next().await.and_then(|event| Envelope::of(instance, &event, &masked));
        let (outgoing, last) = match next {
            Ok(envelope) => {
                let (seq, text) = (Some(envelope.seq), frames::event(&sub, &envelope));
                (Outgoing { life, seq, text }, is_last(&envelope.kind))
            }
            Err(error) => {
                let text = frames::error(Some(&sub), &Failure::from(error));
                (Outgoing { life, seq: None, text }, true)
            }
        };
        if queue.send(outgoing).await.is_err() || last {
            return;
        }
    }
}

//! Follows one instance, or what happens at all, for one subscription.
//!
//! **Invariant:** the next event is read only after the last one found room in the queue.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tyer_engine::InstanceId;
use tyer_runtime::{Engine, Happened, Told};

use super::frames::{self, Subject};
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

/// What other nodes do is not seen here: those who look on are told to look at the lists so often.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Runs until the engine closes or nobody listens. It begins with a gap, and whatever is missed is one.
pub(super) async fn look_on(
    engine: Engine,
    to: Subject,
    sub: String,
    life: u64,
    queue: mpsc::Sender<Outgoing>,
) {
    let mut live = engine.live();
    let shared = engine.is_shared();
    drop(engine);
    let gap = || Outgoing { life, seq: None, text: frames::gap_of_lists(&sub) };
    let mut waiting = vec![gap()];
    loop {
        for outgoing in waiting.drain(..) {
            if queue.send(outgoing).await.is_err() {
                return;
            }
        }
        let pause = if shared { LOOK_AGAIN } else { Duration::from_secs(3_600) };
        waiting = match tokio::time::timeout(pause, live.next()).await {
            Ok(Ok(Happened::Turn(told))) => match shown(&told, &to, &sub, life) {
                Ok(frames) => frames,
                Err(failure) => vec![Outgoing { life, seq: None, text: frames::error(Some(&sub), &failure) }],
            },
            Ok(Ok(Happened::Missed)) => vec![gap()],
            Ok(Err(_)) => return,
            Err(_) if shared => vec![gap()],
            Err(_) => Vec::new(),
        };
    }
}

/// What a subscription is told of a turn.
fn shown(told: &Told, to: &Subject, sub: &str, life: u64) -> Result<Vec<Outgoing>, Failure> {
    if matches!(to, Subject::Workflow(process) if *process != told.process) {
        return Ok(Vec::new());
    }
    let mut wanted_frames = Vec::new();
    for event in &told.events {
        let envelope = Envelope::of(told.instance, event, &told.masked)?;
        let wanted = match to {
            Subject::Topic(_, begins) => envelope.kind.starts_with(begins),
            Subject::Workflow(_) | Subject::Instance(..) => true,
        };
        if wanted {
            wanted_frames.push(Outgoing { life, seq: None, text: frames::event(sub, &envelope) });
        }
    }
    Ok(wanted_frames)
}

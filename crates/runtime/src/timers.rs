//! The timer service: asks the store what is due, and sleeps until the next moment.
//!
//! **Invariant:** never early; due timers go to their tracks in due order.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tyer_engine::{Command, Timestamp};
use tyer_store::{Due, Woken};

use crate::error::Error;
use crate::shared::Shared;
use crate::track::Ask;
use crate::workers::hand_in;

/// Timers named at once.
const BATCH: usize = 256;
/// Other nodes' timers and expiries come without a hint.
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub(crate) async fn run(shared: Weak<Shared>) {
    loop {
        let Some(strong) = shared.upgrade() else { return };
        let mut closing = strong.closing.subscribe();
        let pause = match look(&strong).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::warn!(%error, "due timers could not be read");
                LOOK_EVERY
            }
        };
        if pause > Duration::ZERO {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = strong.alarm.earlier.notified() => {}
                _ = closing.wait_for(|closing| *closing) => return,
            }
        }
    }
}

/// Fires what is due and says how long to sleep: not at all if there was something, for it may have armed more.
pub(crate) async fn look(shared: &Arc<Shared>) -> Result<Duration, Error> {
    shared.alarm.looking();
    let now = shared.now();
    let Woken { due, next, freed } = shared.store.wake(now, BATCH).await?;
    for job_type in &freed {
        shared.workers.more(job_type);
    }
    let more = !due.is_empty();
    fire(shared, due).await;
    if let Some(next) = next {
        shared.alarm.planned(next);
    }
    Ok(if more { Duration::ZERO } else { until(shared, next) })
}

/// A node that shares its store looks every second: others arm timers too.
fn until(shared: &Shared, next: Option<Timestamp>) -> Duration {
    let pause = next.map_or(Duration::from_secs(3600), |next| {
        let ms = next.0.saturating_sub(shared.now().0).max(0);
        Duration::from_millis(ms.cast_unsigned())
    });
    if shared.several_nodes { pause.min(LOOK_EVERY) } else { pause }
}

/// Hands timers to their tracks in due order, and waits until each has fired or was found gone.
async fn fire(shared: &Arc<Shared>, due: Vec<Due>) {
    let mut answers = Vec::with_capacity(due.len());
    for Due { instance, timer, .. } in due {
        answers.push(hand_in(shared, instance, Ask::Do(Command::TimerDue { timer }), None).await);
    }
    for answer in answers {
        let fired = match answer {
            Ok(answer) => answer.await.unwrap_or(Err(Error::Closed)),
            Err(error) => Err(error),
        };
        match fired {
            Ok(_) | Err(Error::Rejected(_) | Error::Closed) => {}
            Err(error) => tracing::warn!(%error, "a due timer could not be fired yet"),
        }
    }
}

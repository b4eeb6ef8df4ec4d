//! The timer service: asks the store what is due, and sleeps until the next moment.
//!
//! **Invariant:** never early; due timers go to their tracks in due order.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tyer_engine::{Command, ItemId, StartWanted, Timestamp};
use tyer_store::{Due, StartEvent, Woken};

use crate::error::Error;
use crate::mail::{self, Parcel};
use crate::shared::Shared;
use crate::track::{Ask, Done, Request};
use crate::workers::{ask, hand_in};

/// Timers named at once.
const BATCH: usize = 256;
/// Other nodes' timers and expiries come without a hint. Every third look falls behind a renewal of the node's lease,
/// whose news make it unnecessary.
const LOOK_EVERY: Duration = Duration::from_millis(1_020);

/// How long to wait for room when more letters are due than are read at once, and those are being seen to.
const FOR_ROOM: Duration = Duration::from_millis(20);

pub(crate) async fn run(shared: Weak<Shared>) {
    loop {
        let Some(strong) = shared.upgrade() else { return };
        let (mut closing, mut resting) = (strong.closing.subscribe(), strong.resting.subscribe());
        if *resting.borrow() {
            tokio::select! {
                _ = resting.wait_for(|resting| !*resting) => {}
                _ = closing.wait_for(|closing| *closing) => return,
            }
        }
        let pause = match look(&strong).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::warn!(%error, "what is due could not be done yet");
                LOOK_EVERY
            }
        };
        if pause > Duration::ZERO {
            tokio::select! {
                () = strong.alarm.rest(pause) => {}
                () = strong.alarm.earlier.notified() => {}
                _ = closing.wait_for(|closing| *closing) => return,
            }
        }
    }
}

/// Fires what is due and says how long to sleep: not at all if there was something, for it may have armed more.
pub(crate) async fn look(shared: &Arc<Shared>) -> Result<Duration, Error> {
    let looked = look_once(shared).await?;
    let pause = if looked.more { Duration::ZERO } else { until(shared, looked.next) };
    Ok(if looked.crowded { pause.min(FOR_ROOM) } else { pause })
}

/// What a look has found.
pub(crate) struct Looked {
    /// Something was due.
    pub(crate) more: bool,
    /// There may be more letters than were read.
    crowded: bool,
    /// The next moment, after what was due.
    pub(crate) next: Option<Timestamp>,
}

/// Under a test clock one thing happens at a time: start events first, then timers, in due order.
pub(crate) async fn look_once(shared: &Arc<Shared>) -> Result<Looked, Error> {
    shared.alarm.looking();
    let now = shared.now();
    let batch = if shared.clock.is_test() { 1 } else { BATCH + shared.office.passed_over() };
    let Woken { mut due, next, mut freed, in_doubt, starts, letters, ready } =
        shared.store.wake(now, batch).await?;
    if !shared.clock.is_test() {
        // Who moves time by hand does not wait for what others leave.
        freed.extend(ready);
    }
    for job_type in &freed {
        shared.workers.more(job_type);
    }
    let doubted = !in_doubt.is_empty();
    for job in in_doubt {
        doubt(shared, job).await?;
    }
    let crowded = letters.len() >= batch;
    let letters = shared.office.take(letters.into_iter().map(Parcel::Letter).collect());
    let mut starts = shared.office.unstuck(starts);
    if shared.clock.is_test() {
        one_at_a_time(letters > 0 || doubted, &mut starts, &mut due);
    }
    let more = doubted || !due.is_empty() || !starts.is_empty() || letters > 0;
    for event in starts {
        mail::fire(shared, &event).await?;
    }
    fire(shared, due).await?;
    if let Some(next) = next {
        shared.alarm.planned(next);
    }
    Ok(Looked { more, crowded, next })
}

/// Of all that is due only the first: letters, then what was due first, start events before timers.
fn one_at_a_time(busy: bool, starts: &mut Vec<StartEvent>, due: &mut Vec<Due>) {
    let moment = |event: &StartEvent| match event.wanted {
        StartWanted::Timer { due, .. } => due,
        StartWanted::Message { .. } | StartWanted::Signal { .. } => Timestamp(i64::MAX),
    };
    let begins =
        starts.first().map(moment).is_some_and(|start| due.first().is_none_or(|due| start <= due.at));
    if busy || begins {
        due.clear();
    }
    if busy || !begins {
        starts.clear();
    }
}

/// A job that a saga waits for, and whose worker is gone: somebody must say whether it was done.
async fn doubt(shared: &Arc<Shared>, job: ItemId) -> Result<(), Error> {
    let command = Command::InDoubt { job: job.number };
    happened(ask(shared, job.instance, Ask::Do(command), None).await)
}

/// What is not there any more has been dealt with.
fn happened(answer: Result<Done, Error>) -> Result<(), Error> {
    match answer {
        Ok(_) | Err(Error::Rejected(_) | Error::Closed | Error::Parked(..)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A node that shares its store looks every second: others arm timers too.
pub(crate) fn until(shared: &Shared, next: Option<Timestamp>) -> Duration {
    let pause = next.map_or(Duration::from_secs(3600), |next| {
        let ms = next.0.saturating_sub(shared.now().0).max(0);
        Duration::from_millis(ms.cast_unsigned())
    });
    if shared.several_nodes { pause.min(LOOK_EVERY) } else { pause }
}

/// Hands timers to their tracks in due order, and waits until each has fired or was found gone.
async fn fire(shared: &Arc<Shared>, due: Vec<Due>) -> Result<(), Error> {
    let mut answers = Vec::with_capacity(due.len());
    for Due { instance, timer, .. } in due {
        let request = Request::new(instance, Ask::Do(Command::TimerDue { timer }), None);
        answers.push(hand_in(shared, request).await?);
    }
    let mut failed = Ok(());
    for answer in answers {
        failed = failed.and(happened(answer.await.unwrap_or(Err(Error::Closed))));
    }
    failed
}

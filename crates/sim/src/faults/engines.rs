//! What an engine on a failing store needs around it: a worker inside, time that passes, patience.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tyer_engine::Variables;
use tyer_runtime::{Engine, Job, JobError};

use super::client::result_of;
use crate::blueprint::Blueprint;
use crate::random::Random;

/// A worker inside the engine's process that mostly does its jobs.
pub(super) fn employ(engine: &Engine, blueprint: &Blueprint, random: &Arc<Mutex<Random>>) {
    let (blueprint, random) = (Arc::new(blueprint.clone()), Arc::clone(random));
    engine.worker("work", move |job: Job| {
        let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
        let home = random.chance(50);
        let done: Result<Variables, JobError> = match random.below(12) {
            0 => {
                Err(JobError { retries: Some(1), backoff_ms: Some(500), ..JobError::new("it did not work") })
            }
            1 => Err(JobError::thrown("error_1", "")),
            _ => Ok(result_of(&blueprint, &mut random, job.node(), home)),
        };
        async move { done }
    });
}

/// Pauses of the runtime pass while nothing else is to be done.
pub(super) async fn let_time_pass() {
    loop {
        for _ in 0..25 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(Duration::from_millis(100)).await;
    }
}

/// An outage may hit what is due; it is due again.
const TRIES: u32 = 100;

/// Lets everything happen that can happen now.
pub(super) async fn quiet(engines: &[Engine]) -> Result<(), String> {
    for engine in engines {
        let mut tries = 0;
        while let Err(error) = engine.run_until_idle().await {
            tries += 1;
            if tries == TRIES {
                return Err(format!("never idle: {error}"));
            }
        }
    }
    Ok(())
}

pub(super) async fn advance(engine: &Engine, duration: Duration) -> Result<(), String> {
    match engine.advance(duration).await {
        Ok(()) => Ok(()),
        // What is left of the time does not matter; what is due does.
        Err(_) => quiet(std::slice::from_ref(engine)).await,
    }
}

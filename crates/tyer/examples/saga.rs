//! A saga: when a step fails for good, the completed ones are undone, the last one first.
//!
//! `cargo run --example saga`

use std::sync::{Arc, Mutex};

use tyer::{Engine, Job, JobError, Status};

/// What was booked and cancelled, in order.
pub(crate) async fn run() -> Result<Vec<&'static str>, Box<dyn std::error::Error>> {
    let engine = Engine::memory().await?;
    engine.deploy(include_str!("booking.bpmn")).await?;
    let done = Arc::new(Mutex::new(Vec::new()));
    for step in ["book-flight", "book-hotel", "cancel-flight", "cancel-hotel"] {
        let done = Arc::clone(&done);
        engine.worker(step, move |_: Job| {
            done.lock().expect("nobody panics while writing down").push(step);
            async { Ok(()) }
        });
    }
    engine.worker("pay", |_: Job| async { Err::<(), _>(JobError::new("the card is blocked")) });

    let booking = engine.start("booking").key("trip-1").send().await?;
    let ended = booking.finished().await?;
    assert_eq!(ended.status, Status::Failed);
    engine.shutdown().await;
    let done = done.lock().expect("nobody panics while writing down").clone();
    Ok(done)
}

#[tokio::main]
#[allow(dead_code, reason = "the test of the examples calls `run`")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for step in run().await? {
        eprintln!("{step}");
    }
    Ok(())
}

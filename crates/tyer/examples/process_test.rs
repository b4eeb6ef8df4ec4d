//! How a program tests its processes: workers that do what the test says, a clock that is moved by hand, and the whole
//! story of an instance to compare with.
//!
//! `cargo run --example process_test`

use std::time::Duration;

use serde_json::json;
use tyer::{Engine, JobError, TestClock};
use tyer_testkit::{FakeWorker, assert_story};

/// An order whose card is charged at the second try, and that somebody must approve.
pub(crate) async fn a_big_order_is_approved_after_its_card_was_charged() -> Result<(), tyer::Error> {
    let engine = Engine::memory().clock(TestClock::default()).await?;
    engine.deploy(include_str!("order.bpmn")).await?;
    let bank = FakeWorker::hire(&engine, "charge-card");
    bank.then_fails(JobError::new("no answer").backoff(Duration::from_secs(60)));
    bank.then_completes(json!({ "charged": true }));

    let order = engine.start("order").variables(json!({ "amount": 1200 })).send().await?;
    engine.run_until_idle().await?;
    assert_eq!(bank.jobs().len(), 1, "the second try waits for its moment");
    engine.advance(Duration::from_secs(60)).await?;
    assert_eq!(bank.jobs().len(), 2);

    let task = engine.tasks(Some(order.id()), 1).await?.remove(0).id();
    engine.complete_task(task, json!({}), Some("anna".to_owned())).await?;
    assert_story(&engine, order.id(), STORY).await;
    Ok(())
}

const STORY: &str = r#"
    instance of order started
    amount = 1200
    token 1 passed placed, entered charge, ready for job charge-card (job 2)
    job 2 failed by node-0: no answer
    token 1 tries again at +60s (timer 3)
    timer 3 fired
    token 1 ready for job charge-card (job 4)
    job 4 completed by node-0
    charged = true
    token 1 left charge, passed big, entered approve, waits for a person (task 5, "Approve the order")
    task 5 completed by anna
    token 1 left approve, ended at shipped
    instance completed
"#;

#[tokio::main]
#[allow(dead_code, reason = "the test of the examples calls it")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(a_big_order_is_approved_after_its_card_was_charged().await?)
}

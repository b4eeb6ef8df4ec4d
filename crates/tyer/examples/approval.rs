//! A human approval: a task for a group, taken by one of them; when nobody looks, it goes to the chief.
//!
//! `cargo run --example approval`

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tyer::{Engine, TaskFilter, TestClock};

/// What is handed in.
#[derive(Serialize)]
pub(crate) struct Expense {
    amount: u32,
}

/// What a person decides.
#[derive(Debug, Deserialize, Serialize, PartialEq)]
pub(crate) struct Decision {
    /// Is it paid?
    pub(crate) approved: bool,
}

/// The decisions on two expenses: one that a person in finance takes, one that nobody looks at in time.
pub(crate) async fn run() -> Result<Vec<Decision>, Box<dyn std::error::Error>> {
    // A clock that stands still, so that two days pass in no time; a real program leaves it out.
    let engine = Engine::memory().clock(TestClock::default()).await?;
    engine.deploy(include_str!("approval.bpmn")).await?;

    let small = engine.start("expense").variables(Expense { amount: 40 }).send().await?;
    let finance = TaskFilter { candidate_group: Some("finance".to_owned()), ..TaskFilter::default() };
    let task = engine.find_tasks(finance, None, 10).await?.remove(0).id();
    engine.claim_task(task, "anna").await?;
    engine.complete_task(task, Decision { approved: true }, Some("anna".to_owned())).await?;

    let big = engine.start("expense").variables(Expense { amount: 9_000 }).send().await?;
    engine.advance(Duration::from_secs(2 * 24 * 3_600)).await?;
    let chief = TaskFilter { assignee: Some("chief".to_owned()), ..TaskFilter::default() };
    let task = engine.find_tasks(chief, None, 10).await?.remove(0).id();
    engine.complete_task(task, Decision { approved: false }, Some("chief".to_owned())).await?;

    Ok(vec![small.finished().await?.read()?, big.finished().await?.read()?])
}

#[tokio::main]
#[allow(dead_code, reason = "the test of the examples calls `run`")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for decision in run().await? {
        eprintln!("{decision:?}");
    }
    Ok(())
}

//! The engine inside a program: a file, a process, a worker, an order that ends.
//!
//! `cargo run --example embed`

use serde_json::json;
use tyer::{Engine, Job};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::temp_dir().join(format!("tyer-embed-{}.db", std::process::id()));
    let engine = Engine::open(&file).await?;
    engine.deploy(include_str!("order.bpmn")).await?;
    engine.worker("charge-card", |job: Job| async move {
        eprintln!("charging {} (try {})", job.variables.get("amount").unwrap_or("nothing"), job.attempt);
        Ok(json!({ "charged": true }))
    });

    let order = engine.start("order").variables(json!({ "amount": 120 })).business_key("A-17").send().await?;
    let done = order.finished().await?;
    eprintln!("{} is {:?} with {}", order.id(), done.status, done.variables.to_json());

    for event in engine.history(order.id(), 0, 100).await? {
        eprintln!("{:>3} {} {}", event.seq, event.at, event.event);
    }
    engine.shutdown().await;
    Ok(())
}

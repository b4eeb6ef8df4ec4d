//! A parallel fan-out: one job for each element of a list, all at once, and the results as a list in the same order.
//!
//! `cargo run --example fan_out`

use serde::{Deserialize, Serialize};
use tyer::{Engine, WorkerOptions};

#[derive(Serialize)]
struct Request {
    suppliers: Vec<&'static str>,
}

/// What a job sees: its own element of the list.
#[derive(Deserialize)]
struct Ask {
    supplier: String,
}

#[derive(Serialize)]
struct Quote {
    price: usize,
}

#[derive(Deserialize)]
struct Quotes {
    prices: Vec<usize>,
}

/// A price of each supplier, in the order of the request.
pub(crate) async fn run() -> Result<Vec<usize>, Box<dyn std::error::Error>> {
    let engine = Engine::memory().await?;
    engine.deploy(include_str!("quotes.bpmn")).await?;
    let options = WorkerOptions::default().concurrency(8);
    engine.worker_with("ask-supplier", options, |ask: Ask| async move {
        Ok(Quote { price: 100 * ask.supplier.len() })
    });

    let suppliers = vec!["ada", "grace", "barbara"];
    let request = engine.start("quotes").variables(Request { suppliers }).send().await?;
    let quotes: Quotes = request.finished().await?.read()?;
    engine.shutdown().await;
    Ok(quotes.prices)
}

#[tokio::main]
#[allow(dead_code, reason = "the test of the examples calls `run`")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    eprintln!("{:?}", run().await?);
    Ok(())
}

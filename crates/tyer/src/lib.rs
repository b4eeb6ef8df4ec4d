//! Tyer is a BPMN 2.0 workflow engine that embeds like SQLite.
//!
//! Tokens move through a process graph; every step is durable before it is acknowledged.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tyer::{Engine, Job};
//!
//! let engine = Engine::memory().await?; // or Engine::open("orders.db"), or Engine::postgres(url)
//! engine.deploy(include_str!("../examples/order.bpmn")).await?;
//! engine.worker("charge-card", |_: Job| async { Ok(serde_json::json!({ "charged": true })) });
//! let order = engine.start("order").variables(serde_json::json!({ "amount": 120 })).send().await?;
//! let done = order.finished().await?;
//! assert_eq!(done.variables.get("charged"), Some("true"));
//! # Ok(()) }
//! ```
//!
//! The folder `examples` of this crate has a web program with the engine inside, a saga, a human approval, a parallel
//! fan-out and a test of a process. For tests of your own processes there are [`TestClock`] here, and fake workers and
//! stories of instances in the crate `tyer-testkit`.
#![deny(missing_docs)]

pub use tyer_runtime::*;

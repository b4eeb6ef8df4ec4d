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

pub use tyer_runtime::*;

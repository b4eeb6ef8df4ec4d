//! Lives on a store that fails: the real runtime, clients that retry, and an engine that dies in the middle of a write.
//!
//! Time is simulated throughout: the clock of the engine, and the pauses in which the runtime waits out an outage.
//!
//! **Invariant:** what a client was told is what has happened, once.
//! **Invariant:** when the store is well again, nothing is lost and nothing is stuck.

mod check;
mod client;
mod command;
mod engines;
mod fate;
mod ledger;
mod life;
mod request;
mod shelf;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::blueprint::Blueprint;
use crate::drive::Failure;
pub use command::command;
use life::Life;

/// How a life on a failing store went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreLife {
    /// Requests that were sent.
    pub requests: u32,
    /// Those that were acknowledged and leave a mark that was looked for.
    pub acknowledged: u64,
    /// Times that the engine died.
    pub crashes: u32,
    /// Writes that went wrong.
    pub faults: u64,
    /// Instances, called ones too.
    pub instances: u64,
    /// Instances that ended.
    pub ended: u64,
    /// Events in the stored histories.
    pub events: u64,
}

/// Lives the life of this process on a failing store under this seed.
///
/// # Errors
/// What may not be, with the requests that led there.
pub fn live_on_store(blueprint: &Blueprint, seed: u64, requests: u32) -> Result<StoreLife, Failure> {
    let mut script = Vec::new();
    let lived = catch_unwind(AssertUnwindSafe(|| Life::new(blueprint, seed, &mut script)?.live(requests)));
    let reason = match lived {
        Ok(Ok(life)) => return Ok(life),
        Ok(Err(reason)) => reason,
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            format!("a panic: {}", said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default())
        }
    };
    Err(Failure { reason, script })
}

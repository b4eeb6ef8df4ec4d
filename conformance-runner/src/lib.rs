//! Suites that others have written, run against Tyer: one runner, one report.
//!
//! **Invariant:** every failing case is shown with what was expected and what came; no case is skipped in silence.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a value of FEEL is one of a few kinds here, and the rest is one case"
)]

pub mod report;
pub mod suites;
#[allow(
    dead_code,
    unreachable_pub,
    clippy::collapsible_if,
    reason = "the world of the test kit, without the runtime that the kit's own crate brings along"
)]
#[path = "../../crates/testkit/src/world.rs"]
mod world;

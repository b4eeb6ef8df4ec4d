//! Suites that others have written, run against Tyer: one runner, one report.
//!
//! **Invariant:** every failing case is shown with what was expected and what came; no case is skipped in silence.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a value of FEEL is one of a few kinds here, and the rest is one case"
)]

pub mod report;
pub mod suites;
use tyer_testkit::world;

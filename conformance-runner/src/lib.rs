//! Suites that others have written, run against Tyer: one runner, one report.
//!
//! **Invariant:** every failing case is shown with what was expected and what came; no case is skipped in silence.

pub mod report;
pub mod suites;

//! The simulation: processes from seeds, and a second token game that judges what an engine made of them.
//!
//! | | |
//! |---|---|
//! | [`random`] | the same numbers on every machine |
//! | [`blueprint`] | a process in no notation |
//! | [`mod@generate`] | seed → blueprint |
//! | [`bpmn`] | blueprint → BPMN 2.0 XML |
//! | [`oracle`] | what an engine may do with it |
//! | [`faults`] | lives on a store that fails, in an engine that dies |
//! | [`mod@shrink`] | the smallest process that still fails |
//!
//! **Invariant:** nothing here knows the engine: what both believe, both have read in the BPMN text.

pub mod blueprint;
pub mod bpmn;
pub mod drive;
pub mod faults;
pub mod generate;
pub mod oracle;
pub mod random;
pub mod shrink;

use tyer_testkit::world;

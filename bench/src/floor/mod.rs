//! The floor: what the storage allows. A program without an engine writes the rows.
//!
//! *Own rows* writes exactly the rows that the engine writes, taken from a recording. *Thin* writes a fixed, smaller
//! set (one instance row, one row of variables, a packed history row per turn), the same for every engine.

pub mod rows;
pub mod sqlite;

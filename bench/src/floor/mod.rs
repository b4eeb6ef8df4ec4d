//! The floor: what the storage allows. A program without an engine writes the rows.
//!
//! *Own rows* writes exactly the rows that the engine writes, taken from a recording. *Thin* writes a fixed, smaller
//! set (one instance row, one row of variables, a packed history row per turn), the same for every engine.

pub(crate) mod postgres;
pub(crate) mod rows;
pub(crate) mod sqlite;

/// Two events a turn, as the thin floor has it.
const THIN_EVENTS: &str = r#"[{"type":"job.completed","token":1,"node":"first"},{"type":"node.started","token":1,"node":"second"}]"#;

/// Ids as the engine makes them: time-ordered integers.
fn id(at: u64) -> i64 {
    (900_000_000_000_000_000 + (at << 12)).cast_signed()
}

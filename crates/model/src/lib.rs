//! BPMN XML to a compiled, validated, immutable [`Process`].
//!
//! **Invariant:** pure: no clock, no IO, no randomness.

mod import;
mod problem;
mod process;
mod reach;

pub use import::{Imported, import};
pub use problem::{Code, Problem, Problems, Severity};
pub use process::{
    Backoff, Flow, FlowIx, JobSpec, Node, NodeIx, NodeKind, Parts, Process, Text, TimerSpec, UserSpec,
};

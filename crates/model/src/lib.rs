//! BPMN XML to a compiled, validated, immutable [`Process`].
//!
//! **Invariant:** pure: no clock, no IO, no randomness.

mod process;
mod reach;

pub use process::{
    Backoff, Flow, FlowIx, JobSpec, Node, NodeIx, NodeKind, Parts, Process, Text, TimerSpec, UserSpec,
};

//! BPMN XML to a compiled, validated, immutable [`Process`].
//!
//! **Invariant:** pure: no clock, no IO, no randomness.

mod check;
mod code;
mod cron;
mod definitions;
mod diff;
mod export;
mod import;
mod json;
mod namespace;
mod problem;
mod process;
mod reach;
mod report;
mod schema;
mod time;

pub use code::{Code, Deployment};
pub use cron::Cron;
pub use definitions::{Definitions, Reference};
pub use diff::{Detail, Difference, ElementChange, Kind as ChangeKind};
pub use export::Change;
pub use import::{ExtensionUse, Fate, Imported, import};
pub use json::{NODE_TYPES, import_json};
pub use problem::{Problem, Problems, Severity};
pub use process::{
    AdHoc, Backoff, Behaviour, Binding, Body, Boundary, BranchMerge, CallSpec, Caught, ConditionSpec, Count,
    Declared, Flow, FlowIx, Gathered, InFlight, JobSpec, Mapping, MergeMode, MessageSpec, Multi, Node,
    NodeIx, NodeKind, OnFailure, Parts, Process, Repeat, Saga, ScriptSpec, SubProcess, SubProcessKind, Text,
    Throw, TimerSpec, Trigger, Triggers, UserSpec,
};
pub use report::Strictness;

//! DMN decisions on FEEL: XML in, [`DecisionModel`] out, evaluated as often as wanted.
//!
//! **Invariant:** pure, as `tyer-feel` is.
//! **Invariant:** every boxed expression becomes one FEEL tree, so that scopes, limits and warnings are those of FEEL.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "as in tyer-feel: a few types are taken, all others are null"
)]

mod boxed;
mod definitions;
mod evaluate;
mod graph;
mod import;
mod item;
mod model;
mod problem;
mod service;
mod source;
mod table;

pub use evaluate::{Audit, Outcome};
pub use model::{DecisionModel, Element, ElementKind};
pub use problem::{Problem, Severity};

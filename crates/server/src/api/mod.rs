//! The calls, one file per noun.

pub(crate) mod actions;
pub(crate) mod control;
pub(crate) mod deployments;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod incidents;
pub(crate) mod instances;
pub(crate) mod jobs;
pub(crate) mod looks;
pub(crate) mod messages;
pub(crate) mod search;
pub(crate) mod sinks;
pub(crate) mod tasks;
pub(crate) mod workflows;

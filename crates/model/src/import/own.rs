//! What only the `tyer:` vocabulary can say: merge modes, sagas, failures, branch scopes.

use std::sync::Arc;

use tyer_xml::Element;

use super::context::{Context, words};
use crate::namespace::TYER;
use crate::process::{Body, BranchMerge, InFlight, MergeMode, Node, OnFailure, Saga};

const MERGE_MODES: [(&str, MergeMode); 5] = [
    ("converge", MergeMode::Converge),
    ("merge", MergeMode::Merge),
    ("stream", MergeMode::Stream),
    ("race", MergeMode::Race),
    ("cascade", MergeMode::Cascade),
];
const SAGAS: [(&str, Saga); 3] = [("none", Saga::None), ("local", Saga::Local), ("global", Saga::Global)];
const IN_FLIGHT: [(&str, InFlight); 2] = [("wait", InFlight::Wait), ("terminate", InFlight::Terminate)];
const ON_FAILURE: [(&str, OnFailure); 2] = [("incident", OnFailure::Incident), ("fail", OnFailure::Fail)];
const BRANCH_SCOPES: [(&str, BranchMerge); 3] = [
    ("overwrite", BranchMerge::Overwrite),
    ("collect", BranchMerge::Collect),
    ("strict", BranchMerge::Strict),
];

/// The attributes, for the report on extensions.
pub(super) const ATTRIBUTES: [&str; 12] = [
    "mergeMode",
    "saga",
    "sagaInFlight",
    "onFailure",
    "catchFailure",
    "branchScope",
    "masked",
    "indexed",
    "versionTag",
    "errorCodeVariable",
    "errorMessageVariable",
    "escalationCodeVariable",
];

/// What several incoming flows mean.
pub(super) fn merge_mode(element: Element<'_>, context: &mut Context<'_, '_>) -> Option<MergeMode> {
    context.word(element, "mergeMode", &MERGE_MODES)
}

/// Fills in what a node says.
pub(super) fn of_node(element: Element<'_>, node: &mut Node, context: &mut Context<'_, '_>) {
    node.merge = merge_mode(element, context);
    // A sub-process says it for its inside.
    if node.body().is_none() {
        node.on_failure = context.word(element, "onFailure", &ON_FAILURE);
    }
    node.branch_scope = context.word(element, "branchScope", &BRANCH_SCOPES);
}

/// Fills in what a process or sub-process says; what it does not say about failures is as around it.
pub(super) fn of_scope(
    element: Element<'_>,
    around: Option<(InFlight, OnFailure)>,
    body: &mut Body,
    context: &mut Context<'_, '_>,
) {
    body.saga = context.word(element, "saga", &SAGAS).unwrap_or_default();
    let in_flight = context.word(element, "sagaInFlight", &IN_FLIGHT);
    body.in_flight = in_flight.or(around.map(|(in_flight, _)| in_flight)).unwrap_or_default();
    let on_failure = context.word(element, "onFailure", &ON_FAILURE);
    body.on_failure = on_failure.or(around.map(|(_, on_failure)| on_failure)).unwrap_or_default();
    let names = |attribute| element.attribute_ns(TYER, attribute).unwrap_or_default();
    body.masked = words(names("masked")).map(Arc::from).collect();
    body.indexed = words(names("indexed")).map(Arc::from).collect();
}

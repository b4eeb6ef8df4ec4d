//! Data objects, properties, inputs and outputs: under which names they are variables.
//!
//! **Invariant:** a data object that has neither a name nor a type is part of the picture, not of the process.

use std::collections::HashSet;
use std::sync::Arc;

use tyer_xml::Element;

use super::context::Context;
use super::{expression, mapping};
use crate::namespace::{BPMN, bpmn_children};
use crate::process::{Mapping, Text};

/// What modelling tools write where a data association must end somewhere.
const PLACEHOLDERS: [&str; 2] = ["__targetRef_placeholder", "__sourceRef_placeholder"];

/// The variable that holds some data; none = it is only drawn, or kept in a data store.
pub(super) fn variable<'d>(data: Element<'d>, context: &Context<'_, 'd>) -> Option<&'d str> {
    let written = |name: &str| data.attribute(name).map(str::trim).filter(|written| !written.is_empty());
    let is_typed = || data.attribute("itemSubjectRef").is_some();
    match data.local_name() {
        "dataObjectReference" => match context.target(data, "dataObjectRef") {
            Some(object) if object.is(BPMN, "dataObject") => variable(object, context),
            _ => None,
        },
        "dataObject" => written("name").or_else(|| written("id").filter(|_| is_typed())),
        "property" | "dataInput" | "dataOutput" | "inputDataItem" | "outputDataItem" => {
            written("name").or_else(|| written("id")).filter(|name| !PLACEHOLDERS.contains(name))
        }
        _ => None,
    }
}

/// Data objects and properties of a process or sub-process: empty at its beginning.
pub(super) fn of_scope<'d>(scope: Element<'d>, context: &Context<'_, 'd>) -> Vec<Mapping> {
    let is_data = |child: &Element<'_>| child.is(BPMN, "dataObject") || child.is(BPMN, "property");
    let mut seen = HashSet::new();
    let names = scope.children().filter(is_data).filter_map(|data| variable(data, context));
    names.filter(|name| seen.insert(*name)).map(empty).collect()
}

/// Properties of an activity or event: empty when it is entered.
pub(super) fn properties<'d>(node: Element<'d>, context: &Context<'_, 'd>) -> Vec<Mapping> {
    bpmn_children(node, "property").filter_map(|property| variable(property, context)).map(empty).collect()
}

fn empty(name: &str) -> Mapping {
    mapping::to(Text::Expression(expression::null()), name)
}

/// So many names with blanks are looked for in expressions; more are only for a machine to write.
const MOST_NAMES: usize = 1_000;

/// Lets expressions use the name of some data though it has blanks in it.
pub(super) fn declare(element: Element<'_>, context: &mut Context<'_, '_>) {
    let is_data = matches!(
        element.local_name(),
        "dataObject" | "property" | "dataInput" | "dataOutput" | "inputDataItem" | "outputDataItem"
    );
    let name = element.attribute("name").map(str::trim).filter(|name| is_data && name.contains(' '));
    if let Some(name) = name.filter(|_| context.declared < MOST_NAMES) {
        context.declared += 1;
        context.names.declare_property(name);
    }
}

/// Where the collection of a multi-instance activity comes from: what its data input is filled with, or the data itself.
pub(super) fn outside<'d>(
    activity: Element<'d>,
    data: Element<'d>,
    context: &Context<'_, 'd>,
) -> Option<Arc<str>> {
    let ends = [
        ("dataInputAssociation", "targetRef", "sourceRef"),
        ("dataOutputAssociation", "sourceRef", "targetRef"),
    ];
    let other = ends.iter().find_map(|(association, inner, outer)| {
        let mut found = bpmn_children(activity, association);
        let association = found.find(|found| context.named(*found, inner) == Some(data))?;
        context.named(association, outer)
    });
    variable(other.unwrap_or(data), context).map(Arc::from)
}

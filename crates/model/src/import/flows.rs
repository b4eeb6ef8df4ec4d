//! Sequence flows: from where to where, under which condition.
//!
//! **Invariant:** a flow that is compiled begins and ends at compiled nodes.

use std::collections::HashMap;

use tyer_xml::Element;

use super::expression;
use crate::namespace::bpmn_children;
use crate::process::{Flow, NodeIx};
use crate::report::Report;

/// Where the nodes of a process stand; a node that was refused has no position.
pub(crate) type Places<'d> = HashMap<&'d str, Option<NodeIx>>;

/// The flows of a process with their elements, in document order.
pub(crate) fn compile<'d>(
    process: Element<'d>,
    places: &Places<'_>,
    report: &mut Report,
) -> Vec<(Element<'d>, Flow)> {
    let mut flows = Vec::new();
    for element in bpmn_children(process, "sequenceFlow") {
        // Ends that are not there have been reported with the other references.
        let end = |name| element.attribute(name).and_then(|id| places.get(id.trim()).copied().flatten());
        let (source, target) = (end("sourceRef"), end("targetRef"));
        let condition = bpmn_children(element, "conditionExpression")
            .next()
            .and_then(|written| expression::condition(written, element, report));
        if let (Some(source), Some(target)) = (source, target) {
            let id = element.attribute("id").map_or_else(|| name_of(element), str::to_owned);
            flows.push((element, Flow { id, source, target, condition }));
        }
    }
    flows
}

/// What a flow without id is called: no two flows can have the same place in the file.
fn name_of(element: Element<'_>) -> String {
    let end = |name| element.attribute(name).unwrap_or_default();
    let position = element.position();
    format!("{}-{}@{}:{}", end("sourceRef"), end("targetRef"), position.line, position.column)
}

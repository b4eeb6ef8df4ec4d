//! Sequence flows: from where to where, under which condition.
//!
//! **Invariant:** a flow that is compiled begins and ends at compiled nodes.

use std::collections::HashMap;

use tyer_xml::Element;

use super::expression;
use super::namespace::bpmn_children;
use super::report::{Report, label};
use crate::problem::Code;
use crate::process::{Flow, NodeIx};

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
        let source = end(element, "sourceRef", places, report);
        let target = end(element, "targetRef", places, report);
        let condition = bpmn_children(element, "conditionExpression")
            .next()
            .and_then(|written| expression::condition(written, element, report));
        if let (Some(source), Some(target)) = (source, target) {
            let id = element
                .attribute("id")
                .map_or_else(|| name_of(element), str::to_owned);
            flows.push((
                element,
                Flow {
                    id,
                    source,
                    target,
                    condition,
                },
            ));
        }
    }
    flows
}

/// What a flow without id is called: no two flows can have the same place in the file.
fn name_of(element: Element<'_>) -> String {
    let end = |name| element.attribute(name).unwrap_or_default();
    let position = element.position();
    format!(
        "{}-{}@{}:{}",
        end("sourceRef"),
        end("targetRef"),
        position.line,
        position.column
    )
}

fn end(flow: Element<'_>, name: &'static str, places: &Places<'_>, report: &mut Report) -> Option<NodeIx> {
    match flow.attribute(name) {
        None => {
            let message = format!("{} has no {name}", label(flow));
            report.error(
                Code::ReferenceUnknown,
                flow,
                message,
                "connect both ends of the flow",
            );
            None
        }
        Some(id) => match places.get(id) {
            Some(place) => *place,
            None => {
                let message = format!(
                    "{name} of {} names `{id}`, which is no node of this process",
                    label(flow)
                );
                report.error(
                    Code::ReferenceUnknown,
                    flow,
                    message,
                    "connect both ends of the flow",
                );
                None
            }
        },
    }
}

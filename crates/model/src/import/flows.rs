//! Sequence flows: from where to where, under which condition.
//!
//! **Invariant:** a flow that is compiled begins and ends at nodes of the same process.

use tyer_xml::Element;

use super::context::Context;
use super::expression;
use crate::namespace::bpmn_children;
use crate::process::Flow;

/// What a sequence flow says; `None` if an end of it is not there, which has been reported with the other references.
pub(super) fn compile<'d>(element: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Flow> {
    let end = |name| context.target(element, name).and_then(|node| context.place(node));
    let (source, target) = (end("sourceRef"), end("targetRef"));
    let condition = bpmn_children(element, "conditionExpression")
        .next()
        .and_then(|written| expression::condition(written, element, context));
    let id = element.attribute("id").map_or_else(|| name_of(element), |id| id.trim().to_owned());
    Some(Flow { id, source: source?, target: target?, condition })
}

/// What a flow without id is called: no two flows can have the same place in the file.
fn name_of(element: Element<'_>) -> String {
    let end = |name| element.attribute(name).unwrap_or_default();
    let position = element.position();
    format!("{}-{}@{}:{}", end("sourceRef"), end("targetRef"), position.line, position.column)
}

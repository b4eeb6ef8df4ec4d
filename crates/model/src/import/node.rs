//! Flow nodes: which elements are executed, and as what.
//!
//! **Invariant:** every BPMN flow node is either compiled or refused by name.

use tyer_xml::Element;

use super::context::{Context, is_true};
use super::message::Side;
use super::{event, mapping, own, repeat, sub_process, task};
use crate::namespace::{BPMN, TYER};
use crate::process::{Node, NodeIx, NodeKind};
use crate::report::Report;

/// Flow nodes that BPMN defines, by the names of their elements.
const FLOW_NODES: [&str; 27] = [
    "startEvent",
    "endEvent",
    "intermediateCatchEvent",
    "intermediateThrowEvent",
    "boundaryEvent",
    "task",
    "manualTask",
    "serviceTask",
    "sendTask",
    "receiveTask",
    "userTask",
    "scriptTask",
    "businessRuleTask",
    "callActivity",
    "subProcess",
    "adHocSubProcess",
    "transaction",
    "exclusiveGateway",
    "parallelGateway",
    "inclusiveGateway",
    "complexGateway",
    "eventBasedGateway",
    "choreographyTask",
    "subChoreography",
    "callChoreography",
    "event",
    "implicitThrowEvent",
];

/// Whether an element is a flow node of BPMN.
pub(super) fn is_flow_node(element: Element<'_>) -> bool {
    element.name().namespace == BPMN && FLOW_NODES.contains(&element.local_name())
}

/// Compiles a flow node; its flows come later.
pub(super) fn compile<'d>(
    element: Element<'d>,
    id: String,
    parent: Option<NodeIx>,
    context: &mut Context<'_, 'd>,
) -> Node {
    let mut node = Node::new(id, kind(element, parent, context));
    node.name = element.attribute("name").map(str::to_owned);
    node.parent = parent;
    let name = element.local_name();
    if !name.ends_with("Event") && !name.ends_with("Gateway") {
        node.repeat = repeat::compile(element, context);
        node.for_compensation = is_true(element, "isForCompensation");
        node.start_quantity = quantity(element, "startQuantity");
        node.completion_quantity = quantity(element, "completionQuantity");
    }
    mapping::compile(element, &mut node, context);
    if element.attributes().any(|attribute| attribute.name.namespace == TYER) {
        own::of_node(element, &mut node, context);
    }
    node
}

fn kind<'d>(element: Element<'d>, parent: Option<NodeIx>, context: &mut Context<'_, 'd>) -> NodeKind {
    if let Some(task) = task::compile(element, context) {
        return task;
    }
    match element.local_name() {
        "startEvent" => {
            let side = if parent.is_none() { Side::Begins } else { Side::Receives };
            NodeKind::Start(event::triggers(element, side, context))
        }
        "endEvent" => NodeKind::End(event::throws(element, context)),
        "intermediateCatchEvent" => NodeKind::Catch(event::triggers(element, Side::Receives, context)),
        "intermediateThrowEvent" => event::throwing(element, context),
        "boundaryEvent" => event::boundary(element, context),
        "subProcess" | "transaction" | "adHocSubProcess" => sub_process::compile(element, context),
        "exclusiveGateway" => NodeKind::Exclusive,
        "parallelGateway" => NodeKind::Parallel,
        "inclusiveGateway" => NodeKind::Inclusive,
        "complexGateway" => {
            NodeKind::Complex { activation: repeat::child(element, "activationCondition", element, context) }
        }
        "eventBasedGateway" => NodeKind::EventBased {
            instantiate: is_true(element, "instantiate"),
            parallel: element.attribute("eventGatewayType").map(str::trim) == Some("Parallel"),
        },
        _ => {
            context.refuse(element, "");
            NodeKind::Pass
        }
    }
}

/// What is less than one or no number has been refused by the check.
fn quantity(element: Element<'_>, attribute: &str) -> u32 {
    element.attribute(attribute).and_then(|written| written.trim().parse().ok()).unwrap_or(1)
}

/// The id of an element. One without is known by its place: it stays the same as long as the file does.
pub(super) fn identified(element: Element<'_>, report: &mut Report) -> String {
    if let Some(id) = element.attribute("id").map(str::trim).filter(|id| !id.is_empty()) {
        return id.to_owned();
    }
    let (name, position) = (element.local_name(), element.position());
    report.found(crate::code::Code::IdMissing, element, || format!("{name} has no id"));
    format!("{name}@{}:{}", position.line, position.column)
}

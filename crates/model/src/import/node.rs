//! Flow nodes: which elements are executed, and as what.
//!
//! **Invariant:** every BPMN flow node is either compiled or refused by name.

use tyer_xml::Element;

use super::{extension as extension_check, job, timer, user};
use crate::code::Code;
use crate::namespace::{BPMN, ZEEBE, bpmn_children, extension};
use crate::process::{NodeKind, Trigger, Triggers};
use crate::report::{Report, label};

/// Flow nodes that BPMN defines, by the names of their elements.
const FLOW_NODES: [&str; 26] = [
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
];

/// Whether an element is a flow node of BPMN.
pub(crate) fn is_flow_node(element: Element<'_>) -> bool {
    element.name().namespace == BPMN && FLOW_NODES.contains(&element.local_name())
}

/// What a flow node does; `None` when it has been refused.
pub(crate) fn compile(element: Element<'_>, report: &mut Report) -> Option<NodeKind> {
    extension_check::check(element, report);
    if let Some(marker) = marker(element) {
        refuse(element, &format!(" with {marker}"), report);
        return None;
    }
    match element.local_name() {
        "startEvent" => without_trigger(element, NodeKind::Start(Triggers::default()), report),
        "endEvent" => without_trigger(element, NodeKind::End(Vec::new()), report),
        "task" | "manualTask" => Some(NodeKind::Pass),
        "serviceTask" | "sendTask" => job::compile(element, report).map(NodeKind::Job),
        "scriptTask" if says_no_job(element) => refuse(element, " that runs its script itself", report),
        "businessRuleTask" if says_no_job(element) => refuse(element, " that decides itself", report),
        "scriptTask" | "businessRuleTask" => job::compile(element, report).map(NodeKind::Job),
        "userTask" => user::compile(element, report).map(NodeKind::User),
        "exclusiveGateway" => Some(NodeKind::Exclusive),
        "parallelGateway" => Some(NodeKind::Parallel),
        "intermediateCatchEvent" => catch(element, report),
        _ => refuse(element, "", report),
    }
}

fn refuse(element: Element<'_>, what: &str, report: &mut Report) -> Option<NodeKind> {
    let message = || format!("{}{what} is not executed", label(element));
    report.error(Code::ElementNotExecutable, element, message(), "model it with elements that are");
    None
}

fn marker(element: Element<'_>) -> Option<&'static str> {
    if bpmn_children(element, "multiInstanceLoopCharacteristics").next().is_some() {
        return Some("a multi-instance marker");
    }
    if bpmn_children(element, "standardLoopCharacteristics").next().is_some() {
        return Some("a loop marker");
    }
    (element.attribute("isForCompensation") == Some("true")).then_some("a compensation marker")
}

/// Script and business rule tasks are jobs only when they say so.
fn says_no_job(element: Element<'_>) -> bool {
    use crate::namespace::{TYER, mapped_attribute};
    let named =
        ["topic", "class", "delegateExpression"].iter().any(|name| mapped_attribute(element, name).is_some());
    !named
        && extension(element, ZEEBE, "taskDefinition").is_none()
        && extension(element, TYER, "job").is_none()
}

fn triggers<'d>(event: Element<'d>) -> Vec<Element<'d>> {
    let is_trigger = |child: &Element<'_>| {
        let name = child.name();
        name.namespace == BPMN
            && (name.local.ends_with("EventDefinition") || name.local == "eventDefinitionRef")
    };
    event.children().filter(is_trigger).collect()
}

fn without_trigger(event: Element<'_>, kind: NodeKind, report: &mut Report) -> Option<NodeKind> {
    match triggers(event).first() {
        None => Some(kind),
        Some(trigger) => refuse(event, &format!(" with {}", trigger.local_name()), report),
    }
}

fn catch(event: Element<'_>, report: &mut Report) -> Option<NodeKind> {
    match triggers(event)[..] {
        [trigger] if trigger.local_name() == "timerEventDefinition" => timer::compile(trigger, event, report)
            .map(|timer| NodeKind::Catch(Triggers { any: vec![Trigger::Timer(timer)], all: false })),
        [] => refuse(event, " without a trigger", report),
        [trigger] => refuse(event, &format!(" with {}", trigger.local_name()), report),
        _ => refuse(event, " with several triggers", report),
    }
}

//! Sequence flows and gateways: where flows may begin and end, and what gateways need.

use tyer_xml::Element;

use super::view::{View, child, is_true};
use crate::code::Code;
use crate::report::{Report, Strictness, label};
use crate::schema::Family;

/// Checks a sequence flow, a gateway, or the flows of a node.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, kind: &str, report: &mut Report) {
    if kind == "sequenceFlow" {
        sequence_flow(view, element, report);
    }
    if view.is_a(element, &[Family::FlowNode]) {
        default_flow(view, element, report);
    }
    // The rest is the letter of BPMN; execution does without.
    if report.strictness() == Strictness::Deployment {
        return;
    }
    if view.is_a(element, &[Family::FlowNode]) {
        connections(view, element, report);
    }
    if view.is_a(element, &[Family::Gateway]) {
        gateway(view, element, report);
    }
}

fn sequence_flow<'d>(view: &View<'d>, flow: Element<'d>, report: &mut Report) {
    let source = view.target(flow, "sourceRef").filter(|source| view.is_a(*source, &[Family::FlowNode]));
    let target = view.target(flow, "targetRef").filter(|target| view.is_a(*target, &[Family::FlowNode]));
    let ends = [(source, "outgoing"), (target, "incoming")];
    for (node, list) in ends.iter().filter_map(|(node, list)| node.map(|node| (node, *list))) {
        if view.is_a(node, &[Family::SubProcess]) && is_true(node, "triggeredByEvent") {
            report.found(Code::EventSubProcessFlow, flow, || {
                format!("{} connects the event {}", label(flow), label(node))
            });
        }
        let strict = report.strictness() == Strictness::Specification;
        if strict && flow.attribute("id").is_some() && !view.lists(node, list, flow) {
            let message = || format!("{} does not list {} as {list}", label(node), label(flow));
            report.found(Code::FlowNotListed, flow, message);
        }
    }
    if let (Some(source), Some(target)) = (source, target)
        && source.parent() != target.parent()
    {
        let message = || {
            format!("{} leads from {} into another scope, to {}", label(flow), label(source), label(target))
        };
        report.found(Code::FlowCrossesScope, flow, message);
    }
    if flow.attribute("isImmediate") == Some("false") && view.is_executable(flow) {
        report.found(Code::FlowNotImmediate, flow, || format!("{} is not immediate", label(flow)));
    }
    if let Some(source) = source.filter(|_| child(flow, "conditionExpression").is_some()) {
        conditional(view, flow, source, report);
    }
}

fn conditional<'d>(view: &View<'d>, flow: Element<'d>, source: Element<'d>, report: &mut Report) {
    let alone = view.flows_from(source).len() < 2;
    if !view.is_a(source, &[Family::Gateway]) && (alone || !view.is_a(source, &[Family::Activity])) {
        let message = || format!("{} is the only way out of {}, and conditional", label(flow), label(source));
        report.found(Code::ConditionalFlowAlone, flow, message);
    }
}

fn default_flow<'d>(view: &View<'d>, node: Element<'d>, report: &mut Report) {
    let Some(flow) = view.target(node, "default").filter(|flow| view.is_a(*flow, &[Family::SequenceFlow]))
    else {
        return;
    };
    if view.target(flow, "sourceRef") != Some(node) {
        let message = || format!("default of {} is {}, which begins elsewhere", label(node), label(flow));
        report.found(Code::DefaultFlowElsewhere, node, message);
    }
}

/// BPMN 2.0.2 §10.2.1: with a start event every node needs an incoming flow, with an end event an outgoing one.
fn connections<'d>(view: &View<'d>, node: Element<'d>, report: &mut Report) {
    let Some(scope) = node.parent().filter(|scope| view.is_a(*scope, &[Family::Process, Family::SubProcess]))
    else {
        return;
    };
    let exempt = is_true(node, "isForCompensation")
        || is_true(node, "triggeredByEvent")
        || is_true(node, "instantiate")
        || view.is_a(node, &[Family::StartEvent, Family::EndEvent, Family::BoundaryEvent]);
    if exempt {
        return;
    }
    let link = |event: Family| view.is_a(node, &[event]) && view.has_trigger(node, &["linkEventDefinition"]);
    let always = view.is_a(node, &[Family::IntermediateCatchEvent, Family::IntermediateThrowEvent]);
    let needs_incoming = (always || view.has_start(scope)) && !link(Family::IntermediateCatchEvent);
    let needs_outgoing = (always || view.has_end(scope)) && !link(Family::IntermediateThrowEvent);
    if needs_incoming && !view.is_entered(node) {
        report.found(Code::NodeNotConnected, node, || format!("{} has no incoming flow", label(node)));
    }
    if needs_outgoing && !view.is_left(node) {
        report.found(Code::NodeNotConnected, node, || format!("{} has no outgoing flow", label(node)));
    }
}

fn gateway<'d>(view: &View<'d>, gateway: Element<'d>, report: &mut Report) {
    let (ways_in, ways_out) = (view.flows_to(gateway).len(), view.flows_from(gateway).len());
    let fits = match gateway.attribute("gatewayDirection") {
        Some("Converging") => ways_out <= 1,
        Some("Diverging") => ways_in <= 1,
        Some("Mixed") => ways_in > 1 && ways_out > 1,
        _ => true,
    };
    if !fits {
        let message = || format!("{} has {ways_in} ways in and {ways_out} ways out", label(gateway));
        report.found(Code::GatewayDirection, gateway, message);
    }
    if ways_in < 2 && ways_out < 2 {
        let message = || format!("{} has at most one way in and one way out", label(gateway));
        report.found(Code::GatewayWithoutBranches, gateway, message);
    }
}

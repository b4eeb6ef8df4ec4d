//! Event-based gateways: they lead to events that wait, and to nothing else.

use tyer_xml::Element;

use super::view::{View, child, is_true};
use crate::code::Code;
use crate::report::{Report, label};
use crate::schema::Family;

/// What an event-based gateway may lead to, besides receive tasks.
const WAITING: [&str; 4] =
    ["messageEventDefinition", "signalEventDefinition", "timerEventDefinition", "conditionalEventDefinition"];

/// Checks an event-based gateway.
pub(super) fn check<'d>(view: &View<'d>, gateway: Element<'d>, kind: &str, report: &mut Report) {
    if kind != "eventBasedGateway" {
        return;
    }
    let flows = view.flows_from(gateway);
    if flows.len() < 2 {
        let message = || format!("{} has {} ways out", label(gateway), flows.len());
        report.found(Code::EventGatewayFlows, gateway, message);
    }
    if is_true(gateway, "instantiate") && !view.flows_to(gateway).is_empty() {
        let message = || format!("{} starts the process and has an incoming flow", label(gateway));
        report.found(Code::InstantiatingHasIncoming, gateway, message);
    }
    for flow in flows.iter().filter(|flow| child(**flow, "conditionExpression").is_some()) {
        let message = || format!("{} behind {} has a condition", label(*flow), label(gateway));
        report.found(Code::EventGatewayCondition, *flow, message);
    }
    let targets: Vec<_> = flows.iter().filter_map(|flow| view.target(*flow, "targetRef")).collect();
    for target in &targets {
        waiting(view, gateway, *target, report);
    }
    let any = |wanted: &dyn Fn(Element<'d>) -> bool| targets.iter().any(|target| wanted(*target));
    let receives = any(&|target| view.is_a(target, &[Family::ReceiveTask]));
    let catches = any(&|target| {
        is_waiting_event(view, target) && view.has_trigger(target, &["messageEventDefinition"])
    });
    if receives && catches {
        let message = || format!("{} leads to message events and receive tasks", label(gateway));
        report.found(Code::EventGatewayMix, gateway, message);
    }
}

fn waiting<'d>(view: &View<'d>, gateway: Element<'d>, target: Element<'d>, report: &mut Report) {
    if !view.is_a(target, &[Family::ReceiveTask]) && !is_waiting_event(view, target) {
        let message = || format!("{} leads to {}", label(gateway), label(target));
        report.found(Code::EventGatewayTarget, gateway, message);
    }
    if view.flows_to(target).len() > 1 {
        let message = || format!("{} behind {} has several incoming flows", label(target), label(gateway));
        report.found(Code::EventGatewayIncoming, target, message);
    }
    if view.is_a(target, &[Family::ReceiveTask]) && !view.boundaries_of(target).is_empty() {
        let message = || format!("{} behind {} has boundary events", label(target), label(gateway));
        report.found(Code::EventGatewayBoundary, target, message);
    }
}

fn is_waiting_event<'d>(view: &View<'d>, target: Element<'d>) -> bool {
    let triggers = view.triggers(target);
    let all_wait = triggers.iter().all(|trigger| WAITING.contains(&trigger.local_name()));
    view.is_a(target, &[Family::IntermediateCatchEvent]) && !triggers.is_empty() && all_wait
}

//! Boundary events: triggers, flows, and handlers of compensation.

use tyer_xml::Element;

use super::view::{View, is_false, is_true};
use crate::code::Code;
use crate::report::{Report, label};
use crate::schema::Family;

/// Checks a boundary event.
pub(super) fn check<'d>(view: &View<'d>, event: Element<'d>, kind: &str, report: &mut Report) {
    if kind != "boundaryEvent" {
        return;
    }
    triggers(view, event, report);
    if !view.flows_to(event).is_empty() {
        report.found(Code::BoundaryHasIncoming, event, || format!("{} has an incoming flow", label(event)));
    }
    if view.has_trigger(event, &["compensateEventDefinition"]) {
        compensation(view, event, report);
    } else if view.flows_from(event).is_empty() {
        report
            .found(Code::BoundaryWithoutOutgoing, event, || format!("{} has no outgoing flow", label(event)));
    }
    let host = view.target(event, "attachedToRef");
    let at_transaction = host.is_some_and(|host| view.is_a(host, &[Family::Transaction]));
    if view.has_trigger(event, &["cancelEventDefinition"]) && !at_transaction {
        let message = || format!("{} waits for a cancel, but not at a transaction", label(event));
        report.found(Code::CancelOutsideTransaction, event, message);
    }
}

fn triggers<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let triggers = view.triggers(event);
    if triggers.is_empty() {
        report.found(Code::BoundaryTriggerNotAllowed, event, || format!("{} has no trigger", label(event)));
    }
    let never = ["linkEventDefinition", "terminateEventDefinition"];
    let only_interrupting = ["errorEventDefinition", "cancelEventDefinition", "compensateEventDefinition"];
    let goes_on = is_false(event, "cancelActivity");
    for trigger in triggers {
        let name = trigger.local_name();
        if never.contains(&name) || goes_on && only_interrupting.contains(&name) {
            let how = if goes_on { "does not interrupt and " } else { "" };
            report.found(Code::BoundaryTriggerNotAllowed, event, || {
                format!("{} {how}has a {name}", label(event))
            });
        }
    }
}

/// BPMN 2.0.2 §10.7: the handler hangs on an association, not on a flow.
fn compensation<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    if !view.flows_from(event).is_empty() {
        report.found(Code::CompensationFlow, event, || format!("{} has an outgoing flow", label(event)));
    }
    let handlers =
        view.associations_from(event).iter().filter_map(|association| view.target(*association, "targetRef"));
    let mut handlers = handlers.filter(|handler| view.is_a(*handler, &[Family::Activity])).peekable();
    if handlers.peek().is_none() {
        report.found(Code::CompensationHandler, event, || format!("{} has no handler", label(event)));
    } else if handlers.all(|handler| !is_true(handler, "isForCompensation")) {
        let message = || format!("handler of {} is not marked as for compensation", label(event));
        report.found(Code::CompensationHandler, event, message);
    }
}

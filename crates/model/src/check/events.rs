//! Start, intermediate and end events: which triggers where, and which flows.

use tyer_xml::Element;

use super::view::{View, around, child, is_false, is_true};
use crate::code::Code;
use crate::report::{Report, label};
use crate::schema::Family;

/// Checks an event.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, kind: &str, report: &mut Report) {
    match kind {
        "startEvent" => start(view, element, report),
        "endEvent" => end(view, element, report),
        "intermediateCatchEvent" => catch(view, element, report),
        "intermediateThrowEvent" => throw(view, element, report),
        "messageEventDefinition" => message(view, element, report),
        _ => {}
    }
    if view.is_a(element, &[Family::ThrowEvent]) {
        thrown(view, element, report);
    }
}

fn refuse_triggers<'d>(view: &View<'d>, event: Element<'d>, names: &[&str], code: Code, report: &mut Report) {
    for trigger in view.triggers(event).iter().filter(|trigger| names.contains(&trigger.local_name())) {
        report.found(code, event, || format!("{} has a {}", label(event), trigger.local_name()));
    }
}

fn start<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let Some(scope) = event.parent() else { return };
    if !view.flows_to(event).is_empty() {
        report.found(Code::StartHasIncoming, event, || format!("{} has an incoming flow", label(event)));
    }
    if !view.is_left(event) {
        report.found(Code::StartWithoutOutgoing, event, || format!("{} has no outgoing flow", label(event)));
    }
    if !view.has_end(scope) {
        report.found(Code::EndMissing, event, || format!("{} has a start but no end event", label(scope)));
    }
    if view.is_a(scope, &[Family::SubProcess]) && is_true(scope, "triggeredByEvent") {
        event_sub_process_start(view, event, report);
    } else if view.is_a(scope, &[Family::SubProcess]) {
        for trigger in view.triggers(event) {
            let message = || format!("{} of {} has a {}", label(event), label(scope), trigger.local_name());
            report.found(Code::StartTriggerNotAllowed, event, message);
        }
    } else {
        let refused = [
            "linkEventDefinition",
            "escalationEventDefinition",
            "errorEventDefinition",
            "cancelEventDefinition",
            "compensateEventDefinition",
            "terminateEventDefinition",
        ];
        refuse_triggers(view, event, &refused, Code::StartTriggerNotAllowed, report);
    }
    message_flows(view, event, report);
}

fn event_sub_process_start<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let code = Code::EventSubProcessTrigger;
    if view.triggers(event).is_empty() {
        report.found(code, event, || format!("{} of an event sub-process has no trigger", label(event)));
    }
    refuse_triggers(
        view,
        event,
        &["linkEventDefinition", "cancelEventDefinition", "terminateEventDefinition"],
        code,
        report,
    );
    if is_false(event, "isInterrupting") {
        refuse_triggers(view, event, &["compensateEventDefinition", "errorEventDefinition"], code, report);
    }
}

fn end<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let Some(scope) = event.parent() else { return };
    if !view.flows_from(event).is_empty() {
        report.found(Code::EndHasOutgoing, event, || format!("{} has an outgoing flow", label(event)));
    }
    if !view.is_entered(event) {
        report.found(Code::EndWithoutIncoming, event, || format!("{} has no incoming flow", label(event)));
    }
    if !view.has_start(scope) {
        report.found(Code::StartMissingBesideEnd, event, || {
            format!("{} has an end but no start event", label(scope))
        });
    }
    let refused = ["linkEventDefinition", "conditionalEventDefinition", "timerEventDefinition"];
    refuse_triggers(view, event, &refused, Code::EndTriggerNotAllowed, report);
    let in_transaction = || around(event).any(|around| view.is_a(around, &[Family::Transaction]));
    if view.has_trigger(event, &["cancelEventDefinition"]) && !in_transaction() {
        report.found(Code::CancelOutsideTransaction, event, || {
            format!("{} cancels, but not a transaction", label(event))
        });
    }
    message_flows(view, event, report);
}

fn catch<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let code = Code::CatchTriggerNotAllowed;
    if view.triggers(event).is_empty() {
        report.found(code, event, || format!("{} has no trigger", label(event)));
    }
    let refused = [
        "escalationEventDefinition",
        "errorEventDefinition",
        "cancelEventDefinition",
        "compensateEventDefinition",
        "terminateEventDefinition",
    ];
    refuse_triggers(view, event, &refused, code, report);
    message_flows(view, event, report);
}

fn throw<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let refused = [
        "timerEventDefinition",
        "errorEventDefinition",
        "cancelEventDefinition",
        "conditionalEventDefinition",
        "terminateEventDefinition",
    ];
    refuse_triggers(view, event, &refused, Code::ThrowTriggerNotAllowed, report);
    message_flows(view, event, report);
}

/// Only message events send or receive, and each only in its direction.
fn message_flows<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let (sends, receives) = (view.messages_from(event), view.messages_to(event));
    let catches = view.is_a(event, &[Family::CatchEvent]);
    let (wrong, right) = if catches { (sends, receives) } else { (receives, sends) };
    let wrong = if view.has_trigger(event, &["messageEventDefinition"]) {
        wrong.first()
    } else {
        wrong.first().or(right.first())
    };
    if let Some(flow) = wrong {
        let message = || format!("{} cannot begin or end at {}", label(*flow), label(event));
        report.found(Code::MessageFlowEnd, *flow, message);
    }
}

/// What throwing events need.
fn thrown<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    for trigger in event.children().filter(|child| view.is_a(*child, &[Family::EventDefinition])) {
        if let Some(id) = trigger.attribute("id").filter(|id| view.is_shared_trigger(id)) {
            let message = || format!("trigger `{id}` of {} is used elsewhere", label(event));
            report.found(Code::EventDefinitionShared, trigger, message);
        }
    }
    for trigger in view.triggers(event) {
        let is_escalation = trigger.local_name() == "escalationEventDefinition" && view.is_executable(event);
        let code =
            || view.target(trigger, "escalationRef").and_then(|found| found.attribute("escalationCode"));
        if is_escalation && code().is_none() {
            report.found(Code::EscalationCodeMissing, event, || {
                format!("escalation of {} has no code", label(event))
            });
        }
    }
}

fn message<'d>(view: &View<'d>, trigger: Element<'d>, report: &mut Report) {
    if !view.is_executable(trigger) {
        return;
    }
    if trigger.attribute("messageRef").is_none() {
        report
            .found(Code::MessageReferenceMissing, trigger, || format!("{} names no message", label(trigger)));
    }
    if child(trigger, "operationRef").is_none() {
        report.found(Code::OperationReferenceMissing, trigger, || {
            format!("{} names no operation", label(trigger))
        });
    }
}

//! Activities: quantities, roles, scripts, loops, ad-hoc and event sub-processes.

use tyer_xml::Element;

use super::view::{View, child, count, is_false, is_true};
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::report::{Report, label, shortened};
use crate::schema::Family;

/// Checks an activity or a part of one.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, kind: &str, report: &mut Report) {
    if view.is_a(element, &[Family::Activity]) {
        quantities(element, report);
    }
    if view.is_a(element, &[Family::Process, Family::SubProcess]) {
        container(view, element, report);
    }
    match kind {
        "process" => process(element, report),
        "scriptTask" => script(element, report),
        "adHocSubProcess" => ad_hoc(view, element, report),
        "transaction" => method(element, report),
        "receiveTask" => receive(view, element, report),
        "documentation" | "textAnnotation" => text_format(element, report),
        "complexBehaviorDefinition" => complex_behavior(element, report),
        _ if view.is_a(element, &[Family::ResourceRole]) => resource_role(element, report),
        _ => {}
    }
}

fn quantities(activity: Element<'_>, report: &mut Report) {
    for name in ["startQuantity", "completionQuantity"] {
        let written = activity.attribute(name).and_then(|written| written.trim().parse::<i64>().ok());
        if let Some(number) = written.filter(|number| *number < 1) {
            report.found(Code::QuantityBelowOne, activity, || {
                format!("{name} of {} is {number}", label(activity))
            });
        }
    }
}

fn container(view: &View<'_>, container: Element<'_>, report: &mut Report) {
    let choreographies =
        container.children().filter(|child| view.is_a(*child, &[Family::ChoreographyActivity]));
    for choreography in choreographies {
        let message = || format!("{} stands in {}", label(choreography), label(container));
        report.found(Code::ChoreographyInProcess, choreography, message);
    }
    if view.is_a(container, &[Family::SubProcess]) {
        if child(container, "ioSpecification").is_some() {
            let message = || format!("{} has an ioSpecification", label(container));
            report.found(Code::SubProcessData, container, message);
        }
        if is_true(container, "triggeredByEvent") {
            let starts = count(container, "startEvent");
            if starts != 1 {
                let message = || format!("event {} has {starts} start events", label(container));
                report.found(Code::EventSubProcessStart, container, message);
            }
        }
    }
}

fn process(process: Element<'_>, report: &mut Report) {
    let public = process.attribute("processType") == Some("Public");
    if public && !is_false(process, "isExecutable") {
        report.found(Code::PublicProcessExecutable, process, || {
            format!("public {} is executable", label(process))
        });
    }
}

fn script(task: Element<'_>, report: &mut Report) {
    match task.attribute("scriptFormat") {
        None if child(task, "script").is_some() => {
            report.found(Code::ScriptFormatMissing, task, || {
                format!("script of {} has no format", label(task))
            });
        }
        // BPMN 2.0.2 Table 10.12 wants a MIME type here too, but everybody writes the name of the language.
        Some(format) if !is_mime_type(format) => {
            let message =
                || format!("scriptFormat `{}` of {} is not a MIME type", shortened(format), label(task));
            report.advise(Code::MimeTypeInvalid, task, message);
        }
        Some(_) | None => {}
    }
}

fn text_format(element: Element<'_>, report: &mut Report) {
    if let Some(format) = element.attribute("textFormat").filter(|format| !is_mime_type(format)) {
        let message =
            || format!("textFormat `{}` of {} is not a MIME type", shortened(format), label(element));
        report.found(Code::MimeTypeInvalid, element, message);
    }
}

/// RFC 6838: `type/subtype`, with parameters perhaps.
fn is_mime_type(written: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "!#$&-^_.+".contains(character);
    let is_token = |part: &str| !part.is_empty() && part.chars().all(is_part);
    let essence = written.split(';').next().unwrap_or_default().trim();
    essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn method(transaction: Element<'_>, report: &mut Report) {
    let Some(method) = transaction.attribute("method") else {
        return;
    };
    let allowed =
        |character: char| character.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(character);
    let is_known =
        matches!(method, "##Compensate" | "##Image" | "##Store" | "compensate" | "image" | "store");
    let has_scheme = method.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    let escapes = method.split('%').skip(1);
    let escaped =
        escapes.clone().all(|rest| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit));
    let is_uri = has_scheme && escaped && method.chars().all(allowed);
    if !is_known && !is_uri {
        let message = || format!("method `{}` of {} is not a URI", shortened(method), label(transaction));
        report.found(Code::UriInvalid, transaction, message);
    }
}

fn ad_hoc(view: &View<'_>, sub_process: Element<'_>, report: &mut Report) {
    if !sub_process.children().any(|child| view.is_a(child, &[Family::Activity])) {
        report.found(Code::AdHocContent, sub_process, || format!("{} has no activity", label(sub_process)));
    }
    let misplaced = sub_process.children().filter(|child| {
        view.is_a(*child, &[Family::StartEvent, Family::EndEvent, Family::ChoreographyActivity])
    });
    for child in misplaced {
        let message = || format!("{} stands in {}", label(child), label(sub_process));
        report.found(Code::AdHocContent, child, message);
    }
}

fn receive(view: &View<'_>, task: Element<'_>, report: &mut Report) {
    if is_true(task, "instantiate") && !view.flows_to(task).is_empty() {
        let message = || format!("{} starts the process and has an incoming flow", label(task));
        report.found(Code::InstantiatingHasIncoming, task, message);
    }
}

fn resource_role(role: Element<'_>, report: &mut Report) {
    if child(role, "resourceRef").is_some() && child(role, "resourceAssignmentExpression").is_some() {
        let message = || format!("{} has both resourceRef and resourceAssignmentExpression", label(role));
        report.found(Code::ResourceRoleAmbiguous, role, message);
    }
}

fn complex_behavior(behavior: Element<'_>, report: &mut Report) {
    let Some(characteristics) = behavior.parent() else {
        return;
    };
    let is_number = |condition: Element<'_>| condition.text().trim().parse::<f64>().is_ok();
    let wrong_condition = bpmn_children(behavior, "condition").any(is_number);
    if characteristics.attribute("behavior") != Some("Complex") || wrong_condition {
        let message = || format!("{} in {} has no effect", label(behavior), label(characteristics));
        report.found(Code::ComplexBehavior, behavior, message);
    }
}

//! Data: sets, associations, and the data of events.

use std::collections::HashSet;

use tyer_xml::Element;

use super::items::same_item;
use super::view::{View, child, count};
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::report::{Report, label};
use crate::schema::Family;

/// Checks data and how it is copied.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, kind: &str, report: &mut Report) {
    match kind {
        "dataInput" | "dataOutput" => in_set(view, element, report),
        "inputSet" => {
            optional(element, "dataInputRefs", ["optionalInputRefs", "whileExecutingInputRefs"], report);
            pair(view, element, "outputSetRefs", "inputSetRefs", report);
        }
        "outputSet" => {
            optional(element, "dataOutputRefs", ["optionalOutputRefs", "whileExecutingOutputRefs"], report);
            pair(view, element, "inputSetRefs", "outputSetRefs", report);
        }
        "dataInputAssociation" | "dataOutputAssociation" => association(view, element, report),
        "dataObjectReference" => object_name(view, element, report),
        _ if view.is_a(element, &[Family::Event]) => event(view, element, report),
        _ => {}
    }
}

fn in_set(view: &View<'_>, data: Element<'_>, report: &mut Report) {
    let is_item = matches!(data.local_name(), "inputDataItem" | "outputDataItem");
    let of_event = data.parent().is_some_and(|parent| view.is_a(parent, &[Family::Event]));
    if !is_item && !of_event && !view.is_in_set(data) {
        report.found(Code::DataNotInSet, data, || format!("{} is in no set", label(data)));
    }
}

fn optional(set: Element<'_>, list: &'static str, marks: [&'static str; 2], report: &mut Report) {
    let listed: HashSet<String> =
        bpmn_children(set, list).map(|listed| listed.text().trim().to_owned()).collect();
    for marked in marks.into_iter().flat_map(|mark| bpmn_children(set, mark)) {
        if !listed.contains(marked.text().trim()) {
            let message = || format!("{} of {} is not listed in {list}", marked.local_name(), label(set));
            report.found(Code::DataSetReference, set, message);
        }
    }
}

fn pair(view: &View<'_>, set: Element<'_>, forth: &'static str, back: &'static str, report: &mut Report) {
    for other in bpmn_children(set, forth).filter_map(|reference| view.named(reference)) {
        if !view.lists(other, back, set) {
            let message = || format!("{} names {}, which does not name it", label(set), label(other));
            report.found(Code::DataSetPair, set, message);
        }
    }
}

fn association<'d>(view: &View<'d>, association: Element<'d>, report: &mut Report) {
    let sources: Vec<_> = bpmn_children(association, "sourceRef").collect();
    let named: Vec<_> = sources.iter().filter_map(|source| view.named(*source)).collect();
    let target = child(association, "targetRef").and_then(|target| view.named(target));
    if let Some(target) = target.filter(|target| is_of_process(view, *target, Family::DataInput)) {
        let message = || format!("{} writes to the process's {}", label(association), label(target));
        report.found(Code::DataAssociationDirection, association, message);
    }
    if let Some(source) = named.iter().find(|source| is_of_process(view, **source, Family::DataOutput)) {
        let message = || format!("{} reads from the process's {}", label(association), label(*source));
        report.found(Code::DataAssociationDirection, association, message);
    }
    if child(association, "transformation").is_some() {
        return;
    }
    if sources.len() > 1 || sources.is_empty() && child(association, "assignment").is_none() {
        let message =
            || format!("{} has {} sources and no transformation", label(association), sources.len());
        report.found(Code::DataAssociationSources, association, message);
    }
    if let (Some(source), Some(target)) = (named.first(), target)
        && same_item(view, *source, target) == Some(false)
    {
        let message = || format!("{} and {} differ in structure", label(*source), label(target));
        report.found(Code::DataItemsDiffer, association, message);
    }
}

fn is_of_process(view: &View<'_>, data: Element<'_>, family: Family) -> bool {
    let specification = data.parent().filter(|parent| view.is_a(*parent, &[Family::IoSpecification]));
    let owner = specification.and_then(Element::parent);
    view.is_a(data, &[family]) && owner.is_some_and(|owner| view.is_a(owner, &[Family::Process]))
}

fn object_name(view: &View<'_>, reference: Element<'_>, report: &mut Report) {
    let object = view.target(reference, "dataObjectRef");
    let (Some(name), Some(object)) = (reference.attribute("name"), object) else {
        return;
    };
    let state = child(reference, "dataState").and_then(|state| state.attribute("name")).unwrap_or_default();
    let expected = format!("{} [{state}]", object.attribute("name").unwrap_or_default());
    if name != expected {
        let message = || format!("{} should be named `{expected}`", label(reference));
        report.found(Code::DataObjectName, reference, message);
    }
}

/// Each trigger of an event has its own data, in the same order.
fn event<'d>(view: &View<'d>, event: Element<'d>, report: &mut Report) {
    let kind = if view.is_a(event, &[Family::CatchEvent]) { "dataOutput" } else { "dataInput" };
    let triggers = view.triggers(event);
    let data = count(event, kind);
    if data > 0 && data != triggers.len() {
        let message = || format!("{} has {} triggers and {data} of {kind}", label(event), triggers.len());
        report.found(Code::EventData, event, message);
        return;
    }
    for (data, trigger) in bpmn_children(event, kind).zip(triggers) {
        let item = match trigger.local_name() {
            "messageEventDefinition" => {
                view.target(trigger, "messageRef").map(|message| (message, "itemRef"))
            }
            "errorEventDefinition" => view.target(trigger, "errorRef").map(|error| (error, "structureRef")),
            "escalationEventDefinition" => {
                view.target(trigger, "escalationRef").map(|found| (found, "structureRef"))
            }
            "signalEventDefinition" => {
                view.target(trigger, "signalRef").map(|signal| (signal, "structureRef"))
            }
            _ => continue,
        };
        let item = item.and_then(|(owner, attribute)| view.target(owner, attribute));
        let own = view.target(data, "itemSubjectRef");
        let structure = |item: Option<Element<'d>>| item.and_then(|item| item.attribute("structureRef"));
        if structure(item).is_none() || structure(item) != structure(own) {
            let message = || format!("{} of {} does not match its trigger", label(data), label(event));
            report.found(Code::EventData, event, message);
        }
    }
}

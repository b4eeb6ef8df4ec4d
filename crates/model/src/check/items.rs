//! Items: data, messages and operations that must be of the same structure.

use tyer_xml::Element;

use super::view::{View, child, count, is_true};
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::report::{Report, label};
use crate::schema::Family;

/// Checks the items of an element.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, kind: &str, report: &mut Report) {
    match kind {
        "dataObject" | "dataInput" | "dataOutput" => collection(view, element, report),
        "serviceTask" => service(view, element, report),
        "sendTask" => message(view, element, "inputSet", "dataInput", report),
        "receiveTask" => message(view, element, "outputSet", "dataOutput", report),
        "callActivity" => call(view, element, report),
        "multiInstanceLoopCharacteristics" => multi_instance(view, element, report),
        _ => {}
    }
    if view.is_a(element, &[Family::CallableElement]) {
        offered(view, element, report);
    }
}

/// The item definition of data, through the object or store a reference stands for.
fn item<'d>(view: &View<'d>, data: Element<'d>) -> Option<Element<'d>> {
    let own = view.target(data, "itemSubjectRef");
    own.or_else(|| view.target(view.target(data, "dataObjectRef")?, "itemSubjectRef"))
        .or_else(|| view.target(view.target(data, "dataStoreRef")?, "itemSubjectRef"))
}

/// Whether two pieces of data have the same structure; `None` if one does not say.
pub(super) fn same_item<'d>(view: &View<'d>, one: Element<'d>, other: Element<'d>) -> Option<bool> {
    let (one, other) = (item(view, one)?, item(view, other)?);
    Some(same_structure(Some(one), Some(other)))
}

fn same_structure(one: Option<Element<'_>>, other: Option<Element<'_>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    let structure = one.attribute("structureRef");
    one == other || structure.is_some() && structure == other.attribute("structureRef")
}

fn collection<'d>(view: &View<'d>, data: Element<'d>, report: &mut Report) {
    let Some(item) =
        view.target(data, "itemSubjectRef").filter(|item| view.is_a(*item, &[Family::ItemDefinition]))
    else {
        return;
    };
    let is_item = matches!(data.local_name(), "inputDataItem" | "outputDataItem");
    if !is_item && is_true(data, "isCollection") != is_true(item, "isCollection") {
        let message = || format!("{} and {} disagree on isCollection", label(data), label(item));
        report.found(Code::CollectionDiffers, data, message);
    }
}

fn service<'d>(view: &View<'d>, task: Element<'d>, report: &mut Report) {
    let Some(operation) =
        view.target(task, "operationRef").filter(|found| view.is_a(*found, &[Family::Operation]))
    else {
        return;
    };
    let Some(specification) = child(task, "ioSpecification") else {
        let message = || format!("{} calls an operation and has no ioSpecification", label(task));
        return report.found(Code::OperationData, task, message);
    };
    let (inputs, outputs) = (count(specification, "inputSet"), count(specification, "outputSet"));
    if inputs != 1 || outputs > 1 {
        let message =
            || format!("{} calls an operation with {inputs} input and {outputs} output sets", label(task));
        report.found(Code::OperationData, task, message);
    }
    let message_item = |name| {
        let message = child(operation, name).and_then(|reference| view.named(reference));
        message.and_then(|message| view.target(message, "itemRef"))
    };
    let fits = |data: &'static str, wanted: Option<Element<'d>>| {
        let mut items = bpmn_children(specification, data).map(|data| item(view, data));
        items.any(|item| same_structure(item, wanted))
    };
    let has_input = count(specification, "dataInput") > 0;
    if has_input && !fits("dataInput", message_item("inMessageRef")) {
        report
            .found(Code::OperationData, task, || format!("input of {} is not the operation's", label(task)));
    }
    if child(operation, "outMessageRef").is_some() && !fits("dataOutput", message_item("outMessageRef")) {
        report
            .found(Code::OperationData, task, || format!("output of {} is not the operation's", label(task)));
    }
}

fn message<'d>(
    view: &View<'d>,
    task: Element<'d>,
    set: &'static str,
    data: &'static str,
    report: &mut Report,
) {
    let Some(specification) = child(task, "ioSpecification") else {
        return;
    };
    let (sets, number) = (count(specification, set), count(specification, data));
    let refers = task.attribute("messageRef").is_some();
    if refers && (sets > 1 || number > 1) {
        let message =
            || format!("{} has one message, but {sets} of {set} and {number} of {data}", label(task));
        report.found(Code::MessageData, task, message);
    }
    let wanted = view.target(task, "messageRef").and_then(|message| view.target(message, "itemRef"));
    let fits = bpmn_children(specification, data).any(|data| same_structure(item(view, data), wanted));
    if number > 0 && !fits {
        report.found(Code::MessageData, task, || format!("{data} of {} is not the message's", label(task)));
    }
}

/// More data than this is not compared: a hostile file must not make every call cost as much as what it calls.
const MOST_DATA: usize = 100;

/// A call activity declares the data of what it calls.
fn call<'d>(view: &View<'d>, call: Element<'d>, report: &mut Report) {
    let Some(called) =
        view.target(call, "calledElement").filter(|found| view.is_a(*found, &[Family::CallableElement]))
    else {
        return;
    };
    let (own, theirs) = (child(call, "ioSpecification"), child(called, "ioSpecification"));
    let parts = ["dataInput", "dataOutput", "inputSet", "outputSet"];
    let number = |specification: Option<Element<'_>>, part| {
        specification.map_or(0, |found| bpmn_children(found, part).take(MOST_DATA).count())
    };
    let same_numbers = parts.iter().all(|part| number(own, part) == number(theirs, part));
    let items = |specification: Option<Element<'d>>, part: &'static str| -> Vec<Option<&'d str>> {
        let data = specification.into_iter().flat_map(|found| bpmn_children(found, part).take(MOST_DATA));
        let mut found: Vec<_> =
            data.map(|data| item(view, data).and_then(|item| item.attribute("structureRef"))).collect();
        found.sort_unstable();
        found
    };
    let same_items = ["dataInput", "dataOutput"].iter().all(|part| items(own, part) == items(theirs, part));
    if !(same_numbers && same_items) {
        let message = || format!("{} does not declare the data of {}", label(call), label(called));
        report.found(Code::CallActivityData, call, message);
    }
}

/// A process or global task that is offered as a service binds its data to operations.
fn offered<'d>(view: &View<'d>, callable: Element<'d>, report: &mut Report) {
    if child(callable, "supportedInterfaceRef").is_none() {
        return;
    }
    if count(callable, "ioBinding") == 0 {
        report.found(Code::InterfaceBinding, callable, || {
            format!("{} is offered without ioBinding", label(callable))
        });
    }
    for binding in bpmn_children(callable, "ioBinding") {
        let Some(operation) = view.target(binding, "operationRef") else {
            continue;
        };
        let message_item = |name| {
            let message = child(operation, name).and_then(|reference| view.named(reference));
            message.and_then(|message| view.target(message, "itemRef"))
        };
        let data_item = |name| {
            view.target(binding, name)
                .and_then(|data| bound_data(view, data))
                .and_then(|data| item(view, data))
        };
        let input = same_structure(data_item("inputDataRef"), message_item("inMessageRef"));
        let answers = child(operation, "outMessageRef").is_some();
        let output = !answers || same_structure(data_item("outputDataRef"), message_item("outMessageRef"));
        if !(input && output) {
            let message =
                || format!("{} of {} does not match its operation", label(binding), label(callable));
            report.found(Code::InterfaceBinding, binding, message);
        }
    }
}

/// A binding names a set; its data is the first that the set lists.
fn bound_data<'d>(view: &View<'d>, bound: Element<'d>) -> Option<Element<'d>> {
    let listed = ["dataInputRefs", "dataOutputRefs"].iter().find_map(|name| child(bound, name));
    if view.is_a(bound, &[Family::DataInput, Family::DataOutput]) {
        Some(bound)
    } else {
        listed.and_then(|reference| view.named(reference))
    }
}

fn multi_instance<'d>(view: &View<'d>, loops: Element<'d>, report: &mut Report) {
    if !view.is_executable(loops) {
        return;
    }
    let input = child(loops, "loopDataInputRef");
    if input.is_none() && child(loops, "loopCardinality").is_none() {
        let message = || format!("{} says neither how often nor over what", label(loops));
        report.found(Code::MultiInstanceInput, loops, message);
    }
    let activity = loops.parent();
    let of_task = |data: Element<'d>| data.parent().and_then(Element::parent) == activity;
    let on_task = activity.is_some_and(|activity| !view.is_a(activity, &[Family::SubProcess]));
    if let Some(data) =
        input.and_then(|reference| view.named(reference)).filter(|data| on_task && !of_task(*data))
    {
        let message = || format!("loop data {} is not an input of the activity", label(data));
        report.found(Code::MultiInstanceData, loops, message);
    }
    for (collection, single) in
        [("loopDataInputRef", "inputDataItem"), ("loopDataOutputRef", "outputDataItem")]
    {
        let (Some(reference), Some(single)) = (child(loops, collection), child(loops, single)) else {
            continue;
        };
        let whole = view.named(reference).and_then(|data| item(view, data));
        let part = view.target(single, "itemSubjectRef").filter(|item| !is_true(*item, "isCollection"));
        if !same_structure(whole, part) {
            let message =
                || format!("{} of {} is not of the items of {collection}", single.local_name(), label(loops));
            report.found(Code::MultiInstanceData, loops, message);
        }
    }
}

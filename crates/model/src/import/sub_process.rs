//! Nodes that hold other nodes: embedded, event, transaction and ad-hoc sub-processes.

use std::sync::Arc;

use tyer_xml::Element;

use super::context::{Context, is_false, is_true};
use super::{expression, repeat};
use crate::code::Code;
use crate::namespace::{ZEEBE, bpmn_children, extension};
use crate::process::{AdHoc, Body, Gathered, NodeKind, SubProcess, SubProcessKind};
use crate::report::label;

/// What sort of sub-process an element is; what it holds is filled in when all its nodes are known.
pub(super) fn compile<'d>(element: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    let kind = if is_true(element, "triggeredByEvent") {
        by_event(element, context)
    } else {
        match element.local_name() {
            "transaction" => SubProcessKind::Transaction,
            "adHocSubProcess" => SubProcessKind::AdHoc(ad_hoc(element, context)),
            _ => SubProcessKind::Embedded,
        }
    };
    NodeKind::SubProcess(Box::new(SubProcess { kind, body: Body::default() }))
}

/// Without exactly one start event it has been refused by the check.
fn by_event<'d>(element: Element<'d>, context: &Context<'_, 'd>) -> SubProcessKind {
    let event = bpmn_children(element, "startEvent").next();
    match event.and_then(|event| context.place(event).map(|start| (event, start))) {
        Some((event, start)) => {
            SubProcessKind::Event { start, interrupting: !is_false(event, "isInterrupting") }
        }
        None => SubProcessKind::Embedded,
    }
}

fn ad_hoc<'d>(element: Element<'d>, context: &mut Context<'_, 'd>) -> AdHoc {
    if extension(element, ZEEBE, "taskDefinition").is_some() {
        context.refuse(element, " whose activities a worker chooses");
    }
    let native = extension(element, ZEEBE, "adHoc");
    let said = |name| {
        native.and_then(|native| native.attribute(name)).map(str::trim).filter(|text| !text.is_empty())
    };
    let mut formula = |name| said(name).and_then(|text| expression::formula(text, element, context));
    let active = formula("activeElementsCollection");
    let output = formula("outputElement");
    let gathered = match (said("outputCollection"), output) {
        (Some(collection), Some(element)) => Some(Gathered { collection: Arc::from(collection), element }),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => {
            let message = format!("{} has one of outputCollection and outputElement", label(element));
            context.report.error(Code::ValueInvalid, element, message, "write both or none");
            None
        }
    };
    AdHoc {
        sequential: element.attribute("ordering").map(str::trim) == Some("Sequential"),
        completion: repeat::child(element, "completionCondition", element, context),
        cancel_remaining: !is_false(element, "cancelRemainingInstances"),
        active,
        gathered,
    }
}

//! Messages: by which name and key they find whoever waits for them.
//!
//! **Invariant:** both ends of a message, or of a message flow between two pools, get the same name.

use std::collections::HashMap;
use std::sync::Arc;

use tyer_feel::Expression;
use tyer_xml::Element;

use super::context::Context;
use super::expression;
use crate::code::Code;
use crate::definitions::Definitions;
use crate::namespace::{ZEEBE, bpmn_children, extension};
use crate::process::{MessageSpec, Text};
use crate::report::label;

/// Which end of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Begins an instance: there are no variables yet from which a key could be computed.
    Begins,
    /// Waits for it.
    Receives,
    /// Sends it.
    Sends,
}

/// The message of an event or task; `says` is what names it: the trigger, or the task itself.
pub(super) fn compile<'d>(
    owner: Element<'d>,
    says: Element<'d>,
    side: Side,
    context: &mut Context<'_, 'd>,
) -> MessageSpec {
    let message = context.target(says, "messageRef").or_else(|| of_operation(says, context));
    let message = message.or_else(|| {
        let is_said = says.attribute("messageRef").is_some();
        context.links().flows.get(&owner.order()).copied().filter(|_| !is_said)
    });
    if let Some(written) = says.attribute("messageRef").filter(|_| message.is_none()) {
        return MessageSpec { name: Text::Literal(Arc::from(written.trim())), key: None };
    }
    let Some(message) = message.and_then(|message| context.shared(message)) else {
        let said = format!("{} names no message; it is called like its id", label(owner));
        context.report.warning(
            Code::MessageReferenceMissing,
            owner,
            said,
            Code::MessageReferenceMissing.hint(),
        );
        let name = Text::Literal(Arc::from(owner.attribute("id").unwrap_or_default().trim()));
        return MessageSpec { name, key: None };
    };
    let key = if side == Side::Begins { None } else { key(owner, message, side, context) };
    MessageSpec { name: name_of(message, context), key }
}

/// The name of a message, signal or message flow; its id if it has none.
pub(super) fn name_of(named: Element<'_>, context: &mut Context<'_, '_>) -> Text {
    let name = named.attribute("name").map(str::trim).filter(|name| !name.is_empty());
    let id = named.attribute("id").unwrap_or_default().trim();
    expression::text(name.unwrap_or(id), named, context).unwrap_or_else(|| Text::Literal(Arc::from(id)))
}

fn of_operation<'d>(says: Element<'d>, context: &Context<'_, 'd>) -> Option<Element<'d>> {
    let operation = context.target(says, "operationRef").or_else(|| context.named(says, "operationRef"))?;
    context.named(operation, "inMessageRef")
}

fn key<'d>(
    owner: Element<'d>,
    message: Element<'d>,
    side: Side,
    context: &mut Context<'_, 'd>,
) -> Option<Expression> {
    let published = extension(owner, ZEEBE, "publishMessage").filter(|_| side == Side::Sends);
    let native = published.or_else(|| extension(message, ZEEBE, "subscription"));
    if let Some(written) = native.and_then(|native| native.attribute("correlationKey")) {
        return expression::formula(written, owner, context);
    }
    let (in_process, in_message) = context.links().keys.get(&message.order()).copied()?;
    let path = if side == Side::Sends { Some(in_message) } else { in_process };
    let path = path.and_then(|path| context.shared(path))?;
    let read = Expression::parse(path.text().trim().trim_start_matches('='), &tyer_feel::Names::default());
    if read.is_err() {
        let said = format!("correlation of {} is not FEEL; its name alone decides", label(owner));
        context.report.warning(Code::ExpressionNotSupported, path, said, "write the path in FEEL");
    }
    read.ok()
}

/// What a file says between messages and processes, looked up when it is needed.
pub(super) struct Links<'d> {
    /// By the nodes at their ends: the messages of message flows, or the flows themselves.
    pub(super) flows: HashMap<usize, Element<'d>>,
    /// By message: where its key stands in the process, and in the message itself.
    pub(super) keys: HashMap<usize, (Option<Element<'d>>, Element<'d>)>,
}

impl<'d> Links<'d> {
    pub(super) fn of(definitions: &'d Definitions, process: Element<'d>) -> Links<'d> {
        let mut links = Links { flows: HashMap::new(), keys: HashMap::new() };
        let named =
            |element: Element<'_>, attribute: &str| definitions.resolve(element.attribute(attribute)?);
        for collaboration in bpmn_children(definitions.root(), "collaboration") {
            for flow in bpmn_children(collaboration, "messageFlow") {
                let message = named(flow, "messageRef").unwrap_or(flow);
                for end in ["sourceRef", "targetRef"].into_iter().filter_map(|end| named(flow, end)) {
                    links.flows.entry(end.order()).or_insert(message);
                }
            }
        }
        let mut bindings = HashMap::new();
        for subscription in bpmn_children(process, "correlationSubscription") {
            for binding in bpmn_children(subscription, "correlationPropertyBinding") {
                let path = bpmn_children(binding, "dataPath").next();
                if let (Some(property), Some(path)) = (named(binding, "correlationPropertyRef"), path) {
                    bindings.insert(property.order(), path);
                }
            }
        }
        for property in bpmn_children(definitions.root(), "correlationProperty") {
            for retrieval in bpmn_children(property, "correlationPropertyRetrievalExpression") {
                let path = bpmn_children(retrieval, "messagePath").next();
                if let (Some(message), Some(path)) = (named(retrieval, "messageRef"), path) {
                    let binding = bindings.get(&property.order()).copied();
                    links.keys.entry(message.order()).or_insert((binding, path));
                }
            }
        }
        links
    }
}

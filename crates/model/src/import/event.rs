//! Events: what catching ones wait for, and what throwing ones throw.
//!
//! **Invariant:** every event definition of BPMN is compiled wherever BPMN allows it; where it does not, the check has
//! refused it.

use std::sync::Arc;

use tyer_xml::Element;

use super::context::{Context, is_false, is_true, words};
use super::message::{self, Side};
use super::{expression, job, timer};
use crate::code::Code;
use crate::namespace::{BPMN, TYER, ZEEBE, bpmn_children, extension, mapped_attribute};
use crate::process::{Boundary, Caught, ConditionSpec, NodeIx, NodeKind, Text, Throw, Trigger, Triggers};
use crate::report::label;

/// The triggers of an event, its own and those it refers to.
pub(super) fn definitions_of<'d>(event: Element<'d>, context: &Context<'_, 'd>) -> Vec<Element<'d>> {
    let definition = |child: Element<'d>| match child.local_name() {
        "eventDefinitionRef" => {
            context.definitions.resolve(&child.text()).and_then(|found| context.shared(found))
        }
        name => name.ends_with("EventDefinition").then_some(child),
    };
    event.children().filter(|child| child.name().namespace == BPMN).filter_map(definition).collect()
}

/// What a catching event waits for.
pub(super) fn triggers<'d>(event: Element<'d>, side: Side, context: &mut Context<'_, 'd>) -> Triggers {
    let definitions = definitions_of(event, context);
    let any: Vec<_> =
        definitions.into_iter().filter_map(|definition| trigger(event, definition, side, context)).collect();
    Triggers { all: any.len() > 1 && is_true(event, "parallelMultiple"), any }
}

fn trigger<'d>(
    event: Element<'d>,
    definition: Element<'d>,
    side: Side,
    context: &mut Context<'_, 'd>,
) -> Option<Trigger> {
    Some(match definition.local_name() {
        "messageEventDefinition" => Trigger::Message(message::compile(event, definition, side, context)),
        "timerEventDefinition" => Trigger::Timer(timer::compile(definition, event, context)?),
        "signalEventDefinition" => Trigger::Signal(signal(event, definition, context)),
        "conditionalEventDefinition" => Trigger::Condition(conditional(event, definition, context)?),
        "errorEventDefinition" => Trigger::Error(caught(definition, &ERROR, context)),
        "escalationEventDefinition" => Trigger::Escalation(caught(definition, &ESCALATION, context)),
        "cancelEventDefinition" => Trigger::Cancel,
        "compensateEventDefinition" => Trigger::Compensation,
        "linkEventDefinition" => return None,
        other => {
            context.refuse(event, &format!(" with {other}"));
            return None;
        }
    })
}

/// What a throwing event throws.
pub(super) fn throws<'d>(event: Element<'d>, context: &mut Context<'_, 'd>) -> Vec<Throw> {
    let definitions = definitions_of(event, context);
    definitions.into_iter().filter_map(|definition| throw(event, definition, context)).collect()
}

/// What one event definition throws; `event` is where it stands.
pub(super) fn throw<'d>(
    event: Element<'d>,
    definition: Element<'d>,
    context: &mut Context<'_, 'd>,
) -> Option<Throw> {
    Some(match definition.local_name() {
        "messageEventDefinition" => match job::said(event, definition, context) {
            Some(job) => Throw::Job(job),
            None => Throw::Message(message::compile(event, definition, Side::Sends, context)),
        },
        "signalEventDefinition" => Throw::Signal(signal(event, definition, context)),
        "errorEventDefinition" => Throw::Error(thrown(definition, &ERROR, context)),
        "escalationEventDefinition" => Throw::Escalation(thrown(definition, &ESCALATION, context)),
        "cancelEventDefinition" => Throw::Cancel,
        "compensateEventDefinition" => compensation(event, definition, context),
        "terminateEventDefinition" => Throw::Terminate,
        other => {
            context.refuse(event, &format!(" with {other}"));
            return None;
        }
    })
}

/// A throwing event: a link goes on elsewhere, everything else throws.
pub(super) fn throwing<'d>(event: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    let definitions = definitions_of(event, context);
    let Some(link) = definitions.iter().find(|found| found.local_name() == "linkEventDefinition") else {
        return NodeKind::Throw(throws(event, context));
    };
    match link_target(event, *link, context) {
        Some(target) => NodeKind::Link(target),
        None => {
            let message = || format!("link of {} has no catching event in its scope", label(event));
            context.report.found(Code::LinkTargetMissing, event, message);
            NodeKind::Pass
        }
    }
}

fn link_target<'d>(event: Element<'d>, link: Element<'d>, context: &Context<'_, 'd>) -> Option<NodeIx> {
    let scope = event.parent()?;
    let named = || {
        let name = link.attribute("name").map(str::trim).filter(|name| !name.is_empty())?;
        context.link_catch(scope, name)
    };
    let referred = || {
        let catching =
            context.named(link, "target")?.parent().filter(|found| found.parent() == Some(scope))?;
        context.place(catching)
    };
    named().or_else(referred)
}

/// An event on the border of an activity.
pub(super) fn boundary<'d>(event: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    let triggers = triggers(event, Side::Receives, context);
    let host = context.target(event, "attachedToRef").filter(|host| host.parent() == event.parent());
    let Some(host) = host.and_then(|host| context.place(host)) else {
        let message = || format!("{} is not attached to an activity of its scope", label(event));
        context.report.found(Code::BoundaryNotAttached, event, message);
        return NodeKind::Pass;
    };
    let catches_failures = context.word(event, "catchFailure", &[("true", true), ("false", false)]);
    NodeKind::Boundary(Boundary {
        host,
        interrupting: !is_false(event, "cancelActivity"),
        triggers,
        catches_failures: catches_failures.unwrap_or(false),
    })
}

fn signal<'d>(event: Element<'d>, definition: Element<'d>, context: &mut Context<'_, 'd>) -> Text {
    let signal = context.target(definition, "signalRef");
    if let Some(written) = definition.attribute("signalRef").filter(|_| signal.is_none()) {
        return Text::Literal(Arc::from(written.trim()));
    }
    if signal.is_none() {
        let message = || format!("{} names no signal; it is called like its id", label(event));
        context.report.found(Code::SignalReferenceMissing, event, message);
    }
    message::name_of(signal.unwrap_or(event), context)
}

fn conditional<'d>(
    event: Element<'d>,
    definition: Element<'d>,
    context: &mut Context<'_, 'd>,
) -> Option<ConditionSpec> {
    let Some(written) = bpmn_children(definition, "condition").next() else {
        let message = format!("{} waits for a condition and has none", label(event));
        context.report.error(Code::ExpressionInvalid, event, message, "add a condition");
        return None;
    };
    let condition = expression::condition(written, event, context)?;
    let native = extension(definition, ZEEBE, "conditionalFilter")
        .and_then(|filter| filter.attribute("variableNames"));
    let names = native.or_else(|| mapped_attribute(definition, "variableName")).unwrap_or_default();
    Some(ConditionSpec { condition, variables: words(names).map(Arc::from).collect() })
}

/// How errors and escalations are spelled.
struct Spelling {
    reference: &'static str,
    code: &'static str,
    code_variable: &'static str,
    message_variable: &'static str,
}

const ERROR: Spelling = Spelling {
    reference: "errorRef",
    code: "errorCode",
    code_variable: "errorCodeVariable",
    message_variable: "errorMessageVariable",
};
const ESCALATION: Spelling = Spelling {
    reference: "escalationRef",
    code: "escalationCode",
    code_variable: "escalationCodeVariable",
    message_variable: "escalationMessageVariable",
};

/// BPMN 2.0.2 Table 10.93: a catching event without a code catches every error.
fn caught(definition: Element<'_>, spelling: &Spelling, context: &mut Context<'_, '_>) -> Caught {
    let code = match context.target(definition, spelling.reference) {
        Some(found) => found.attribute(spelling.code),
        None => definition.attribute(spelling.reference),
    };
    let code = code.map(str::trim).filter(|code| !code.is_empty());
    if let Some(computed) = code.filter(|code| crate::time::is_computed(code)) {
        let message = format!("code `{computed}` of {} is computed", label(definition));
        context.report.error(
            Code::ValueInvalid,
            definition,
            message,
            "write the code that is caught as it is",
        );
    }
    let variable = |name| {
        let own = definition.attribute_ns(TYER, name);
        own.or_else(|| mapped_attribute(definition, name)).map(Arc::from)
    };
    Caught {
        code: code.map(Arc::from),
        code_variable: variable(spelling.code_variable),
        message_variable: variable(spelling.message_variable),
    }
}

/// The code of what is thrown; the id stands in for it.
fn thrown(definition: Element<'_>, spelling: &Spelling, context: &mut Context<'_, '_>) -> Option<Text> {
    let code = match context.target(definition, spelling.reference) {
        Some(found) => {
            let code = found.attribute(spelling.code).filter(|code| !code.trim().is_empty());
            code.or_else(|| found.attribute("id"))
        }
        None => definition.attribute(spelling.reference),
    };
    expression::optional(code, definition, context)
}

fn compensation<'d>(event: Element<'d>, definition: Element<'d>, context: &mut Context<'_, 'd>) -> Throw {
    let named = context.target(definition, "activityRef");
    let activity = named.and_then(|activity| context.place(activity));
    if let Some(elsewhere) = named.filter(|_| activity.is_none()) {
        let message =
            || format!("{} compensates {}, which is not in its process", label(event), label(elsewhere));
        context.report.found(Code::ReferenceWrongType, event, message);
    }
    Throw::Compensation { activity, wait: !is_false(definition, "waitForCompletion") }
}

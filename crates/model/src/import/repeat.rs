//! Activities that are done more than once: loops and multi-instance markers.

use std::sync::Arc;

use tyer_feel::{Expression, Value};
use tyer_xml::Element;

use super::context::{Context, is_true};
use super::{data, event, expression};
use crate::code::Code;
use crate::namespace::{ZEEBE, bpmn_children, extension, mapped_attribute};
use crate::process::{Behaviour, Count, Gathered, Multi, Repeat, Throw};
use crate::report::label;

/// How an activity is repeated, if it is.
pub(super) fn compile<'d>(activity: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Box<Repeat>> {
    if let Some(marker) = bpmn_children(activity, "standardLoopCharacteristics").next() {
        return Some(Box::new(standard(activity, marker, context)));
    }
    let marker = bpmn_children(activity, "multiInstanceLoopCharacteristics").next()?;
    multi(activity, marker, context).map(|multi| Box::new(Repeat::Multi(Box::new(multi))))
}

fn standard<'d>(activity: Element<'d>, marker: Element<'d>, context: &mut Context<'_, 'd>) -> Repeat {
    let written = marker.attribute("loopMaximum").map(str::trim).filter(|written| !written.is_empty());
    let max = written.and_then(|written| expression::formula(written, activity, context));
    refuse_negative(max.as_ref(), "loopMaximum", activity, context);
    let condition = child(marker, "loopCondition", activity, context);
    Repeat::Loop { before: is_true(marker, "testBefore"), condition, max }
}

fn multi<'d>(activity: Element<'d>, marker: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Multi> {
    let Some(count) = count(activity, marker, context) else {
        let message = || format!("{} says neither how often nor for which list it is done", label(activity));
        context.report.found(Code::MultiInstanceCount, activity, message);
        return None;
    };
    let native = extension(marker, ZEEBE, "loopCharacteristics");
    let item = || data::variable(bpmn_children(marker, "inputDataItem").next()?, context);
    let element = native
        .and_then(|native| native.attribute("inputElement"))
        .or_else(|| mapped_attribute(marker, "elementVariable"))
        .or_else(item)
        .map(str::trim)
        .filter(|name| !name.is_empty());
    Some(Multi {
        sequential: is_true(marker, "isSequential"),
        count,
        element: element.map(Arc::from),
        gathered: gathered(activity, marker, context),
        completion: child(marker, "completionCondition", activity, context),
        behaviour: behaviour(activity, marker, context),
    })
}

fn count<'d>(activity: Element<'d>, marker: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Count> {
    let native =
        extension(marker, ZEEBE, "loopCharacteristics").and_then(|found| found.attribute("inputCollection"));
    if let Some(written) = native.or_else(|| mapped_attribute(marker, "collection")) {
        return expression::formula(written, activity, context).map(Count::Collection);
    }
    if bpmn_children(marker, "loopCardinality").next().is_some() {
        let number = child(marker, "loopCardinality", activity, context)?;
        refuse_negative(Some(&number), "loopCardinality", activity, context);
        return Some(Count::Cardinality(number));
    }
    let data =
        context.named(marker, "loopDataInputRef").and_then(|data| data::outside(activity, data, context));
    // A reference to nothing in the file is the name of a variable in the mapped dialects.
    let written =
        || bpmn_children(marker, "loopDataInputRef").next().map(|named| Arc::from(named.text().trim()));
    data.or_else(written).map(|name: Arc<str>| Count::Collection(expression::variable(&name)))
}

fn gathered<'d>(
    activity: Element<'d>,
    marker: Element<'d>,
    context: &mut Context<'_, 'd>,
) -> Option<Gathered> {
    let native = extension(marker, ZEEBE, "loopCharacteristics");
    let said = |name| {
        native.and_then(|native| native.attribute(name)).map(str::trim).filter(|text| !text.is_empty())
    };
    match (said("outputCollection"), said("outputElement")) {
        (Some(collection), Some(element)) => {
            let element = expression::formula(element, activity, context)?;
            return Some(Gathered { collection: Arc::from(collection), element });
        }
        (None, None) => {}
        (Some(_), None) | (None, Some(_)) => {
            let message = format!("{} has one of outputCollection and outputElement", label(activity));
            context.report.error(Code::ValueInvalid, activity, message, "write both or none");
        }
    }
    let output = context.named(marker, "loopDataOutputRef")?;
    let item = bpmn_children(marker, "outputDataItem").next()?;
    let element = expression::variable(data::variable(item, context)?);
    Some(Gathered { collection: data::outside(activity, output, context)?, element })
}

fn behaviour<'d>(activity: Element<'d>, marker: Element<'d>, context: &mut Context<'_, 'd>) -> Behaviour {
    let thrown = |name: &str, context: &mut Context<'_, 'd>| -> Vec<Throw> {
        let definition = context.target(marker, name).and_then(|found| context.shared(found));
        definition.and_then(|definition| event::throw(activity, definition, context)).into_iter().collect()
    };
    match marker.attribute("behavior").map(str::trim) {
        Some("None") => Behaviour::None(thrown("noneBehaviorEventRef", context)),
        Some("One") => Behaviour::One(thrown("oneBehaviorEventRef", context)),
        Some("Complex") => {
            let definitions = bpmn_children(marker, "complexBehaviorDefinition");
            Behaviour::Complex(definitions.filter_map(|said| complex(activity, said, context)).collect())
        }
        _ => Behaviour::All,
    }
}

fn complex<'d>(
    activity: Element<'d>,
    said: Element<'d>,
    context: &mut Context<'_, 'd>,
) -> Option<(Expression, Vec<Throw>)> {
    let condition = child(said, "condition", activity, context)?;
    let event = bpmn_children(said, "event").next();
    Some((condition, event.map(|event| event::throws(event, context)).unwrap_or_default()))
}

/// The expression in a child of this name.
pub(super) fn child<'d>(
    element: Element<'d>,
    name: &'static str,
    owner: Element<'d>,
    context: &mut Context<'_, 'd>,
) -> Option<Expression> {
    let written = bpmn_children(element, name).next()?;
    expression::condition(written, owner, context)
}

fn refuse_negative(
    number: Option<&Expression>,
    name: &str,
    activity: Element<'_>,
    context: &mut Context<'_, '_>,
) {
    let written = number.and_then(Expression::literal);
    let is_negative = matches!(written, Some(Value::Number(number)) if number.to_string().starts_with('-'));
    if is_negative {
        let message = format!("{name} of {} is less than nothing", label(activity));
        context.report.error(Code::ValueInvalid, activity, message, "write zero or more");
    }
}

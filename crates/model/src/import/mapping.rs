//! What goes into an activity and what is kept of its result.
//!
//! **Invariant:** mappings keep the order in which they are written: each sees the results of those before it.

use std::sync::Arc;

use tyer_feel::ast::{Expr, Kind};
use tyer_feel::{Expression, Names, Value};
use tyer_xml::Element;

use super::context::Context;
use super::{data, expression};
use crate::code::Code;
use crate::namespace::{BPMN, MAPPED, TYER, ZEEBE, bpmn_children, extension, extensions, mapped_extension};
use crate::process::{Declared, Mapping, Node, Text};
use crate::report::label;

/// Fills in the mappings of a node.
pub(super) fn compile<'d>(element: Element<'d>, node: &mut Node, context: &mut Context<'_, 'd>) {
    if element.child(BPMN, "extensionElements").is_some() {
        native(element, node, context);
        mapped(element, node, context);
        node.declared = declared(element, context);
    }
    associations(element, node, context);
}

/// A mapping to a variable, whatever its name looks like.
pub(super) fn to(source: Text, name: &str) -> Mapping {
    Mapping { source, target: vec![Arc::from(name)] }
}

/// A mapping to a place such as `order.total`.
fn to_path(source: Text, path: &str) -> Mapping {
    Mapping { source, target: path.split('.').map(|step| Arc::from(step.trim())).collect() }
}

fn native<'d>(element: Element<'d>, node: &mut Node, context: &mut Context<'_, 'd>) {
    let Some(mappings) = extension(element, ZEEBE, "ioMapping") else { return };
    for said in mappings.children().filter(|said| said.name().namespace == ZEEBE) {
        let path = said.attribute("target").unwrap_or_default().trim();
        if path.split('.').any(|step| step.trim().is_empty()) {
            let message = format!("{} mapping of {} has target `{path}`", said.local_name(), label(element));
            context.report.error(
                Code::ValueInvalid,
                element,
                message,
                "name a variable, or a path such as a.b",
            );
            continue;
        }
        let source = match said.attribute("source") {
            Some(written) => expression::text(written, element, context),
            None => Some(Text::Expression(expression::null())),
        };
        let mapping = source.map(|source| to_path(source, path));
        match said.local_name() {
            "input" => node.inputs.extend(mapping),
            "output" => node.outputs.extend(mapping),
            _ => {}
        }
    }
}

/// `inputOutput` of the mapped dialects, of the task or of its connector.
fn mapped<'d>(element: Element<'d>, node: &mut Node, context: &mut Context<'_, 'd>) {
    let is_group =
        |child: &Element<'_>| child.local_name() == "inputOutput" && MAPPED.contains(&child.name().namespace);
    let connector = mapped_extension(element, "connector");
    let in_connector = connector.into_iter().flat_map(Element::children);
    for group in extensions(element).chain(in_connector).filter(is_group) {
        for said in group.children() {
            let name = said.attribute("name").unwrap_or_default().trim();
            let Some(source) = parameter(said, element, context) else { continue };
            match said.local_name() {
                "inputParameter" => node.inputs.push(to(source, name)),
                "outputParameter" => node.outputs.push(to(source, name)),
                _ => {}
            }
        }
    }
}

fn parameter<'d>(said: Element<'d>, owner: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Text> {
    if let Some(inner) = said.children().next() {
        let tree = tree(inner, owner, DEEPEST, context)?;
        return Some(Text::Expression(Expression::from_tree(said.source(), tree, &Names::default())));
    }
    let written = said.text();
    match written.trim() {
        "" => Some(Text::Expression(expression::null())),
        written if expression::is_juel(written) => expression::text(written, owner, context),
        written => Some(Text::Literal(Arc::from(written))),
    }
}

/// How deep lists and maps of the mapped dialects may be nested.
const DEEPEST: u32 = 16;

/// A list or map of the mapped dialects as a FEEL list or context.
fn tree<'d>(
    said: Element<'d>,
    owner: Element<'d>,
    depth: u32,
    context: &mut Context<'_, 'd>,
) -> Option<Expr> {
    let Some(depth) = depth.checked_sub(1) else {
        let message = format!("lists in a mapping of {} are nested too deep", label(owner));
        context.report.error(Code::ValueInvalid, owner, message, "write it in FEEL");
        return None;
    };
    match said.local_name() {
        "list" => {
            let items: Option<Vec<_>> =
                said.children().map(|item| tree(item, owner, depth, context)).collect();
            items.map(|items| Expr::new(Kind::List(items)))
        }
        "map" => {
            let entry = |entry: Element<'d>| {
                let key = Arc::from(entry.attribute("key").unwrap_or_default());
                let value = match entry.children().next() {
                    Some(inner) => tree(inner, owner, depth, context),
                    None => value(entry, owner, context),
                };
                Some((key, value?))
            };
            let entries: Option<Vec<_>> = said.children().map(entry).collect();
            entries.map(|entries| Expr::new(Kind::Context(entries)))
        }
        "value" => value(said, owner, context),
        "script" => script(said, owner, context),
        other => {
            let message = format!("`{other}` in a mapping of {} is not evaluated", label(owner));
            context.report.error(Code::ExtensionNotSupported, owner, message, "write it in FEEL");
            None
        }
    }
}

fn value<'d>(said: Element<'d>, owner: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Expr> {
    match expression::text(said.text().trim(), owner, context)? {
        Text::Literal(text) => Some(Expr::new(Kind::Literal(Value::from(&*text)))),
        Text::Expression(expression) => Some(expression.tree().clone()),
    }
}

fn script<'d>(said: Element<'d>, owner: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Expr> {
    let language = said.attribute("scriptFormat").unwrap_or_default();
    if expression::is_feel(language) {
        let read = expression::formula(&said.text(), owner, context);
        return read.map(|expression| expression.tree().clone());
    }
    let message = format!("mapping of {} is a script in {language:?}", label(owner));
    context.report.error(
        Code::ExpressionNotSupported,
        owner,
        message,
        "write it in FEEL, or use a script task",
    );
    None
}

/// BPMN's own data associations: copies between variables.
fn associations<'d>(element: Element<'d>, node: &mut Node, context: &mut Context<'_, 'd>) {
    // Those of a sub-process are variables of its inside.
    if node.body().is_none() {
        node.inputs.extend(data::properties(element, context));
    }
    let repeated = bpmn_children(element, "multiInstanceLoopCharacteristics").next();
    // What the loop itself hands out and gathers is not copied in every round.
    let of_loop = |data: Option<Element<'d>>, name| {
        data.is_some() && repeated.and_then(|repeated| context.named(repeated, name)) == data
    };
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for association in bpmn_children(element, "dataInputAssociation") {
        if !of_loop(context.named(association, "targetRef"), "loopDataInputRef") {
            inputs.push(association);
        }
    }
    for association in bpmn_children(element, "dataOutputAssociation") {
        if !of_loop(context.named(association, "sourceRef"), "loopDataOutputRef") {
            outputs.push(association);
        }
    }
    for association in inputs {
        copies(association, element, &mut node.inputs, context);
    }
    for association in outputs {
        copies(association, element, &mut node.outputs, context);
    }
}

fn copies<'d>(
    association: Element<'d>,
    owner: Element<'d>,
    mappings: &mut Vec<Mapping>,
    context: &mut Context<'_, 'd>,
) {
    let end = |name| context.named(association, name).and_then(|data| data::variable(data, context));
    let (source, target) = (end("sourceRef"), end("targetRef"));
    let assignments: Vec<_> = bpmn_children(association, "assignment").collect();
    let Some(target) = target else { return };
    if let Some(written) = bpmn_children(association, "transformation").next() {
        let read = expression::condition(written, owner, context);
        mappings.extend(read.map(|expression| to(Text::Expression(expression), target)));
    } else if assignments.is_empty() {
        mappings.extend(source.map(|source| to(Text::Expression(expression::variable(source)), target)));
    }
    for assignment in assignments {
        let part = |name| bpmn_children(assignment, name).next();
        let read = part("from").and_then(|from| expression::condition(from, owner, context));
        let to_text = part("to").map(|to| to.text().trim().to_owned()).filter(|to| is_path(to));
        let path = to_text.as_deref().unwrap_or(target);
        mappings.extend(read.map(|expression| to_path(Text::Expression(expression), path)));
    }
}

fn is_path(written: &str) -> bool {
    let is_step = |step: &str| !step.is_empty() && step.chars().all(|c| c.is_alphanumeric() || c == '_');
    written.split('.').all(is_step)
}

/// `tyer:input`: variables that must be there.
fn declared<'d>(element: Element<'d>, context: &mut Context<'_, 'd>) -> Vec<Declared> {
    let mut declared = Vec::new();
    for said in extensions(element).filter(|said| said.is(TYER, "input")) {
        let name = said.attribute("name").unwrap_or_default().trim();
        let type_name = said.attribute("type").map(str::trim);
        let known = ["string", "number", "boolean", "list", "context"];
        if name.is_empty() || type_name.is_some_and(|written| !known.contains(&written)) {
            let message = format!("input `{name}` of {} has no name or an unknown type", label(element));
            let hint = "give it a name, and string, number, boolean, list or context as its type";
            context.report.error(Code::ValueInvalid, element, message, hint);
            continue;
        }
        let required = said.attribute("required").is_none_or(|written| written.trim() != "false");
        declared.push(Declared { name: Arc::from(name), type_name: type_name.map(Arc::from), required });
    }
    declared
}

//! A node as written becomes an element of BPMN.
//!
//! A new element is a new word in [`shape`]; what it may say is a list of keywords in `says`.

use super::event::{self, Definitions, Side};
use super::says::{Says, TRIGGERS};
use super::tree::Tree;
use super::xml::Shelf;
use super::{Spot, When};
use super::{mark, task};

/// The element of a node, without the nodes it holds, and what it stands for in the file beside it.
pub(super) struct Drawn {
    pub(super) tree: Tree,
    /// Elements beside it: a compensation event on its border and the way to what undoes it.
    pub(super) beside: Vec<Tree>,
}

pub(super) fn draw(node: &Spot, shelf: &mut Shelf) -> Result<Drawn, String> {
    let mut says = Says::of_node(&node.drawn);
    let (mut tree, mut data) = (shape(node, &mut says, shelf)?, Vec::new());
    if let Some(name) = says.text("named") {
        tree.set("name", name);
    }
    if let Some(default) = node.arrows.iter().position(|arrow| arrow.when == When::Else) {
        tree.set("default", super::xml::flow_ids(node)[default].clone());
    }
    if shelf.undoes(&node.id) {
        tree.set("isForCompensation", "true");
    }
    mark::put(&mut says, &mut tree, shelf)?;
    data.append(&mut mark::data(&mut says, shelf));
    data.into_iter().for_each(|data| tree.push(data));
    let beside = says.text("undo").map_or_else(Vec::new, |handler| undo(&node.id, &handler));
    says.finish()?;
    Ok(Drawn { tree, beside })
}

/// What stands at a node.
fn shape(node: &Spot, says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Tree, String> {
    let kind = says.kind;
    let tree = |name: &str| Tree::new(name).with("id", node.id.as_str());
    Ok(match kind {
        "start" => start(tree("startEvent"), says, shelf)?,
        "end" => event_at(tree("endEvent"), says.take_head(), Side::Throws, shelf)?,
        "throw" => event_at(tree("intermediateThrowEvent"), says.take_head(), Side::Throws, shelf)?,
        "catch" => event_at(tree("intermediateCatchEvent"), says.take_head(), Side::Catches, shelf)?,
        "timer" => timer(tree("intermediateCatchEvent"), says, shelf)?,
        "pass" => tree("task"),
        "manual" => tree("manualTask"),
        "job" => task::job(tree("serviceTask"), says)?,
        "user" => task::user(tree("userTask"), says),
        "script" => task::script(tree("scriptTask"), says)?,
        "decision" => task::decision(tree("businessRuleTask"), says)?,
        "send" | "receive" => task::message_task(tree(&format!("{kind}Task")), says, shelf)?,
        "call" => task::call(tree("callActivity"), says)?,
        "process" => tree("subProcess"),
        "event" => tree("subProcess").with("triggeredByEvent", "true"),
        "transaction" => tree("transaction"),
        "adhoc" => task::ad_hoc(tree("adHocSubProcess"), says),
        "exclusive" | "parallel" | "inclusive" => tree(&format!("{kind}Gateway")),
        "complex" => match says.raw("fires") {
            Some(condition) => {
                let condition = condition.strip_prefix("when ").unwrap_or(condition);
                tree("complexGateway").holding(Tree::formal("activationCondition", condition))
            }
            None => tree("complexGateway"),
        },
        "events" => events(tree("eventBasedGateway"), says),
        trigger if TRIGGERS.contains(&trigger) => boundary(tree("boundaryEvent"), says, shelf)?,
        other => {
            let known = "start, end, throw, catch, timer, pass, manual, job, user, script, decision, send, \
                         receive, call, process, event, transaction, adhoc, exclusive, parallel, inclusive, \
                         complex, events";
            return Err(format!("`{other}` is not drawn: expected one of {known}"));
        }
    })
}

fn put(tree: &mut Tree, definitions: Definitions) {
    if definitions.all {
        tree.set("parallelMultiple", "true");
    }
    definitions.extensions.into_iter().for_each(|extension| tree.extend(extension));
    definitions.trees.into_iter().for_each(|definition| tree.push(definition));
}

fn event_at(mut tree: Tree, text: Option<&str>, side: Side, shelf: &mut Shelf) -> Result<Tree, String> {
    let mut definitions = event::read(text.unwrap_or_default(), side, shelf)?;
    // What is thrown is thrown all together: there is nothing to choose.
    definitions.all &= side == Side::Catches;
    put(&mut tree, definitions);
    Ok(tree)
}

/// `start on message order`, `start every R/P1D`; inside an event sub-process also `start beside message hint`.
fn start(mut tree: Tree, says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Tree, String> {
    let (on, beside) = (says.raw("on"), says.raw("beside"));
    if beside.is_some() {
        tree.set("isInterrupting", "false");
    }
    event_at(tree, on.or(beside).or_else(|| says.take_head()), Side::Catches, shelf)
}

/// `after PT60S on work`, `message hint beside work`.
fn boundary(mut tree: Tree, says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Tree, String> {
    let (on, beside) = (says.text("on"), says.text("beside"));
    if beside.is_some() {
        tree.set("cancelActivity", "false");
    }
    let host =
        on.or(beside).ok_or("say where it stands: `on <activity>` ends it, `beside <activity>` does not")?;
    tree.set("attachedToRef", host);
    let definitions = event::read(says.take_head().unwrap_or_default(), Side::Catches, shelf)?;
    if definitions.failures {
        tree.set("tyer:catchFailure", "true");
    }
    put(&mut tree, definitions);
    Ok(tree)
}

/// `timer PT5S`, `timer until 2030-01-31T12:00:00Z`; either may be an expression: `timer =pause`.
fn timer(tree: Tree, says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Tree, String> {
    let time = says.take_head().unwrap_or_default();
    let text = match time.strip_prefix("until ") {
        Some(date) => format!("at {date}"),
        None if time.is_empty() => {
            return Err("a timer has a time: `timer PT5S` or `timer until 2030-01-31T12:00:00Z`".to_owned());
        }
        None => format!("after {time}"),
    };
    event_at(tree, Some(&text), Side::Catches, shelf)
}

/// `events -> paid, late`; `events begins` begins the process, `events begins all` needs every one of them.
fn events(mut tree: Tree, says: &mut Says<'_>) -> Tree {
    if let Some(how) = says.raw("begins") {
        tree.set("instantiate", "true");
        if how == "all" {
            tree.set("eventGatewayType", "Parallel");
        }
    }
    tree
}

/// BPMN draws what undoes a step as an event on its border and an association.
fn undo(step: &str, handler: &str) -> Vec<Tree> {
    let event = format!("{step}.undo");
    let boundary = Tree::new("boundaryEvent")
        .with("id", event.as_str())
        .with("attachedToRef", step)
        .holding(Tree::new("compensateEventDefinition"));
    let way = Tree::new("association")
        .with("id", format!("{step}.undone-by"))
        .with("associationDirection", "One")
        .with("sourceRef", event)
        .with("targetRef", handler);
    vec![boundary, way]
}

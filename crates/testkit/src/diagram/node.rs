//! A node as written becomes an element of BPMN.
//!
//! A new element is a new word in [`shape`]; what it may say is a list of keywords in `says`.

use super::event::{self, Definitions, Side};
use super::mark;
use super::says::{Says, TRIGGERS};
use super::tree::Tree;
use super::words::unquoted;
use super::xml::Shelf;
use super::{Spot, When};

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
        "job" => job(tree("serviceTask"), says)?,
        "user" => user(tree("userTask"), says),
        "script" => script(tree("scriptTask"), says)?,
        "decision" => decision(tree("businessRuleTask"), says)?,
        "send" | "receive" => message_task(tree(&format!("{kind}Task")), says, shelf)?,
        "call" => call(tree("callActivity"), says)?,
        "process" => tree("subProcess"),
        "event" => tree("subProcess").with("triggeredByEvent", "true"),
        "transaction" => tree("transaction"),
        "adhoc" => ad_hoc(tree("adHocSubProcess"), says),
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

/// `job <type> retries 3 backoff fixed PT10S`.
fn job(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let job_type = says.take_head().ok_or("a job has a type: `job charge-card`")?;
    if let Some(second) =
        (!job_type.starts_with(['"', '='])).then(|| job_type.split_whitespace().nth(1)).flatten()
    {
        return Err(format!("`job` does not say `{second}`"));
    }
    let mut job = Tree::new("tyer:job").with("type", unquoted(job_type));
    for keyword in ["retries", "backoff"] {
        job = job.with_some(keyword, says.text(keyword));
    }
    tree.extend(job);
    Ok(tree)
}

/// `user assignee anna candidates "bob, carl" groups sales due 2030-01-02T00:00:00Z priority 75 form approve`.
fn user(mut tree: Tree, says: &mut Says<'_>) -> Tree {
    const SAID: [(&str, &str, &str); 6] = [
        ("assignee", "assignmentDefinition", "assignee"),
        ("candidates", "assignmentDefinition", "candidateUsers"),
        ("groups", "assignmentDefinition", "candidateGroups"),
        ("due", "taskSchedule", "dueDate"),
        ("priority", "priorityDefinition", "priority"),
        ("form", "formDefinition", "formKey"),
    ];
    let said: Vec<_> = SAID
        .into_iter()
        .filter_map(|(keyword, element, attribute)| Some((element, attribute, says.text(keyword)?)))
        .collect();
    for group in said.chunk_by(|one, other| one.0 == other.0) {
        let mut extension = Tree::new(&format!("zeebe:{}", group[0].0));
        group.iter().for_each(|(_, attribute, value)| extension.set(attribute, value.as_str()));
        tree.extend(extension);
    }
    tree
}

/// `script amount * 2 into double`; `script "…" language javascript into x` is work for a worker.
fn script(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let code =
        says.take_head().ok_or("a script has something to compute: `script amount * 2 into double`")?;
    let into = says.text("into");
    match says.text("language") {
        Some(language) => {
            tree.set("scriptFormat", language);
            tree.push(Tree::formal("script", &unquoted(code)));
        }
        None => {
            let script = Tree::new("zeebe:script").with("expression", format!("={code}"));
            tree.extend(script.with_some("resultVariable", into));
        }
    }
    Ok(tree)
}

/// `decision discount into rebate`.
fn decision(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let id = says.take_head().ok_or("a decision has an id: `decision discount into rebate`")?;
    let called = Tree::new("zeebe:calledDecision").with("decisionId", unquoted(id));
    tree.extend(called.with("resultVariable", says.text("into").unwrap_or_else(|| unquoted(id))));
    Ok(tree)
}

/// `send message paid key orderId`, `receive message paid key orderId begins`.
fn message_task(mut tree: Tree, says: &mut Says<'_>, shelf: &mut Shelf) -> Result<Tree, String> {
    let text = says.take_head().unwrap_or_default();
    let text = text.strip_prefix("message ").ok_or("say which: `send message paid`")?;
    let (name, key) = event::split_at_word(text, "key");
    let name = unquoted(name);
    if says.kind == "send" {
        tree.set("messageRef", shelf.message(&name, None));
        let key = key.map(|key| Tree::new("zeebe:publishMessage").with("correlationKey", format!("={key}")));
        key.into_iter().for_each(|key| tree.extend(key));
    } else {
        tree.set("messageRef", shelf.message(&name, key));
        if says.flag("begins") {
            tree.set("instantiate", "true");
        }
    }
    Ok(tree)
}

/// `call child passing own returning mapped version 2 key orderId`.
fn call(mut tree: Tree, says: &mut Says<'_>) -> Result<Tree, String> {
    let process = says.take_head().ok_or("a call has a process: `call billing`")?;
    let mut called = Tree::new("zeebe:calledElement").with("processId", unquoted(process));
    for (keyword, restricted, attribute) in [
        ("passing", "own", "propagateAllParentVariables"),
        ("returning", "mapped", "propagateAllChildVariables"),
    ] {
        if says.text(keyword).as_deref() == Some(restricted) {
            called.set(attribute, "false");
        }
    }
    if says.flag("deployed") {
        called.set("bindingType", "deployment");
    }
    if let Some(tag) = says.text("tag") {
        called = called.with("bindingType", "versionTag").with("versionTag", tag);
    }
    tree.extend(called.with_some("businessId", says.text("key")));
    Ok(tree)
}

/// `adhoc sequential done count > 2 keep choosing ["a"] collect x as xs`.
fn ad_hoc(mut tree: Tree, says: &mut Says<'_>) -> Tree {
    tree.set("ordering", if says.flag("sequential") { "Sequential" } else { "Parallel" });
    if says.flag("keep") {
        tree.set("cancelRemainingInstances", "false");
    }
    let (choosing, collect) = (says.raw("choosing"), says.raw("collect"));
    if choosing.is_some() || collect.is_some() {
        let mut own = Tree::new("zeebe:adHoc");
        own = own.with_some("activeElementsCollection", choosing.map(|list| format!("={list}")));
        if let Some((element, Some(collection))) = collect.map(|said| event::split_at_word(said, "as")) {
            own = own.with("outputCollection", collection).with("outputElement", format!("={element}"));
        }
        tree.extend(own);
    }
    if let Some(condition) = says.raw("done") {
        let condition = condition.strip_prefix("when ").unwrap_or(condition);
        tree.push(Tree::formal("completionCondition", condition));
    }
    tree
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

//! Tasks: who does the work: a worker, a person, the engine itself, or another process.
//!
//! **Invariant:** a task that does not say who does its work is a job called like its id, with a warning.

use std::sync::Arc;

use tyer_feel::{Expression, Names};
use tyer_xml::Element;

use super::context::{Context, is_true};
use super::message::{self, Side};
use super::{call, expression, job, user};
use crate::code::Code;
use crate::namespace::{BPMN, ZEEBE, bpmn_children, extension, mapped_attribute};
use crate::process::{JobSpec, NodeKind, ScriptSpec};
use crate::report::label;

/// The job type of scripts that the engine does not evaluate itself.
const SCRIPT_JOB: &str = "tyer.script";
/// The job type of decisions.
const DECISION_JOB: &str = "tyer.decision";

/// What a task does; `None` if the element is no task.
pub(super) fn compile<'d>(task: Element<'d>, context: &mut Context<'_, 'd>) -> Option<NodeKind> {
    Some(match task.local_name() {
        "task" | "manualTask" => NodeKind::Pass,
        "userTask" => NodeKind::User(user::compile(task, context)),
        "serviceTask" => service(task, context),
        "sendTask" => send(task, context),
        "receiveTask" => receive(task, context),
        "scriptTask" => script(task, "scriptFormat", context),
        "businessRuleTask" => business_rule(task, context),
        "callActivity" => {
            match context.target(task, "calledElement").filter(|called| is_global_task(*called)) {
                Some(global) => {
                    context.shared(global).map_or(NodeKind::Pass, |global| inline(global, context))
                }
                None => call::compile(task, context),
            }
        }
        _ => return None,
    })
}

/// A global task is done where it is called.
fn inline<'d>(task: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    match task.local_name() {
        "globalUserTask" => NodeKind::User(user::compile(task, context)),
        "globalScriptTask" => script(task, "scriptLanguage", context),
        "globalBusinessRuleTask" => business_rule(task, context),
        _ => NodeKind::Pass,
    }
}

fn is_global_task(element: Element<'_>) -> bool {
    let name = element.name();
    name.namespace == BPMN && name.local.starts_with("global") && name.local.ends_with("Task")
}

fn service<'d>(task: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    if let Some(kind) = computed(task) {
        return kind;
    }
    let said = job::said(task, task, context);
    NodeKind::Job(said.unwrap_or_else(|| assumed(task, context)))
}

/// An expression of the mapped dialects that calls no code is computed by the engine. One without a result that reads
/// variables can only be meant to have an effect, so somebody else must do it.
fn computed(task: Element<'_>) -> Option<NodeKind> {
    let written = mapped_attribute(task, "expression").filter(|text| expression::is_juel(text))?;
    let expression = Expression::parse_juel(written.trim(), &Names::default()).ok()?;
    match result_variable(task) {
        Some(result) => Some(NodeKind::Script(ScriptSpec { expression, result: Some(Arc::from(result)) })),
        None => expression.variables().is_empty().then_some(NodeKind::Pass),
    }
}

fn result_variable(task: Element<'_>) -> Option<&str> {
    ["resultVariable", "resultVariableName"].iter().find_map(|name| mapped_attribute(task, name))
}

/// Nothing says which worker is meant: the id is the name workers ask for.
fn assumed(task: Element<'_>, context: &mut Context<'_, '_>) -> JobSpec {
    let id = task.attribute("id").unwrap_or_default().trim();
    let message = || format!("{} does not say which job it is; its type is its id", label(task));
    context.report.found(Code::JobTypeAssumed, task, message);
    job::called(id, task, context)
}

fn send<'d>(task: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    match computed(task).or_else(|| job::said(task, task, context).map(NodeKind::Job)) {
        Some(kind) => kind,
        None => NodeKind::Send(message::compile(task, task, Side::Sends, context)),
    }
}

fn receive<'d>(task: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    let instantiate = is_true(task, "instantiate");
    let side = if instantiate { Side::Begins } else { Side::Receives };
    NodeKind::Receive { message: message::compile(task, task, side, context), instantiate }
}

fn script<'d>(task: Element<'d>, format: &str, context: &mut Context<'_, 'd>) -> NodeKind {
    if let Some(native) = extension(task, ZEEBE, "script") {
        let written = native.attribute("expression").unwrap_or_default();
        return computed_script(task, written, native.attribute("resultVariable"), context);
    }
    if let Some(job) = job::said(task, task, context) {
        return NodeKind::Job(job);
    }
    let code = bpmn_children(task, "script").next().map(Element::text).unwrap_or_default();
    let language = task.attribute(format).unwrap_or_default();
    if expression::is_feel(language) {
        return computed_script(task, &code, result_variable(task), context);
    }
    let mut job = job::called(SCRIPT_JOB, task, context);
    job.headers.push(("language".to_owned(), language.to_owned()));
    match mapped_attribute(task, "resource") {
        Some(resource) => job.headers.push(("resource".to_owned(), resource.to_owned())),
        None => job.headers.push(("code".to_owned(), code.into_owned())),
    }
    job.headers.extend(result_variable(task).map(|name| ("resultVariable".to_owned(), name.to_owned())));
    NodeKind::Job(job)
}

fn computed_script(
    task: Element<'_>,
    written: &str,
    result: Option<&str>,
    context: &mut Context<'_, '_>,
) -> NodeKind {
    match expression::formula(written, task, context) {
        Some(expression) => NodeKind::Script(ScriptSpec { expression, result: result.map(Arc::from) }),
        None => NodeKind::Pass,
    }
}

fn business_rule<'d>(task: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    let headers = match extension(task, ZEEBE, "calledDecision") {
        Some(called) => decision(|name| called.attribute(name), &NATIVE_DECISION),
        None => decision(|name| mapped_attribute(task, name), &MAPPED_DECISION),
    };
    if headers.iter().any(|(key, _)| key == "decisionId") {
        let mut job = job::called(DECISION_JOB, task, context);
        job.headers.extend(headers);
        return NodeKind::Job(job);
    }
    service(task, context)
}

/// Attributes by the names of the headers that carry them.
type Spelling = [(&'static str, &'static str); 6];

const NATIVE_DECISION: Spelling = [
    ("decisionId", "decisionId"),
    ("binding", "bindingType"),
    ("versionTag", "versionTag"),
    ("version", "version"),
    ("resultVariable", "resultVariable"),
    ("mapDecisionResult", "mapDecisionResult"),
];
const MAPPED_DECISION: Spelling = [
    ("decisionId", "decisionRef"),
    ("binding", "decisionRefBinding"),
    ("versionTag", "decisionRefVersionTag"),
    ("version", "decisionRefVersion"),
    ("resultVariable", "resultVariable"),
    ("mapDecisionResult", "mapDecisionResult"),
];

fn decision<'d>(said: impl Fn(&str) -> Option<&'d str>, spelling: &Spelling) -> Vec<(String, String)> {
    let header = |(key, name): &(&str, &str)| Some(((*key).to_owned(), said(name)?.trim().to_owned()));
    spelling.iter().filter_map(header).collect()
}

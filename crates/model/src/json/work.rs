//! What the nodes of the JSON notation do, as extension elements.

use serde_json::Value;
use tyer_xml::Writer;

use super::notation::Node;

/// Whether a node says what it does, needs or gives back.
pub(super) fn has_extensions(node: &Node) -> bool {
    let works = matches!(node.kind.as_str(), "userTask" | "serviceTask" | "scriptTask" | "businessRule");
    works
        || ["formId", "inputs", "inputMapping", "outputMapping"]
            .iter()
            .any(|name| node.data.contains_key(*name))
}

/// Writes what a node does, needs and gives back.
pub(super) fn extensions(node: &Node, writer: &mut Writer) {
    match node.kind.as_str() {
        "startProcess" => element(writer, "zeebe:formDefinition", &[("formId", node.text("formId"))]),
        "userTask" => user_task(node, writer),
        "serviceTask" => service(node, writer),
        "scriptTask" => script(node, writer),
        "businessRule" => rule(node, writer),
        _ => {}
    }
    inputs(node, writer);
    mappings(node, writer);
}

/// An element with these attributes, if it has any.
fn element(writer: &mut Writer, name: &str, attributes: &[(&str, Option<String>)]) {
    if attributes.iter().all(|(_, value)| value.is_none()) {
        return;
    }
    writer.start(name);
    for (name, value) in attributes {
        if let Some(value) = value {
            writer.attribute(name, value);
        }
    }
    writer.end();
}

fn user_task(node: &Node, writer: &mut Writer) {
    let priority = node.text("priority").map(|written| match written.as_str() {
        "low" => "25".to_owned(),
        "normal" => "50".to_owned(),
        "high" => "75".to_owned(),
        "critical" | "urgent" => "100".to_owned(),
        _ => written,
    });
    let people = ["assignee", "candidateUsers", "candidateGroups"].map(|name| (name, node.text(name)));
    element(writer, "zeebe:assignmentDefinition", &people);
    element(writer, "zeebe:taskSchedule", &[("dueDate", node.text("dueDate"))]);
    element(writer, "zeebe:priorityDefinition", &[("priority", priority)]);
    element(writer, "zeebe:formDefinition", &[("formId", node.text("formId"))]);
}

/// A call over HTTP; what the worker must know travels as the header `config`.
fn service(node: &Node, writer: &mut Writer) {
    let config = node.data.get("serviceConfig").map(|config| ("config", config.to_string()));
    job(node, "tyer.http", config.into_iter().collect(), writer);
}

fn script(node: &Node, writer: &mut Writer) {
    let script = node.data.get("script");
    let part = |name: &str| {
        let said = script.and_then(|script| script.get(name))?;
        Some(said.as_str().map_or_else(|| said.to_string(), str::to_owned))
    };
    let code = part("code").or_else(|| script.and_then(Value::as_str).map(str::to_owned)).unwrap_or_default();
    let language = part("language").unwrap_or_else(|| "javascript".to_owned());
    if language.eq_ignore_ascii_case("feel") {
        let attributes =
            [("expression", Some(format!("={code}"))), ("resultVariable", part("resultVariable"))];
        return element(writer, "zeebe:script", &attributes);
    }
    let mut headers = vec![("language", language), ("code", code)];
    headers.extend(["timeout", "resultVariable"].into_iter().filter_map(|name| Some((name, part(name)?))));
    job(node, "tyer.script", headers, writer);
}

fn rule(node: &Node, writer: &mut Writer) {
    let rule = node.text("ruleId").map(|rule| ("decisionId", rule));
    let result = node.text("resultVariable").map(|name| ("resultVariable", name));
    job(node, "tyer.decision", rule.into_iter().chain(result).collect(), writer);
}

fn job(node: &Node, usual: &str, headers: Vec<(&str, String)>, writer: &mut Writer) {
    let retry = |name: &str| node.data.get("retry").and_then(|retry| retry.get(name));
    // `max` counts the tries after the first.
    let retries = retry("max").and_then(Value::as_u64).unwrap_or(0).saturating_add(1);
    let backoff = match retry("backoff").map(|written| written.as_str().unwrap_or_default()) {
        None | Some("exponential") => "exponential PT1S PT30S",
        Some("linear") => "linear PT1S",
        Some("fixed") => "fixed PT1S",
        Some(_) => "fixed PT0S",
    };
    let job_type = node.text("jobType").unwrap_or_else(|| usual.to_owned());
    let attributes = [
        ("type", Some(job_type)),
        ("retries", Some(retries.to_string())),
        ("backoff", Some(backoff.to_owned())),
    ];
    element(writer, "tyer:job", &attributes);
    writer.start("zeebe:taskHeaders");
    for (key, value) in headers {
        element(writer, "zeebe:header", &[("key", Some(key.to_owned())), ("value", Some(value))]);
    }
    writer.end();
}

/// `inputs`: variables that must be there before the node is entered.
fn inputs(node: &Node, writer: &mut Writer) {
    for input in node.data.get("inputs").and_then(Value::as_array).into_iter().flatten() {
        let part = |name: &str| input.get(name).and_then(Value::as_str);
        let name = part("name").or_else(|| input.as_str()).unwrap_or_default().to_owned();
        let type_name = part("type").map(|written| match written.to_ascii_lowercase().as_str() {
            "object" | "map" => "context".to_owned(),
            "array" => "list".to_owned(),
            "integer" | "float" => "number".to_owned(),
            other => other.to_owned(),
        });
        let type_name = type_name.filter(|written| written != "any");
        let required = input.get("required").and_then(Value::as_bool).map(|required| required.to_string());
        element(writer, "tyer:input", &[("name", Some(name)), ("type", type_name), ("required", required)]);
    }
}

/// `inputMapping` and `outputMapping`: variables by name, each with the expression it is made of.
fn mappings(node: &Node, writer: &mut Writer) {
    let said = |name: &str| node.data.get(name).and_then(Value::as_object).into_iter().flatten();
    if said("inputMapping").chain(said("outputMapping")).next().is_none() {
        return;
    }
    writer.start("zeebe:ioMapping");
    for (name, direction) in [("inputMapping", "zeebe:input"), ("outputMapping", "zeebe:output")] {
        for (target, source) in said(name) {
            let source = match source.as_str() {
                Some(text) if text.contains("${") || text.starts_with('=') => text.to_owned(),
                Some(text) => format!("={text}"),
                None => format!("={source}"),
            };
            element(writer, direction, &[("source", Some(source)), ("target", Some(target.clone()))]);
        }
    }
    writer.end();
}

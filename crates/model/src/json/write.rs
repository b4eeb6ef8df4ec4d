//! A workflow in the JSON notation, written as BPMN.
//!
//! **Invariant:** ids stay as they are.

use std::collections::HashMap;

use serde_json::Value;
use tyer_xml::Writer;

use super::notation::{Edge, Graph, Node, Workflow};
use crate::namespace::{BPMN, TYER, ZEEBE};

/// The BPMN file a workflow stands for.
pub(super) fn bpmn(workflow: &Workflow) -> String {
    let mut writer = Writer::new();
    writer.start("definitions");
    writer.attribute("xmlns", BPMN);
    writer.attribute("xmlns:tyer", TYER);
    writer.attribute("xmlns:zeebe", ZEEBE);
    writer.attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    writer.attribute("targetNamespace", "urn:tyer:json");
    let names = declared_names(&workflow.graph.nodes);
    for (kind, name, id) in &names {
        writer.start(kind);
        writer.attribute("id", id);
        writer.attribute("name", name);
        writer.end();
    }
    writer.start("process");
    writer.attribute("id", &workflow.id);
    if let Some(name) = &workflow.name {
        writer.attribute("name", name);
    }
    writer.attribute("isExecutable", "true");
    graph(&workflow.graph, &names, &mut writer);
    writer.end();
    writer.end();
    writer.finish()
}

/// The messages and signals of a workflow: kind, name and id.
type Names = Vec<(&'static str, String, String)>;

fn declared_names(nodes: &[Node]) -> Names {
    let mut seen = HashMap::new();
    let mut names = Vec::new();
    for node in nodes {
        let (kind, field) = match node.kind.as_str() {
            "messageEvent" => ("message", "message"),
            "signalEvent" => ("signal", "signal"),
            _ => continue,
        };
        let name = node.text(field).or_else(|| node.text("label")).unwrap_or_else(|| node.id.clone());
        let number = seen.len();
        seen.entry((kind, name.clone()))
            .or_insert_with(|| names.push((kind, name, format!("{kind}-{number}"))));
    }
    names
}

fn graph(graph: &Graph, names: &Names, writer: &mut Writer) {
    let defaults = graph.defaults();
    for node in &graph.nodes {
        write_node(node, defaults.get(node.id.as_str()).copied(), names, writer);
        error_boundary(node, writer);
    }
    for edge in &graph.edges {
        let is_default =
            defaults.get(edge.source.as_str()).is_some_and(|default| std::ptr::eq(*default, edge));
        write_edge(edge, is_default, writer);
    }
}

fn write_node(node: &Node, default: Option<&Edge>, names: &Names, writer: &mut Writer) {
    writer.start(node.element());
    writer.attribute("id", &node.id);
    if let Some(label) = node.text("label") {
        writer.attribute("name", &label);
    }
    if let Some(edge) = default {
        writer.attribute("default", &edge.id);
    }
    if let Some(called) = node.text("calledElement").filter(|_| node.kind == "callActivity") {
        writer.attribute("calledElement", &called);
    }
    match node.kind.as_str() {
        "userTask" => user_task(node, writer),
        "serviceTask" => job(node, "tyer.http", node.data.get("serviceConfig"), writer),
        "scriptTask" => job(node, "tyer.script", node.data.get("script"), writer),
        "businessRule" => job(node, "tyer.decision", node.data.get("ruleId"), writer),
        "timerEvent" => timer(node, writer),
        "messageEvent" => trigger(node, "message", names, writer),
        "signalEvent" => trigger(node, "signal", names, writer),
        "subProcess" => sub_process(node, names, writer),
        _ => {}
    }
    writer.end();
}

fn extension(writer: &mut Writer, name: &str, attributes: &[(&str, Option<String>)]) {
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
    writer.start("extensionElements");
    extension(writer, "zeebe:assignmentDefinition", &people);
    extension(writer, "zeebe:taskSchedule", &[("dueDate", node.text("dueDate"))]);
    extension(writer, "zeebe:priorityDefinition", &[("priority", priority)]);
    extension(writer, "zeebe:formDefinition", &[("formId", node.text("formId"))]);
    writer.end();
}

/// A job; what the worker must know travels as the header `config`.
fn job(node: &Node, usual: &str, config: Option<&Value>, writer: &mut Writer) {
    let retry = node.data.get("retry");
    // `max` counts the tries after the first.
    let retries =
        retry.and_then(|retry| retry.get("max")).and_then(Value::as_u64).unwrap_or(0).saturating_add(1);
    let backoff = match retry.and_then(|retry| retry.get("backoff")).and_then(Value::as_str) {
        Some("linear") => "linear PT1S PT30S",
        Some("fixed") => "fixed PT1S",
        _ => "exponential PT1S PT30S",
    };
    let job_type = node.text("jobType").unwrap_or_else(|| usual.to_owned());
    writer.start("extensionElements");
    extension(
        writer,
        "tyer:job",
        &[
            ("type", Some(job_type)),
            ("retries", Some(retries.to_string())),
            ("backoff", Some(backoff.to_owned())),
        ],
    );
    if let Some(config) = config {
        writer.start("zeebe:taskHeaders");
        extension(
            writer,
            "zeebe:header",
            &[("key", Some("config".to_owned())), ("value", Some(config.to_string()))],
        );
        writer.end();
    }
    writer.end();
}

fn timer(node: &Node, writer: &mut Writer) {
    writer.start("timerEventDefinition");
    for (name, element) in [("duration", "timeDuration"), ("date", "timeDate"), ("cycle", "timeCycle")] {
        if let Some(time) = node.text(name) {
            expression(writer, element, &time);
        }
    }
    writer.end();
}

fn trigger(node: &Node, kind: &str, names: &Names, writer: &mut Writer) {
    let name = node.text(kind).or_else(|| node.text("label")).unwrap_or_else(|| node.id.clone());
    let id = names.iter().find(|(known, of, _)| *known == kind && *of == name).map(|(_, _, id)| id.as_str());
    writer.start(&format!("{kind}EventDefinition"));
    writer.attribute(&format!("{kind}Ref"), id.unwrap_or_default());
    writer.end();
}

fn sub_process(node: &Node, names: &Names, writer: &mut Writer) {
    // What cannot be read has been refused before anything is written.
    let inner = node.inner().unwrap_or_default();
    graph(&inner, names, writer);
}

/// `errorBoundary` names the node that goes on when this one has failed.
fn error_boundary(node: &Node, writer: &mut Writer) {
    let Some(handler) = node.text("errorBoundary") else { return };
    let id = format!("{}-failed", node.id);
    writer.start("boundaryEvent");
    writer.attribute("id", &id);
    writer.attribute("attachedToRef", &node.id);
    writer.attribute("tyer:catchFailure", "true");
    writer.start("errorEventDefinition");
    writer.end();
    writer.end();
    writer.start("sequenceFlow");
    writer.attribute("id", &format!("{id}-flow"));
    writer.attribute("sourceRef", &id);
    writer.attribute("targetRef", &handler);
    writer.end();
}

fn write_edge(edge: &Edge, is_default: bool, writer: &mut Writer) {
    writer.start("sequenceFlow");
    writer.attribute("id", &edge.id);
    writer.attribute("sourceRef", &edge.source);
    writer.attribute("targetRef", &edge.target);
    if let Some(condition) = edge.condition.as_deref().filter(|text| !is_default && !text.trim().is_empty()) {
        expression(writer, "conditionExpression", condition);
    }
    writer.end();
}

fn expression(writer: &mut Writer, name: &str, text: &str) {
    writer.start(name);
    writer.attribute("xsi:type", "tFormalExpression");
    writer.text(text);
    writer.end();
}

//! A workflow in the JSON notation, written as BPMN.
//!
//! **Invariant:** ids stay as they are.

use serde_json::{Map, Value};
use tyer_xml::Writer;

use super::notation::{Edge, Graph, Node, Workflow, text_of};
use super::trigger::{self, Names};
use super::work;
use crate::namespace::{BPMN, TYER, ZEEBE};

/// What workflows and nodes say in words of the `tyer:` vocabulary.
const WORDS: [&str; 7] =
    ["mergeMode", "saga", "sagaInFlight", "onFailure", "branchScope", "masked", "indexed"];

/// The BPMN file a workflow stands for.
pub(super) fn bpmn(workflow: &Workflow) -> String {
    let mut writer = Writer::new();
    writer.start("definitions");
    writer.attribute("xmlns", BPMN);
    writer.attribute("xmlns:tyer", TYER);
    writer.attribute("xmlns:zeebe", ZEEBE);
    writer.attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    writer.attribute("targetNamespace", "urn:tyer:json");
    let names = Names::of(&workflow.graph);
    names.write(&mut writer);
    writer.start("process");
    writer.attribute("id", &workflow.id);
    if let Some(name) = &workflow.name {
        writer.attribute("name", name);
    }
    writer.attribute("isExecutable", "true");
    words(&workflow.data, &mut writer);
    // Work that failed for good and was not caught ends the instance, unless the workflow says otherwise.
    if !workflow.data.contains_key("onFailure") {
        writer.attribute("tyer:onFailure", "fail");
    }
    graph(&workflow.graph, &names, &mut writer);
    writer.end();
    writer.end();
    writer.finish()
}

fn words(data: &Map<String, Value>, writer: &mut Writer) {
    for word in WORDS {
        if let Some(said) = text_of(data, word) {
            writer.attribute(&format!("tyer:{word}"), &said);
        }
    }
}

fn graph(graph: &Graph, names: &Names, writer: &mut Writer) {
    let defaults = graph.defaults();
    for node in &graph.nodes {
        write_node(node, defaults.get(node.id.as_str()).copied(), names, writer);
        trigger::failed(node, writer);
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
    if let Some(host) = node.text("attachedTo") {
        writer.attribute("attachedToRef", &host);
        writer.attribute(
            "cancelActivity",
            if node.flag("interrupting") == Some(false) { "false" } else { "true" },
        );
    }
    if node.kind == "callActivity" {
        let called = node.text("calledElement").or_else(|| node.text("workflowId"));
        writer.attribute("calledElement", &called.unwrap_or_default());
    }
    words(&node.data, writer);
    if work::has_extensions(node) {
        writer.start("extensionElements");
        work::extensions(node, writer);
        writer.end();
    }
    match node.kind.as_str() {
        "timerEvent" => trigger::timer(node, writer),
        "messageEvent" | "signalEvent" => trigger::named(node, names, writer),
        "subProcess" => graph(&node.inner, names, writer),
        _ => {}
    }
    writer.end();
}

fn write_edge(edge: &Edge, is_default: bool, writer: &mut Writer) {
    writer.start("sequenceFlow");
    writer.attribute("id", &edge.id);
    writer.attribute("sourceRef", &edge.source);
    writer.attribute("targetRef", &edge.target);
    if let Some(condition) = edge.condition.as_deref().filter(|text| !is_default && !text.trim().is_empty()) {
        expression(writer, "conditionExpression", &condition.replace("===", "==").replace("!==", "!="));
    }
    writer.end();
}

/// An expression in an element of its own.
pub(super) fn expression(writer: &mut Writer, name: &str, text: &str) {
    writer.start(name);
    writer.attribute("xsi:type", "tFormalExpression");
    writer.text(text);
    writer.end();
}

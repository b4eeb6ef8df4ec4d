//! `docs/workflow.schema.json`: never older than the code. `UPDATE=1` writes it again.
#![allow(clippy::disallowed_methods, reason = "the schema is read and written as a file")]

use std::path::Path;

use serde_json::{Value, json};
use tyer_model::{NODE_TYPES, import_json};

/// A workflow that says everything the notation can say.
const EVERYTHING: &str = include_str!("everything.json");

fn words(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// What a workflow or a node may say of merging, failures and sagas.
fn said(node: bool) -> Value {
    let mut said = json!({
        "mergeMode": words(&["converge", "merge", "stream", "race", "cascade"]),
        "onFailure": words(&["incident", "fail"]),
        "saga": words(&["none", "local", "global"]),
        "sagaInFlight": words(&["wait", "terminate"])
    });
    let names = json!({"type": "array", "items": {"type": "string"}});
    if node {
        said["branchScope"] = words(&["overwrite", "collect", "strict"]);
    } else {
        said["masked"] = names.clone();
        said["indexed"] = names;
    }
    said
}

fn data() -> Value {
    let text = json!({"type": "string"});
    let people = json!({"type": ["string", "array"]});
    let mapping =
        json!({"type": "object", "description": "variables by name, each with its FEEL expression"});
    let input = json!({"type": "object", "required": ["name"], "properties": {
        "name": text, "type": words(&["string", "number", "boolean", "list", "context", "array", "object", "any"]),
        "required": {"type": "boolean"}}});
    let script = json!({"type": "object", "required": ["code"], "properties": {
        "code": text, "language": text, "timeout": {"type": "integer", "minimum": 1}, "resultVariable": text}});
    let retry = json!({"type": "object", "properties": {
        "max": {"type": "integer", "minimum": 0}, "backoff": words(&["exponential", "linear", "fixed"])}});
    let mut properties = json!({
        "label": text, "assignee": text, "candidateUsers": people, "candidateGroups": people, "formId": text,
        "dueDate": text, "priority": {"type": ["string", "integer"]}, "serviceConfig": {"type": "object"},
        "jobType": text, "ruleId": text, "resultVariable": text, "script": script, "retry": retry,
        "errorBoundary": text, "calledElement": text, "workflowId": text, "duration": text, "date": text,
        "cycle": text, "message": text, "correlationKey": text, "signal": text, "throw": {"type": "boolean"},
        "attachedTo": text, "interrupting": {"type": "boolean"},
        "inputs": {"type": "array", "items": input}, "inputMapping": mapping, "outputMapping": mapping,
        "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "edges": {"type": "array", "items": {"$ref": "#/$defs/edge"}}
    });
    for (name, value) in said(true).as_object().into_iter().flatten() {
        properties[name] = value.clone();
    }
    json!({"type": "object", "properties": properties})
}

fn schema() -> Value {
    let text = json!({"type": "string"});
    let types: Vec<_> = NODE_TYPES.iter().map(|(name, _)| *name).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A workflow in Tyer's JSON notation",
        "type": "object",
        "required": ["id", "nodes", "edges"],
        "properties": {
            "id": text, "name": text, "data": {"type": "object", "properties": said(false)},
            "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            "edges": {"type": "array", "items": {"$ref": "#/$defs/edge"}}
        },
        "$defs": {
            "node": {"type": "object", "required": ["id", "type"], "properties": {
                "id": text, "type": {"enum": types}, "data": data()}},
            "edge": {"type": "object", "required": ["id", "source", "target"], "properties": {
                "id": text, "source": text, "target": text, "condition": text, "isDefault": {"type": "boolean"}}}
        }
    })
}

#[test]
fn the_json_schema_is_fresh() {
    let fresh = serde_json::to_string_pretty(&schema()).expect("a value is JSON") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.schema.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).expect("docs can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == fresh, "the schema is stale; run UPDATE=1 cargo test -p tyer-model --test schema");
}

#[test]
fn the_schema_knows_everything_that_a_workflow_says_and_the_importer_reads_it() {
    let imported = import_json(EVERYTHING.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(imported.warnings, []);
    let workflow: Value = serde_json::from_str(EVERYTHING).expect("it is JSON");
    let mut used = Vec::new();
    names_in(&workflow, &mut used);
    let data = data();
    for name in data["properties"].as_object().expect("properties").keys() {
        assert!(used.contains(name), "the example does not say `{name}`");
    }
    for (kind, _) in NODE_TYPES {
        assert!(EVERYTHING.contains(&format!("\"{kind}\"")), "the example has no {kind}");
    }
}

/// The names in the data of all nodes, however deep; each must be known.
fn names_in(graph: &Value, used: &mut Vec<String>) {
    let data_schema = data();
    for node in graph["nodes"].as_array().into_iter().flatten() {
        for (name, _) in node["data"].as_object().into_iter().flatten() {
            assert!(data_schema["properties"].get(name).is_some(), "the schema does not know `{name}`");
            used.push(name.clone());
        }
        names_in(&node["data"], used);
    }
}

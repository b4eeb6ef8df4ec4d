//! What a workflow in the JSON notation may say.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::code::Code;
use crate::problem::{Problem, Severity};

/// The types of nodes, and the BPMN elements they become.
pub const NODE_TYPES: &[(&str, &str)] = &[
    ("startProcess", "startEvent"),
    ("endProcess", "endEvent"),
    ("userTask", "userTask"),
    ("serviceTask", "serviceTask"),
    ("scriptTask", "scriptTask"),
    ("businessRule", "businessRuleTask"),
    ("exclusiveGateway", "exclusiveGateway"),
    ("parallelGateway", "parallelGateway"),
    ("inclusiveGateway", "inclusiveGateway"),
    ("eventBasedGateway", "eventBasedGateway"),
    ("subProcess", "subProcess"),
    ("callActivity", "callActivity"),
    ("timerEvent", "intermediateCatchEvent"),
    ("signalEvent", "intermediateCatchEvent"),
    ("messageEvent", "intermediateCatchEvent"),
];

/// A workflow.
#[derive(Debug, Deserialize)]
pub(super) struct Workflow {
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(flatten)]
    pub(super) graph: Graph,
    /// What else it says of itself: `onFailure`, `saga`, `mergeMode` and their like.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
}

/// Nodes and the edges between them.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Graph {
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) edges: Vec<Edge>,
}

/// One node.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawNode")]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) data: Map<String, Value>,
    /// The nodes and edges inside a sub-process.
    pub(super) inner: Graph,
}

/// One node as it is written.
#[derive(Deserialize)]
struct RawNode {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Map<String, Value>,
}

impl TryFrom<RawNode> for Node {
    type Error = String;

    /// Nesting is bounded by the JSON reader.
    fn try_from(raw: RawNode) -> Result<Node, String> {
        let RawNode { id, kind, mut data } = raw;
        let part =
            |name: &str, data: &mut Map<String, Value>| data.remove(name).unwrap_or(Value::Array(Vec::new()));
        let inner = if kind == "subProcess" {
            let (nodes, edges) = (part("nodes", &mut data), part("edges", &mut data));
            let wrong =
                |error: serde_json::Error| format!("what is inside node `{id}` cannot be read: {error}");
            Graph {
                nodes: serde_json::from_value(nodes).map_err(wrong)?,
                edges: serde_json::from_value(edges).map_err(wrong)?,
            }
        } else {
            Graph::default()
        };
        Ok(Node { id, kind, data, inner })
    }
}

/// One edge.
#[derive(Debug, Deserialize)]
pub(super) struct Edge {
    pub(super) id: String,
    pub(super) source: String,
    pub(super) target: String,
    #[serde(default)]
    pub(super) condition: Option<String>,
    #[serde(default, rename = "isDefault")]
    pub(super) is_default: bool,
}

impl Graph {
    /// What the notation forbids; everything else is for the importer to judge. Nesting is bounded by the JSON reader.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut problems = self.several_defaults();
        let known: HashSet<_> = self.nodes.iter().map(|node| node.id.as_str()).collect();
        for node in &self.nodes {
            for field in ["errorBoundary", "attachedTo"] {
                if let Some(named) = node.text(field).filter(|named| !known.contains(named.as_str())) {
                    let message =
                        format!("{field} of node `{}` names `{named}`, which is not beside it", node.id);
                    problems.push(problem(Code::JsonInvalid, &node.id, message));
                }
            }
            if NODE_TYPES.iter().all(|(known, _)| *known != node.kind) {
                let known: Vec<_> = NODE_TYPES.iter().map(|(known, _)| *known).collect();
                let message =
                    format!("node `{}` has type `{}`; known are {}", node.id, node.kind, known.join(", "));
                problems.push(problem(Code::JsonInvalid, &node.id, message));
            }
            problems.extend(node.inner.problems());
        }
        problems
    }

    /// An edge out of an exclusive gateway that has no condition is its default; two are one too many.
    fn several_defaults(&self) -> Vec<Problem> {
        let deciding: HashSet<_> =
            self.nodes.iter().filter(|node| node.decides()).map(|node| node.id.as_str()).collect();
        let mut with_default = HashSet::new();
        let defaults = self
            .edges
            .iter()
            .filter(|edge| deciding.contains(edge.source.as_str()) && edge.is_unconditional());
        defaults
            .filter(|edge| !with_default.insert(edge.source.as_str()))
            .map(|edge| {
                let message = format!("edge `{}` is a second default of node `{}`", edge.id, edge.source);
                problem(Code::JsonInvalid, &edge.id, message)
            })
            .collect()
    }

    /// The default edges by the node they leave.
    pub(super) fn defaults(&self) -> HashMap<&str, &Edge> {
        let deciding: HashSet<_> =
            self.nodes.iter().filter(|node| node.decides()).map(|node| node.id.as_str()).collect();
        let said = |edge: &&Edge| {
            edge.is_default || deciding.contains(edge.source.as_str()) && edge.is_unconditional()
        };
        self.edges.iter().filter(said).map(|edge| (edge.source.as_str(), edge)).collect()
    }
}

impl Node {
    /// The BPMN element it becomes.
    pub(super) fn element(&self) -> &'static str {
        match NODE_TYPES.iter().find(|(known, _)| *known == self.kind).map(|(_, element)| *element) {
            Some("intermediateCatchEvent") if self.flag("throw") == Some(true) => "intermediateThrowEvent",
            Some("intermediateCatchEvent") if self.data.contains_key("attachedTo") => "boundaryEvent",
            Some(element) => element,
            None => "task",
        }
    }

    /// A flag of its data.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.data.get(name).and_then(Value::as_bool)
    }

    /// A text of its data; numbers are taken as written.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        text_of(&self.data, name)
    }

    fn decides(&self) -> bool {
        self.kind == "exclusiveGateway"
    }
}

/// A text; numbers are taken as written, lists are put together.
pub(super) fn text_of(data: &Map<String, Value>, name: &str) -> Option<String> {
    match data.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

impl Edge {
    fn is_unconditional(&self) -> bool {
        self.is_default || self.condition.as_deref().is_none_or(|condition| condition.trim().is_empty())
    }
}

fn problem(code: Code, element: &str, message: String) -> Problem {
    let (severity, hint) = (Severity::Error, code.hint().to_owned());
    Problem { severity, code, element: Some(element.to_owned()), line: 1, column: 1, message, hint }
}

//! Events of the JSON notation: timers, messages, signals, and what follows a failure.

use std::collections::HashMap;

use tyer_xml::Writer;

use super::notation::{Graph, Node};
use super::write::expression;

/// The messages and signals of a workflow with their ids, in the order in which they are first used.
pub(super) struct Names {
    all: Vec<Name>,
    ids: HashMap<Name, String>,
}

/// One of them. The same message with another key is another one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Name {
    kind: &'static str,
    name: String,
    key: Option<String>,
}

impl Name {
    fn of(node: &Node) -> Option<Name> {
        let kind = match node.kind.as_str() {
            "messageEvent" => "message",
            "signalEvent" => "signal",
            _ => return None,
        };
        let name = node.text(kind).or_else(|| node.text("label")).unwrap_or_else(|| node.id.clone());
        Some(Name { kind, name, key: node.text("correlationKey").filter(|_| kind == "message") })
    }
}

impl Names {
    /// All of them, those in sub-processes too. Nesting is bounded by the JSON reader.
    pub(super) fn of(graph: &Graph) -> Names {
        let mut names = Names { all: Vec::new(), ids: HashMap::new() };
        names.collect(graph);
        names
    }

    fn collect(&mut self, graph: &Graph) {
        for node in &graph.nodes {
            if let Some(name) = Name::of(node).filter(|name| !self.ids.contains_key(name)) {
                self.ids.insert(name.clone(), format!("{}-{}", name.kind, self.all.len()));
                self.all.push(name);
            }
            self.collect(&node.inner);
        }
    }

    /// Writes them as root elements.
    pub(super) fn write(&self, writer: &mut Writer) {
        for known in &self.all {
            let Name { kind, name, key } = known;
            let id = &self.ids[known];
            writer.start(kind);
            writer.attribute("id", id);
            writer.attribute("name", name);
            if let Some(key) = key {
                writer.start("extensionElements");
                writer.start("zeebe:subscription");
                writer.attribute("correlationKey", key);
                writer.end();
                writer.end();
            }
            writer.end();
        }
    }
}

/// A message or signal.
pub(super) fn named(node: &Node, names: &Names, writer: &mut Writer) {
    let Some(name) = Name::of(node) else { return };
    writer.start(&format!("{}EventDefinition", name.kind));
    writer.attribute(&format!("{}Ref", name.kind), &names.ids[&name]);
    writer.end();
}

/// A timer.
pub(super) fn timer(node: &Node, writer: &mut Writer) {
    writer.start("timerEventDefinition");
    for (name, element) in [("duration", "timeDuration"), ("date", "timeDate"), ("cycle", "timeCycle")] {
        if let Some(time) = node.text(name) {
            expression(writer, element, &time);
        }
    }
    writer.end();
}

/// `errorBoundary` names the node that goes on when this one has failed.
pub(super) fn failed(node: &Node, writer: &mut Writer) {
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

//! One process: its nodes, its flows, and where it begins.
//!
//! **Invariant:** a `Process` is made only if nothing in the file has been refused.

use tyer_xml::Element;

use super::flows::{self, Places};
use super::{extension, node, rules};
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::process::{Body, Flow, FlowIx, Node, NodeIx, NodeKind, Parts, Process};
use crate::report::{Report, label};

/// The nodes and flows of a process with the elements they come from, in document order.
pub(super) struct Graph<'d> {
    pub(super) nodes: Vec<(Element<'d>, Node)>,
    pub(super) flows: Vec<(Element<'d>, Flow)>,
}

/// Compiles a process; `None` when something in it has been refused.
pub(super) fn compile(process: Element<'_>, report: &mut Report) -> Option<Process> {
    let id = process.attribute("id").map(str::trim).filter(|id| !id.is_empty());
    if id.is_none() {
        let hint = "give it an id: instances are started by it";
        report.error(Code::IdMissing, process, "process has no id".to_owned(), hint);
    }
    extension::check(process, report);
    let (nodes, places) = compile_nodes(process, report);
    let flows = flows::compile(process, &places, report);
    let mut graph = Graph { nodes, flows };
    set_default_flows(&mut graph);
    rules::conditions(&graph, report);
    let start = single_start(process, &graph, report)?;
    if report.has_errors() {
        return None;
    }
    rules::unreachable(&graph, start, report);
    rules::loops_without_wait(&graph, report);
    let Graph { nodes, flows } = graph;
    Some(Process::new(Parts {
        id: id?.to_owned(),
        name: process.attribute("name").map(str::to_owned),
        nodes: nodes.into_iter().map(|(_, node)| node).collect(),
        flows: flows.into_iter().map(|(_, flow)| flow).collect(),
        body: Body { starts: vec![start], ..Body::default() },
    }))
}

/// The id of an element. One without is known by its place: it stays the same as long as the file does.
fn identified(element: Element<'_>, report: &mut Report) -> String {
    if let Some(id) = element.attribute("id").map(str::trim).filter(|id| !id.is_empty()) {
        return id.to_owned();
    }
    let (name, position) = (element.local_name(), element.position());
    report.found(Code::IdMissing, element, || format!("{name} has no id"));
    format!("{name}@{}:{}", position.line, position.column)
}

fn compile_nodes<'d>(process: Element<'d>, report: &mut Report) -> (Vec<(Element<'d>, Node)>, Places<'d>) {
    let mut nodes = Vec::new();
    let mut places = Places::new();
    for element in process.children().filter(|element| node::is_flow_node(*element)) {
        let id = identified(element, report);
        let kind = node::compile(element, report);
        let place = kind.map(|kind| {
            let mut node = Node::new(id, kind);
            node.name = element.attribute("name").map(str::to_owned);
            nodes.push((element, node));
            NodeIx(u32::try_from(nodes.len() - 1).expect("a document has fewer than 2^32 elements"))
        });
        if let Some(id) = element.attribute("id") {
            places.insert(id.trim(), place);
        }
    }
    (nodes, places)
}

fn set_default_flows(graph: &mut Graph<'_>) {
    for (position, (_, flow)) in graph.flows.iter().enumerate() {
        let (element, source) = &mut graph.nodes[flow.source.0 as usize];
        if element.attribute("default") == Some(&flow.id) {
            source.default =
                Some(FlowIx(u32::try_from(position).expect("a document has fewer than 2^32 elements")));
        }
    }
}

fn single_start(process: Element<'_>, graph: &Graph<'_>, report: &mut Report) -> Option<NodeIx> {
    let mut starts = (0..).zip(&graph.nodes).filter(|(_, (_, node))| matches!(node.kind, NodeKind::Start(_)));
    let first = starts.next();
    for (_, (element, _)) in starts {
        let message = || format!("{} has several start events without trigger", label(process));
        report.found(Code::SeveralStarts, *element, message);
    }
    // A start event that was refused has been reported as such.
    if first.is_none() && bpmn_children(process, "startEvent").next().is_none() {
        report.found(Code::StartMissing, process, || format!("{} has no start event", label(process)));
    }
    first.map(|(ix, _)| NodeIx(ix))
}

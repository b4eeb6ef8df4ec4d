//! What must hold between the nodes and flows of an executable process.

use tyer_xml::Element;

use super::body::{is_event_sub_process, is_instantiating};
use super::process::Graph;
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::process::{Body, FlowIx, Node, NodeIx, NodeKind};
use crate::report::{Report, label};

/// Conditions stand where somebody looks at them, and nowhere else.
pub(super) fn conditions(graph: &Graph<'_>, report: &mut Report) {
    let mut ways_out = vec![0_usize; graph.nodes.len()];
    for (_, flow) in &graph.flows {
        ways_out[flow.source.0 as usize] += 1;
    }
    for (ix, (element, flow)) in (0..).map(FlowIx).zip(&graph.flows) {
        let (_, source) = &graph.nodes[flow.source.0 as usize];
        let way = Way {
            element: *element,
            source,
            conditional: bpmn_children(*element, "conditionExpression").next().is_some(),
            is_default: source.default == Some(ix),
            alone: ways_out[flow.source.0 as usize] == 1,
        };
        way.check(report);
    }
}

/// A flow seen from the node it leaves.
struct Way<'d> {
    element: Element<'d>,
    source: &'d Node,
    conditional: bool,
    is_default: bool,
    alone: bool,
}

impl Way<'_> {
    fn check(&self, report: &mut Report) {
        let flow = || label(self.element);
        #[expect(clippy::wildcard_enum_match_arm, reason = "rules name the kinds they are about")]
        match self.source.kind {
            NodeKind::Exclusive | NodeKind::Inclusive | NodeKind::Complex { .. }
                if !self.conditional && !self.is_default && !self.alone =>
            {
                let message = || {
                    format!(
                        "{} leaves a gateway that decides, without condition, and is not its default",
                        flow()
                    )
                };
                report.found(Code::ConditionMissing, self.element, message);
            }
            _ if self.conditional && self.is_default => {
                let message = || format!("{} is the default flow; its condition is never looked at", flow());
                report.found(Code::ConditionIgnored, self.element, message);
            }
            NodeKind::Parallel if self.conditional => {
                let message =
                    || format!("condition of {} is never looked at: its source takes all ways", flow());
                report.found(Code::ConditionIgnored, self.element, message);
            }
            _ => {}
        }
    }
}

/// Every node should be on a way from a start of its scope.
pub(super) fn unreachable(graph: &Graph<'_>, root: &Body, report: &mut Report) {
    let next = ways(graph);
    let mut reached = vec![false; graph.nodes.len()];
    let bodies = graph.nodes.iter().filter_map(|(_, node)| node.body()).chain([root]);
    let begun = (0..).map(NodeIx).zip(&graph.nodes).filter(|(_, (_, node))| begins_otherwise(node));
    let mut waiting: Vec<_> = bodies.flat_map(|body| &body.starts).copied().collect();
    waiting.extend(begun.map(|(place, _)| place));
    while let Some(place) = waiting.pop() {
        if !std::mem::replace(&mut reached[place.0 as usize], true) {
            waiting.extend(&next[place.0 as usize]);
        }
    }
    for ((element, _), _) in graph.nodes.iter().zip(reached).filter(|(_, reached)| !reached) {
        let message = || format!("no way leads from the start to {}", label(*element));
        report.found(Code::NodeUnreachable, *element, message);
    }
}

/// Where tokens can go from each node: along flows and links, and from a node to the events on its border.
fn ways(graph: &Graph<'_>) -> Vec<Vec<NodeIx>> {
    let mut next: Vec<Vec<NodeIx>> = graph.nodes.iter().map(|(_, node)| node.boundary.clone()).collect();
    for (_, flow) in &graph.flows {
        next[flow.source.0 as usize].push(flow.target);
    }
    for (place, (_, node)) in graph.nodes.iter().enumerate() {
        if let NodeKind::Link(target) = node.kind {
            next[place].push(target);
        }
    }
    next
}

/// What no flow leads to: it has a trigger, or undoes something.
fn begins_otherwise(node: &Node) -> bool {
    let is_start = matches!(node.kind, NodeKind::Start(_));
    is_start || node.for_compensation || is_instantiating(node) || is_event_sub_process(node)
}

/// A loop without a wait runs until it is stopped from outside.
pub(super) fn loops_without_wait(graph: &Graph<'_>, report: &mut Report) {
    let mut next = vec![Vec::new(); graph.nodes.len()];
    for (_, flow) in &graph.flows {
        let (source, target) = (flow.source.0 as usize, flow.target.0 as usize);
        if !waits(&graph.nodes[source].1) && !waits(&graph.nodes[target].1) {
            next[source].push(target);
        }
    }
    for place in closing_nodes(&next) {
        let (element, _) = &graph.nodes[place];
        report.found(Code::LoopWithoutWait, *element, || {
            format!("{} is on a loop that never waits", label(*element))
        });
    }
}

fn waits(node: &Node) -> bool {
    let passes = matches!(
        node.kind,
        NodeKind::Pass
            | NodeKind::Script(_)
            | NodeKind::Send(_)
            | NodeKind::Throw(_)
            | NodeKind::Exclusive
            | NodeKind::Parallel
            | NodeKind::Inclusive
            | NodeKind::Complex { .. }
    );
    !passes
}

/// The nodes at which loops close, found depth first without recursion.
fn closing_nodes(next: &[Vec<usize>]) -> Vec<usize> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut visits = vec![NEW; next.len()];
    let mut closing = Vec::new();
    for root in 0..next.len() {
        let mut path = if visits[root] == NEW { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, way)) = path.pop() {
            visits[node] = OPEN;
            let Some(target) = next[node].get(way).copied() else {
                visits[node] = DONE;
                continue;
            };
            path.push((node, way + 1));
            match visits[target] {
                NEW => path.push((target, 0)),
                OPEN => closing.push(target),
                _ => {}
            }
        }
    }
    closing.sort_unstable();
    closing.dedup();
    closing
}

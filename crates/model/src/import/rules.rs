//! What must hold between the nodes and flows of an executable process.

use tyer_xml::Element;

use super::process::Graph;
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::process::{FlowIx, Node, NodeIx, NodeKind};
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
            NodeKind::Exclusive if !self.conditional && !self.is_default && !self.alone => {
                let message = || {
                    format!(
                        "{} leaves a gateway that decides, without condition, and is not its default",
                        flow()
                    )
                };
                report.found(Code::ConditionMissing, self.element, message);
            }
            NodeKind::Exclusive if self.conditional && self.is_default => {
                let message = || format!("{} is the default flow; its condition is never looked at", flow());
                report.found(Code::ConditionIgnored, self.element, message);
            }
            NodeKind::Parallel | NodeKind::Start(_) if self.conditional => {
                let message =
                    || format!("condition of {} is never looked at: its source takes all ways", flow());
                report.found(Code::ConditionIgnored, self.element, message);
            }
            _ => {}
        }
    }
}

/// Every node should be on a way from the start.
pub(super) fn unreachable(graph: &Graph<'_>, start: NodeIx, report: &mut Report) {
    let mut next = vec![Vec::new(); graph.nodes.len()];
    for (_, flow) in &graph.flows {
        next[flow.source.0 as usize].push(flow.target.0 as usize);
    }
    let mut reached = vec![false; graph.nodes.len()];
    let mut waiting = vec![start.0 as usize];
    while let Some(place) = waiting.pop() {
        if !std::mem::replace(&mut reached[place], true) {
            waiting.extend(&next[place]);
        }
    }
    for ((element, _), _) in graph.nodes.iter().zip(reached).filter(|(_, reached)| !reached) {
        let message = || format!("no way leads from the start to {}", label(*element));
        report.found(Code::NodeUnreachable, *element, message);
    }
}

/// A loop without a wait runs until it is stopped from outside.
pub(super) fn loops_without_wait(graph: &Graph<'_>, report: &mut Report) {
    let waits = |place: usize| {
        let kind = &graph.nodes[place].1.kind;
        !matches!(kind, NodeKind::Pass | NodeKind::Exclusive | NodeKind::Parallel)
    };
    let mut next = vec![Vec::new(); graph.nodes.len()];
    for (_, flow) in &graph.flows {
        let (source, target) = (flow.source.0 as usize, flow.target.0 as usize);
        if !waits(source) && !waits(target) {
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

//! What can be reached from where, worked out once per process.
//!
//! **Invariant:** linear in the size of the graph for each question that is answered beforehand; no recursion.
//! **Invariant:** no more than [`MOST_ANSWERS`] answers are stored, however many joins a hostile diagram has; beyond that
//! each question is answered by walking.

mod loops;
mod ways;

use crate::process::{Flow, FlowIx, Node, NodeIx, NodeKind};
use tyer_map::Map;
use ways::{By, Ways};

/// Answers about ways through one process.
#[derive(Debug)]
pub(crate) struct Reach {
    ways: Ways,
    /// For each flow: from where to where it leads, and whether it closes a loop.
    flows: Vec<(NodeIx, NodeIx, bool)>,
    /// For each flow into a node that may wait: the nodes from which it can be reached without passing that node.
    to_flow: Map<FlowIx, Vec<bool>>,
    /// For each node with a merge mode: the nodes from which it can be reached without closing a loop.
    forward_to: Map<NodeIx, Vec<bool>>,
}

/// One byte each: more than any diagram that people draw needs.
const MOST_ANSWERS: usize = 64 * 1024 * 1024;

impl Reach {
    pub(crate) fn of(nodes: &[Node], flows: &[Flow]) -> Reach {
        Reach::with_at_most(MOST_ANSWERS, nodes, flows)
    }

    fn with_at_most(answers: usize, nodes: &[Node], flows: &[Flow]) -> Reach {
        let ways = Ways::of(nodes, flows);
        let mut ends: Vec<_> = flows.iter().map(|flow| (flow.source, flow.target, false)).collect();
        for way in ways.all.iter().filter(|way| way.is_back) {
            if let By::Flow(ix) = way.by {
                ends[ix.0 as usize].2 = true;
            }
        }
        let (to_flow, forward_to) = (Map::new(), Map::new());
        let mut reach = Reach { ways, flows: ends, to_flow, forward_to };
        reach.store(answers, nodes);
        reach
    }

    fn store(&mut self, answers: usize, nodes: &[Node]) {
        let into_waiting: Vec<_> =
            nodes.iter().filter(|node| may_wait(node)).flat_map(|node| node.incoming.clone()).collect();
        let merging = (0..).map(NodeIx).zip(nodes).filter(|(_, node)| node.merge.is_some());
        let merging: Vec<_> = merging.map(|(ix, _)| ix).collect();
        let questions = into_waiting.len() + merging.len();
        // A walk costs what there are nodes and ways, so the time is bounded as well.
        if questions.saturating_mul(nodes.len() + self.ways.all.len()) > answers {
            return;
        }
        self.to_flow = into_waiting.into_iter().map(|flow| (flow, self.upstream_of_flow(flow))).collect();
        self.forward_to = merging.into_iter().map(|node| (node, self.forward_upstream(node))).collect();
    }

    /// Whether a token at `from` can come to the target of a flow by this flow, without passing the target before.
    pub(crate) fn reaches(&self, from: NodeIx, flow: FlowIx) -> bool {
        match self.to_flow.get(&flow) {
            Some(stored) => stored[from.0 as usize],
            None => self.upstream_of_flow(flow)[from.0 as usize],
        }
    }

    /// Whether a token at `from` can come to `to` without closing a loop; one that is there does not come there.
    pub(crate) fn reaches_forward(&self, from: NodeIx, to: NodeIx) -> bool {
        match self.forward_to.get(&to) {
            Some(stored) => stored[from.0 as usize],
            None => self.forward_upstream(to)[from.0 as usize],
        }
    }

    pub(crate) fn is_back(&self, flow: FlowIx) -> bool {
        self.flows[flow.0 as usize].2
    }

    pub(crate) fn link_is_back(&self, link: NodeIx) -> bool {
        self.ways.leaving(link).any(|way| way.by == By::Link && way.is_back)
    }

    pub(crate) fn longest_way(&self, from: NodeIx) -> u32 {
        self.ways.longest[from.0 as usize]
    }

    fn upstream_of_flow(&self, flow: FlowIx) -> Vec<bool> {
        let (source, target, _) = self.flows[flow.0 as usize];
        self.upstream(vec![source], target, false)
    }

    fn forward_upstream(&self, node: NodeIx) -> Vec<bool> {
        let before = self.ways.leading_to(node).filter(|way| !way.is_back).map(|way| way.from).collect();
        self.upstream(before, node, true)
    }

    /// Walks backwards, never through `barrier`.
    fn upstream(&self, mut open: Vec<NodeIx>, barrier: NodeIx, forward_only: bool) -> Vec<bool> {
        let mut seen = vec![false; self.ways.longest.len()];
        while let Some(node) = open.pop() {
            if node != barrier && !std::mem::replace(&mut seen[node.0 as usize], true) {
                let before = self.ways.leading_to(node).filter(|way| !(forward_only && way.is_back));
                open.extend(before.map(|way| way.from));
            }
        }
        seen
    }
}

/// Whether tokens may wait at a node for others to come.
fn may_wait(node: &Node) -> bool {
    let joins = matches!(node.kind, NodeKind::Parallel | NodeKind::Inclusive | NodeKind::Complex { .. });
    node.incoming.len() > 1 && (joins || node.merge.is_some()) || node.start_quantity > 1
}

#[cfg(test)]
mod tests;

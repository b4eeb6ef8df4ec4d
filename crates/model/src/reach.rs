//! What can be reached from where, worked out once per process.
//!
//! **Invariant:** linear in the size of the graph for each join flow; no recursion.
//! **Invariant:** no more than [`MOST_ANSWERS`] answers are stored, however many joins a hostile diagram has; beyond that
//! each question is answered by walking.

use std::collections::BTreeMap;

use crate::process::{Flow, FlowIx, Node, NodeIx, NodeKind};

/// Answers about ways through one process.
#[derive(Debug)]
pub(crate) struct Reach {
    /// For each incoming flow of a join: the nodes from which it can be reached without passing the join.
    upstream: BTreeMap<FlowIx, Vec<bool>>,
    /// The ends of all flows, if there are too many joins to store the answers.
    too_many: Option<Ends>,
    /// For each node: how many nodes the longest way to an end has, itself included, loops left out.
    longest_way: Vec<u32>,
}

/// One byte each: more than any diagram that people draw needs.
const MOST_ANSWERS: usize = 64 * 1024 * 1024;

impl Reach {
    pub(crate) fn of(nodes: &[Node], flows: &[Flow]) -> Reach {
        let joins =
            nodes.iter().filter(|node| matches!(node.kind, NodeKind::Parallel) && node.incoming.len() > 1);
        let into_joins: Vec<FlowIx> = joins.flat_map(|join| join.incoming.iter().copied()).collect();
        let ends = Ends::of(nodes, flows);
        let storable = into_joins.len().saturating_mul(nodes.len()) <= MOST_ANSWERS;
        let stored = into_joins.iter().filter(|_| storable).map(|ix| (*ix, ends.upstream_of(*ix))).collect();
        let longest_way = longest_ways(nodes, flows);
        Reach { upstream: stored, too_many: (!storable).then_some(ends), longest_way }
    }

    pub(crate) fn reaches(&self, from: NodeIx, flow: FlowIx) -> bool {
        let stored = self.upstream.get(&flow).map(|nodes| nodes[from.0 as usize]);
        let walked = || self.too_many.as_ref().is_some_and(|ends| ends.upstream_of(flow)[from.0 as usize]);
        stored.unwrap_or_else(walked)
    }

    pub(crate) fn longest_way(&self, from: NodeIx) -> u32 {
        self.longest_way[from.0 as usize]
    }
}

/// Where flows begin and end.
#[derive(Debug)]
struct Ends {
    /// Source and target of each flow.
    flows: Vec<(NodeIx, NodeIx)>,
    /// The nodes from which a flow leads to each node.
    before: Vec<Vec<NodeIx>>,
}

impl Ends {
    fn of(nodes: &[Node], flows: &[Flow]) -> Ends {
        let source = |ix: &FlowIx| flows[ix.0 as usize].source;
        Ends {
            flows: flows.iter().map(|flow| (flow.source, flow.target)).collect(),
            before: nodes.iter().map(|node| node.incoming.iter().map(source).collect()).collect(),
        }
    }

    /// Walks backwards from a flow, never through the join where the flow ends.
    fn upstream_of(&self, flow: FlowIx) -> Vec<bool> {
        let (source, join) = self.flows[flow.0 as usize];
        let mut seen = vec![false; self.before.len()];
        let mut open = vec![source];
        while let Some(node) = open.pop() {
            if node != join && !std::mem::replace(&mut seen[node.0 as usize], true) {
                open.extend(&self.before[node.0 as usize]);
            }
        }
        seen
    }
}

/// Depth first over all nodes; a flow to a node that is still being worked on closes a loop and does not count.
fn longest_ways(nodes: &[Node], flows: &[Flow]) -> Vec<u32> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut visits = vec![Visit::New; nodes.len()];
    let mut longest = vec![1u32; nodes.len()];
    for root in 0..nodes.len() {
        if visits[root] != Visit::New {
            continue;
        }
        visits[root] = Visit::Open;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.pop() {
            let Some(flow) = nodes[node].outgoing.get(next) else {
                visits[node] = Visit::Done;
                if let Some((parent, _)) = path.last() {
                    longest[*parent] = longest[*parent].max(longest[node] + 1);
                }
                continue;
            };
            path.push((node, next + 1));
            let target = flows[flow.0 as usize].target.0 as usize;
            match visits[target] {
                Visit::New => {
                    visits[target] = Visit::Open;
                    path.push((target, 0));
                }
                Visit::Open => {}
                Visit::Done => longest[node] = longest[node].max(longest[target] + 1),
            }
        }
    }
    longest
}

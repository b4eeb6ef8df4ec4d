//! What can be reached from where, worked out once per process.
//!
//! **Invariant:** linear in the size of the graph for each join flow; no recursion.

use std::collections::BTreeMap;

use crate::process::{Flow, FlowIx, Node, NodeIx, NodeKind};

/// Answers about ways through one process.
#[derive(Debug)]
pub(crate) struct Reach {
    /// For each incoming flow of a join: the nodes from which it can be reached without passing the join.
    upstream: BTreeMap<FlowIx, Vec<bool>>,
    /// For each node: how many nodes the longest way to an end has, itself included, loops left out.
    longest_way: Vec<u32>,
}

impl Reach {
    pub(crate) fn of(nodes: &[Node], flows: &[Flow]) -> Reach {
        let joins =
            nodes.iter().filter(|node| matches!(node.kind, NodeKind::Parallel) && node.incoming.len() > 1);
        let upstream =
            joins.flat_map(|join| &join.incoming).map(|ix| (*ix, upstream_of(*ix, nodes, flows))).collect();
        Reach { upstream, longest_way: longest_ways(nodes, flows) }
    }

    pub(crate) fn reaches(&self, from: NodeIx, flow: FlowIx) -> bool {
        self.upstream.get(&flow).is_some_and(|nodes| nodes[from.0 as usize])
    }

    pub(crate) fn longest_way(&self, from: NodeIx) -> u32 {
        self.longest_way[from.0 as usize]
    }
}

/// Walks backwards from a flow, never through the join where the flow ends.
fn upstream_of(flow: FlowIx, nodes: &[Node], flows: &[Flow]) -> Vec<bool> {
    let Flow { source, target: join, .. } = flows[flow.0 as usize];
    let mut seen = vec![false; nodes.len()];
    let mut open = vec![source];
    while let Some(node) = open.pop() {
        if node != join && !std::mem::replace(&mut seen[node.0 as usize], true) {
            open.extend(nodes[node.0 as usize].incoming.iter().map(|ix| flows[ix.0 as usize].source));
        }
    }
    seen
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

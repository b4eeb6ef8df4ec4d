//! The net that never changes: the blueprint, its back edges, and plain searches over it.
//!
//! Searches are done anew each time, on purpose: the engine precomputes, and the two must not share a mistake.
//!
//! **Invariant:** a search never leaves the scope of the token that it starts from.

use super::marking::{Place, Token};
use crate::blueprint::{Blueprint, FlowId, Gateway, Kind, MergeMode, NodeId, Throw, Trigger};

pub(super) struct Net {
    pub(super) blueprint: Blueprint,
    incoming: Vec<Vec<FlowId>>,
    outgoing: Vec<Vec<FlowId>>,
    next_nodes: Vec<Vec<NodeId>>,
    is_back: Vec<bool>,
    /// A loop can be entered at two places, and which of its flows leads back is a matter of opinion.
    pub(super) has_two_heads: bool,
}

/// Which flows a search may take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    Every,
    Forward,
}

impl Net {
    pub(super) fn new(blueprint: &Blueprint) -> Net {
        let all = || blueprint.node_ids();
        let mut net = Net {
            incoming: all().map(|node| blueprint.incoming(node).collect()).collect(),
            outgoing: all().map(|node| blueprint.outgoing(node).collect()).collect(),
            next_nodes: all().map(|node| beside_flows(blueprint, node)).collect(),
            is_back: vec![false; blueprint.flows.len()],
            has_two_heads: false,
            blueprint: blueprint.clone(),
        };
        net.find_back_edges();
        let back = blueprint.flow_ids().filter(|flow| net.is_back(*flow));
        net.has_two_heads = back.into_iter().any(|flow| net.is_entered_past(flow));
        net
    }

    pub(super) fn incoming(&self, node: NodeId) -> &[FlowId] {
        &self.incoming[node.0 as usize]
    }

    pub(super) fn outgoing(&self, node: NodeId) -> &[FlowId] {
        &self.outgoing[node.0 as usize]
    }

    pub(super) fn kind(&self, node: NodeId) -> &Kind {
        &self.blueprint[node].kind
    }

    pub(super) fn id(&self, node: NodeId) -> &str {
        &self.blueprint[node].id
    }

    pub(super) fn merge(&self, node: NodeId) -> Option<MergeMode> {
        // With one way in there is nothing to merge.
        self.blueprint[node].merge.filter(|_| self.incoming(node).len() > 1)
    }

    pub(super) fn is_back(&self, flow: FlowId) -> bool {
        self.is_back[flow.0 as usize]
    }

    /// Tokens wait here for others.
    pub(super) fn is_join(&self, node: NodeId) -> bool {
        self.kind(node).waits_for_others(self.merge(node)) || self.quantity(node) > 1
    }

    /// How many tokens it takes to start the node.
    pub(super) fn quantity(&self, node: NodeId) -> usize {
        self.blueprint[node].start_quantity as usize
    }

    /// A join that is seen to fire when it completes; the others fire when they start.
    pub(super) fn is_gateway_join(&self, node: NodeId) -> bool {
        matches!(self.kind(node), Kind::Gateway(_)) && self.is_join(node)
    }

    /// Flows that a token can still come to, without passing certain nodes. The one that it stands on counts.
    pub(super) fn reachable(&self, token: &Token, avoided: &[NodeId], along: Along) -> Vec<bool> {
        let mut flows = vec![false; self.is_back.len()];
        let mut nodes = Vec::new();
        match &token.place {
            Place::Flow { flow, .. } => {
                flows[flow.0 as usize] = along == Along::Every || !self.is_back(*flow);
                let to = self.blueprint[*flow].to;
                if !avoided.contains(&to) {
                    nodes.push(to);
                }
            }
            Place::Entry(node) | Place::Active(node, _) => nodes.push(*node),
        }
        let mut next = 0;
        while let Some(node) = nodes.get(next).copied() {
            next += 1;
            for flow in self.outgoing(node) {
                if along == Along::Forward && self.is_back(*flow) {
                    continue;
                }
                flows[flow.0 as usize] = true;
                visit(&mut nodes, self.blueprint[*flow].to, avoided);
            }
            for other in &self.next_nodes[node.0 as usize] {
                visit(&mut nodes, *other, avoided);
            }
        }
        flows
    }

    /// A flow to a node that is being visited right now, depth first in the order of the drawing.
    fn find_back_edges(&mut self) {
        let mut state = vec![Visit::Never; self.blueprint.nodes.len()];
        for node in self.blueprint.node_ids() {
            let is_first = self.incoming(node).is_empty()
                && !matches!(self.kind(node), Kind::Boundary { .. } | Kind::Catch(Trigger::Link(_)));
            if is_first {
                self.visit_depth_first(node, &mut state);
            }
        }
    }

    fn visit_depth_first(&mut self, node: NodeId, state: &mut Vec<Visit>) {
        if state[node.0 as usize] != Visit::Never {
            return;
        }
        state[node.0 as usize] = Visit::Now;
        for flow in self.outgoing(node).to_vec() {
            let to = self.blueprint[flow].to;
            self.is_back[flow.0 as usize] = state[to.0 as usize] == Visit::Now;
            self.visit_depth_first(to, state);
        }
        for other in self.next_nodes[node.0 as usize].clone() {
            self.visit_depth_first(other, state);
        }
        state[node.0 as usize] = Visit::Done;
    }

    /// A token can come to where the flow begins without passing where it leads to.
    fn is_entered_past(&self, back: FlowId) -> bool {
        let (from, to) = (self.blueprint[back].from, self.blueprint[back].to);
        let is_first = |node: &NodeId| {
            let attached = matches!(self.kind(*node), Kind::Boundary { .. } | Kind::Catch(Trigger::Link(_)));
            self.incoming(*node).is_empty() && !attached && *node != to
        };
        let mut nodes: Vec<NodeId> = self.blueprint.node_ids().filter(is_first).collect();
        let mut next = 0;
        while let Some(node) = nodes.get(next).copied() {
            next += 1;
            for step in self.blueprint.next_nodes(node) {
                visit(&mut nodes, step, &[to]);
            }
        }
        nodes.contains(&from)
    }

    /// How many tokens a complex gateway needs.
    pub(super) fn needed(&self, node: NodeId) -> Option<usize> {
        let Kind::Gateway(Gateway::Complex(needed)) = self.kind(node) else { return None };
        self.merge(node).is_none().then_some(*needed as usize)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Never,
    Now,
    Done,
}

fn visit(nodes: &mut Vec<NodeId>, node: NodeId, avoided: &[NodeId]) {
    if !avoided.contains(&node) && !nodes.contains(&node) {
        nodes.push(node);
    }
}

/// Where a token goes on without a flow: events on the activity, the other end of a link.
fn beside_flows(blueprint: &Blueprint, node: NodeId) -> Vec<NodeId> {
    let mut next: Vec<NodeId> = blueprint.boundaries(node).collect();
    if let Some(Throw::Link(name)) = blueprint[node].kind.throws() {
        next.extend(blueprint.link_target(blueprint[node].within, name));
    }
    next
}

//! Making a blueprint, and making one smaller.
//!
//! **Invariant:** after a removal every id inside the blueprint names what it named before, or is gone.

use super::{Blueprint, Flow, FlowId, Kind, Node, NodeId, Throw, Variables};

impl Blueprint {
    /// A process without nodes.
    pub fn new(id: impl Into<String>) -> Blueprint {
        Blueprint {
            id: id.into(),
            nodes: Vec::new(),
            flows: Vec::new(),
            variables: Variables::new(),
            called: Vec::new(),
            is_sound: true,
        }
    }

    /// Puts a node at the end of the list.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Puts a flow at the end of the list.
    pub fn connect(&mut self, from: NodeId, to: NodeId) -> FlowId {
        let id = format!("flow_{}", self.flows.len() + 1);
        self.flows.push(Flow { id, from, to, condition: None, is_default: false });
        FlowId(self.flows.len() as u32 - 1)
    }

    /// Without these nodes, what stands in them, what is attached to them, and the flows that touch them.
    pub fn without_nodes(&self, gone: &[NodeId]) -> Blueprint {
        let mut stays = vec![true; self.nodes.len()];
        gone.iter().for_each(|node| stays[node.0 as usize] = false);
        // Attachments may chain (container, boundary event, handler), so look again until nothing more goes.
        loop {
            let before = stays.clone();
            for node in self.node_ids() {
                let needed = [self[node].within, host_of(&self[node]), self[node].compensates];
                if needed.into_iter().flatten().any(|needed| !stays[needed.0 as usize]) {
                    stays[node.0 as usize] = false;
                }
            }
            if before == stays {
                return self.renumbered(&stays);
            }
        }
    }

    /// Without this flow.
    pub fn without_flow(&self, gone: FlowId) -> Blueprint {
        let mut smaller = self.clone();
        smaller.flows.remove(gone.0 as usize);
        smaller
    }

    fn renumbered(&self, stays: &[bool]) -> Blueprint {
        let mut numbers = Vec::new();
        let mut next = 0;
        for stay in stays {
            numbers.push(stay.then_some(NodeId(next)));
            next += u32::from(*stay);
        }
        let renumber = |node: NodeId| numbers[node.0 as usize];
        let nodes = self.node_ids().filter(|node| stays[node.0 as usize]);
        let nodes = nodes.map(|node| renumbered_node(&self[node], &renumber)).collect();
        let flows = self.flows.iter().filter_map(|flow| {
            Some(Flow { from: renumber(flow.from)?, to: renumber(flow.to)?, ..flow.clone() })
        });
        Blueprint { nodes, flows: flows.collect(), ..self.clone() }
    }
}

fn host_of(node: &Node) -> Option<NodeId> {
    if let Kind::Boundary { host, .. } = node.kind { Some(host) } else { None }
}

fn renumbered_node(node: &Node, renumber: &impl Fn(NodeId) -> Option<NodeId>) -> Node {
    let mut node = node.clone();
    node.within = node.within.and_then(renumber);
    node.compensates = node.compensates.and_then(renumber);
    match &mut node.kind {
        Kind::Boundary { host, .. } => *host = renumber(*host).expect("a host goes with its events"),
        Kind::Throw(Throw::Compensation(target)) | Kind::End(Throw::Compensation(target)) => {
            *target = target.and_then(renumber);
        }
        Kind::Task(_)
        | Kind::Call(_)
        | Kind::Gateway(_)
        | Kind::Start { .. }
        | Kind::Catch(_)
        | Kind::Throw(_)
        | Kind::End(_)
        | Kind::SubProcess(_) => {}
    }
    node
}

//! A compiled process: what the token game walks on.
//!
//! **Invariant:** immutable after compilation; nodes and flows are named by index inside the program and by
//! their BPMN id everywhere outside it.
//! **Invariant:** every index stored in a `Process` is in bounds of that same `Process`.

mod activity;
mod event;
mod kind;

use std::collections::HashMap;

use tyer_feel::Expression;

pub use activity::{
    Backoff, Behaviour, Binding, BranchMerge, CallSpec, Count, Declared, Gathered, JobSpec, Mapping, Multi,
    Repeat, ScriptSpec, Text, UserSpec,
};
pub use event::{Boundary, Caught, ConditionSpec, MessageSpec, Throw, TimerSpec, Trigger, Triggers};
pub use kind::{AdHoc, Body, InFlight, MergeMode, NodeKind, OnFailure, Saga, SubProcess, SubProcessKind};

use crate::reach::Reach;

/// A node of one [`Process`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

/// A sequence flow of one [`Process`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowIx(pub u32);

/// An executable process, compiled from BPMN.
#[derive(Debug)]
pub struct Process {
    /// The BPMN id of the process: the name under which it is started.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// What the version is called, so that calls can ask for it.
    pub version_tag: Option<String>,
    nodes: Vec<Node>,
    flows: Vec<Flow>,
    node_by_id: HashMap<String, NodeIx>,
    flow_by_id: HashMap<String, FlowIx>,
    body: Body,
    reach: Reach,
}

/// One flow node with everything that entering or leaving it needs.
#[derive(Debug)]
pub struct Node {
    /// The BPMN id.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// What it does.
    pub kind: NodeKind,
    /// The sub-process it stands in; none = the process itself.
    pub parent: Option<NodeIx>,
    /// Flows that end here, in document order.
    pub incoming: Vec<FlowIx>,
    /// Flows that begin here, in document order.
    pub outgoing: Vec<FlowIx>,
    /// The flow taken when no condition holds.
    pub default: Option<FlowIx>,
    /// Events on its border, in document order.
    pub boundary: Vec<NodeIx>,
    /// What several incoming flows mean; none = what BPMN says.
    pub merge: Option<MergeMode>,
    /// Local variables made on entering, in order.
    pub inputs: Vec<Mapping>,
    /// What is kept of its result, in order; empty = all of it.
    pub outputs: Vec<Mapping>,
    /// Variables that must be there before it is entered.
    pub declared: Vec<Declared>,
    /// Done more than once.
    pub repeat: Option<Box<Repeat>>,
    /// The activity that undoes this one.
    pub handler: Option<NodeIx>,
    /// This is such an activity: no token comes to it by a flow.
    pub for_compensation: bool,
    /// Tokens it takes to begin.
    pub start_quantity: u32,
    /// Tokens it gives to each flow.
    pub completion_quantity: u32,
    /// What follows when its job has failed for good; none = what its scope says.
    pub on_failure: Option<OnFailure>,
    /// Whether a token that leaves by several flows gives each branch variables of its own.
    pub branch_scope: Option<BranchMerge>,
}

/// One sequence flow.
#[derive(Debug)]
pub struct Flow {
    /// The BPMN id.
    pub id: String,
    /// Where it begins.
    pub source: NodeIx,
    /// Where it ends.
    pub target: NodeIx,
    /// Taken only if this holds.
    pub condition: Option<Expression>,
}

impl Node {
    /// A node that has nothing but a kind.
    pub fn new(id: impl Into<String>, kind: NodeKind) -> Node {
        Node {
            id: id.into(),
            name: None,
            kind,
            parent: None,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            default: None,
            boundary: Vec::new(),
            merge: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            declared: Vec::new(),
            repeat: None,
            handler: None,
            for_compensation: false,
            start_quantity: 1,
            completion_quantity: 1,
            on_failure: None,
            branch_scope: None,
        }
    }

    /// What a sub-process holds.
    pub fn body(&self) -> Option<&Body> {
        if let NodeKind::SubProcess(sub) = &self.kind { Some(&sub.body) } else { None }
    }
}

/// The parts a [`Process`] is made of; flows name nodes by their position in `nodes`.
#[derive(Debug)]
pub struct Parts {
    /// The BPMN id.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// What the version is called.
    pub version_tag: Option<String>,
    /// The nodes; `incoming` and `outgoing` are filled in by [`Process::new`].
    pub nodes: Vec<Node>,
    /// The flows in document order.
    pub flows: Vec<Flow>,
    /// What stands at the top.
    pub body: Body,
}

impl Process {
    /// Joins the parts to a graph.
    ///
    /// # Panics
    /// If an index names what is not there: the importer has checked references before.
    pub fn new(parts: Parts) -> Process {
        let Parts { id, name, version_tag, mut nodes, flows, body } = parts;
        for (position, flow) in flows.iter().enumerate() {
            let ix = FlowIx(u32::try_from(position).expect("a process has fewer than 2^32 flows"));
            nodes[flow.source.0 as usize].outgoing.push(ix);
            nodes[flow.target.0 as usize].incoming.push(ix);
        }
        assert!(
            body.starts.iter().all(|start| (start.0 as usize) < nodes.len()),
            "a start is one of the nodes"
        );
        let node_by_id = (0..).zip(&nodes).map(|(ix, node)| (node.id.clone(), NodeIx(ix))).collect();
        let flow_by_id = (0..).zip(&flows).map(|(ix, flow)| (flow.id.clone(), FlowIx(ix))).collect();
        let reach = Reach::of(&nodes, &flows);
        Process { id, name, version_tag, nodes, flows, node_by_id, flow_by_id, body, reach }
    }

    /// What stands at the top, or in a sub-process.
    pub fn body(&self, of: Option<NodeIx>) -> &Body {
        of.map_or(&self.body, |node| self.node(node).body().expect("only a sub-process holds others"))
    }

    /// The node at a position.
    pub fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.0 as usize]
    }

    /// The flow at a position.
    pub fn flow(&self, ix: FlowIx) -> &Flow {
        &self.flows[ix.0 as usize]
    }

    /// All nodes with their positions, in document order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeIx, &Node)> {
        (0..).map(NodeIx).zip(&self.nodes)
    }

    /// All flows with their positions, in document order.
    pub fn flows(&self) -> impl Iterator<Item = (FlowIx, &Flow)> {
        (0..).map(FlowIx).zip(&self.flows)
    }

    /// The node with this BPMN id.
    pub fn find_node(&self, id: &str) -> Option<NodeIx> {
        self.node_by_id.get(id).copied()
    }

    /// Can a token at this node still come to a join by this incoming flow of it, without passing the join?
    pub fn reaches(&self, from: NodeIx, join_flow: FlowIx) -> bool {
        self.reach.reaches(from, join_flow)
    }

    /// Can a token at `from` come to `to` along flows, links and border events that close no loop? One that stands at
    /// `to` does not come there.
    pub fn reaches_forward(&self, from: NodeIx, to: NodeIx) -> bool {
        self.reach.reaches_forward(from, to)
    }

    /// Does this flow close a loop?
    pub fn is_back(&self, flow: FlowIx) -> bool {
        self.reach.is_back(flow)
    }

    /// Does a token that goes through this throwing link close a loop?
    pub fn link_is_back(&self, link: NodeIx) -> bool {
        self.reach.link_is_back(link)
    }

    /// How many nodes the longest way to an end has, this one included; loops are left out.
    pub fn longest_way(&self, from: NodeIx) -> u32 {
        self.reach.longest_way(from)
    }

    /// The flow with this BPMN id.
    pub fn find_flow(&self, id: &str) -> Option<FlowIx> {
        self.flow_by_id.get(id).copied()
    }
}

//! A compiled process: what the token game walks on.
//!
//! **Invariant:** immutable after compilation; nodes and flows are named by index inside the program and by
//! their BPMN id everywhere outside it.
//! **Invariant:** every index stored in a `Process` is in bounds of that same `Process`.

use std::collections::HashMap;
use std::sync::Arc;

use tyer_feel::Expression;

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
    nodes: Vec<Node>,
    flows: Vec<Flow>,
    node_by_id: HashMap<String, NodeIx>,
    flow_by_id: HashMap<String, FlowIx>,
    start: NodeIx,
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
    /// Flows that end here, in document order.
    pub incoming: Vec<FlowIx>,
    /// Flows that begin here, in document order.
    pub outgoing: Vec<FlowIx>,
    /// The flow taken when no condition holds.
    pub default: Option<FlowIx>,
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

/// What a node does.
#[derive(Debug)]
pub enum NodeKind {
    /// Where an instance begins.
    Start,
    /// Where a token ends.
    End,
    /// Work without a wait: none and manual tasks.
    Pass,
    /// Work for a worker.
    Job(JobSpec),
    /// Work for a person.
    User(UserSpec),
    /// One way out: the first whose condition holds.
    Exclusive,
    /// All ways out; one token per way in.
    Parallel,
    /// Waits until a moment.
    Timer(TimerSpec),
}

/// What a worker must know of a job, and what happens when it fails.
#[derive(Debug)]
pub struct JobSpec {
    /// The name workers ask for.
    pub job_type: Text,
    /// How often the work may be tried in all.
    pub retries: u32,
    /// How long to wait between two tries.
    pub backoff: Backoff,
    /// Fixed key-value pairs for the worker.
    pub headers: Vec<(String, String)>,
}

/// The wait between two tries of the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Always the same.
    Fixed {
        /// The wait.
        delay_ms: u64,
    },
    /// The delay times the number of the try.
    Linear {
        /// The first wait.
        delay_ms: u64,
        /// The longest wait.
        cap_ms: u64,
    },
    /// Doubles with every try.
    Exponential {
        /// The first wait.
        delay_ms: u64,
        /// The longest wait.
        cap_ms: u64,
    },
}

/// What a person must know of a task.
#[derive(Debug, Default)]
pub struct UserSpec {
    /// Who shall do it.
    pub assignee: Option<Text>,
    /// Who may do it.
    pub candidate_users: Option<Text>,
    /// Members of which groups may do it.
    pub candidate_groups: Option<Text>,
    /// When it shall be done.
    pub due_date: Option<Text>,
    /// 0 to 100; 50 when not said.
    pub priority: Option<Text>,
    /// The form to fill in.
    pub form: Option<String>,
}

/// When a timer is due.
#[derive(Debug)]
pub enum TimerSpec {
    /// An ISO 8601 duration after entering.
    Duration(Text),
    /// An RFC 3339 moment.
    Date(Text),
}

/// A text that is either fixed in the model or computed from variables.
#[derive(Debug)]
pub enum Text {
    /// As written.
    Literal(Arc<str>),
    /// Computed when it is needed.
    Expression(Expression),
}

/// The parts a [`Process`] is made of; flows name nodes by their position in `nodes`.
#[derive(Debug)]
pub struct Parts {
    /// The BPMN id.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// The nodes; `incoming` and `outgoing` are filled in by [`Process::new`].
    pub nodes: Vec<Node>,
    /// The flows in document order.
    pub flows: Vec<Flow>,
    /// Where an instance begins.
    pub start: NodeIx,
}

impl Process {
    /// Joins the parts to a graph.
    ///
    /// # Panics
    /// If a flow or the start names a node that is not there: the importer has checked references before.
    pub fn new(parts: Parts) -> Process {
        let Parts { id, name, mut nodes, flows, start } = parts;
        for (position, flow) in flows.iter().enumerate() {
            let ix = FlowIx(u32::try_from(position).expect("a process has fewer than 2^32 flows"));
            nodes[flow.source.0 as usize].outgoing.push(ix);
            nodes[flow.target.0 as usize].incoming.push(ix);
        }
        assert!((start.0 as usize) < nodes.len(), "the start is one of the nodes");
        let node_by_id = (0..).zip(&nodes).map(|(ix, node)| (node.id.clone(), NodeIx(ix))).collect();
        let flow_by_id = (0..).zip(&flows).map(|(ix, flow)| (flow.id.clone(), FlowIx(ix))).collect();
        let reach = Reach::of(&nodes, &flows);
        Process { id, name, nodes, flows, node_by_id, flow_by_id, start, reach }
    }

    /// Where an instance begins.
    pub fn start(&self) -> NodeIx {
        self.start
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

    /// The node with this BPMN id.
    pub fn find_node(&self, id: &str) -> Option<NodeIx> {
        self.node_by_id.get(id).copied()
    }

    /// Can a token at this node still come to a join by this incoming flow of it, without passing the join?
    pub fn reaches(&self, from: NodeIx, join_flow: FlowIx) -> bool {
        self.reach.reaches(from, join_flow)
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

//! A process as the simulation draws it: nodes, flows and what is attached to them, in no notation.
//!
//! **Invariant:** a node or flow is named by its place in the list; `edit` is the only way to take one out.
//! **Invariant:** a container stands before what it contains.

mod check;
mod edit;
mod graph;
mod values;

pub use values::{Condition, Value, Variables};

use std::ops::{Index, IndexMut};

/// A node, by its place in [`Blueprint::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A flow, by its place in [`Blueprint::flows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// A process and everything that it needs to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blueprint {
    /// The BPMN id of the process.
    pub id: String,
    /// All nodes of all levels.
    pub nodes: Vec<Node>,
    /// All flows, in the order in which conditions are looked at.
    pub flows: Vec<Flow>,
    /// What an instance is started with: every variable that any condition reads.
    pub variables: Variables,
    /// The processes that call activities name.
    pub called: Vec<Blueprint>,
    /// Made so that it can always end without an incident, whatever the driver does (short of failing jobs for good).
    pub is_sound: bool,
}

/// One node of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The BPMN id.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// The sub-process that it stands in.
    pub within: Option<NodeId>,
    /// Whether it runs more than once per arriving token.
    pub marker: Marker,
    /// What it does with several incoming flows.
    pub merge: Option<MergeMode>,
    /// What the one who completes it may write.
    pub results: Vec<Outcome>,
    /// The compensation boundary event whose handler this is.
    pub compensates: Option<NodeId>,
    /// Tokens that it takes to start it.
    pub start_quantity: u32,
    /// Tokens that it puts on every flow.
    pub completion_quantity: u32,
}

/// A sequence flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The BPMN id.
    pub id: String,
    /// Where it begins.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// When it is taken.
    pub condition: Option<Condition>,
    /// Taken when no other is.
    pub is_default: bool,
}

/// A variable that a job, a task or a message may write, and the values that lead somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The variable.
    pub variable: String,
    /// The values to choose from.
    pub values: Vec<Value>,
    /// The value that leaves the loop. A driver writes it when it has had enough: a fork inside a loop makes more tokens
    /// every round, so all loops of an instance together should go on a handful of times only.
    pub exit: Option<Value>,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An activity without inner life.
    Task(Task),
    /// An activity that runs a process of [`Blueprint::called`].
    Call(String),
    /// A gateway.
    Gateway(Gateway),
    /// A start event. `interrupts` matters in an event sub-process alone.
    Start {
        /// What it waits for.
        trigger: Trigger,
        /// Ends what runs beside it.
        interrupts: bool,
    },
    /// An intermediate event that waits.
    Catch(Trigger),
    /// An intermediate event that acts.
    Throw(Throw),
    /// An end event.
    End(Throw),
    /// An event on an activity.
    Boundary {
        /// The activity.
        host: NodeId,
        /// What it waits for.
        trigger: Trigger,
        /// Ends the activity.
        interrupts: bool,
    },
    /// An activity that contains others.
    SubProcess(SubProcess),
}

/// Tasks, by who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nobody: it passes.
    None,
    /// Nobody that the engine knows of: it passes.
    Manual,
    /// A worker.
    Service,
    /// A worker that sends.
    Send,
    /// A worker that runs a script.
    ScriptJob,
    /// The engine, by an expression.
    Script,
    /// A worker that decides.
    BusinessRule,
    /// A person.
    User,
    /// A person, by a task that the whole file shares and an activity calls.
    Global,
    /// A message. It may also start the process.
    Receive {
        /// Starts the process.
        instantiates: bool,
    },
}

/// Gateways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// One way.
    Exclusive,
    /// All ways.
    Parallel,
    /// Every way whose condition holds.
    Inclusive,
    /// Fires when so many incoming flows have a token.
    Complex(u32),
    /// The way whose event comes first.
    EventBased {
        /// Starts the process.
        instantiates: bool,
    },
}

/// Sub-processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubProcess {
    /// Runs when a token enters it.
    Embedded,
    /// Runs when its start event fires.
    Event,
    /// Can be cancelled.
    Transaction,
    /// Its activities run in no given order.
    AdHoc {
        /// One at a time.
        is_sequential: bool,
        /// When it is over.
        until: Condition,
    },
}

/// A timer that fires so often fires without end.
pub const ENDLESS: u32 = u32::MAX;

/// What an event waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Nothing.
    None,
    /// A message of this name.
    Message(String),
    /// A time.
    Timer {
        /// After so many seconds.
        seconds: u32,
        /// So many times; [`ENDLESS`] is without end.
        times: u32,
    },
    /// An error of this code, or any.
    Error(Option<String>),
    /// An escalation of this code, or any.
    Escalation(Option<String>),
    /// A transaction that is cancelled.
    Cancel,
    /// A compensation.
    Compensation,
    /// A condition that becomes true.
    Conditional(Condition),
    /// A link of this name in the same scope.
    Link(String),
    /// A signal of this name.
    Signal(String),
    /// Any of them.
    Multiple(Vec<Trigger>),
    /// All of them.
    ParallelMultiple(Vec<Trigger>),
}

impl Trigger {
    /// A timer that is written as a date. Which ones are follows from the numbers, so that no number is needed more.
    pub fn is_date(&self) -> bool {
        matches!(self, Trigger::Timer { seconds: 7, times: 1 })
    }
}

/// What an event does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Throw {
    /// Nothing.
    None,
    /// Sends a message of this name.
    Message(String),
    /// Throws an error of this code.
    Error(String),
    /// Throws an escalation of this code.
    Escalation(String),
    /// Cancels the transaction.
    Cancel,
    /// Compensates one activity, or all of the scope.
    Compensation(Option<NodeId>),
    /// Goes on at the link of this name.
    Link(String),
    /// Broadcasts a signal of this name.
    Signal(String),
    /// Ends the scope.
    Terminate,
    /// All of them; only such as pass.
    Multiple(Vec<Throw>),
}

/// Whether an activity runs more than once per arriving token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// Once.
    Once,
    /// As long as the condition holds.
    Loop {
        /// Looked at before or after every round.
        while_holds: Condition,
        /// Before the first round too.
        tests_before: bool,
        /// At most so often.
        at_most: Option<u32>,
    },
    /// Once per item.
    Multiple(Multiple),
}

/// A multi-instance marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiple {
    /// One after the other.
    pub is_sequential: bool,
    /// How many.
    pub count: u32,
    /// The variable that holds the items; without it, the number itself is written.
    pub items: Option<String>,
    /// Enough, although some are left.
    pub until: Option<Condition>,
    /// A signal that it sends when instances complete.
    pub tells: Option<Tells>,
}

/// When an activity with several instances sends its signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// At the first that completes.
    First,
    /// At every one that completes.
    Every,
}

/// What a node does with several incoming flows, where it is not left to BPMN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// Waits for all forward flows.
    Converge,
    /// Waits for what is really coming.
    Merge,
    /// The first runs it, the rest is absorbed.
    Stream,
    /// The first runs it, the rest is terminated.
    Race,
    /// Once per token, said explicitly.
    Cascade,
}

impl Node {
    /// A plain node of this kind on the outermost level.
    pub fn new(id: impl Into<String>, kind: Kind) -> Node {
        Node {
            id: id.into(),
            kind,
            within: None,
            marker: Marker::Once,
            merge: None,
            results: Vec::new(),
            compensates: None,
            start_quantity: 1,
            completion_quantity: 1,
        }
    }
}

impl Index<NodeId> for Blueprint {
    type Output = Node;
    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }
}

impl IndexMut<NodeId> for Blueprint {
    fn index_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }
}

impl Index<FlowId> for Blueprint {
    type Output = Flow;
    fn index(&self, flow: FlowId) -> &Flow {
        &self.flows[flow.0 as usize]
    }
}

impl IndexMut<FlowId> for Blueprint {
    fn index_mut(&mut self, flow: FlowId) -> &mut Flow {
        &mut self.flows[flow.0 as usize]
    }
}

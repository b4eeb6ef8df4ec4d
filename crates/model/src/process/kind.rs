//! What a node does, and what a scope holds.

use std::sync::Arc;

use tyer_feel::Expression;

use super::activity::{CallSpec, Gathered, JobSpec, ScriptSpec, UserSpec};
use super::event::{Boundary, MessageSpec, Throw, Triggers};
use super::{Mapping, NodeIx};

/// What a node does.
#[derive(Debug)]
pub enum NodeKind {
    /// Where a scope begins: by itself, or when its trigger comes.
    Start(Triggers),
    /// Where a token ends, and what it throws there.
    End(Vec<Throw>),
    /// Waits for its trigger; passes if it has none (the catching side of a link).
    Catch(Triggers),
    /// Throws, and goes on.
    Throw(Vec<Throw>),
    /// Goes on at the catching side of the link.
    Link(NodeIx),
    /// On the border of an activity.
    Boundary(Boundary),
    /// Work without a wait: none and manual tasks.
    Pass,
    /// Work for a worker.
    Job(JobSpec),
    /// Work for a person.
    User(UserSpec),
    /// Computed by the engine itself.
    Script(ScriptSpec),
    /// Sends a message, and goes on.
    Send(MessageSpec),
    /// Waits for a message.
    Receive {
        /// Which.
        message: MessageSpec,
        /// It begins the process.
        instantiate: bool,
    },
    /// Runs another process.
    Call(CallSpec),
    /// Holds other nodes.
    SubProcess(Box<SubProcess>),
    /// One way out: the first whose condition holds.
    Exclusive,
    /// All ways out; one token per way in.
    Parallel,
    /// Every way out whose condition holds; waits for what can still come.
    Inclusive,
    /// Fires when its activation condition holds, then waits for the rest.
    Complex {
        /// Reads `activationCount`; none = every flow must have arrived.
        activation: Option<Expression>,
    },
    /// The first event wins.
    EventBased {
        /// It begins the process.
        instantiate: bool,
        /// All its events must come (only where it begins the process).
        parallel: bool,
    },
}

/// A node that holds others.
#[derive(Debug)]
pub struct SubProcess {
    /// Which sort.
    pub kind: SubProcessKind,
    /// What it holds.
    pub body: Body,
}

/// Sorts of sub-process.
#[derive(Debug)]
pub enum SubProcessKind {
    /// Entered by a flow.
    Embedded,
    /// As embedded; can be cancelled, which undoes what was done in it.
    Transaction,
    /// No order but what the flows inside say.
    AdHoc(AdHoc),
    /// Begun by an event while its scope lives.
    Event {
        /// Its start event.
        start: NodeIx,
        /// Ends what else goes on in its scope.
        interrupting: bool,
    },
}

/// How an ad-hoc sub-process goes.
#[derive(Debug)]
pub struct AdHoc {
    /// One inner activity at a time.
    pub sequential: bool,
    /// It is done when this holds; none = when every inner activity is done.
    pub completion: Option<Expression>,
    /// When it is done, what still goes on inside is ended.
    pub cancel_remaining: bool,
    /// Which inner activities begin: a list of ids; none = all.
    pub active: Option<Expression>,
    /// What the inner activities give back.
    pub gathered: Option<Gathered>,
}

/// What a process or sub-process holds besides its nodes and flows.
#[derive(Debug, Default)]
pub struct Body {
    /// Where it begins: start events without trigger, else (in a sub-process) every node that no flow leads to.
    pub starts: Vec<NodeIx>,
    /// Event sub-processes in it.
    pub events: Vec<NodeIx>,
    /// Data objects and properties: variables of the scope from its beginning.
    pub data: Vec<Mapping>,
    /// What a failure undoes.
    pub saga: Saga,
    /// What happens to work in progress then.
    pub in_flight: InFlight,
    /// What follows when a job has failed for good and nobody caught it.
    pub on_failure: OnFailure,
    /// Variables that no view shows.
    pub masked: Vec<Arc<str>>,
    /// Variables that instances are found by.
    pub indexed: Vec<Arc<str>>,
}

/// What several incoming flows mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeMode {
    /// Waits for every forward flow.
    Converge,
    /// Waits for every branch that is really coming.
    Merge,
    /// The first runs it, later ones of the wave are absorbed.
    Stream,
    /// The first runs it, everything else upstream is ended.
    Race,
    /// Once per token.
    Cascade,
}

/// What a failure undoes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Saga {
    /// Nothing.
    #[default]
    None,
    /// This sub-process.
    Local,
    /// The instance.
    Global,
}

/// What happens to steps in progress when a saga begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InFlight {
    /// They may finish.
    #[default]
    Wait,
    /// They are ended.
    Terminate,
}

/// What follows when a job has failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Somebody looks at it.
    #[default]
    Incident,
    /// The instance has failed.
    Fail,
}

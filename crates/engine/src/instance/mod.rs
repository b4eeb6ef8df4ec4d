//! The state of one process instance: a set of tokens and what they wait for.
//!
//! **Invariant:** [`Instance::apply`] is the only way it changes.
//! **Invariant:** `jobs`, `arrivals` and `standing` are indexes over `tokens`: never stored, always equal to what a
//! scan of the tokens would give.

mod apply;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tyer_model::{FlowIx, NodeIx};

use crate::ids::{InstanceId, Number, Timestamp};
use crate::variables::Variables;

/// A process instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its name.
    pub id: InstanceId,
    /// Where it is in its life.
    pub status: Status,
    /// How many events it has seen: it orders turns, and numbers history. 0 = blank.
    pub version: u64,
    /// The last number given to a thing inside.
    pub counter: Number,
    /// The definition it runs.
    pub definition: i64,
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100.
    pub priority: u8,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How often work was tried again.
    pub retries: u32,
    /// How often something went wrong.
    pub errors: u32,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Live tokens.
    pub tokens: BTreeMap<Number, Token>,
    /// Variables by scope; 0 is the root.
    pub scopes: BTreeMap<Number, Variables>,
    /// Open tasks.
    pub tasks: BTreeMap<Number, Task>,
    /// Armed timers.
    pub timers: BTreeMap<Number, Timer>,
    /// Open incidents.
    pub incidents: BTreeMap<Number, Incident>,
    jobs: BTreeMap<Number, Number>,
    arrivals: BTreeMap<(NodeIx, FlowIx), BTreeSet<Number>>,
    standing: BTreeMap<NodeIx, u32>,
}

/// Where an instance is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Tokens move.
    Running,
    /// Tokens stop before the next node.
    Paused,
    /// Every token reached an end.
    Completed,
    /// It could not go on.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// The right to execute one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Where it stands.
    pub node: NodeIx,
    /// The flow by which it came.
    pub flow: Option<FlowIx>,
    /// What must happen before it goes on.
    pub wait: Wait,
    /// Forward, or undoing.
    pub mode: Mode,
    /// Where it reads variables.
    pub scope: Number,
    /// The token that was split to make it.
    pub parent: Option<Number>,
    /// The fork it was born in, shared by its siblings.
    pub group: Option<Number>,
    /// How often its present work has failed.
    pub attempt: u32,
    /// Since when it stands there.
    pub since: Timestamp,
}

/// What must happen before a token goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// Nothing: it stands before its node.
    Nothing,
    /// A worker's result.
    Job(Job),
    /// A person's result.
    Task(Number),
    /// A moment.
    Timer(Number),
    /// The other flows of a join.
    Join,
    /// A person who deals with the incident.
    Incident(Number),
}

/// Work for a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number: new for every try, so a late result is refused by construction.
    pub number: Number,
    /// The name workers ask for.
    pub job_type: Arc<str>,
}

/// Which way a token walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Towards the end.
    Forward,
    /// Undoing what was done.
    Compensation,
}

/// The state of a token, as the outside sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenStatus {
    /// Exists, not scheduled.
    Created,
    /// Has work that a worker may claim.
    Ready,
    /// Claimed by a worker.
    Executing,
    /// Blocked until something wakes it.
    Waiting,
    /// An incident is open on it.
    Failed,
}

/// Work for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The token that waits for it.
    pub token: Number,
    /// Where.
    pub node: NodeIx,
    /// What is asked of the person.
    pub asked: crate::event::TaskCreated,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A moment that a token waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timer {
    /// The token that waits for it.
    pub token: Number,
    /// When.
    pub due: Timestamp,
    /// What happens then.
    pub kind: TimerKind,
}

/// What happens when a timer fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TimerKind {
    /// A timer event of the model: the token goes on.
    Catch,
    /// The wait between two tries is over: the job is offered again.
    Retry,
    /// A long turn made room for others: the token goes on where it stood.
    Yield {
        /// Nodes visited without a wait so far.
        visits: u64,
    },
}

/// Something that needs a person's eye.
#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    /// The token that stands still; none when the whole instance does.
    pub token: Option<Number>,
    /// What sort.
    pub kind: IncidentKind,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Since when.
    pub at: Timestamp,
}

/// Sorts of incidents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IncidentKind {
    /// A job failed and has no tries left.
    JobFailed,
    /// No condition of a gateway holds and there is no default flow.
    NoFlow,
    /// An expression gave nothing usable.
    Expression,
    /// No token can reach a flow that a join still needs.
    JoinStarved,
    /// Too many nodes in a row without a wait.
    Runaway,
    /// The engine itself failed on this instance.
    Parked,
}

impl Status {
    /// Is it over?
    pub fn is_ended(self) -> bool {
        matches!(self, Status::Completed | Status::Failed | Status::Cancelled)
    }
}

impl Token {
    /// The job it waits for.
    pub fn job(&self) -> Option<&Job> {
        if let Wait::Job(job) = &self.wait { Some(job) } else { None }
    }
}

impl Instance {
    /// An instance that has not begun.
    pub fn blank(id: InstanceId) -> Instance {
        Instance {
            id,
            status: Status::Running,
            version: 0,
            counter: 0,
            definition: 0,
            business_key: None,
            started_by: None,
            priority: 50,
            started_at: Timestamp(0),
            ended_at: None,
            retries: 0,
            errors: 0,
            last_error: None,
            tokens: BTreeMap::new(),
            scopes: BTreeMap::new(),
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            incidents: BTreeMap::new(),
            jobs: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            standing: BTreeMap::new(),
        }
    }

    /// The token that waits for this job.
    pub fn token_of_job(&self, job: Number) -> Option<Number> {
        self.jobs.get(&job).copied()
    }

    /// The oldest token that waits at a join on this flow.
    pub fn first_arrival(&self, join: NodeIx, flow: FlowIx) -> Option<Number> {
        self.arrivals.get(&(join, flow)).and_then(|tokens| tokens.first().copied())
    }

    /// Joins and flows at which tokens wait.
    pub fn arrivals(&self) -> impl Iterator<Item = (NodeIx, FlowIx)> {
        self.arrivals.keys().copied()
    }

    /// Nodes at which live tokens stand.
    pub fn occupied(&self) -> impl Iterator<Item = NodeIx> {
        self.standing.keys().copied()
    }

    /// The state of a token, but for claims: those are the store's.
    pub fn token_status(&self, token: &Token) -> TokenStatus {
        match token.wait {
            Wait::Nothing => TokenStatus::Created,
            Wait::Job(_) if self.status == Status::Paused => TokenStatus::Created,
            Wait::Job(_) => TokenStatus::Ready,
            Wait::Task(_) | Wait::Timer(_) | Wait::Join => TokenStatus::Waiting,
            Wait::Incident(_) => TokenStatus::Failed,
        }
    }
}

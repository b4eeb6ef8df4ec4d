//! What can be asked of an instance.

use std::sync::Arc;

use tyer_model::Process;

use crate::ids::{ItemId, Number, Timestamp};
use crate::instance::Instance;
use crate::variables::Variables;

/// One thing asked of one instance; it becomes one turn, or a rejection.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the sentence of each says what its fields are")]
pub enum Command {
    /// Begin: only on a blank instance.
    Start(Box<Start>),
    /// A worker did its job.
    CompleteJob { job: Number, holder: Option<Holder>, variables: Variables },
    /// A worker could not do its job. The model decides about more tries and the wait, where the worker does not say.
    FailJob {
        job: Number,
        holder: Option<Holder>,
        error: String,
        retries: Option<u32>,
        backoff_ms: Option<u64>,
    },
    /// A worker found what the diagram calls an error.
    ThrowError {
        job: Number,
        holder: Option<Holder>,
        code: String,
        message: Option<String>,
        variables: Variables,
    },
    /// A person, or somebody for them, does something with a task.
    Task { task: Number, by: Option<String>, action: TaskAction },
    /// The moment of a timer has come.
    TimerDue { timer: Number },
    /// A message or signal for one that waits for it; the history keeps which message.
    Trigger { subscription: Number, variables: Variables, message: Option<String> },
    /// Look again at conditions: time has passed, or somebody asks.
    CheckConditions,
    /// The process that a token called has ended.
    ChildEnded { call: Number, outcome: ChildOutcome },
    /// Variables get new values where this token (or the instance) knows them; `local`: in its own scope exactly.
    SetVariables { token: Option<Number>, local: bool, values: Variables },
    /// Stop before the next node.
    Pause { reason: Option<String> },
    /// Go on after a pause.
    Resume,
    /// End now.
    Cancel { reason: Option<String> },
    /// The cause of an incident is gone: try again (so often, else as the model says), or go on with what has arrived.
    Resolve { incident: Number, retries: Option<u32> },
    /// Undo completed steps of the whole instance.
    Compensate { reason: Option<String> },
    /// The worker of a step that a saga waits for is gone: nobody knows whether the step was done.
    InDoubt { job: Number },
    /// A step that could not be undone is left as it is; the saga goes on.
    SkipCompensation { incident: Number },
    /// The saga ends here; what is not undone stays.
    AbortCompensation { incident: Number },
    /// Put tokens elsewhere.
    Modify(Modification),
    /// Go on under another version.
    Migrate(Box<Migration>),
    /// A bookmark in the history.
    Snapshot { name: String },
    /// Go back to how it was.
    Rollback(Box<Rollback>),
}

/// What an instance begins with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The definition it runs, as the store names it.
    pub definition: i64,
    /// Its version, for people.
    pub version: u32,
    /// The caller's own name for this instance.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100; 50 is normal.
    pub priority: u8,
    /// Variables of the instance.
    pub variables: Variables,
    /// Begin at these nodes instead of where the process begins: a start event that was triggered, or any node.
    pub at: Vec<String>,
    /// The call of another instance that this one answers.
    pub parent: Option<ItemId>,
}

/// Who held a job, and since when: history keeps it when the lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The name the worker gave itself.
    pub worker: String,
    /// When it claimed the job.
    pub since: Timestamp,
}

/// What is done with a task.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the sentence of each says what its fields are")]
pub enum TaskAction {
    /// It is done.
    Complete { variables: Variables },
    /// Somebody takes it.
    Claim,
    /// Whoever had it gives it back.
    Release,
    /// It is given to somebody.
    Assign { to: String },
    /// Its priority or due date changes.
    Change { priority: Option<u8>, due: Option<Timestamp> },
    /// The person found what the diagram calls an error.
    Error { code: String, message: Option<String>, variables: Variables },
    /// The person calls for help.
    Escalate { code: String },
}

/// How a called process ended.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the sentence of each says what its fields are")]
pub enum ChildOutcome {
    /// At its end, with these variables.
    Completed(Variables),
    /// With an error that nobody in it caught.
    Error { code: String, message: Option<String> },
    /// It failed or was cancelled, or could not be started.
    Failed(String),
    /// It goes on, but calls for help.
    Escalated { code: String },
}

/// Where tokens shall stand: first what is added, then what is taken away.
#[derive(Clone, Debug, Default)]
pub struct Modification {
    /// New tokens before these nodes.
    pub add: Vec<Placement>,
    /// Tokens that are taken away.
    pub cancel: Vec<Number>,
}

/// A new token.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Before this node.
    pub node: String,
    /// Instead of this token, which is taken away.
    pub instead_of: Option<Number>,
    /// Variables of the instance.
    pub variables: Variables,
}

/// Going on under another version.
#[derive(Clone, Debug)]
pub struct Migration {
    /// The new definition, as the store names it.
    pub definition: i64,
    /// Its version.
    pub version: u32,
    /// Old and new ids of nodes; a node that is not named keeps its id.
    pub mapping: Vec<(String, String)>,
    /// What it runs until now; `step` is given the new one.
    pub from: Arc<Process>,
}

/// Going back.
#[derive(Clone, Debug)]
pub struct Rollback {
    /// The bookmark, for the history.
    pub name: String,
    /// How the instance was then: folded from its history by the caller.
    pub state: Instance,
    /// Compensable steps that were completed since.
    pub effects: Effects,
}

/// What to do about steps that have been completed since the bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Refuse if there are any.
    Refuse,
    /// Undo them first. The instance is paused when that is done: the same command then takes it back.
    Compensate,
    /// Let them stand.
    Force,
}

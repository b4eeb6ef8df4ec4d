//! What happened: the only thing that changes an instance, and what history keeps.
//!
//! **Invariant:** the names in `rename` are stored for ever and seen by every client: they may be added to, never
//! changed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tyer_model::{FlowIx, NodeIx};

use crate::ids::{InstanceId, ItemId, Number, Timestamp};
use crate::instance::{IncidentKind, Mode, ScopeKind, TimerKind, Wanted};
use crate::variables::Variables;

/// One thing that happened: to which token, where, and what.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The token concerned; none for the instance or a scope as a whole.
    pub token: Option<Number>,
    /// The node where it happened.
    pub node: Option<NodeIx>,
    /// The flow by which the token came there.
    pub flow: Option<FlowIx>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened. [`pack`](crate::pack) writes the name as `type` and what there is to tell as `data`;
/// [`kind_of`](crate::kind_of) reads that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "the serialised names say what the fields are")]
pub enum EventKind {
    /// The instance began.
    #[serde(rename = "workflow.started")]
    WorkflowStarted(Box<Started>),
    /// The last token ended.
    #[serde(rename = "workflow.completed")]
    WorkflowCompleted,
    /// It could not go on.
    #[serde(rename = "workflow.failed")]
    WorkflowFailed { message: String, code: Option<String>, compensated: bool },
    /// Nothing new starts until it is resumed.
    #[serde(rename = "workflow.paused")]
    WorkflowPaused { reason: Option<String> },
    /// It goes on.
    #[serde(rename = "workflow.resumed")]
    WorkflowResumed,
    /// Somebody ended it.
    #[serde(rename = "workflow.cancelled")]
    WorkflowCancelled { reason: Option<String> },
    /// It runs another version from here on.
    #[serde(rename = "workflow.migrated")]
    WorkflowMigrated(Box<Migrated>),
    /// A bookmark.
    #[serde(rename = "snapshot.taken")]
    SnapshotTaken { name: String },
    /// What follows puts it back to how it was at a bookmark.
    #[serde(rename = "workflow.rolled_back")]
    WorkflowRolledBack { name: String },
    /// A token was born and stands before its node.
    #[serde(rename = "token.created")]
    TokenCreated(Born),
    /// A token stands before a node that it may not enter yet.
    #[serde(rename = "token.moved")]
    TokenMoved,
    /// A token waits at a join for the other flows.
    #[serde(rename = "token.waiting")]
    TokenWaiting,
    /// A token waits for one of its timers and subscriptions.
    #[serde(rename = "token.listening")]
    TokenListening,
    /// A token waits until its sibling is done.
    #[serde(rename = "token.queued")]
    TokenQueued,
    /// Later arrivals of this token's wave at the node are absorbed.
    #[serde(rename = "token.marked")]
    TokenMarked,
    /// A token takes a way back, or leaves its scope: it belongs to no wave any more.
    #[serde(rename = "token.unmarked")]
    TokenUnmarked,
    /// What it belongs to is being undone: a token may only finish its step.
    #[serde(rename = "token.spared")]
    TokenSpared,
    /// A token came to a node that has run for its wave already.
    #[serde(rename = "token.absorbed")]
    TokenAbsorbed,
    /// A token reached an end, was split by a fork or consumed by a join.
    #[serde(rename = "token.completed")]
    TokenCompleted,
    /// A token was taken away.
    #[serde(rename = "token.terminated")]
    TokenTerminated,
    /// A token cannot go on by itself; an incident or a catcher follows.
    #[serde(rename = "token.failed")]
    TokenFailed,
    /// A token entered a node.
    #[serde(rename = "node.started")]
    NodeStarted,
    /// A node did its work.
    #[serde(rename = "node.completed")]
    NodeCompleted,
    /// A place for tokens or variables was opened; its owner is the token.
    #[serde(rename = "scope.opened")]
    ScopeOpened { scope: Number, parent: Number, kind: ScopeKind },
    /// It is gone; what could be undone in it passes to another scope, or stays under its number.
    #[serde(rename = "scope.closed")]
    ScopeClosed {
        scope: Number,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        records: Option<Number>,
    },
    /// A round of a repeated activity has begun or ended.
    #[serde(rename = "round.counted")]
    RoundCounted { scope: Number, started: u32, completed: u32, terminated: u32 },
    /// Work for a worker.
    #[serde(rename = "job.created")]
    JobCreated { job: Number, job_type: Arc<str> },
    /// A worker did it.
    #[serde(rename = "job.completed")]
    JobCompleted { job: Number, worker: Option<String>, since: Option<Timestamp> },
    /// A worker could not do it.
    #[serde(rename = "job.failed")]
    JobFailed { job: Number, error: String, worker: Option<String>, since: Option<Timestamp> },
    /// A job gets this many tries from here on.
    #[serde(rename = "job.retries")]
    JobRetries { retries: u32 },
    /// Work for a person.
    #[serde(rename = "task.created")]
    TaskCreated(Box<TaskCreated>),
    /// Somebody has it now, or nobody.
    #[serde(rename = "task.assigned")]
    TaskAssigned { task: Number, assignee: Option<String>, by: Option<String> },
    /// It is more or less urgent.
    #[serde(rename = "task.changed")]
    TaskChanged { task: Number, priority: Option<u8>, due: Option<Timestamp> },
    /// The person did it.
    #[serde(rename = "task.completed")]
    TaskCompleted { task: Number, by: Option<String> },
    /// Nobody has to do it any more.
    #[serde(rename = "task.cancelled")]
    TaskCancelled { task: Number },
    /// A moment to wait for.
    #[serde(rename = "timer.created")]
    TimerCreated {
        timer: Number,
        due: Timestamp,
        kind: TimerKind,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Number>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cycle: Option<Arc<str>>,
    },
    /// The moment came.
    #[serde(rename = "timer.fired")]
    TimerFired { timer: Number },
    /// Nobody waits for the moment any more.
    #[serde(rename = "timer.cancelled")]
    TimerCancelled { timer: Number },
    /// Somebody waits for a message, a signal or a condition.
    #[serde(rename = "subscription.opened")]
    SubscriptionOpened {
        subscription: Number,
        wanted: Wanted,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Number>,
    },
    /// It came.
    #[serde(rename = "subscription.triggered")]
    SubscriptionTriggered { subscription: Number, message: Option<String> },
    /// A condition that had been met is not met any more.
    #[serde(rename = "condition.unmet")]
    ConditionUnmet { subscription: Number },
    /// Nobody waits for it any more.
    #[serde(rename = "subscription.closed")]
    SubscriptionClosed { subscription: Number },
    /// Variables got new values.
    #[serde(rename = "variable.updated")]
    VariableUpdated { scope: Number, values: Variables },
    /// Variables are there no more.
    #[serde(rename = "variable.removed")]
    VariableRemoved { scope: Number, names: Vec<Arc<str>> },
    /// An error, an escalation or a cancellation looks for a catcher.
    #[serde(rename = "event.thrown")]
    EventThrown { thrown: Thrown, code: Option<String>, message: Option<String>, caught: bool },
    /// A message for whoever waits for it.
    #[serde(rename = "message.sent")]
    MessageSent { name: Arc<str>, key: Option<String>, variables: Variables },
    /// A signal for everybody.
    #[serde(rename = "signal.sent")]
    SignalSent { name: Arc<str>, variables: Variables },
    /// Another process shall run.
    #[serde(rename = "call.started")]
    CallStarted(Box<CallStarted>),
    /// It is not wanted any more.
    #[serde(rename = "call.cancelled")]
    CallCancelled { call: Number },
    /// It has ended.
    #[serde(rename = "call.ended")]
    CallEnded { call: Number },
    /// The caller of this instance is told how it ended, or that it calls for help.
    #[serde(rename = "call.answered")]
    CallAnswered { instance: InstanceId, call: Number, answer: Answer },
    /// A step that can be undone was completed.
    #[serde(rename = "compensation.recorded")]
    CompensationRecorded { record: Number, scope: Number, variables: Variables, inner: Option<Number> },
    /// Steps are undone from here on; the token carries it.
    #[serde(rename = "saga.started")]
    SagaStarted {
        saga: Number,
        scope: Number,
        cause: SagaCause,
        message: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Number>,
    },
    /// A step is being undone.
    #[serde(rename = "saga.step.started")]
    SagaStepStarted { saga: Number, record: Number },
    /// It is undone.
    #[serde(rename = "saga.step.compensated")]
    SagaStepCompensated { saga: Number, record: Number },
    /// It could not be undone.
    #[serde(rename = "saga.step.failed")]
    SagaStepFailed { saga: Number, record: Number, error: String },
    /// It is left as it is.
    #[serde(rename = "saga.step.skipped")]
    SagaStepSkipped { saga: Number, record: Number },
    /// Everything is undone.
    #[serde(rename = "saga.completed")]
    SagaCompleted { saga: Number },
    /// Something needs a person's eye.
    #[serde(rename = "incident.opened")]
    IncidentOpened { incident: Number, kind: IncidentKind, message: String },
    /// It was dealt with.
    #[serde(rename = "incident.resolved")]
    IncidentResolved { incident: Number },
}

/// How an instance began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// The definition it runs, as the store names it.
    pub definition: i64,
    /// The BPMN id of the process.
    pub process: String,
    /// The version of the definition.
    pub version: u32,
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100.
    pub priority: u8,
    /// The instance that called it, and the number of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ItemId>,
}

/// Where a token comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Born {
    /// The scope it runs in.
    pub scope: Number,
    /// The token that was split to make it.
    pub parent: Option<Number>,
    /// The fork it was born in, shared by its siblings.
    pub group: Option<Number>,
    /// The tokens that became this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<Number>,
    /// Forward, or undoing.
    #[serde(default, skip_serializing_if = "Mode::is_forward")]
    pub mode: Mode,
    /// Variables of its branch of a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Number>,
}

/// Another version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Migrated {
    /// The new definition.
    pub definition: i64,
    /// Its version.
    pub version: u32,
    /// Old and new position of every node and flow that is in use.
    pub nodes: Vec<(u32, u32)>,
    /// See `nodes`.
    pub flows: Vec<(u32, u32)>,
}

/// What looks for a catcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thrown {
    /// An error: something is wrong.
    Error,
    /// An escalation: somebody should know.
    Escalation,
    /// The end of a transaction that must not have happened.
    Cancel,
    /// A job that failed for good.
    Failure,
}

/// Why steps are undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SagaCause {
    /// The diagram says so; its token goes on afterwards.
    Throw,
    /// The diagram says so; its token does not wait for it.
    Aside,
    /// A transaction was cancelled.
    Cancel,
    /// A step failed; the sub-process has failed afterwards.
    Local,
    /// A step failed; the instance has failed afterwards.
    Global,
    /// Somebody said so; the instance has failed afterwards.
    Operator,
    /// Somebody goes back to a bookmark; the instance is paused afterwards, and can go back.
    Rollback,
}

impl SagaCause {
    /// Does an event of the diagram say so?
    pub(crate) fn is_thrown(self) -> bool {
        matches!(self, SagaCause::Throw | SagaCause::Aside)
    }
}

/// Another process shall run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallStarted {
    /// The number of the call: the child's end names it.
    pub call: Number,
    /// The BPMN id of the process.
    pub process: Arc<str>,
    /// Only this version.
    pub version: Option<u32>,
    /// Only the newest with this tag.
    pub tag: Option<String>,
    /// The version that was deployed with the caller.
    pub same_deployment: bool,
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// What it begins with.
    pub variables: Variables,
}

/// How a called instance ended, as told to its caller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "see ChildOutcome")]
pub enum Answer {
    /// At its end.
    Completed { variables: Variables },
    /// With an error that nobody in it caught.
    Error { code: String, message: Option<String> },
    /// It failed, or was cancelled.
    Failed { message: String },
    /// It goes on, but calls for help.
    Escalated { code: String },
}

/// What a person is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskCreated {
    /// Its number.
    pub task: Number,
    /// What people call it.
    pub name: Option<String>,
    /// Who shall do it.
    pub assignee: Option<String>,
    /// Who may do it.
    pub candidate_users: Vec<String>,
    /// Members of which groups may do it.
    pub candidate_groups: Vec<String>,
    /// The form to fill in.
    pub form: Option<String>,
    /// 0 to 100.
    pub priority: u8,
    /// When it shall be done.
    pub due: Option<Timestamp>,
}

//! What happened: the only thing that changes an instance, and what history keeps.
//!
//! **Invariant:** the names in `rename` are stored for ever and seen by every client: they may be added to, never
//! changed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tyer_model::{FlowIx, NodeIx};

use crate::ids::{Number, Timestamp};
use crate::instance::{IncidentKind, TimerKind};
use crate::variables::Variables;

/// One thing that happened: to which token, where, and what.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The token concerned; none for the instance as a whole.
    pub token: Option<Number>,
    /// The node where it happened.
    pub node: Option<NodeIx>,
    /// The flow by which the token came there.
    pub flow: Option<FlowIx>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "the serialised names say what the fields are")]
pub enum EventKind {
    /// The instance began.
    #[serde(rename = "workflow.started")]
    WorkflowStarted(Box<Started>),
    /// The last token ended.
    #[serde(rename = "workflow.completed")]
    WorkflowCompleted,
    /// Nothing new starts until it is resumed.
    #[serde(rename = "workflow.paused")]
    WorkflowPaused { reason: Option<String> },
    /// It goes on.
    #[serde(rename = "workflow.resumed")]
    WorkflowResumed,
    /// Somebody ended it.
    #[serde(rename = "workflow.cancelled")]
    WorkflowCancelled { reason: Option<String> },
    /// A token was born and stands before its node.
    #[serde(rename = "token.created")]
    TokenCreated { scope: Number, parent: Option<Number>, group: Option<Number> },
    /// A token stands before a node that it may not enter yet.
    #[serde(rename = "token.moved")]
    TokenMoved,
    /// A token waits at a join for the other flows.
    #[serde(rename = "token.waiting")]
    TokenWaiting,
    /// A token reached an end, was split by a fork or consumed by a join.
    #[serde(rename = "token.completed")]
    TokenCompleted,
    /// A token was taken away.
    #[serde(rename = "token.terminated")]
    TokenTerminated,
    /// A token cannot go on by itself; an incident says why.
    #[serde(rename = "token.failed")]
    TokenFailed,
    /// A token entered a node.
    #[serde(rename = "node.started")]
    NodeStarted,
    /// A node did its work.
    #[serde(rename = "node.completed")]
    NodeCompleted,
    /// Work for a worker.
    #[serde(rename = "job.created")]
    JobCreated { job: Number, job_type: Arc<str> },
    /// A worker did it.
    #[serde(rename = "job.completed")]
    JobCompleted { job: Number, worker: Option<String>, since: Option<Timestamp> },
    /// A worker could not do it.
    #[serde(rename = "job.failed")]
    JobFailed { job: Number, error: String, worker: Option<String>, since: Option<Timestamp> },
    /// Work for a person.
    #[serde(rename = "task.created")]
    TaskCreated(Box<TaskCreated>),
    /// The person did it.
    #[serde(rename = "task.completed")]
    TaskCompleted { task: Number, by: Option<String> },
    /// Nobody has to do it any more.
    #[serde(rename = "task.cancelled")]
    TaskCancelled { task: Number },
    /// A moment to wait for.
    #[serde(rename = "timer.created")]
    TimerCreated { timer: Number, due: Timestamp, kind: TimerKind },
    /// The moment came.
    #[serde(rename = "timer.fired")]
    TimerFired { timer: Number },
    /// Nobody waits for the moment any more.
    #[serde(rename = "timer.cancelled")]
    TimerCancelled { timer: Number },
    /// Variables got new values.
    #[serde(rename = "variable.updated")]
    VariableUpdated { scope: Number, values: Variables },
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

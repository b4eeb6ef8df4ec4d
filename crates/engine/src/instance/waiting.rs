//! What tokens and scopes wait for, and what a failure leaves behind.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tyer_model::NodeIx;

use crate::event::{SagaCause, TaskCreated};
use crate::ids::{Number, Timestamp};
use crate::variables::Variables;

/// Work for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The token that waits for it.
    pub token: Number,
    /// Where.
    pub node: NodeIx,
    /// What is asked of the person.
    pub asked: TaskCreated,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A moment that a token or a scope waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Timer {
    /// The token that waits for it; none = the scope does.
    pub token: Option<Number>,
    /// The scope, if no token waits.
    pub scope: Option<Number>,
    /// The event it belongs to.
    pub node: NodeIx,
    /// When.
    pub due: Timestamp,
    /// What happens then.
    pub kind: TimerKind,
    /// What is left of its cycle when it has fired.
    pub cycle: Option<Arc<str>>,
}

/// What happens when a timer fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "the sentence of each says what its field is")]
pub enum TimerKind {
    /// A timer event of the diagram.
    Catch,
    /// The wait between two tries is over: the job is offered again.
    Retry,
    /// A long turn made room for others: the token goes on where it stood, after so many visits without a wait.
    Yield { visits: u64 },
}

/// A message, a signal or a condition that a token or a scope waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    /// The token that waits for it; none = the scope does.
    pub token: Option<Number>,
    /// The scope, if no token waits.
    pub scope: Option<Number>,
    /// The event it belongs to.
    pub node: NodeIx,
    /// What is waited for.
    pub wanted: Wanted,
    /// Since when.
    pub since: Timestamp,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "the sentence of each says what its fields are")]
pub enum Wanted {
    /// A message; without a key the name is enough.
    Message { name: Arc<str>, key: Option<String> },
    /// A signal.
    Signal { name: Arc<str> },
    /// A condition: which of the event's triggers, and whether it has happened; it must become false before it can
    /// happen again (BPMN 2.0.2 §10.5.5).
    Condition {
        trigger: u32,
        #[serde(default, skip_serializing_if = "is_false")]
        met: bool,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A completed step that can be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The scope it belongs to.
    pub scope: Number,
    /// The step.
    pub node: NodeIx,
    /// The step's own variables when it was completed.
    pub variables: Variables,
    /// The number of the step's scope, if records of its inner steps are kept under it.
    pub inner: Option<Number>,
    /// How far its undoing is.
    pub status: RecordStatus,
}

/// How far an undoing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordStatus {
    /// Not begun.
    Completed,
    /// Its handler runs.
    Compensating,
    /// Its handler has failed.
    Failed,
    /// Somebody has said that it is left as it is.
    Skipped,
}

/// An undoing under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Saga {
    /// The scope whose steps are undone.
    pub scope: Number,
    /// The token that carries it.
    pub token: Number,
    /// Why.
    pub cause: SagaCause,
    /// What went wrong, if anything did; the name of the bookmark, if one is gone back to.
    pub message: Option<String>,
    /// Only steps that were completed after the instance had counted so far.
    pub since: Option<Number>,
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
    /// A declared input is missing or of another type.
    Validation,
    /// No token can reach a flow that a join still needs.
    JoinStarved,
    /// An error that nobody catches.
    UnhandledError,
    /// The called process failed, was cancelled or is not there.
    CallFailed,
    /// A step could not be undone.
    CompensationFailed,
    /// Nobody knows whether a step was done that a saga waits for.
    InDoubt,
    /// Too many nodes in a row without a wait.
    Runaway,
    /// The engine itself failed on this instance.
    Parked,
}

//! An event as clients see it: the same in history, on the WebSocket and on the terminal.
//!
//! **Invariant:** ids are texts with their kind, moments RFC 3339; what the store keeps short is spelled out here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tyer_engine::{EventKind, InstanceId, ItemId, Number, Variables};
use tyer_runtime::{Error, HistoryEvent};

/// One event of one instance.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// Its number in the instance, from 1.
    pub seq: u64,
    /// What happened: `node.completed` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The instance.
    pub instance_id: String,
    /// When.
    pub at: String,
    /// To what, where, with which values.
    pub data: BTreeMap<&'static str, Datum>,
}

/// One value of an event.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Datum {
    /// A text or an id.
    Text(String),
    /// A text that may be missing.
    Maybe(Option<String>),
    /// A count.
    Number(u64),
    /// Several texts.
    Texts(Vec<String>),
    /// Values of the instance, byte for byte.
    Variables(Variables),
}

/// Where an event happened, and its name.
#[derive(Deserialize)]
struct Place {
    token: Option<Number>,
    node: Option<String>,
    flow: Option<String>,
    #[serde(rename = "type")]
    kind: String,
}

impl Envelope {
    /// Reads a stored event.
    pub fn of(instance: InstanceId, stored: &HistoryEvent) -> Result<Envelope, Error> {
        let damaged = |error| Error::Damaged(format!("event {} of {instance}: {error}", stored.seq));
        let place: Place = serde_json::from_str(stored.event.get()).map_err(damaged)?;
        let kind = kind_of(stored)?;
        let mut data = data(instance, kind);
        if let Some(token) = place.token {
            data.insert("tokenId", id(instance, "tok", token));
        }
        if let Some(node) = place.node {
            data.insert("nodeId", Datum::Text(node));
        }
        if let Some(flow) = place.flow {
            data.insert("flowId", Datum::Text(flow));
        }
        let (seq, at) = (stored.seq, stored.at.to_string());
        Ok(Envelope { seq, kind: place.kind, instance_id: instance.to_string(), at, data })
    }
}

/// What a stored event says happened.
pub(crate) fn kind_of(stored: &HistoryEvent) -> Result<EventKind, Error> {
    let read = serde_json::from_str(stored.event.get());
    read.map_err(|error| Error::Damaged(format!("event {}: {error}", stored.seq)))
}

/// Whether nothing comes after this.
pub(crate) fn is_last(kind: &str) -> bool {
    matches!(kind, "workflow.completed" | "workflow.failed" | "workflow.cancelled")
}

fn id(instance: InstanceId, kind: &str, number: Number) -> Datum {
    Datum::Text(ItemId { instance, number }.to_text(kind))
}

fn data(instance: InstanceId, kind: EventKind) -> BTreeMap<&'static str, Datum> {
    let id = |kind, number| id(instance, kind, number);
    let pairs: Vec<(&'static str, Datum)> = match kind {
        EventKind::WorkflowStarted(started) => vec![
            ("workflowId", Datum::Text(started.process)),
            ("workflowVersion", Datum::Number(started.version.into())),
            ("businessKey", Datum::Maybe(started.business_key)),
            ("startedBy", Datum::Maybe(started.started_by)),
            ("priority", Datum::Number(started.priority.into())),
        ],
        EventKind::WorkflowPaused { reason } | EventKind::WorkflowCancelled { reason } => {
            vec![("reason", Datum::Maybe(reason))]
        }
        EventKind::WorkflowCompleted
        | EventKind::WorkflowResumed
        | EventKind::TokenMoved
        | EventKind::TokenWaiting
        | EventKind::TokenCompleted
        | EventKind::TokenTerminated
        | EventKind::TokenFailed
        | EventKind::NodeStarted
        | EventKind::NodeCompleted => Vec::new(),
        EventKind::TokenCreated { parent, .. } => {
            let parent = parent.map(|number| ItemId { instance, number }.to_text("tok"));
            vec![("parentId", Datum::Maybe(parent))]
        }
        EventKind::JobCreated { job, job_type } => {
            vec![("jobId", id("job", job)), ("jobType", Datum::Text(job_type.to_string()))]
        }
        EventKind::JobCompleted { job, worker, since } => vec![
            ("jobId", id("job", job)),
            ("worker", Datum::Maybe(worker)),
            ("since", Datum::Maybe(since.map(|since| since.to_string()))),
        ],
        EventKind::JobFailed { job, error, worker, since } => vec![
            ("jobId", id("job", job)),
            ("error", Datum::Text(error)),
            ("worker", Datum::Maybe(worker)),
            ("since", Datum::Maybe(since.map(|since| since.to_string()))),
        ],
        EventKind::TaskCreated(asked) => vec![
            ("taskId", id("task", asked.task)),
            ("name", Datum::Maybe(asked.name)),
            ("assignee", Datum::Maybe(asked.assignee)),
            ("candidateUsers", Datum::Texts(asked.candidate_users)),
            ("candidateGroups", Datum::Texts(asked.candidate_groups)),
            ("form", Datum::Maybe(asked.form)),
            ("priority", Datum::Number(asked.priority.into())),
            ("dueDate", Datum::Maybe(asked.due.map(|due| due.to_string()))),
        ],
        EventKind::TaskCompleted { task, by } => vec![("taskId", id("task", task)), ("by", Datum::Maybe(by))],
        EventKind::TaskCancelled { task } => vec![("taskId", id("task", task))],
        EventKind::TimerCreated { timer, due, .. } => {
            vec![("timerId", id("timer", timer)), ("dueAt", Datum::Text(due.to_string()))]
        }
        EventKind::TimerFired { timer } | EventKind::TimerCancelled { timer } => {
            vec![("timerId", id("timer", timer))]
        }
        EventKind::VariableUpdated { values, .. } => vec![("values", Datum::Variables(values))],
        EventKind::IncidentOpened { incident, kind, message } => vec![
            ("incidentId", id("inc", incident)),
            ("kind", Datum::Text(word(kind))),
            ("message", Datum::Text(message)),
        ],
        EventKind::IncidentResolved { incident } => vec![("incidentId", id("inc", incident))],
    };
    pairs.into_iter().collect()
}

/// The word that an enum of the engine is written as.
pub(crate) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a plain enum is written as a word, not as {other:?}"),
    }
}

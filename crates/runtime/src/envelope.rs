//! An event as clients see it: the same over HTTP, on the WebSocket, in webhooks and on the terminal.
//!
//! **Invariant:** ids are texts with their kind, moments RFC 3339; what the store keeps short is spelled out here.
//! **Invariant:** values of the instance are passed on byte for byte.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tyer_engine::{InstanceId, ItemId, Number, Timestamp};
use tyer_map::Map;

use crate::error::Error;
use crate::events::HistoryEvent;
use crate::mask;

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
    pub data: Map<String, Box<RawValue>>,
}

/// A stored event, its values unread.
#[derive(Deserialize)]
struct Written {
    token: Option<Number>,
    node: Option<String>,
    flow: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Map<String, Box<RawValue>>,
}

impl Envelope {
    /// Reads a stored event; values of masked variables are hidden.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, id: tyer_runtime::InstanceId) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::Envelope;
    /// let masked = engine.glance(id).await?.masked;
    /// for event in engine.history(id, 0, 100).await? {
    ///     println!("{}", Envelope::of(id, &event, &masked)?.kind);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn of(instance: InstanceId, stored: &HistoryEvent, masked: &[Arc<str>]) -> Result<Envelope, Error> {
        let damaged = |error| Error::Damaged(format!("event {} of {instance}: {error}", stored.seq));
        let written: Written = serde_json::from_str(stored.event.get()).map_err(damaged)?;
        let mut data = Map::new();
        for (name, value) in &written.data {
            if let Some((name, value)) = spelled(instance, &written.kind, name, value).map_err(damaged)? {
                let value = mask::masked(&name, value, masked).map_err(damaged)?;
                data.insert(name, value);
            }
        }
        let token = written.token.map(|token| item(instance, "tok", token));
        for (name, value) in [("tokenId", token), ("nodeId", written.node), ("flowId", written.flow)] {
            if let Some(value) = value {
                data.insert(name.to_owned(), raw(&value));
            }
        }
        let (seq, at) = (stored.seq, stored.at.to_string());
        Ok(Envelope { seq, kind: written.kind, instance_id: instance.to_string(), at, data })
    }
}

fn item(instance: InstanceId, kind: &str, number: Number) -> String {
    ItemId { instance, number }.to_text(kind)
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("texts are always JSON")
}

/// Things that are numbered inside an instance: how a stored event names them, and how the outside does.
const ITEMS: &[(&str, &str, &str)] = &[
    ("job", "jobId", "job"),
    ("task", "taskId", "task"),
    ("timer", "timerId", "timer"),
    ("subscription", "subscriptionId", "sub"),
    ("call", "callId", "call"),
    ("incident", "incidentId", "inc"),
    ("saga", "sagaId", "saga"),
    ("record", "recordId", "rec"),
    ("scope", "scopeId", "scope"),
];

/// What only the engine needs.
const INSIDE: &[(&str, &str)] = &[
    ("workflow.started", "definition"),
    ("workflow.migrated", "definition"),
    ("workflow.migrated", "nodes"),
    ("workflow.migrated", "flows"),
    ("token.created", "group"),
    ("token.created", "branch"),
    ("timer.created", "kind"),
    ("scope.closed", "records"),
    ("compensation.recorded", "inner"),
];

/// One value of an event, under the name and in the form that clients know.
fn spelled(
    instance: InstanceId,
    event: &str,
    name: &str,
    value: &RawValue,
) -> Result<Option<(String, Box<RawValue>)>, serde_json::Error> {
    if INSIDE.contains(&(event, name)) {
        return Ok(None);
    }
    if let Some((_, outside, kind)) = ITEMS.iter().find(|(inside, ..)| *inside == name) {
        let number: Option<Number> = serde_json::from_str(value.get())?;
        // The root scope is the instance itself.
        let id = number.filter(|number| *number > 0).map(|number| item(instance, kind, number));
        return Ok(Some(((*outside).to_owned(), raw(&id))));
    }
    let moment = || -> Result<Box<RawValue>, serde_json::Error> {
        let at: Option<Timestamp> = serde_json::from_str(value.get())?;
        Ok(raw(&at.map(|at| at.to_string())))
    };
    let tokens = || -> Result<Box<RawValue>, serde_json::Error> {
        let numbers: Vec<Number> = serde_json::from_str(value.get())?;
        Ok(raw(&numbers.into_iter().map(|number| item(instance, "tok", number)).collect::<Vec<_>>()))
    };
    let number = |kind: &str| -> Result<Box<RawValue>, serde_json::Error> {
        let number: Option<Number> = serde_json::from_str(value.get())?;
        Ok(raw(&number.filter(|number| *number > 0).map(|number| item(instance, kind, number))))
    };
    let (name, value) = match (event, name) {
        ("workflow.started", "parent") => {
            let caller: Option<ItemId> = serde_json::from_str(value.get())?;
            ("parentInstanceId", raw(&caller.map(|caller| caller.instance.to_string())))
        }
        ("call.answered", "instance") => {
            let caller: InstanceId = serde_json::from_str(value.get())?;
            ("parentInstanceId", raw(&caller.to_string()))
        }
        ("workflow.started" | "call.started", "process") => ("workflowId", value.to_owned()),
        ("workflow.started" | "call.started" | "workflow.migrated", "version") => {
            ("workflowVersion", value.to_owned())
        }
        ("token.created", "parent") => ("parentId", number("tok")?),
        ("token.created", "joins") => ("joinedIds", tokens()?),
        ("scope.opened", "parent") => ("parentScopeId", number("scope")?),
        ("timer.created", "due") => ("dueAt", moment()?),
        (_, "due") => ("dueDate", moment()?),
        (_, "since") => ("since", moment()?),
        (_, name) => (name, value.to_owned()),
    };
    Ok(Some((name.to_owned(), value)))
}

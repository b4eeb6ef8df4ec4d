//! History as stored: the events of one turn packed in one JSON text, nodes and flows by their BPMN ids.
//!
//! **Invariant:** `unpack(pack(events)) == events`.

use std::io::Write;

use serde::Deserialize;
use tyer_model::Process;

use crate::event::{Event, EventKind};
use crate::ids::Number;

/// Why a stored turn cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The text is not what `pack` writes.
    #[error("history is not readable: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It names an element that the process does not have.
    #[error("history names `{0}`, which the process does not have")]
    UnknownElement(String),
}

/// Where an event happened, as JSON says it.
#[derive(Deserialize)]
struct Place {
    token: Option<Number>,
    node: Option<String>,
    flow: Option<String>,
}

/// Packs the events of one turn.
pub fn pack(process: &Process, events: &[Event]) -> String {
    let mut json = Vec::with_capacity(events.len() * 80);
    json.push(b'[');
    for event in events {
        if json.len() > 1 {
            json.push(b',');
        }
        write_event(process, event, &mut json);
    }
    json.push(b']');
    String::from_utf8(json).expect("JSON is UTF-8")
}

/// Reads the events of one turn.
pub fn unpack(process: &Process, json: &str) -> Result<Vec<Event>, HistoryError> {
    let parts: Vec<&serde_json::value::RawValue> = serde_json::from_str(json)?;
    parts.into_iter().map(|part| read_event(process, part.get())).collect()
}

/// The place, then the kind: `{"token":1,"node":"a","flow":"f"` and `,"type":…,"data":…}`.
fn write_event(process: &Process, event: &Event, json: &mut Vec<u8>) {
    let start = json.len();
    if let Some(token) = event.token {
        write!(json, ",\"token\":{token}").expect("memory takes every write");
    }
    if let Some(node) = event.node {
        json.extend_from_slice(b",\"node\":");
        serde_json::to_writer(&mut *json, &process.node(node).id).expect("a text is always JSON");
    }
    if let Some(flow) = event.flow {
        json.extend_from_slice(b",\"flow\":");
        serde_json::to_writer(&mut *json, &process.flow(flow).id).expect("a text is always JSON");
    }
    let kind = json.len();
    serde_json::to_writer(&mut *json, &event.kind).expect("an event is always JSON");
    // Each part was written with its own opening: only the first may keep a brace.
    json[kind] = b',';
    json[start] = b'{';
}

fn read_event(process: &Process, json: &str) -> Result<Event, HistoryError> {
    let place: Place = serde_json::from_str(json)?;
    let kind: EventKind = serde_json::from_str(json)?;
    let node =
        place.node.map(|id| process.find_node(&id).ok_or(HistoryError::UnknownElement(id))).transpose()?;
    let flow =
        place.flow.map(|id| process.find_flow(&id).ok_or(HistoryError::UnknownElement(id))).transpose()?;
    Ok(Event { token: place.token, node, flow, kind })
}

//! History as stored: the events of one turn packed in one JSON text, nodes and flows by their BPMN ids.
//!
//! **Invariant:** `unpack(pack(events)) == events`.

use serde::Deserialize;
use serde_json::value::RawValue;
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

/// An event as JSON says it.
#[derive(Deserialize)]
struct Written<'a> {
    token: Option<Number>,
    node: Option<String>,
    flow: Option<String>,
    #[serde(rename = "type")]
    name: String,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// Packs the events of one turn.
pub fn pack(process: &Process, events: &[Event]) -> String {
    // What is kept takes no more room than it needs: written in one place, copied when its length is known.
    let mut json = Vec::with_capacity(events.len() * 128);
    json.push(b'[');
    for event in events {
        if json.len() > 1 {
            json.push(b',');
        }
        write_event(process, event, &mut json);
    }
    json.push(b']');
    str::from_utf8(&json).expect("JSON is UTF-8").to_owned()
}

/// Reads the events of one turn.
pub fn unpack(process: &Process, json: &str) -> Result<Vec<Event>, HistoryError> {
    let parts: Vec<&RawValue> = serde_json::from_str(json)?;
    parts.into_iter().map(|part| read_event(process, part.get())).collect()
}

/// The place, then the kind: `{"token":1,"node":"a","flow":"f"` and `,"type":…,"data":…}`.
fn write_event(process: &Process, event: &Event, json: &mut Vec<u8>) {
    let start = json.len();
    if let Some(token) = event.token {
        json.extend_from_slice(b",\"token\":");
        serde_json::to_writer(&mut *json, &token).expect("a number is always JSON");
    }
    if let Some(node) = event.node {
        json.extend_from_slice(b",\"node\":");
        serde_json::to_writer(&mut *json, &process.node(node).id).expect("a text is always JSON");
    }
    if let Some(flow) = event.flow {
        json.extend_from_slice(b",\"flow\":");
        serde_json::to_writer(&mut *json, &process.flow(flow).id).expect("a text is always JSON");
    }
    write_kind(&event.kind, json);
    // Each part was written with a comma: the first has a brace instead.
    json[start] = b'{';
}

/// Turns what serde makes of a kind, `{"name":…}` or `"name"`, into `,"type":"name","data":…}`.
fn write_kind(kind: &EventKind, json: &mut Vec<u8>) {
    json.extend_from_slice(b",\"type\":");
    let start = json.len();
    serde_json::to_writer(&mut *json, kind).expect("an event is always JSON");
    if json[start] != b'{' {
        return json.push(b'}');
    }
    json.remove(start);
    let colon = json[start..].iter().position(|byte| *byte == b':').expect("data follows the name");
    json.splice(start + colon..=start + colon, *b",\"data\":");
}

fn read_event(process: &Process, json: &str) -> Result<Event, HistoryError> {
    let Written { token, node, flow, .. } = serde_json::from_str(json)?;
    let node = node.map(|id| process.find_node(&id).ok_or(HistoryError::UnknownElement(id))).transpose()?;
    let flow = flow.map(|id| process.find_flow(&id).ok_or(HistoryError::UnknownElement(id))).transpose()?;
    Ok(Event { token, node, flow, kind: kind_of(json)? })
}

/// What happened, of an event as `pack` writes it.
pub fn kind_of(json: &str) -> Result<EventKind, HistoryError> {
    let Written { name, data, .. } = serde_json::from_str(json)?;
    let kind = data.map_or(format!("\"{name}\""), |data| format!("{{\"{name}\":{data}}}"));
    Ok(serde_json::from_str(&kind)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written here is stored for ever.
    #[test]
    fn a_kind_is_a_type_with_data() {
        for (kind, expected) in [
            (EventKind::WorkflowCompleted, r#",{"type":"workflow.completed"}"#),
            (
                EventKind::WorkflowCancelled { reason: Some("a: {b}".to_owned()) },
                r#",{"type":"workflow.cancelled","data":{"reason":"a: {b}"}}"#,
            ),
            (
                EventKind::WorkflowPaused { reason: None },
                r#",{"type":"workflow.paused","data":{"reason":null}}"#,
            ),
        ] {
            let mut json = b",{".to_vec();
            write_kind(&kind, &mut json);
            json.remove(2);
            let json = String::from_utf8(json).expect("JSON is UTF-8");
            assert_eq!(json, expected);
            assert_eq!(kind_of(&json[1..]).expect("it reads back"), kind);
        }
    }
}

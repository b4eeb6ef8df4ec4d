//! What is said on the WebSocket, both ways.

use serde::Serialize;
use serde_json::json;
use tyer_engine::InstanceId;

use crate::code::Code;
use crate::envelope::Envelope;
use crate::error::Failure;
use crate::fields::Fields;

/// What a client asks.
#[derive(Debug)]
pub(crate) enum Request {
    /// Tell me of this.
    Subscribe { id: String, to: Subject },
    /// Tell me no more.
    Unsubscribe { id: String },
    /// Are you there?
    Ping,
}

/// What a subscription is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// One instance: what came after `since`, or only what is new. Nothing is lost.
    Instance(InstanceId, Option<u64>),
    /// All instances of a process, live.
    Workflow(String),
    /// All instances, events of one kind, live: the first word of their types.
    Topic(&'static str, &'static str),
}

/// Topics, and how the types of their events begin.
const TOPICS: [(&str, &str); 3] = [("tasks", "task."), ("incidents", "incident."), ("stats", "workflow.")];

/// What a client said that cannot be done, with the subscription it was about.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) sub: Option<String>,
    pub(crate) failure: Failure,
}

/// An event for one subscription.
#[derive(Serialize)]
struct EventFrame<'a> {
    op: &'static str,
    sub: &'a str,
    #[serde(flatten)]
    envelope: &'a Envelope,
}

pub(crate) fn event(sub: &str, envelope: &Envelope) -> String {
    let frame = EventFrame { op: "event", sub, envelope };
    serde_json::to_string(&frame).expect("a frame is always JSON")
}

pub(crate) fn subscribed(sub: &str, instance: InstanceId, seq: u64) -> String {
    json!({ "op": "subscribed", "sub": sub, "instanceId": instance.to_string(), "seq": seq }).to_string()
}

/// Live from here on; a `gap` follows, for what was before must be fetched.
pub(crate) fn subscribed_live(sub: &str, to: &Subject) -> String {
    let (field, value) = match to {
        Subject::Instance(id, _) => ("instanceId", id.to_string()),
        Subject::Workflow(id) => ("workflowId", id.clone()),
        Subject::Topic(name, _) => ("topic", (*name).to_owned()),
    };
    json!({ "op": "subscribed", "sub": sub, field: value }).to_string()
}

/// Something was missed: what lists show must be fetched.
pub(crate) fn gap_of_lists(sub: &str) -> String {
    json!({ "op": "gap", "sub": sub }).to_string()
}

pub(crate) fn unsubscribed(sub: &str) -> String {
    json!({ "op": "unsubscribed", "sub": sub }).to_string()
}

/// What came after `seq` must be fetched.
pub(crate) fn gap(sub: &str, seq: u64) -> String {
    json!({ "op": "gap", "sub": sub, "seq": seq }).to_string()
}

pub(crate) fn pong() -> String {
    json!({ "op": "pong" }).to_string()
}

pub(crate) fn error(sub: Option<&str>, failure: &Failure) -> String {
    json!({
        "op": "error",
        "sub": sub,
        "code": failure.code.name(),
        "message": failure.message,
        "details": failure.details,
    })
    .to_string()
}

impl Request {
    pub(crate) fn parse(text: &str) -> Result<Request, Refused> {
        let nobody = |failure: Failure| Refused { sub: None, failure };
        let mut fields = Fields::parse(text.as_bytes()).map_err(nobody)?;
        let op: String = fields.required("op", "subscribe, unsubscribe or ping").map_err(nobody)?;
        let sub: Option<String> = fields.text("id").map_err(nobody)?;
        let request = match op.as_str() {
            "subscribe" => subscribe(&mut fields, sub.clone()),
            "unsubscribe" => named(&mut fields, sub.clone()).map(|id| Request::Unsubscribe { id }),
            "ping" => Ok(Request::Ping),
            other => {
                let message = format!("`{other}` is not known: expected subscribe, unsubscribe or ping");
                Err(Failure::new(Code::OpUnknown, message))
            }
        };
        let refused = |failure| Refused { sub: sub.clone(), failure };
        let request = request.map_err(refused)?;
        fields.finish().map_err(refused)?;
        Ok(request)
    }
}

fn subscribe(fields: &mut Fields, id: Option<String>) -> Result<Request, Failure> {
    let id = named(fields, id)?;
    let (instance, workflow) = (fields.text("instanceId")?, fields.text("workflowId")?);
    let topic = fields.text("topic")?;
    let to = match (instance, workflow, topic) {
        (Some(instance), None, None) => {
            let since = fields.number("since", 0, i64::MAX.cast_unsigned())?;
            Subject::Instance(instance.parse()?, since)
        }
        (None, Some(workflow), None) => Subject::Workflow(workflow),
        (None, None, Some(topic)) => {
            let known = TOPICS.iter().find(|(name, _)| *name == topic);
            let (name, begins) = known.ok_or_else(|| fields.invalid("topic", "tasks, incidents or stats"))?;
            Subject::Topic(name, begins)
        }
        (None, None, None) => {
            fields.required::<String>(
                "instanceId",
                "the id of an instance, or a workflowId or topic instead",
            )?;
            return Err(fields.invalid("instanceId", "the id of an instance"));
        }
        _ => return Err(fields.invalid("instanceId", "one of instanceId, workflowId and topic")),
    };
    Ok(Request::Subscribe { id, to })
}

fn named(fields: &mut Fields, id: Option<String>) -> Result<String, Failure> {
    let expected = "a name of your own for the subscription, of 1 to 128 bytes";
    let id = id.map_or_else(|| fields.required("id", expected), Ok)?;
    if id.is_empty() || id.len() > 128 { Err(fields.invalid("id", expected)) } else { Ok(id) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        Request::parse(text).map_or_else(|refused| refused.failure.code.name(), |_| "fine")
    }

    #[test]
    fn what_a_client_says_is_read_or_refused_by_code() {
        let cases = [
            (r#"{"op":"ping"}"#, "fine"),
            (r#"{"op":"subscribe","id":"a","instanceId":"inst_1","since":0}"#, "fine"),
            (r#"{"op":"subscribe","id":"a","topic":"tasks"}"#, "fine"),
            (r#"{"op":"subscribe","id":"a","topic":"weather"}"#, "field_invalid"),
            (r#"{"op":"subscribe","id":"a","workflowId":"order"}"#, "fine"),
            (r#"{"op":"subscribe","id":"a","workflowId":"order","since":1}"#, "field_unknown"),
            (r#"{"op":"subscribe","id":"a","workflowId":"order","topic":"tasks"}"#, "field_invalid"),
            (r#"{"op":"subscribe","id":"a"}"#, "field_missing"),
            (r#"{"op":"subscribe","instanceId":"inst_1"}"#, "field_missing"),
            (r#"{"op":"subscribe","id":"a","instanceId":"1"}"#, "id_malformed"),
            (r#"{"op":"subscribe","id":"a","instanceId":"inst_1","since":-1}"#, "field_invalid"),
            (r#"{"op":"subscribe","id":"a","instanceId":"inst_1","sinse":1}"#, "field_unknown"),
            (r#"{"op":"shout"}"#, "op_unknown"),
            ("[]", "json_malformed"),
            ("{", "json_malformed"),
        ];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{text}");
        }
    }
}

//! What instances are told from outside: messages for one, signals for everybody.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;
use tyer_engine::InstanceId;

use crate::error::Failure;
use crate::fields::Fields;
use crate::query::Query;
use crate::reply;
use crate::router::App;

/// A message may wait for a year.
const LONGEST_TTL_MS: u64 = 366 * 24 * 60 * 60 * 1_000;

/// `POST /api/messages`
pub(crate) async fn publish(State(app): State<Arc<App>>, mut fields: Fields) -> Result<Response, Failure> {
    let name = fields.required_text("name", "the name of a message")?;
    let (key, message_id) = (fields.text("correlationKey")?, fields.text("messageId")?);
    let mut message = app.engine.publish(&name).variables(fields.variables("variables")?);
    if let Some(ttl) = fields.number("ttl", 0, LONGEST_TTL_MS)? {
        message = message.ttl(Duration::from_millis(ttl));
    }
    fields.finish()?;
    if let Some(key) = &key {
        message = message.key(key);
    }
    if let Some(id) = &message_id {
        message = message.message_id(id);
    }
    let published = message.send().await?;
    Ok(reply::created(json!({
        "message": {
            "name": name,
            "correlationKey": key,
            "messageId": message_id,
            "duplicate": published.duplicate,
            "correlatedTo": texts(&published.taken_by),
        },
    })))
}

/// `POST /api/signals`
pub(crate) async fn signal(State(app): State<Arc<App>>, mut fields: Fields) -> Result<Response, Failure> {
    let name = fields.required_text("name", "the name of a signal")?;
    let variables = fields.variables("variables")?;
    fields.finish()?;
    let signalled = app.engine.signal(&name, &variables).await?;
    Ok(reply::created(json!({
        "signal": { "name": name, "reached": signalled.reached, "started": texts(&signalled.started) },
    })))
}

/// `GET /api/messages/unmatched?after=&limit=`: those that wait and that nobody has, newest first.
pub(crate) async fn unmatched(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Failure> {
    let below = query.number("after", 1, i64::MAX.cast_unsigned())?.map(u64::cast_signed);
    let limit = query.limit()?;
    query.finish()?;
    let found = app.engine.unmatched_messages(below, limit + 1).await?;
    let (found, next) = reply::page(found, limit, |one| one.id.to_string());
    let messages: Vec<_> = found
        .iter()
        .map(|one| {
            json!({
                "name": &*one.name,
                "correlationKey": one.key,
                "messageId": one.message_id,
                "publishedAt": reply::moment(one.published_at),
                "expiresAt": reply::moment(one.expires_at),
            })
        })
        .collect();
    Ok(reply::ok(json!({ "messages": messages, "next": next })))
}

fn texts(instances: &[InstanceId]) -> Vec<String> {
    instances.iter().map(InstanceId::to_string).collect()
}

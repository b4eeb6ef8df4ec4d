//! Who is told of every turn, and what has not arrived there.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;
use tyer_engine::InstanceId;
use tyer_runtime::{Engine, SinkOptions, SinkStatus, Webhook};

use crate::code::Code;
use crate::error::Failure;
use crate::fields::Fields;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

/// No delivery takes longer than this, and none waits longer for its next try than a day.
const LONGEST_TIMEOUT_MS: u64 = 300_000;
const LONGEST_BACKOFF_MS: u64 = 24 * 60 * 60 * 1_000;

/// `GET /api/sinks`
pub(crate) async fn list(State(app): State<Arc<App>>, query: Query) -> Result<Response, Failure> {
    query.finish()?;
    let sinks: Vec<_> = app.engine.sinks().await?.iter().map(shown).collect();
    Ok(reply::ok(json!({ "sinks": sinks, "next": null })))
}

/// `PUT /api/sinks/:name`: a webhook, new or changed. The secret is never shown.
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    Name(name): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let url = fields.required_text("url", "an address that begins with http:// or https://")?;
    let mut webhook = Webhook::new(&name, url);
    if let Some(secret) = fields.text("secret")? {
        webhook = webhook.secret(secret);
    }
    webhook = webhook.options(options(&mut fields)?);
    fields.finish()?;
    app.engine.webhook(webhook).await?;
    Ok(reply::ok(json!({ "sink": shown(&find(&app.engine, &name).await?) })))
}

fn options(fields: &mut Fields) -> Result<SinkOptions, Failure> {
    let mut options = SinkOptions::default();
    if let Some(ms) = fields.number("timeoutMs", 1, LONGEST_TIMEOUT_MS)? {
        options = options.timeout(Duration::from_millis(ms));
    }
    if let Some(tries) = fields.number("tries", 1, 1_000)? {
        options = options.tries(u32::try_from(tries).unwrap_or(u32::MAX));
    }
    if let Some(streams) = fields.number("concurrency", 1, 1_000)? {
        options = options.concurrency(usize::try_from(streams).unwrap_or(1));
    }
    let (first, longest) = options.backoff;
    let ms = |found: Option<u64>, or: Duration| found.map_or(or, Duration::from_millis);
    let first = ms(fields.number("backoffMs", 0, LONGEST_BACKOFF_MS)?, first);
    let longest = ms(fields.number("longestBackoffMs", 0, LONGEST_BACKOFF_MS)?, longest);
    Ok(options.backoff(first, longest))
}

/// `DELETE /api/sinks/:name`, with everything that has not arrived.
pub(crate) async fn remove(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response, Failure> {
    match app.engine.remove_sink(&name).await? {
        true => Ok(reply::ok(json!({ "sink": { "name": name, "removed": true } }))),
        false => Err(unknown(&name)),
    }
}

/// `GET /api/sinks/:name/dead-letters?after=&limit=`: instances whose events are not tried any more.
pub(crate) async fn dead_letters(
    State(app): State<Arc<App>>,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Failure> {
    let after: Option<InstanceId> = query.text("after").map(|id| id.parse()).transpose()?;
    let limit = query.limit()?;
    query.finish()?;
    find(&app.engine, &name).await?;
    let found = app.engine.dead_letters(&name, after.unwrap_or(InstanceId(0)), limit + 1).await?;
    let (found, next) = reply::page(found, limit, |one| one.instance.to_string());
    let letters: Vec<_> = found
        .iter()
        .map(|one| {
            json!({
                "instanceId": one.instance.to_string(),
                "seq": one.seq,
                "waiting": one.waiting,
                "tries": one.tries,
                "error": one.error,
                "at": reply::moment(one.at),
            })
        })
        .collect();
    Ok(reply::ok(json!({ "deadLetters": letters, "next": next })))
}

/// `POST /api/sinks/:name/redeliver`: dead letters of one instance, or of all, are tried again.
pub(crate) async fn redeliver(
    State(app): State<Arc<App>>,
    Name(name): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let instance: Option<InstanceId> = fields.text("instanceId")?.map(|id| id.parse()).transpose()?;
    fields.finish()?;
    find(&app.engine, &name).await?;
    let revived = app.engine.redeliver(&name, instance).await?;
    Ok(reply::ok(json!({ "sink": { "name": name, "redelivered": revived } })))
}

fn shown(sink: &SinkStatus) -> serde_json::Value {
    json!({ "name": sink.name, "kind": sink.kind, "url": sink.url, "since": reply::moment(sink.since) })
}

async fn find(engine: &Engine, name: &str) -> Result<SinkStatus, Failure> {
    let found = engine.sinks().await?.into_iter().find(|sink| sink.name == name);
    found.ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Failure {
    Failure::new(Code::SinkUnknown, format!("there is no sink `{name}`")).with(json!({ "sink": name }))
}

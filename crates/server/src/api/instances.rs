//! Instances: begin, look.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use tyer_engine::{EventKind, InstanceId, ItemId, Status, Variables};
use tyer_runtime::{Done, Overview};

use crate::code::Code;
use crate::envelope::kind_of;
use crate::error::Failure;
use crate::fields::Fields;
use crate::query::Name;
use crate::reply;
use crate::router::App;

/// A start may wait for a minute for its end.
const LONGEST_WAIT_MS: u64 = 60_000;

/// What a start is answered with; the last two only when it was waited for and has ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedView {
    id: String,
    workflow_id: String,
    status: Status,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Variables>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstanceView {
    id: String,
    workflow_id: String,
    workflow_version: u32,
    status: Status,
    current_nodes: Vec<String>,
    completed_nodes: Vec<String>,
    variables: Variables,
    started_at: String,
    completed_at: Option<String>,
    started_by: Option<String>,
    progress: u8,
    tokens: Vec<TokenView>,
    metadata: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TokenView {
    id: String,
    position: String,
    parent_id: Option<String>,
    status: tyer_engine::TokenStatus,
    mode: tyer_engine::Mode,
}

#[derive(Serialize)]
struct Answer<T> {
    instance: T,
}

/// `POST /api/workflows/:workflowId/instances`
pub(crate) async fn start(
    State(app): State<Arc<App>>,
    Name(workflow): Name,
    headers: HeaderMap,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let mut start = app.engine.start(&workflow).variables(fields.variables("inputData")?);
    let mut options = fields.object("options")?;
    fields.finish()?;
    if let Some(priority) = priority(&mut options)? {
        start = start.priority(priority);
    }
    if let Some(who) = options.text("startedBy")? {
        start = start.started_by(who);
    }
    if let Some(key) = options.text("businessKey")? {
        start = start.business_key(key);
    }
    if let Some(version) = options.number("version", 1, u32::MAX.into())? {
        start = start.version(u32::try_from(version).expect("bounded above"));
    }
    let wait = options.number("wait", 0, LONGEST_WAIT_MS)?.unwrap_or(0);
    options.finish()?;
    if let Some(key) = idempotency_key(&headers)? {
        start = start.idempotency_key(key);
    }
    let done = start.submit().await?;
    let (status, at) =
        if done.duplicate { as_the_first(&app, done, &workflow).await? } else { (done.status, done.at) };
    let mut view = StartedView {
        id: done.instance.to_string(),
        workflow_id: workflow,
        status,
        started_at: reply::moment(at),
        completed_at: None,
        variables: None,
    };
    if wait > 0 {
        wait_for_end(&app, done.instance, Duration::from_millis(wait), &mut view).await?;
    }
    Ok(reply::created(Answer { instance: view }))
}

/// `GET /api/instances/:id`
pub(crate) async fn show(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Failure> {
    let id: InstanceId = id.parse()?;
    let seen = app.engine.instance(id).overview().await?;
    Ok(shown(id, seen))
}

/// An instance field for field, as it is or as it was.
pub(crate) fn shown(id: InstanceId, seen: Overview) -> Response {
    reply::ok(Answer { instance: InstanceView::of(id, seen) })
}

/// `low`, `normal`, `high`, or 0 to 100.
pub(crate) fn priority(options: &mut Fields) -> Result<Option<u8>, Failure> {
    let expected = "low, normal, high or a whole number from 0 to 100";
    let Some(value) = options.optional::<Value>("priority", expected)? else { return Ok(None) };
    let priority = match &value {
        Value::String(word) => match word.as_str() {
            "low" => Some(25),
            "normal" => Some(50),
            "high" => Some(75),
            _ => None,
        },
        Value::Number(number) => number.as_u64().and_then(|n| u8::try_from(n).ok()).filter(|n| *n <= 100),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    priority.map(Some).ok_or_else(|| options.invalid("priority", expected))
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().ok().map(str::trim).filter(|key| (1..=255).contains(&key.len()));
    key.map(|key| Some(key.to_owned())).ok_or_else(|| {
        let message = "the header Idempotency-Key must be 1 to 255 visible ASCII characters";
        Failure::new(Code::IdempotencyKeyInvalid, message)
    })
}

/// The same key, the same answer: what the first turn of the first instance left behind.
async fn as_the_first(
    app: &App,
    done: Done,
    workflow: &str,
) -> Result<(Status, tyer_engine::Timestamp), Failure> {
    let turn = app.engine.history(done.instance, 0, 1).await?;
    let (mut status, mut at) = (Status::Running, done.at);
    for event in &turn {
        at = event.at;
        let kind = kind_of(event)?;
        if let EventKind::WorkflowStarted(started) = &kind
            && started.process != workflow
        {
            let message =
                format!("this Idempotency-Key has started an instance of `{}` before", started.process);
            let details = json!({ "instanceId": done.instance.to_string() });
            return Err(Failure::new(Code::IdempotencyKeyReused, message).with(details));
        }
        if kind == EventKind::WorkflowCompleted {
            status = Status::Completed;
        }
    }
    Ok((status, at))
}

async fn wait_for_end(
    app: &App,
    instance: InstanceId,
    wait: Duration,
    view: &mut StartedView,
) -> Result<(), Failure> {
    let handle = app.engine.instance(instance);
    let finished = tokio::select! {
        finished = handle.finished() => finished?,
        () = tokio::time::sleep(wait) => return Ok(()),
        () = app.closed() => return Ok(()),
    };
    let glance = app.engine.glance(instance).await?;
    view.status = finished.status;
    view.completed_at = glance.ended_at.map(reply::moment);
    view.variables = Some(handle.variables(None).await?);
    Ok(())
}

impl InstanceView {
    fn of(id: InstanceId, seen: Overview) -> InstanceView {
        let item = |number| ItemId { instance: id, number }.to_text("tok");
        let variables = seen.variables();
        let Overview { process, version, instance, tokens, current_nodes, completed_nodes, progress, .. } =
            seen;
        let token = |token: tyer_runtime::LoadedToken| TokenView {
            id: item(token.number),
            position: token.node,
            parent_id: token.parent.map(item),
            status: token.status,
            mode: token.mode,
        };
        InstanceView {
            id: id.to_string(),
            workflow_id: process,
            workflow_version: version,
            status: instance.status,
            current_nodes,
            completed_nodes,
            variables,
            started_at: reply::moment(instance.started_at),
            completed_at: instance.ended_at.map(reply::moment),
            started_by: instance.started_by,
            progress,
            tokens: tokens.into_iter().map(token).collect(),
            metadata: json!({
                "retriesCount": instance.retries,
                "errorCount": instance.errors,
                "lastError": instance.last_error,
            }),
        }
    }
}

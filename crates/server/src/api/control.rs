//! What people do to instances: pause, variables, tokens, versions, bookmarks, undoing.
//!
//! **Invariant:** with `dryRun` the answer has the events that would happen, and nothing is changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;
use tyer_engine::{Command, InstanceId, ItemId, Modification, Number, Placement};
use tyer_runtime::{Done, Effects, Engine, Preview};

use crate::code::Code;
use crate::envelope::Envelope;
use crate::error::Failure;
use crate::fields::Fields;
use crate::past::explained;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

type Answer = Result<Response, Failure>;

/// `POST /api/instances/:id/pause`
pub(crate) async fn pause(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (id, reason) = (id.parse()?, fields.text("reason")?);
    fields.finish()?;
    perform(&app.engine, id, Command::Pause { reason }, query).await
}

/// `POST /api/instances/:id/resume`
pub(crate) async fn resume(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let id = id.parse()?;
    // Taken for symmetry with pause; history has no place for it yet.
    fields.text("reason")?;
    fields.finish()?;
    perform(&app.engine, id, Command::Resume, query).await
}

/// `POST /api/instances/:id/cancel`
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (id, reason) = (id.parse()?, fields.text("reason")?);
    fields.finish()?;
    perform(&app.engine, id, Command::Cancel { reason }, query).await
}

/// `POST /api/instances/:id/compensate`: completed steps are undone, the last one first.
pub(crate) async fn compensate(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (id, reason) = (id.parse()?, fields.text("reason")?);
    fields.finish()?;
    perform(&app.engine, id, Command::Compensate { reason }, query).await
}

/// `POST /api/instances/:id/retry`: everything that stands still is tried again.
pub(crate) async fn retry(State(app): State<Arc<App>>, Name(id): Name, mut fields: Fields) -> Answer {
    let id: InstanceId = id.parse()?;
    let retries = retries(&mut fields)?;
    fields.finish()?;
    let (resolved, status) = app.engine.instance(id).resolve_all(retries).await?;
    Ok(reply::ok(json!({ "instance": { "id": id.to_string(), "status": status }, "resolved": resolved })))
}

/// `PATCH /api/instances/:id/variables`
pub(crate) async fn set_variables(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let id: InstanceId = id.parse()?;
    let token = fields.text("tokenId")?.map(|token| inside(id, "tok", &token)).transpose()?;
    let local: Option<bool> = fields.optional("local", "true or false")?;
    let values = fields.variables("variables")?;
    if values.is_empty() {
        return Err(fields.invalid("variables", "an object with at least one variable"));
    }
    fields.finish()?;
    let command = Command::SetVariables { token, local: local.unwrap_or(false), values };
    perform(&app.engine, id, command, query).await
}

/// `POST /api/instances/:id/modify`: first what is added, then what is taken away, all or nothing.
pub(crate) async fn modify(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let id: InstanceId = id.parse()?;
    let mut add = Vec::new();
    for mut one in fields.objects("add")? {
        let node = one.required_text("nodeId", "the id of a node")?;
        let instead_of = one.text("insteadOf")?.map(|token| inside(id, "tok", &token)).transpose()?;
        add.push(Placement { node, instead_of, variables: one.variables("variables")? });
        one.finish()?;
    }
    let cancel: Option<Vec<String>> = fields.optional("cancel", "a list of ids of tokens")?;
    let cancel = cancel.unwrap_or_default();
    let cancel: Vec<Number> =
        cancel.iter().map(|token| inside(id, "tok", token)).collect::<Result<_, _>>()?;
    if add.is_empty() && cancel.is_empty() {
        return Err(fields.invalid("add", "at least one token to add or to cancel"));
    }
    fields.finish()?;
    perform(&app.engine, id, Command::Modify(Modification { add, cancel }), query).await
}

/// `POST /api/instances/:id/migrate`: goes on under another version.
pub(crate) async fn migrate(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut query: Query,
    mut fields: Fields,
) -> Answer {
    let id: InstanceId = id.parse()?;
    let version = fields.number("version", 1, u32::MAX.into())?;
    let version = version.map(|version| u32::try_from(version).expect("bounded above"));
    let mapping: Option<BTreeMap<String, String>> =
        fields.optional("mapping", "an object of old and new ids of nodes")?;
    fields.finish()?;
    let mapping = mapping.unwrap_or_default().into_iter().collect();
    let dry_run = query.flag("dryRun")?;
    query.finish()?;
    let handle = app.engine.instance(id);
    match dry_run {
        true => told(&app.engine, id, handle.preview_migration(version, mapping).await?).await,
        false => changed(handle.migrate(version, mapping).await?),
    }
}

/// `POST /api/instances/:id/snapshots`: a bookmark in its history.
pub(crate) async fn snapshot(State(app): State<Arc<App>>, Name(id): Name, mut fields: Fields) -> Answer {
    let id: InstanceId = id.parse()?;
    let name = fields.required_text("name", "a name for the snapshot")?;
    fields.finish()?;
    let done = app.engine.instance(id).snapshot(name.clone()).await?;
    let at = reply::moment(done.at);
    Ok(reply::created(json!({ "snapshot": { "name": name, "seq": done.version, "at": at } })))
}

/// `POST /api/instances/:id/rollback`: back to the last snapshot of this name. With `compensate` what was done since is
/// undone first; the instance is paused then, and the same call takes it back.
pub(crate) async fn roll_back(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let id: InstanceId = id.parse()?;
    let name = fields.required_text("snapshot", "the name of a snapshot")?;
    let effects = match fields.text("effects")?.as_deref() {
        None | Some("refuse") => Effects::Refuse,
        Some("compensate") => Effects::Compensate,
        Some("force") => Effects::Force,
        Some(_) => return Err(fields.invalid("effects", "refuse, compensate or force")),
    };
    fields.finish()?;
    let command = app.engine.instance(id).rollback(&name, effects).await?;
    perform(&app.engine, id, command, query).await
}

/// Does it, or shows what it would do.
async fn perform(engine: &Engine, id: InstanceId, command: Command, mut query: Query) -> Answer {
    let dry_run = query.flag("dryRun")?;
    query.finish()?;
    if dry_run {
        return previewed(engine, id, command).await;
    }
    match engine.command(id, command).await {
        Ok(done) => changed(done),
        Err(error) => Err(explained(engine, error).await),
    }
}

/// What a command would do.
pub(crate) async fn previewed(engine: &Engine, id: InstanceId, command: Command) -> Answer {
    match engine.instance(id).preview(command).await {
        Ok(preview) => told(engine, id, preview).await,
        Err(error) => Err(explained(engine, error).await),
    }
}

async fn told(engine: &Engine, id: InstanceId, preview: Preview) -> Answer {
    let masked = engine.glance(id).await?.masked;
    let events = preview.events.iter().map(|event| Envelope::of(id, event, &masked));
    let events: Vec<Envelope> = events.collect::<Result<_, _>>()?;
    Ok(reply::ok(json!({
        "dryRun": true,
        "instance": { "id": id.to_string(), "status": preview.status },
        "events": events,
    })))
}

fn changed(done: Done) -> Answer {
    Ok(reply::ok(json!({ "instance": { "id": done.instance.to_string(), "status": done.status } })))
}

/// How many tries a job gets from here on.
pub(crate) fn retries(fields: &mut Fields) -> Result<Option<u32>, Failure> {
    let retries = fields.number("retries", 1, 1_000)?;
    Ok(retries.map(|retries| u32::try_from(retries).expect("bounded above")))
}

/// The number of something inside this very instance.
pub(crate) fn inside(instance: InstanceId, kind: &str, id: &str) -> Result<Number, Failure> {
    let item = ItemId::parse(kind, id)?;
    if item.instance == instance {
        return Ok(item.number);
    }
    let message = format!("{id} is not of {instance}");
    Err(Failure::new(Code::IdMalformed, message).with(json!({ "instanceId": instance.to_string() })))
}

//! What needs a person's eye.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;
use tyer_engine::{Command, InstanceId, ItemId};

use super::control::{previewed, retries};
use crate::error::Failure;
use crate::fields::Fields;
use crate::past::explained;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

/// `GET /api/incidents?instanceId=&after=&limit=`: open ones, those of the newest instance first.
pub(crate) async fn list(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Failure> {
    let instance: Option<InstanceId> = query.text("instanceId").map(|id| id.parse()).transpose()?;
    let below = query.text("after").map(|id| ItemId::parse("inc", &id)).transpose()?;
    let limit = query.limit()?;
    query.finish()?;
    if let Some(instance) = instance {
        app.engine.glance(instance).await?;
    }
    let found = app.engine.incidents(instance, below, limit + 1).await?;
    let (found, next) = reply::page(found, limit, |one| one.id.to_text("inc"));
    let incidents: Vec<_> = found
        .iter()
        .map(|one| {
            let instance = one.id.instance;
            json!({
                "id": one.id.to_text("inc"),
                "instanceId": instance.to_string(),
                "workflowId": one.process,
                "kind": one.kind,
                "message": one.message,
                "tokenId": one.token.map(|number| ItemId { instance, number }.to_text("tok")),
                "nodeId": one.node,
                "openedAt": reply::moment(one.at),
            })
        })
        .collect();
    Ok(reply::ok(json!({ "incidents": incidents, "next": next })))
}

/// `POST /api/incidents/:id/resolve`, and `retry`, which is the same: its cause is gone, go on.
pub(crate) async fn resolve(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let incident = ItemId::parse("inc", &id)?;
    let retries = retries(&mut fields)?;
    fields.finish()?;
    deal_with(&app, incident, Command::Resolve { incident: incident.number, retries }, query).await
}

/// `POST /api/incidents/:id/skip`: a step that could not be undone is left as it is, the undoing goes on.
pub(crate) async fn skip(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    fields: Fields,
) -> Result<Response, Failure> {
    let incident = ItemId::parse("inc", &id)?;
    fields.finish()?;
    deal_with(&app, incident, Command::SkipCompensation { incident: incident.number }, query).await
}

/// `POST /api/incidents/:id/abort`: the undoing ends here.
pub(crate) async fn abort(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    fields: Fields,
) -> Result<Response, Failure> {
    let incident = ItemId::parse("inc", &id)?;
    fields.finish()?;
    deal_with(&app, incident, Command::AbortCompensation { incident: incident.number }, query).await
}

async fn deal_with(
    app: &App,
    incident: ItemId,
    command: Command,
    mut query: Query,
) -> Result<Response, Failure> {
    let dry_run = query.flag("dryRun")?;
    query.finish()?;
    if dry_run {
        return previewed(&app.engine, incident.instance, command).await;
    }
    match app.engine.command(incident.instance, command).await {
        Ok(done) => Ok(reply::ok(json!({
            "incident": {
                "id": incident.to_text("inc"),
                "status": "resolved",
                "resolvedAt": reply::moment(done.at),
            },
            "instance": { "id": incident.instance.to_string(), "status": done.status },
        }))),
        Err(error) => Err(explained(&app.engine, error).await),
    }
}

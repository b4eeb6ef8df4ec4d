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
use crate::query::{Name, Query, invalid};
use crate::reply;
use crate::router::App;

/// `GET /api/incidents?instanceId=`: the open ones of an instance.
pub(crate) async fn list(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Failure> {
    let wanted = query.text("instanceId");
    query.finish()?;
    let Some(wanted) = wanted else { return Err(invalid("instanceId", "the id of an instance")) };
    let instance: InstanceId = wanted.parse()?;
    let seen = app.engine.instance(instance).overview().await?;
    let incidents: Vec<_> = seen
        .instance
        .incidents
        .iter()
        .map(|(number, incident)| {
            let item = |kind: &str, number: u32| ItemId { instance, number }.to_text(kind);
            let token = incident.token.and_then(|token| seen.tokens.iter().find(|seen| seen.number == token));
            json!({
                "id": item("inc", *number),
                "instanceId": instance.to_string(),
                "kind": incident.kind,
                "message": incident.message,
                "tokenId": incident.token.map(|token| item("tok", token)),
                "nodeId": token.map(|token| &token.node),
                "openedAt": reply::moment(incident.at),
            })
        })
        .collect();
    Ok(reply::ok(json!({ "incidents": incidents, "next": null })))
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

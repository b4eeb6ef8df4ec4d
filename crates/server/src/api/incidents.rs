//! What needs a person's eye.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;
use tyer_engine::{Command, InstanceId, ItemId};

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

/// `POST /api/incidents/:id/resolve`: its cause is gone, go on.
pub(crate) async fn resolve(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let incident = ItemId::parse("inc", &id)?;
    let retries = fields.number("retries", 1, 1_000)?;
    fields.finish()?;
    let retries = retries.map(|retries| u32::try_from(retries).expect("bounded above"));
    let command = Command::Resolve { incident: incident.number, retries };
    match app.engine.command(incident.instance, command).await {
        Ok(done) => Ok(reply::ok(json!({
            "incident": { "id": id, "status": "resolved", "resolvedAt": reply::moment(done.at) },
            "instance": { "id": incident.instance.to_string(), "status": done.status },
        }))),
        Err(error) => Err(explained(&app.engine, error).await),
    }
}

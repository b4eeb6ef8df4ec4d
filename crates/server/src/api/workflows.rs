//! Processes: which there are, in which versions, and how they do.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use tyer_runtime::{Error, ListedDefinition, NodeStatistics};

use crate::error::Failure;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

/// `GET /api/workflows`: the newest version of each.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let found: Vec<Value> = app.engine.processes(None).await?.iter().map(described).collect();
    Ok(reply::ok(json!({ "workflows": found, "next": null })))
}

/// `GET /api/workflows/:id`: its newest version.
pub(crate) async fn show(State(app): State<Arc<App>>, Name(key): Name) -> Result<Response, Failure> {
    let versions = versions_of(&app, key).await?;
    Ok(reply::ok(json!({ "workflow": versions.first().map(described) })))
}

/// `GET /api/workflows/:id/versions`: newest first.
pub(crate) async fn versions(State(app): State<Arc<App>>, Name(key): Name) -> Result<Response, Failure> {
    let found: Vec<Value> = versions_of(&app, key).await?.iter().map(described).collect();
    Ok(reply::ok(json!({ "versions": found, "next": null })))
}

/// `GET /api/workflows/:id/statistics?version=`
pub(crate) async fn statistics(
    State(app): State<Arc<App>>,
    Name(key): Name,
    mut query: Query,
) -> Result<Response, Failure> {
    let version = query.number("version", 1, u32::MAX.into())?;
    query.finish()?;
    let version = version.map(|version| u32::try_from(version).expect("bounded above"));
    let told = app.engine.statistics(&key, version).await?;
    let instances: serde_json::Map<String, Value> = told
        .instances
        .iter()
        .map(|(status, count)| (json!(status).as_str().unwrap_or_default().to_owned(), json!(count)))
        .collect();
    let nodes: Vec<Value> = told.nodes.iter().map(node).collect();
    Ok(reply::ok(json!({
        "statistics": {
            "workflowId": key,
            "version": told.version,
            "instances": instances,
            "sampled": told.sampled,
            "nodes": nodes,
        },
    })))
}

async fn versions_of(app: &App, key: String) -> Result<Vec<ListedDefinition>, Error> {
    let found = app.engine.processes(Some(&key)).await?;
    if found.is_empty() { Err(Error::ProcessUnknown { key, version: None }) } else { Ok(found) }
}

fn described(one: &ListedDefinition) -> Value {
    json!({
        "id": one.key,
        "version": one.version,
        "versionTag": one.version_tag,
        "deployedAt": reply::moment(one.deployed_at),
    })
}

fn node(one: &NodeStatistics) -> Value {
    json!({
        "nodeId": one.node,
        "active": one.active,
        "incidents": one.incidents,
        "completed": one.completed,
        "p50Ms": one.p50_ms,
        "p95Ms": one.p95_ms,
    })
}

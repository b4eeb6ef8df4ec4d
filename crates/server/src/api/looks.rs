//! Closer looks at one instance: variables, tokens, nodes, the past, what it waits for.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use tyer_engine::{InstanceId, ItemId, Variables};
use tyer_runtime::{Explanation, LoadedToken, NodeState, NodeStatus};

use super::control::inside;
use super::instances::shown;
use crate::error::Failure;
use crate::query::{Name, Query, invalid};
use crate::reply;
use crate::router::App;

/// The last number that an event can have.
const LAST: u64 = i64::MAX.cast_unsigned();

type Answer = Result<Response, Failure>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeView {
    node_id: String,
    status: NodeStatus,
    visits: u32,
    started_at: Option<String>,
    completed_at: Option<String>,
    input: Option<Variables>,
    output: Option<Variables>,
    error: Option<String>,
    retries: u32,
}

/// `GET /api/instances/:id/variables?tokenId=`
pub(crate) async fn variables(State(app): State<Arc<App>>, Name(id): Name, mut query: Query) -> Answer {
    let id: InstanceId = id.parse()?;
    let token = query.text("tokenId").map(|token| inside(id, "tok", &token)).transpose()?;
    query.finish()?;
    let variables = app.engine.instance(id).variables(token).await?;
    Ok(reply::ok(Shown { variables }))
}

#[derive(Serialize)]
struct Shown {
    variables: Variables,
}

/// `GET /api/instances/:id/tokens`
pub(crate) async fn tokens(State(app): State<Arc<App>>, Name(id): Name) -> Answer {
    let id: InstanceId = id.parse()?;
    let seen = app.engine.instance(id).overview().await?;
    let tokens: Vec<Value> = seen.tokens.iter().map(|token| token_view(id, token)).collect();
    Ok(reply::ok(json!({ "tokens": tokens, "next": null })))
}

fn token_view(instance: InstanceId, token: &LoadedToken) -> Value {
    let item = |kind: &str, number| ItemId { instance, number }.to_text(kind);
    let lease = token.lease.as_ref().map(|lease| {
        json!({
            "number": lease.number,
            "worker": &*lease.worker,
            "since": reply::moment(lease.since),
            "until": lease.until.map(reply::moment),
        })
    });
    json!({
        "id": item("tok", token.number),
        "position": token.node,
        "flowId": token.flow,
        "parentId": token.parent.map(|parent| item("tok", parent)),
        "status": token.status,
        "mode": token.mode,
        "attempt": token.attempt,
        "since": reply::moment(token.since),
        "lease": lease,
    })
}

/// `GET /api/instances/:id/nodes`
pub(crate) async fn nodes(State(app): State<Arc<App>>, Name(id): Name) -> Answer {
    let id: InstanceId = id.parse()?;
    let nodes = app.engine.instance(id).nodes().await?;
    let nodes: Vec<NodeView> = nodes.into_iter().map(NodeView::of).collect();
    Ok(reply::ok(Nodes { nodes, next: None }))
}

#[derive(Serialize)]
struct Nodes {
    nodes: Vec<NodeView>,
    next: Option<String>,
}

/// `GET /api/instances/:id/state?at=`: as it was after the event of this number.
pub(crate) async fn state(State(app): State<Arc<App>>, Name(id): Name, mut query: Query) -> Answer {
    let id: InstanceId = id.parse()?;
    let at = query.number("at", 1, LAST)?.ok_or_else(|| invalid("at", "the number of an event"))?;
    query.finish()?;
    app.engine.glance(id).await?;
    Ok(shown(id, app.engine.instance(id).overview_at(at).await?))
}

/// `GET /api/instances/:id/explain`: what every token waits for, since when, and what is missing.
pub(crate) async fn explain(State(app): State<Arc<App>>, Name(id): Name) -> Answer {
    let id: InstanceId = id.parse()?;
    let explained = app.engine.instance(id).explain().await?;
    let explained: Vec<Value> = explained.iter().map(|one| explanation(id, one)).collect();
    Ok(reply::ok(json!({ "explanations": explained })))
}

fn explanation(instance: InstanceId, one: &Explanation) -> Value {
    json!({
        "tokenId": ItemId { instance, number: one.token }.to_text("tok"),
        "nodeId": one.node,
        "since": reply::moment(one.since),
        "waitsFor": one.waits_for,
        "or": one.or,
        "missing": one.missing,
    })
}

/// `GET /api/instances/:id/snapshots`
pub(crate) async fn snapshots(State(app): State<Arc<App>>, Name(id): Name) -> Answer {
    let id: InstanceId = id.parse()?;
    app.engine.glance(id).await?;
    let snapshots: Vec<Value> = app
        .engine
        .instance(id)
        .snapshots()
        .await?
        .iter()
        .map(|one| json!({ "name": one.name, "seq": one.seq, "at": reply::moment(one.at) }))
        .collect();
    Ok(reply::ok(json!({ "snapshots": snapshots, "next": null })))
}

impl NodeView {
    fn of(state: NodeState) -> NodeView {
        NodeView {
            node_id: state.node,
            status: state.status,
            visits: state.visits,
            started_at: state.started_at.map(reply::moment),
            completed_at: state.completed_at.map(reply::moment),
            input: state.input,
            output: state.output,
            error: state.error,
            retries: state.retries,
        }
    }
}

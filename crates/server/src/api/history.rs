//! What has happened to an instance, page by page.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use tyer_engine::InstanceId;

use crate::envelope::Envelope;
use crate::error::Failure;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

#[derive(Serialize)]
struct Page {
    events: Vec<Envelope>,
    next: Option<String>,
}

/// `GET /api/instances/:id/history?after=&limit=`
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut query: Query,
) -> Result<Response, Failure> {
    let id: InstanceId = id.parse()?;
    let after = query.number("after", 0, i64::MAX.cast_unsigned())?.unwrap_or(0);
    let limit = query.limit()?;
    query.finish()?;
    let masked = app.engine.glance(id).await?.masked;
    let events = app.engine.history(id, after, limit + 1).await?;
    let (events, next) = reply::page(events, limit, |event| event.seq.to_string());
    let events = events.iter().map(|event| Envelope::of(id, event, &masked)).collect::<Result<_, _>>()?;
    Ok(reply::ok(Page { events, next }))
}

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

/// Events of one page, when nothing is said.
const PAGE: u64 = 100;
/// Events of one page, at most.
const LARGEST_PAGE: u64 = 1_000;

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
    let limit = query.number("limit", 1, LARGEST_PAGE)?.unwrap_or(PAGE);
    query.finish()?;
    let masked = app.engine.glance(id).await?.masked;
    let limit = usize::try_from(limit).expect("bounded above");
    let mut events = app.engine.history(id, after, limit + 1).await?;
    let more = events.len() > limit;
    events.truncate(limit);
    let next = events.last().filter(|_| more).map(|event| event.seq.to_string());
    let events = events.iter().map(|event| Envelope::of(id, event, &masked)).collect::<Result<_, _>>()?;
    Ok(reply::ok(Page { events, next }))
}

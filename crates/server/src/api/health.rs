//! Is the process there, and can it work?

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::code::Code;
use crate::error::Failure;
use crate::reply;
use crate::router::App;

/// A store that takes longer to answer is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// `GET /health/live`
pub(crate) async fn live() -> Response {
    reply::ok(json!({ "status": "live" }))
}

/// `GET /health/ready`
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    if *app.closing.borrow() {
        return Failure::new(Code::ShuttingDown, "the server is shutting down").into_response();
    }
    match tokio::time::timeout(PATIENCE, app.engine.reach_store()).await {
        Ok(Ok(())) => reply::ok(json!({ "status": "ready" })),
        Ok(Err(error)) => Failure::from(error).into_response(),
        Err(_) => {
            Failure::new(Code::StoreUnavailable, "the store did not answer within 2 seconds").into_response()
        }
    }
}

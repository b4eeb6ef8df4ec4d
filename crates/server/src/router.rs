//! Every route, in one place.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use tokio::sync::watch;
use tyer_runtime::Engine;

use crate::api::{deployments, health, history, incidents, instances, jobs, tasks};
use crate::code::Code;
use crate::error::Failure;
use crate::guard::guard;
use crate::serve::Options;
use crate::ws;

/// What every handler works with.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) options: Options,
    /// True when the server stops: whoever waits is answered now.
    pub(crate) closing: watch::Sender<bool>,
}

impl App {
    /// Comes true when the server stops.
    pub(crate) async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives in `self`: this can only end by the value coming true.
        drop(closing.wait_for(|closing| *closing).await);
    }
}

pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/deployments", post(deployments::deploy))
        .route("/api/workflows/{id}/xml", get(deployments::xml))
        .route("/api/workflows/{id}/instances", post(instances::start))
        .route("/api/instances/{id}", get(instances::show))
        .route("/api/instances/{id}/pause", post(instances::pause))
        .route("/api/instances/{id}/resume", post(instances::resume))
        .route("/api/instances/{id}/cancel", post(instances::cancel))
        .route("/api/instances/{id}/history", get(history::list))
        .route("/api/tasks", get(tasks::list))
        .route("/api/tasks/{id}/complete", post(tasks::complete))
        .route("/api/jobs/activate", post(jobs::activate))
        .route("/api/jobs/{id}/complete", post(jobs::complete))
        .route("/api/jobs/{id}/fail", post(jobs::fail))
        .route("/api/jobs/{id}/extend", post(jobs::extend))
        .route("/api/incidents", get(incidents::list))
        .route("/api/incidents/{id}/resolve", post(incidents::resolve))
        .route("/api/ws", get(ws::upgrade))
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready))
        .fallback(async || Failure::new(Code::RouteUnknown, "there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            Failure::new(Code::MethodNotAllowed, "this address does not take this method")
        })
        .layer(from_fn(guard))
        .with_state(app)
}

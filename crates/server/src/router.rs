//! Every route, in one place.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, patch, post, put};
use tokio::sync::watch;
use tyer_runtime::Engine;

use crate::api::{
    actions, control, deployments, health, history, incidents, instances, jobs, looks, messages, search,
    sinks, tasks, workflows,
};
use crate::code::Code;
use crate::error::Failure;
use crate::guard::guard;
use crate::serve::Options;
use crate::ws;

/// What every handler works with.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) options: Options,
    /// Requests under way.
    pub(crate) in_hand: AtomicUsize,
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
        .route("/api/workflows", get(workflows::list))
        .route("/api/workflows/{id}", get(workflows::show))
        .route("/api/workflows/{id}/versions", get(workflows::versions))
        .route("/api/workflows/{id}/statistics", get(workflows::statistics))
        .route("/api/workflows/{id}/xml", get(deployments::xml))
        .route("/api/workflows/{id}/instances", post(instances::start))
        .merge(of_instances())
        .merge(of_work())
        .route("/api/messages", post(messages::publish))
        .route("/api/messages/unmatched", get(messages::unmatched))
        .route("/api/signals", post(messages::signal))
        .route("/api/sinks", get(sinks::list))
        .route("/api/sinks/{id}", put(sinks::put).delete(sinks::remove))
        .route("/api/sinks/{id}/dead-letters", get(sinks::dead_letters))
        .route("/api/sinks/{id}/redeliver", post(sinks::redeliver))
        .route("/api/ws", get(ws::upgrade))
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready))
        .fallback(async || Failure::new(Code::RouteUnknown, "there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            Failure::new(Code::MethodNotAllowed, "this address does not take this method")
        })
        .layer(from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}

fn of_instances() -> Router<Arc<App>> {
    Router::new()
        .route("/api/instances", get(search::list))
        .route("/api/instances/{id}", get(instances::show))
        .route("/api/instances/{id}/children", get(search::children))
        .route("/api/instances/{id}/pause", post(control::pause))
        .route("/api/instances/{id}/resume", post(control::resume))
        .route("/api/instances/{id}/cancel", post(control::cancel))
        .route("/api/instances/{id}/retry", post(control::retry))
        .route("/api/instances/{id}/modify", post(control::modify))
        .route("/api/instances/{id}/migrate", post(control::migrate))
        .route("/api/instances/{id}/compensate", post(control::compensate))
        .route("/api/instances/{id}/rollback", post(control::roll_back))
        .route("/api/instances/{id}/snapshots", get(looks::snapshots).post(control::snapshot))
        .route("/api/instances/{id}/variables", get(looks::variables).patch(control::set_variables))
        .route("/api/instances/{id}/tokens", get(looks::tokens))
        .route("/api/instances/{id}/nodes", get(looks::nodes))
        .route("/api/instances/{id}/state", get(looks::state))
        .route("/api/instances/{id}/explain", get(looks::explain))
        .route("/api/instances/{id}/history", get(history::list))
}

/// Work for people and programs, and what went wrong with it.
fn of_work() -> Router<Arc<App>> {
    Router::new()
        .route("/api/tasks", get(tasks::list))
        .route("/api/tasks/{id}", patch(actions::change))
        .route("/api/tasks/{id}/claim", post(actions::claim))
        .route("/api/tasks/{id}/release", post(actions::release))
        .route("/api/tasks/{id}/assign", post(actions::assign))
        .route("/api/tasks/{id}/complete", post(actions::complete))
        .route("/api/tasks/{id}/throw", post(actions::throw))
        .route("/api/tasks/{id}/escalate", post(actions::escalate))
        .route("/api/jobs/activate", post(jobs::activate))
        .route("/api/jobs/{id}/complete", post(jobs::complete))
        .route("/api/jobs/{id}/fail", post(jobs::fail))
        .route("/api/jobs/{id}/throw", post(jobs::throw))
        .route("/api/jobs/{id}/extend", post(jobs::extend))
        .route("/api/incidents", get(incidents::list))
        .route("/api/incidents/{id}/resolve", post(incidents::resolve))
        .route("/api/incidents/{id}/retry", post(incidents::resolve))
        .route("/api/incidents/{id}/skip", post(incidents::skip))
        .route("/api/incidents/{id}/abort", post(incidents::abort))
}

//! `/api/ws`: the events of instances as they become durable.
//!
//! **Invariant:** events of a subscription come gapless and once, in order of `seq`, from `since` on.
//! **Invariant:** memory per connection is bounded: a follower reads on only when its last frames were taken.

mod connection;
mod follow;
mod frames;

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;

use crate::code::Code;
use crate::error::Failure;
use crate::router::App;

/// What a client says is short.
const LARGEST_MESSAGE: usize = 64 * 1024;

/// `GET /api/ws`
pub(crate) async fn upgrade(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let upgrade = upgrade.map_err(|rejection| {
        Failure::new(Code::UpgradeRequired, format!("this address speaks WebSocket only: {rejection}"))
    })?;
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| connection::Connection::new(app, socket).run()))
}

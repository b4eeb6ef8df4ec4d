//! A web shop with the engine inside: orders are placed over HTTP, and each is an instance in the shop's own file.
//!
//! `cargo run --example axum_app`, then `curl --data 120 localhost:3000/orders`

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use tyer::{Engine, InstanceId};

#[derive(Deserialize, Serialize)]
struct Order {
    amount: u32,
}

#[derive(Serialize)]
struct Receipt {
    charged: u32,
}

/// The shop: its routes and its process, on a file.
pub(crate) async fn shop(file: &std::path::Path) -> Result<(Router, Engine), tyer::Error> {
    let engine = Engine::open(file).await?;
    engine.deploy(include_str!("order.bpmn")).await?;
    engine.worker("charge-card", |order: Order| async move { Ok(Receipt { charged: order.amount }) });
    let routes = Router::new()
        .route("/orders", post(place))
        .route("/orders/{id}", get(look))
        .with_state(engine.clone());
    Ok((routes, engine))
}

/// Durable when it is answered.
async fn place(State(engine): State<Engine>, body: String) -> Result<String, StatusCode> {
    let amount = body.trim().parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    let order = engine.start("order").variables(Order { amount }).send().await;
    order.map(|order| order.id().to_string()).map_err(|error| status(&error))
}

async fn look(State(engine): State<Engine>, Path(id): Path<String>) -> Result<String, StatusCode> {
    let id: InstanceId = id.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    let seen = engine.instance(id).overview().await.map_err(|error| status(&error))?;
    Ok(format!("{} %, at {:?}, {}", seen.progress, seen.current_nodes, seen.variables().to_json()))
}

fn status(error: &tyer::Error) -> StatusCode {
    let refused = matches!(error, tyer::Error::Rejected(_));
    if refused { StatusCode::NOT_FOUND } else { StatusCode::SERVICE_UNAVAILABLE }
}

#[tokio::main]
#[allow(dead_code, reason = "the test of the examples calls `shop`")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (routes, engine) = shop(std::path::Path::new("shop.db")).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    eprintln!("the shop is open at http://{}", listener.local_addr()?);
    axum::serve(listener, routes).with_graceful_shutdown(stopped()).await?;
    engine.drain(std::time::Duration::from_secs(10)).await;
    engine.shutdown().await;
    Ok(())
}

async fn stopped() {
    let _ = tokio::signal::ctrl_c().await;
}

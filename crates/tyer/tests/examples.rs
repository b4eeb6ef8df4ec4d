//! Every example runs, and does what it says.

#[path = "../examples/approval.rs"]
mod approval;
#[path = "../examples/axum_app.rs"]
mod axum_app;
#[path = "../examples/fan_out.rs"]
mod fan_out;
#[path = "../examples/process_test.rs"]
mod process_test;
#[path = "../examples/saga.rs"]
mod saga;

use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tower::ServiceExt;

#[tokio::test]
async fn the_saga_undoes_the_last_step_first() {
    let done = saga::run().await.expect("the example runs");
    assert_eq!(done, ["book-flight", "book-hotel", "cancel-hotel", "cancel-flight"]);
}

#[tokio::test]
async fn one_expense_is_approved_and_the_late_one_is_refused_by_the_chief() {
    let decisions = approval::run().await.expect("the example runs");
    assert_eq!(decisions, [approval::Decision { approved: true }, approval::Decision { approved: false }]);
}

#[tokio::test]
async fn prices_come_in_the_order_of_the_suppliers() {
    assert_eq!(fan_out::run().await.expect("the example runs"), [300, 500, 700]);
}

#[tokio::test]
async fn a_process_is_tested_with_a_fake_worker_and_its_story() {
    process_test::a_big_order_is_approved_after_its_card_was_charged().await.expect("the example runs");
}

#[tokio::test]
async fn the_shop_takes_an_order_and_tells_of_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shop-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (routes, engine) = axum_app::shop(&folder.join("shop.db")).await.expect("the shop opens");
    let placed = ask(&routes, "POST", "/orders", "120").await;
    assert_eq!(placed.0, StatusCode::OK);
    engine.settle().await.expect("nothing is under way");
    let seen = ask(&routes, "GET", &format!("/orders/{}", placed.1), "").await;
    assert_eq!(seen, (StatusCode::OK, r#"100 %, at [], {"amount":120,"charged":120}"#.to_owned()));
    assert_eq!(ask(&routes, "GET", "/orders/inst_1", "").await.0, StatusCode::NOT_FOUND);
    assert_eq!(engine.drain(Duration::from_secs(10)).await, 0);
    drop(routes);
    engine.shutdown().await;
    std::fs::remove_dir_all(&folder).expect("the shop has let go of its file");
}

async fn ask(routes: &axum::Router, method: &str, path: &str, body: &str) -> (StatusCode, String) {
    let request =
        Request::builder().method(method).uri(path).body(Body::from(body.to_owned())).expect("a request");
    let response = routes.clone().oneshot(request).await.expect("a router never fails");
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 10_000).await.expect("a short body");
    (status, String::from_utf8(body.to_vec()).expect("text"))
}

//! Subscriptions by workflow and by topic: a gap first, then live.

mod support;

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use support::{ASK, ORDER, STUCK, Site};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn subscribed(site: &Site, to: Value) -> Socket {
    let (mut socket, _) =
        connect_async(format!("ws://{}/api/ws", site.address)).await.expect("the server upgrades");
    let mut frame = json!({ "op": "subscribe", "id": "s" });
    frame.as_object_mut().expect("an object").extend(to.as_object().expect("an object").clone());
    socket.send(Message::text(frame.to_string())).await.expect("the socket takes it");
    let told = hear(&mut socket).await;
    assert_eq!(told["op"], "subscribed", "{told}");
    assert_eq!(
        hear(&mut socket).await,
        json!({ "op": "gap", "sub": "s" }),
        "what was before must be fetched"
    );
    socket
}

async fn hear(socket: &mut Socket) -> Value {
    loop {
        let heard = tokio::time::timeout(Duration::from_secs(30), socket.next()).await;
        let message = heard.expect("something is heard in time").expect("it is open").expect("it is whole");
        if let Message::Text(text) = message {
            return serde_json::from_str(&text).expect("a frame is JSON");
        }
    }
}

#[tokio::test]
async fn a_topic_tells_of_its_events_in_all_instances_and_of_no_others() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    site.deploy(STUCK).await;
    let mut tasks = subscribed(&site, json!({ "topic": "tasks" })).await;
    let mut incidents = subscribed(&site, json!({ "topic": "incidents" })).await;
    let mut stats = subscribed(&site, json!({ "topic": "stats" })).await;
    let ask = site.start("ask", json!({})).await;
    let stuck = site.start("stuck", json!({})).await;
    let created = hear(&mut tasks).await;
    assert_eq!((&created["op"], &created["sub"]), (&json!("event"), &json!("s")));
    assert_eq!((&created["type"], &created["instanceId"]), (&json!("task.created"), &json!(ask)));
    let opened = hear(&mut incidents).await;
    assert_eq!((&opened["type"], &opened["instanceId"]), (&json!("incident.opened"), &json!(stuck)));
    for instance in [&ask, &stuck] {
        let started = hear(&mut stats).await;
        assert_eq!(
            (&started["type"], &started["instanceId"]),
            (&json!("workflow.started"), &json!(instance))
        );
    }
    let task = site.task_of(&ask).await;
    site.post(&format!("/api/tasks/{task}/complete"), json!({})).await;
    assert_eq!(hear(&mut tasks).await["type"], "task.completed");
    assert_eq!(hear(&mut stats).await["type"], "workflow.completed");
    site.close().await;
}

#[tokio::test]
async fn a_workflow_tells_of_everything_in_its_own_instances() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    site.deploy(ORDER).await;
    let mut asks = subscribed(&site, json!({ "workflowId": "ask" })).await;
    site.start("order", json!({})).await;
    let ask = site.start("ask", json!({})).await;
    for seq in 1..=3 {
        let event = hear(&mut asks).await;
        assert_eq!((&event["instanceId"], &event["seq"]), (&json!(ask), &json!(seq)), "{event}");
    }
    site.close().await;
}

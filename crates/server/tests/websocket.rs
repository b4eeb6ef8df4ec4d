//! The WebSocket: nothing lost, nothing doubled, whatever happens to the connection.

mod support;

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use support::{ASK, Site};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tyer_server::Options;

/// A token goes round this loop once per job.
const LOOP: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <process id="loop" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work"><extensionElements><tyer:job type="work"/></extensionElements></serviceTask>
    <sequenceFlow id="b" sourceRef="work" targetRef="more"/>
    <exclusiveGateway id="more" default="out"/>
    <sequenceFlow id="round" sourceRef="more" targetRef="work"><conditionExpression>again</conditionExpression></sequenceFlow>
    <sequenceFlow id="out" sourceRef="more" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"#;

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn open(site: &Site) -> Socket {
        let (socket, _) =
            connect_async(format!("ws://{}/api/ws", site.address)).await.expect("the server upgrades");
        Socket(socket)
    }

    async fn say(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.expect("the socket takes it");
    }

    /// The next JSON frame; none when the server has closed.
    async fn hear(&mut self) -> Option<Value> {
        let patience = Duration::from_secs(30);
        loop {
            let heard =
                tokio::time::timeout(patience, self.0.next()).await.expect("something is heard in time");
            let message = heard?.ok()?;
            if message.is_close() {
                return None;
            }
            if let Message::Text(text) = message {
                return Some(serde_json::from_str(&text).expect("a frame is JSON"));
            }
        }
    }
}

async fn worked_through(site: &Site, rounds: u64) {
    let left = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(rounds));
    site.engine.worker("work", move |_: tyer_runtime::Job| {
        let before = left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
        async move { Ok(json!({ "again": before > 1, "left": before })) }
    });
}

#[tokio::test]
async fn events_of_an_instance_come_as_the_contract_spells_them() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let mut socket = Socket::open(&site).await;
    socket.say(json!({ "op": "subscribe", "id": "s1", "instanceId": id, "since": 0 })).await;
    let subscribed = socket.hear().await.expect("an answer");
    assert_eq!(subscribed, json!({ "op": "subscribed", "sub": "s1", "instanceId": id, "seq": 0 }));
    let first = socket.hear().await.expect("an event");
    assert_eq!(support::names(&first), ["at", "data", "instanceId", "op", "seq", "sub", "type"]);
    assert_eq!((&first["op"], &first["sub"], &first["seq"]), (&json!("event"), &json!("s1"), &json!(1)));
    assert_eq!((&first["type"], &first["instanceId"]), (&json!("workflow.started"), &json!(id)));
    let task = site.task_of(&id).await;
    site.post(&format!("/api/tasks/{task}/complete"), json!({})).await;
    let mut last = first;
    while last["type"] != "workflow.completed" {
        let next = socket.hear().await.expect("more events");
        assert_eq!(next["seq"].as_u64(), last["seq"].as_u64().map(|seq| seq + 1));
        last = next;
    }
    let history = site.get(&format!("/api/instances/{id}/history?limit=1000")).await.json();
    assert_eq!(history["events"].as_array().map(|events| events.len() as u64), last["seq"].as_u64());
    site.close().await;
    assert!(socket.hear().await.is_none(), "a server that stops closes its sockets");
}

#[tokio::test]
async fn without_since_only_what_is_new_comes() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let mut socket = Socket::open(&site).await;
    socket.say(json!({ "op": "subscribe", "id": "new", "instanceId": id })).await;
    let seq = socket.hear().await.expect("an answer")["seq"].as_u64().expect("a number");
    assert!(seq > 0);
    site.post(&format!("/api/instances/{id}/pause"), json!({ "reason": "lunch" })).await;
    let event = socket.hear().await.expect("an event");
    assert_eq!((&event["type"], event["seq"].as_u64()), (&json!("workflow.paused"), Some(seq + 1)));
    assert_eq!(event["data"], json!({ "reason": "lunch" }));
    socket.say(json!({ "op": "subscribe", "id": "ahead", "instanceId": id, "since": 1_000_000 })).await;
    assert_eq!(socket.hear().await.expect("an answer")["op"], "subscribed");
    assert_eq!(socket.hear().await.expect("a gap"), json!({ "op": "gap", "sub": "ahead", "seq": seq + 1 }));
    site.close().await;
}

#[tokio::test]
async fn what_cannot_be_subscribed_is_refused_by_code() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let mut socket = Socket::open(&site).await;
    let good = json!({ "op": "subscribe", "id": "a", "instanceId": id, "since": 1_000 });
    let cases = [
        (json!({ "op": "ping" }), "pong"),
        (json!({ "op": "subscribe", "id": "x", "topic": "weather" }), "field_invalid"),
        (json!({ "op": "subscribe", "id": "x", "workflowId": "ask", "topic": "tasks" }), "field_invalid"),
        (json!({ "op": "subscribe", "id": "x", "instanceId": "inst_77" }), "instance_unknown"),
        (json!({ "op": "unsubscribe", "id": "x" }), "subscription_unknown"),
        (json!({ "op": "dance" }), "op_unknown"),
        (json!([]), "json_malformed"),
        (good.clone(), "subscribed"),
        (json!({ "op": "ping" }), "gap"),
        (good, "pong"),
        (json!({ "op": "unsubscribe", "id": "a" }), "subscription_exists"),
        (json!({ "op": "ping" }), "unsubscribed"),
    ];
    for (frame, expected) in cases {
        socket.say(frame.clone()).await;
        let heard = socket.hear().await.expect("an answer");
        let said = heard["code"].as_str().unwrap_or_else(|| heard["op"].as_str().expect("an op"));
        assert_eq!(said, expected, "{frame}");
    }
    site.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconnects_under_load_lose_and_double_nothing() {
    let mut site = Site::open().await;
    site.deploy(LOOP).await;
    let id = site.start("loop", json!({})).await;
    worked_through(&site, 300).await;
    let (mut seen, mut dice, mut connections) = (0, 88172645463325252_u64, 0);
    let mut ended = false;
    while !ended {
        connections += 1;
        let mut socket = Socket::open(&site).await;
        socket.say(json!({ "op": "subscribe", "id": "s", "instanceId": id, "since": seen })).await;
        assert_eq!(socket.hear().await.expect("an answer")["seq"], json!(seen));
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        for _ in 0..dice % 60 {
            let event = socket.hear().await.expect("an event");
            assert_eq!(
                (&event["op"], event["seq"].as_u64()),
                (&json!("event"), Some(seen + 1)),
                "after {seen}"
            );
            seen += 1;
            ended = event["type"] == "workflow.completed";
            if ended {
                break;
            }
        }
        // Dropped without a word: frames on their way are lost with the connection.
    }
    let glance = site.engine.glance(id.parse().expect("an id")).await.expect("it exists");
    assert_eq!(seen, glance.version, "over {connections} connections");
    assert!(connections > 20 && seen > 1_000, "{connections} connections, {seen} events");
    site.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_client_is_dropped_with_gap_and_goes_on_where_it_was() {
    let slow_after = Duration::from_millis(200);
    let mut site = Site::open_with(Options { slow_after, ..Options::default() }).await;
    site.deploy(LOOP).await;
    let big = "x".repeat(1_000_000);
    let id = site.start("loop", json!({ "big": big })).await;
    // Each round writes a megabyte: far more than sockets and queues hold.
    let text = big.clone();
    let left = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(60));
    site.engine.worker("work", move |_: tyer_runtime::Job| {
        let before = left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
        let text = text.clone();
        async move { Ok(json!({ "again": before > 1, "big": format!("{text}{before}") })) }
    });
    let mut socket = Socket::open(&site).await;
    socket.say(json!({ "op": "subscribe", "id": "s", "instanceId": id, "since": 0 })).await;
    site.engine.instance(id.parse().expect("an id")).finished().await.expect("it ends");
    tokio::time::sleep(slow_after * 5).await; // tidy: the test is that time passes and nothing is read
    let mut seen = 0;
    let gap = loop {
        let frame = socket.hear().await.expect("a gap comes before the close");
        match frame["op"].as_str() {
            Some("event") => {
                assert_eq!(frame["seq"].as_u64(), Some(seen + 1));
                seen += 1;
            }
            Some("gap") => break frame,
            _ => {}
        }
    };
    assert_eq!(gap, json!({ "op": "gap", "sub": "s", "seq": seen }));
    assert!(socket.hear().await.is_none(), "then it is closed");
    let newest = site.engine.glance(id.parse().expect("an id")).await.expect("it exists").version;
    assert!(seen < newest, "it was too slow to see all of {newest}");
    let mut socket = Socket::open(&site).await;
    socket.say(json!({ "op": "subscribe", "id": "s", "instanceId": id, "since": seen })).await;
    socket.hear().await.expect("an answer");
    while seen < newest {
        assert_eq!(socket.hear().await.expect("an event")["seq"].as_u64(), Some(seen + 1));
        seen += 1;
    }
    site.close().await;
}

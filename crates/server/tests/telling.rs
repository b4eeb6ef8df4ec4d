//! Messages, signals, errors of workers, over a real socket.

mod support;

use serde_json::json;
use support::{Site, names, refused, text};

/// Waits for a message with its order's key, or for a signal; a message begins another.
const WAITS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="=order"/></extensionElements></message>
  <message id="n" name="order placed"/>
  <signal id="s" name="storm"/>
  <process id="waits" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="which"/>
    <eventBasedGateway id="which"/>
    <sequenceFlow id="b" sourceRef="which" targetRef="pay"/><sequenceFlow id="c" sourceRef="which" targetRef="blow"/>
    <intermediateCatchEvent id="pay"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
    <intermediateCatchEvent id="blow"><signalEventDefinition signalRef="s"/></intermediateCatchEvent>
    <sequenceFlow id="d" sourceRef="pay" targetRef="end"/><sequenceFlow id="e" sourceRef="blow" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="placed" isExecutable="true">
    <startEvent id="begin"><messageEventDefinition messageRef="n"/></startEvent>
    <sequenceFlow id="f" sourceRef="begin" targetRef="look"/>
    <userTask id="look"/><sequenceFlow id="g" sourceRef="look" targetRef="done"/><endEvent id="done"/>
  </process></definitions>"#;
/// A job whose error is caught.
const RISKY: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <error id="err" errorCode="BROKE"/>
  <process id="risky" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work"><extensionElements><tyer:job type="risk"/></extensionElements></serviceTask>
    <boundaryEvent id="oops" attachedToRef="work"><errorEventDefinition errorRef="err"/></boundaryEvent>
    <sequenceFlow id="b" sourceRef="work" targetRef="end"/><sequenceFlow id="c" sourceRef="oops" targetRef="mend"/>
    <userTask id="mend"/><sequenceFlow id="d" sourceRef="mend" targetRef="end"/><endEvent id="end"/>
  </process></definitions>"#;

#[tokio::test]
async fn a_message_says_whom_it_has_reached() {
    let mut site = Site::open().await;
    site.deploy(WAITS).await;
    let id = site.start("waits", json!({ "order": "A-17" })).await;
    let other = site.start("waits", json!({ "order": "A-18" })).await;
    let message = json!({ "name": "paid", "correlationKey": "A-17", "variables": { "amount": 120 } });
    let published = site.post("/api/messages", message).await;
    assert_eq!(published.status, 201, "{:?}", published.body);
    let published = published.json();
    assert_eq!(
        names(&published["message"]),
        ["correlatedTo", "correlationKey", "duplicate", "messageId", "name"]
    );
    assert_eq!(published["message"]["correlatedTo"], json!([id]));
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(
        (&shown["instance"]["status"], &shown["instance"]["variables"]["amount"]),
        (&json!("completed"), &json!(120))
    );
    let shown = site.get(&format!("/api/instances/{other}")).await.json();
    assert_eq!(shown["instance"]["status"], "running");
    site.close().await;
}

#[tokio::test]
async fn a_message_waits_for_its_receiver_and_is_published_once() {
    let mut site = Site::open().await;
    site.deploy(WAITS).await;
    let message = json!({ "name": "paid", "correlationKey": "B-1", "messageId": "p1", "ttl": 60_000 });
    let first = site.post("/api/messages", message.clone()).await.json();
    assert_eq!(
        (&first["message"]["correlatedTo"], &first["message"]["duplicate"]),
        (&json!([]), &json!(false))
    );
    let again = site.post("/api/messages", message).await.json();
    assert_eq!(again["message"]["duplicate"], true);
    let body = json!({ "inputData": { "order": "B-1" }, "options": { "wait": 10_000 } });
    let started = site.post("/api/workflows/waits/instances", body).await.json();
    assert_eq!(started["instance"]["status"], "completed", "it was there already");
    site.close().await;
}

#[tokio::test]
async fn a_message_begins_an_instance_and_a_signal_reaches_everybody() {
    let mut site = Site::open().await;
    site.deploy(WAITS).await;
    let placed = site.post("/api/messages", json!({ "name": "order placed" })).await.json();
    let begun = text(&placed["message"]["correlatedTo"][0]);
    let shown = site.get(&format!("/api/instances/{begun}")).await.json();
    assert_eq!(shown["instance"]["workflowId"], "placed");
    for order in ["1", "2", "3"] {
        site.start("waits", json!({ "order": order })).await;
    }
    let signalled =
        site.post("/api/signals", json!({ "name": "storm", "variables": { "strength": 9 } })).await;
    assert_eq!(
        (signalled.status.as_u16(), signalled.json()["signal"].clone()),
        (201, json!({ "name": "storm", "reached": 3, "started": [] }))
    );
    site.close().await;
}

#[tokio::test]
async fn what_is_said_wrongly_is_refused_by_name() {
    let mut site = Site::open().await;
    let nameless =
        refused(&site.post("/api/messages", json!({ "variables": {} })).await, 400, "field_missing");
    assert_eq!(nameless["details"]["field"], "name");
    refused(&site.post("/api/messages", json!({ "name": "x", "key": "y" })).await, 400, "field_unknown");
    refused(&site.post("/api/messages", json!({ "name": "x", "ttl": -1 })).await, 400, "field_invalid");
    refused(&site.post("/api/signals", json!({ "name": "x", "variables": 1 })).await, 400, "field_invalid");
    site.close().await;
}

#[tokio::test]
async fn a_worker_throws_what_the_diagram_catches() {
    let mut site = Site::open().await;
    site.deploy(RISKY).await;
    let id = site.start("risky", json!({})).await;
    let job = site.claim("risk").await;
    let path = format!("/api/jobs/{}/throw", text(&job["id"]));
    let body =
        json!({ "lease": job["lease"], "code": "BROKE", "message": "no money", "variables": { "short": 5 } });
    let thrown = site.post(&path, body.clone()).await;
    assert_eq!((thrown.status.as_u16(), &thrown.json()["job"]["status"]), (200, &json!("thrown")));
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["currentNodes"], json!(["mend"]));
    let nodes = site.get(&format!("/api/instances/{id}/nodes")).await.json();
    let work = nodes["nodes"].as_array().expect("a list").iter().find(|node| node["nodeId"] == "work");
    assert_eq!(work.map(|work| &work["status"]), Some(&json!("failed")));
    let again = site.post(&path, body).await;
    assert_eq!(again.status, 409, "{:?}", again.body);
    site.close().await;
}

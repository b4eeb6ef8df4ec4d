//! What people do to instances, over a real socket.

mod support;

use serde_json::{Value, json};
use support::{ASK, STUCK, Site, names, refused, text};

/// A step that can be undone, then a person.
const TRIP: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <process id="trip" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="book"/>
    <serviceTask id="book"><extensionElements><tyer:job type="book"/></extensionElements></serviceTask>
    <boundaryEvent id="undo" attachedToRef="book"><compensateEventDefinition/></boundaryEvent>
    <serviceTask id="unbook" isForCompensation="true"><extensionElements><tyer:job type="unbook"/></extensionElements></serviceTask>
    <association id="x" sourceRef="undo" targetRef="unbook" associationDirection="One"/>
    <sequenceFlow id="b" sourceRef="book" targetRef="check"/>
    <userTask id="check"/><sequenceFlow id="c" sourceRef="check" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"#;
/// Two ways, one of them taken; one variable is nobody's business.
const WAYS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <process id="ways" isExecutable="true" tyer:masked="pin">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work"><extensionElements><tyer:job type="work"/></extensionElements></serviceTask>
    <sequenceFlow id="b" sourceRef="work" targetRef="choose"/>
    <exclusiveGateway id="choose" default="right"/>
    <sequenceFlow id="left" sourceRef="choose" targetRef="never"><conditionExpression>false</conditionExpression></sequenceFlow>
    <sequenceFlow id="right" sourceRef="choose" targetRef="ask"/>
    <userTask id="never"/><userTask id="ask"/>
    <sequenceFlow id="c" sourceRef="ask" targetRef="end"/><sequenceFlow id="d" sourceRef="never" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"#;

async fn on_trip(site: &mut Site) -> String {
    site.deploy(TRIP).await;
    let id = site.start("trip", json!({ "city": "Rome" })).await;
    let job = site.claim("book").await;
    complete(site, &job, json!({ "seat": 7 })).await;
    id
}

async fn complete(site: &mut Site, job: &Value, variables: Value) {
    let path = format!("/api/jobs/{}/complete", text(&job["id"]));
    let done = site.post(&path, json!({ "lease": job["lease"], "variables": variables })).await;
    assert_eq!(done.status, 200, "{:?}", done.body);
}

fn types(events: &Value) -> Vec<&str> {
    events.as_array().expect("a list").iter().filter_map(|event| event["type"].as_str()).collect()
}

#[tokio::test]
async fn variables_are_read_and_changed_and_a_dry_run_changes_nothing() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({ "a": 1 })).await;
    let path = format!("/api/instances/{id}/variables");
    let set = json!({ "variables": { "a": 2, "b": [true] } });
    let dry = site.patch(&format!("{path}?dryRun=true"), set.clone()).await.json();
    assert_eq!((&dry["dryRun"], types(&dry["events"])), (&json!(true), vec!["variable.updated"]));
    assert_eq!(site.get(&path).await.json()["variables"], json!({ "a": 1 }));
    let done = site.patch(&path, set).await;
    assert_eq!(done.json(), json!({ "success": true, "instance": { "id": id, "status": "running" } }));
    assert_eq!(
        site.get(&path).await.json(),
        json!({ "success": true, "variables": { "a": 2, "b": [true] } })
    );

    let tokens = site.get(&format!("/api/instances/{id}/tokens")).await.json();
    let token = text(&tokens["tokens"][0]["id"]);
    let local = json!({ "variables": { "mine": 1 }, "tokenId": token, "local": true });
    assert_eq!(site.patch(&path, local).await.status, 200);
    let seen = site.get(&format!("{path}?tokenId={token}")).await.json();
    assert_eq!(seen["variables"]["mine"], 1);
    refused(&site.patch(&path, json!({ "variables": {} })).await, 400, "field_invalid");
    refused(
        &site.patch(&path, json!({ "variables": { "a": 1 }, "tokenId": "tok_9-1" })).await,
        400,
        "id_malformed",
    );
    let gone = token.rsplit_once('-').map(|(instance, _)| format!("{instance}-99")).expect("a number");
    refused(&site.get(&format!("{path}?tokenId={gone}")).await, 404, "token_unknown");
    site.close().await;
}

#[tokio::test]
async fn tokens_are_moved_and_the_instance_explains_itself() {
    let mut site = Site::open().await;
    let id = on_trip(&mut site).await;
    let explained = site.get(&format!("/api/instances/{id}/explain")).await.json();
    let one = &explained["explanations"][0];
    assert_eq!(names(one), ["missing", "nodeId", "or", "since", "tokenId", "waitsFor"]);
    assert!(text(&one["waitsFor"]).starts_with("a person to complete task"), "{one}");
    let path = format!("/api/instances/{id}/modify");
    let back = json!({ "add": [{ "nodeId": "book", "insteadOf": one["tokenId"] }] });
    let dry = site.post(&format!("{path}?dryRun"), back.clone()).await.json();
    assert!(types(&dry["events"]).contains(&"task.cancelled"), "{dry}");
    assert_eq!(site.post(&path, back).await.status, 200);
    let tokens = site.get(&format!("/api/instances/{id}/tokens")).await.json();
    assert_eq!(
        (&tokens["tokens"][0]["position"], &tokens["tokens"][0]["lease"]),
        (&json!("book"), &json!(null))
    );
    refused(&site.post(&path, json!({})).await, 400, "field_invalid");
    refused(&site.post(&path, json!({ "add": [{ "nodeId": "nowhere" }] })).await, 404, "node_unknown");
    let typo = refused(
        &site.post(&path, json!({ "add": [{ "nodeId": "book", "insted": 1 }] })).await,
        400,
        "field_unknown",
    );
    assert_eq!(typo["details"]["field"], "add[0].insted");
    site.close().await;
}

#[tokio::test]
async fn an_instance_goes_on_under_another_version() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    site.deploy(&ASK.replace("\"answer\"", "\"reply\"")).await;
    let path = format!("/api/instances/{id}/migrate");
    refused(&site.post(&path, json!({})).await, 422, "migration_refused");
    let mapped = json!({ "version": 2, "mapping": { "answer": "reply" } });
    let dry = site.post(&format!("{path}?dryRun=true"), mapped.clone()).await.json();
    assert_eq!(types(&dry["events"])[0], "workflow.migrated", "{dry}");
    assert_eq!(site.post(&path, mapped).await.status, 200);
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(
        (&shown["instance"]["workflowVersion"], &shown["instance"]["currentNodes"]),
        (&json!(2), &json!(["reply"]))
    );
    let then = site.get(&format!("/api/instances/{id}/state?at=5")).await.json();
    assert_eq!(
        (&then["instance"]["workflowVersion"], &then["instance"]["currentNodes"]),
        (&json!(1), &json!(["answer"])),
        "the past keeps its names"
    );
    refused(&site.post(&path, json!({ "version": 9 })).await, 404, "workflow_unknown");
    site.close().await;
}

#[tokio::test]
async fn a_snapshot_is_gone_back_to_unless_steps_stand_in_the_way() {
    let mut site = Site::open().await;
    site.deploy(TRIP).await;
    let id = site.start("trip", json!({ "city": "Rome" })).await;
    let path = format!("/api/instances/{id}/snapshots");
    let taken = site.post(&path, json!({ "name": "before" })).await;
    assert_eq!((taken.status.as_u16(), names(&taken.json()["snapshot"])), (201, vec!["at", "name", "seq"]));
    assert_eq!(site.get(&path).await.json()["snapshots"][0], taken.json()["snapshot"]);
    let job = site.claim("book").await;
    complete(&mut site, &job, json!({})).await;
    let back = format!("/api/instances/{id}/rollback");
    let stands =
        refused(&site.post(&back, json!({ "snapshot": "before" })).await, 409, "effects_after_snapshot");
    assert_eq!(stands["details"]["steps"], 1);
    let forced = site.post(&back, json!({ "snapshot": "before", "effects": "force" })).await;
    assert_eq!(forced.status, 200, "{:?}", forced.body);
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["currentNodes"], json!(["book"]));
    refused(&site.post(&back, json!({ "snapshot": "after" })).await, 409, "rollback_refused");
    refused(
        &site.post(&back, json!({ "snapshot": "before", "effects": "maybe" })).await,
        400,
        "field_invalid",
    );
    site.close().await;
}

#[tokio::test]
async fn what_was_done_since_a_snapshot_is_undone_before_going_back() {
    let mut site = Site::open().await;
    site.deploy(TRIP).await;
    let id = site.start("trip", json!({})).await;
    site.post(&format!("/api/instances/{id}/snapshots"), json!({ "name": "before" })).await;
    let job = site.claim("book").await;
    complete(&mut site, &job, json!({})).await;
    let back = format!("/api/instances/{id}/rollback");
    let undoing = json!({ "snapshot": "before", "effects": "compensate" });
    assert_eq!(site.post(&back, undoing.clone()).await.json()["instance"]["status"], "running");
    let job = site.claim("unbook").await;
    complete(&mut site, &job, json!({})).await;
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["status"], "paused", "{shown}");
    assert_eq!(site.post(&back, undoing).await.status, 200);
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["currentNodes"], json!(["book"]), "{shown}");
    site.close().await;
}

#[tokio::test]
async fn completed_steps_are_undone_and_one_that_cannot_be_is_skipped() {
    let mut site = Site::open().await;
    let id = on_trip(&mut site).await;
    let undone = site.post(&format!("/api/instances/{id}/compensate"), json!({ "reason": "storm" })).await;
    assert_eq!(undone.status, 200, "{:?}", undone.body);
    let job = site.claim("unbook").await;
    assert_eq!(job["variables"]["seat"], 7);
    let failed = json!({ "lease": job["lease"], "error": "closed", "retries": 0 });
    assert_eq!(site.post(&format!("/api/jobs/{}/fail", text(&job["id"])), failed).await.status, 200);
    let incidents = site.get(&format!("/api/incidents?instanceId={id}")).await.json();
    let incident = text(&incidents["incidents"][0]["id"]);
    let skipped = site.post(&format!("/api/incidents/{incident}/skip"), json!({})).await.json();
    assert_eq!(
        (&skipped["incident"]["status"], &skipped["instance"]["status"]),
        (&json!("resolved"), &json!("failed"))
    );
    refused(
        &site.post(&format!("/api/incidents/{incident}/abort"), json!({})).await,
        409,
        "incident_already_resolved",
    );
    site.close().await;
}

#[tokio::test]
async fn everything_that_stands_still_is_tried_again() {
    let mut site = Site::open().await;
    site.deploy(STUCK).await;
    let id = site.start("stuck", json!({ "amount": 1 })).await;
    let path = format!("/api/instances/{id}/retry");
    assert_eq!(site.post(&path, json!({})).await.json()["resolved"], 1, "and it stands still again");
    site.patch(&format!("/api/instances/{id}/variables"), json!({ "variables": { "amount": 5 } })).await;
    let retried = site.post(&path, json!({})).await.json();
    assert_eq!((&retried["resolved"], &retried["instance"]["status"]), (&json!(1), &json!("completed")));
    refused(&site.post(&path, json!({})).await, 409, "instance_ended");
    site.close().await;
}

#[tokio::test]
async fn nodes_tell_what_became_of_them() {
    let mut site = Site::open().await;
    site.deploy(WAYS).await;
    let id = site.start("ways", json!({ "pin": 1234 })).await;
    let path = format!("/api/instances/{id}/nodes");
    let state = |nodes: &Value, id: &str| -> Value {
        nodes["nodes"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|node| node["nodeId"] == id)
            .expect("it is there")
            .clone()
    };
    let nodes = site.get(&path).await.json();
    assert_eq!(
        (
            &state(&nodes, "work")["status"],
            &state(&nodes, "never")["status"],
            &state(&nodes, "start")["status"]
        ),
        (&json!("running"), &json!("pending"), &json!("completed"))
    );
    let job = site.claim("work").await;
    assert_eq!(job["variables"]["pin"], 1234, "a worker needs the value");
    let failed = json!({ "lease": job["lease"], "error": "no luck", "retries": 3, "backoffMs": 0 });
    site.post(&format!("/api/jobs/{}/fail", text(&job["id"])), failed).await;
    let job = site.claim("work").await;
    complete(&mut site, &job, json!({ "sum": 1.50 })).await;
    let nodes = site.get(&path).await.json();
    let work = state(&nodes, "work");
    let fields =
        ["completedAt", "error", "input", "nodeId", "output", "retries", "startedAt", "status", "visits"];
    assert_eq!(names(&work), fields);
    assert_eq!(
        (&work["status"], &work["retries"], &work["error"]),
        (&json!("completed"), &json!(1), &json!(null))
    );
    assert_eq!((&work["input"], &work["output"]), (&json!({ "pin": "***" }), &json!({ "sum": 1.5 })));
    assert_eq!(
        (&state(&nodes, "ask")["status"], &state(&nodes, "never")["status"]),
        (&json!("running"), &json!("skipped"))
    );
    site.close().await;
}

#[tokio::test]
async fn masked_values_are_in_no_view_and_no_event() {
    let mut site = Site::open().await;
    site.deploy(WAYS).await;
    let id = site.start("ways", json!({ "pin": 1234 })).await;
    for path in ["", "/variables", "/nodes", "/history", "/state?at=3"] {
        let answer = site.get(&format!("/api/instances/{id}{path}")).await;
        let body = String::from_utf8_lossy(&answer.body);
        assert!(answer.status == 200 && !body.contains("1234") && body.contains("pin"), "{path}: {body}");
    }
    let dry = site
        .patch(&format!("/api/instances/{id}/variables?dryRun"), json!({ "variables": { "pin": 5678 } }))
        .await;
    assert!(!String::from_utf8_lossy(&dry.body).contains("5678"));
    site.close().await;
}

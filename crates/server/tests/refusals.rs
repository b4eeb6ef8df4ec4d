//! Every refusal has its status, its code and the one shape; no input makes a 5xx.

mod support;

use serde_json::{Value, json};
use support::{ASK, ORDER, Site, refused, text};
use tyer_server::{BindError, Options, Server};

#[tokio::test]
async fn a_task_is_completed_once_and_an_unknown_one_never() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let task = site.task_of(&id).await;
    let path = format!("/api/tasks/{task}/complete");
    site.post(&path, json!({})).await;
    let error = refused(&site.post(&path, json!({})).await, 409, "task_already_completed");
    assert_eq!((&error["type"], &error["details"]["taskId"]), (&json!("conflict"), &json!(task)));
    let never = format!("/api/tasks/{}-99/complete", id.replace("inst_", "task_"));
    refused(&site.post(&never, json!({})).await, 404, "task_unknown");
    refused(&site.post("/api/tasks/task_77-1/complete", json!({})).await, 404, "instance_unknown");
    let other = site.start("ask", json!({})).await;
    let task = site.task_of(&other).await;
    site.post(&format!("/api/instances/{other}/cancel"), json!({})).await;
    refused(&site.post(&format!("/api/tasks/{task}/complete"), json!({})).await, 409, "task_cancelled");
    site.close().await;
}

#[tokio::test]
async fn a_result_needs_the_lease_and_comes_once() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    let id = site.start("order", json!({ "amount": 1 })).await;
    let job = site.claim("charge-card").await;
    let path = format!("/api/jobs/{}", text(&job["id"]));
    let stale = json!({ "lease": 99 });
    refused(&site.post(&format!("{path}/complete"), stale.clone()).await, 409, "lease_lost");
    refused(
        &site.post(&format!("{path}/extend"), json!({ "lease": 99, "timeout": 5 })).await,
        409,
        "lease_lost",
    );
    refused(&site.post(&format!("{path}/complete"), json!({})).await, 400, "field_missing");
    let good = json!({ "lease": job["lease"] });
    assert_eq!(site.post(&format!("{path}/complete"), good.clone()).await.status, 200);
    refused(&site.post(&format!("{path}/complete"), good.clone()).await, 409, "job_already_completed");
    let failing = json!({ "lease": job["lease"], "error": "late" });
    refused(&site.post(&format!("{path}/fail"), failing.clone()).await, 409, "job_already_completed");
    let never = format!("/api/jobs/{}-99/complete", id.replace("inst_", "job_"));
    refused(&site.post(&never, good).await, 404, "job_unknown");
    let other = site.start("order", json!({ "amount": 1 })).await;
    let job = site.claim("charge-card").await;
    let path = format!("/api/jobs/{}", text(&job["id"]));
    site.post(&format!("{path}/fail"), json!({ "lease": job["lease"], "error": "no", "retries": 0 })).await;
    let late = json!({ "lease": job["lease"] });
    refused(&site.post(&format!("{path}/complete"), late).await, 409, "job_already_failed");
    site.post(&format!("/api/instances/{other}/cancel"), json!({})).await;
    site.close().await;
}

#[tokio::test]
async fn a_job_that_was_taken_away_says_so() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    let id = site.start("order", json!({ "amount": 1 })).await;
    let job = site.claim("charge-card").await;
    site.post(&format!("/api/instances/{id}/cancel"), json!({})).await;
    let path = format!("/api/jobs/{}/complete", text(&job["id"]));
    refused(&site.post(&path, json!({ "lease": job["lease"] })).await, 409, "job_taken_away");
    site.close().await;
}

#[tokio::test]
async fn an_instance_refuses_what_does_not_fit_its_status() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let path = |verb: &str| format!("/api/instances/{id}/{verb}");
    refused(&site.post(&path("resume"), json!({})).await, 409, "instance_not_paused");
    site.post(&path("pause"), json!({})).await;
    refused(&site.post(&path("pause"), json!({})).await, 409, "instance_paused");
    site.post(&path("cancel"), json!({})).await;
    for verb in ["pause", "resume", "cancel"] {
        let error = refused(&site.post(&path(verb), json!({})).await, 409, "instance_ended");
        assert_eq!(error["details"], json!({ "instanceId": id, "status": "cancelled" }));
    }
    site.close().await;
}

#[tokio::test]
async fn a_file_is_refused_with_every_problem_and_its_place() {
    let mut site = Site::open().await;
    let file = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
  <process id="p" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="nowhere"/>
    <serviceTask id="work"/>
  </process></definitions>"#;
    let error = refused(&site.raw("/api/deployments", &[], file.as_bytes()).await, 422, "deployment_refused");
    let problems = error["details"]["problems"].as_array().expect("a list");
    assert!(problems.len() >= 2, "{problems:?}");
    let fields = ["code", "column", "element", "hint", "line", "message", "severity"];
    assert!(problems.iter().all(|problem| support::names(problem) == fields), "{problems:?}");
    let work = problems.iter().find(|problem| problem["element"] == "work").expect("the task is one of them");
    assert_eq!(work["line"], 4);
    refused(&site.raw("/api/deployments", &[], b"").await, 422, "deployment_refused");
    refused(&site.raw("/api/deployments", &[], b"\x00\xff").await, 422, "deployment_refused");
    let form = [("content-type", "multipart/form-data; boundary=x")];
    refused(&site.raw("/api/deployments", &form, b"").await, 415, "media_type_unsupported");
    site.close().await;
}

#[tokio::test]
async fn unknown_things_are_not_found_and_malformed_ids_are_named() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    refused(&site.post("/api/workflows/nothing/instances", json!({})).await, 404, "workflow_unknown");
    let version = json!({ "options": { "version": 7 } });
    refused(&site.post("/api/workflows/ask/instances", version).await, 404, "workflow_unknown");
    refused(&site.get("/api/workflows/nothing/xml").await, 404, "workflow_unknown");
    for path in ["", "/history", "/pause", "/resume", "/cancel"] {
        let path = format!("/api/instances/inst_77{path}");
        let answer = if path.ends_with('7') || path.ends_with('y') {
            site.get(&path).await
        } else {
            site.post(&path, json!({})).await
        };
        refused(&answer, 404, "instance_unknown");
    }
    for id in ["77", "inst_", "inst_-1", "inst_9223372036854775808", "task_1-1", "%20", "a%00b", "inst_1%0a"]
    {
        refused(&site.get(&format!("/api/instances/{id}")).await, 400, "id_malformed");
        refused(
            &site.post(&format!("/api/tasks/{id}/complete"), json!({})).await,
            if id == "task_1-1" { 404 } else { 400 },
            if id == "task_1-1" { "instance_unknown" } else { "id_malformed" },
        );
    }
    refused(&site.get("/api/nothing").await, 404, "route_unknown");
    refused(&site.get("/api/deployments").await, 405, "method_not_allowed");
    refused(&site.get("/api/ws").await, 426, "upgrade_required");
    refused(&site.get("/api/tasks?color=red").await, 400, "field_unknown");
    refused(&site.get("/api/tasks?limit=0").await, 400, "field_invalid");
    site.close().await;
}

#[tokio::test]
async fn a_request_that_is_wrong_in_itself_is_refused_by_the_name_of_its_field() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let cases: [(Value, &str, &str); 12] = [
        (json!({ "inputdata": {} }), "field_unknown", "inputdata"),
        (json!({ "options": { "prio": 1 } }), "field_unknown", "options.prio"),
        (json!({ "options": { "priority": 101 } }), "field_invalid", "options.priority"),
        (json!({ "options": { "priority": "urgent" } }), "field_invalid", "options.priority"),
        (json!({ "options": { "priority": 1.5 } }), "field_invalid", "options.priority"),
        (json!({ "options": { "wait": 60_001 } }), "field_invalid", "options.wait"),
        (json!({ "options": { "version": 0 } }), "field_invalid", "options.version"),
        (json!({ "options": { "startedBy": 7 } }), "field_invalid", "options.startedBy"),
        (json!({ "options": { "businessKey": "a\u{0}" } }), "field_invalid", "options.businessKey"),
        (json!({ "options": [] }), "field_invalid", "options"),
        (json!({ "inputData": [1] }), "field_invalid", "inputData"),
        (json!({ "inputData": "text" }), "field_invalid", "inputData"),
    ];
    for (body, code, field) in cases {
        let error = refused(&site.post("/api/workflows/ask/instances", body).await, 400, code);
        assert_eq!(error["details"]["field"], field);
    }
    for body in
        [json!({}), json!({ "types": [] }), json!({ "types": "a" }), json!({ "types": ["a"], "max": 0 })]
    {
        let answer = site.post("/api/jobs/activate", body).await;
        assert_eq!(answer.status, 400, "{:?}", answer.body);
    }
    let long = "k".repeat(256);
    let answer = site.raw("/api/workflows/ask/instances", &[("idempotency-key", &long)], b"{}").await;
    refused(&answer, 400, "idempotency_key_invalid");
    site.close().await;
}

#[tokio::test]
async fn no_input_makes_a_server_error() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let task = site.task_of(&id).await;
    let paths = [
        "/api/workflows/ask/instances".to_owned(),
        "/api/workflows/%F0%9F%9A%82/instances".to_owned(),
        "/api/workflows/%ff/instances".to_owned(),
        format!("/api/instances/{id}/resume"),
        format!("/api/instances/{id}/retry"),
        format!("/api/instances/{id}/modify?dryRun"),
        format!("/api/instances/{id}/migrate"),
        format!("/api/instances/{id}/snapshots"),
        format!("/api/instances/{id}/rollback"),
        format!("/api/instances/{id}/compensate?dryRun=perhaps"),
        format!("/api/tasks/{task}/claim"),
        format!("/api/tasks/{task}/assign"),
        format!("/api/tasks/{task}/escalate"),
        "/api/messages".to_owned(),
        "/api/signals".to_owned(),
        "/api/jobs/job_1-1/throw".to_owned(),
        "/api/incidents/inc_1-1/skip".to_owned(),
        format!("/api/tasks/{task}-/complete"),
        "/api/jobs/activate".to_owned(),
        "/api/jobs/job_1-1/complete".to_owned(),
        "/api/jobs/job_1-1/fail".to_owned(),
        "/api/incidents/inc_1-1/resolve".to_owned(),
        "/api/deployments".to_owned(),
    ];
    let deep = format!("{{\"inputData\":{{\"a\":{}{}}}}}", "[".repeat(5_000), "]".repeat(5_000));
    let bodies: [&[u8]; 12] = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"1",
        b"\"x\"",
        b"{\"a\":1}",
        b"\xff\xfe",
        b"{\"inputData\":{\"a\":1e999}}x",
        b"{\"inputData\":{\"\\ud800\":1}}",
        deep.as_bytes(),
        b"<a/>",
    ];
    for path in &paths {
        for body in bodies {
            let answer = site.raw(path, &[], body).await;
            assert!(answer.status.as_u16() < 500, "{path} {:?}: {:?}", String::from_utf8_lossy(body), answer);
            let json = answer.json();
            assert_eq!(
                json["success"].as_bool(),
                Some(answer.status.is_success()),
                "{path}: {:?}",
                answer.body
            );
        }
    }
    let error =
        refused(&site.raw("/api/workflows/ask/instances", &[], deep.as_bytes()).await, 400, "json_too_deep");
    assert!(!text(&error["message"]).contains("src/"), "no word of our files");
    let huge = vec![b' '; 4 * 1024 * 1024 + 1];
    let mut other = tyer_server::client::Client::new(site.address);
    let sent = other.send(hyper::Method::POST, "/api/workflows/ask/instances", &[], huge.into()).await;
    if let Ok(answer) = sent {
        refused(&answer, 413, "body_too_large");
    }
    assert_eq!(site.get("/health/live").await.status, 200, "the server lives");
    site.close().await;
}

#[tokio::test]
async fn pages_and_names_of_elsewhere_get_nothing() {
    let mut site = Site::open().await;
    let path = "/api/workflows/ask/instances";
    refused(&site.raw(path, &[("origin", "http://evil.example")], b"{}").await, 403, "origin_refused");
    refused(&site.raw(path, &[("host", "evil.example")], b"{}").await, 403, "host_refused");
    let own = format!("http://{}", site.address);
    refused(&site.raw(path, &[("origin", &own)], b"{}").await, 404, "workflow_unknown");
    let answer = site.raw(path, &[("x-request-id", "abc-1")], b"{}").await;
    assert_eq!(
        (&answer.headers["x-request-id"], &answer.json()["error"]["requestId"]),
        (&hyper::header::HeaderValue::from_static("abc-1"), &json!("abc-1"))
    );
    site.close().await;
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused() {
    let engine = tyer_runtime::Engine::memory().await.expect("memory opens");
    let options = Options { listen: ([0, 0, 0, 0], 0).into(), ..Options::default() };
    let refused = Server::bind(engine, options).await.err().expect("not without credentials");
    assert!(matches!(refused, BindError::NotLoopback(_)));
    assert!(refused.to_string().contains("127.0.0.1"), "it says what to do");
}

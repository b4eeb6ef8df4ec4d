//! Every call over a real socket, field for field.

mod support;

use serde_json::json;
use support::{ASK, ORDER, STUCK, Site, names, text};

#[tokio::test]
async fn a_file_is_deployed_and_comes_back_byte_for_byte() {
    let mut site = Site::open().await;
    let deployed = site.deploy(ORDER).await;
    assert_eq!(deployed["success"], true);
    let deployment = &deployed["deployment"];
    assert_eq!(names(deployment), ["processes", "warnings"]);
    assert_eq!(names(&deployment["processes"][0]), ["deployedAt", "id", "version"]);
    assert_eq!(
        (&deployment["processes"][0]["id"], &deployment["processes"][0]["version"]),
        (&json!("order"), &json!(1))
    );
    assert_eq!(
        site.deploy(ORDER).await["deployment"]["processes"],
        deployment["processes"],
        "same content, same version"
    );
    let changed = ORDER.replace("Order placed", "Placed");
    assert_eq!(site.deploy(&changed).await["deployment"]["processes"][0]["version"], 2);
    assert_eq!(site.get("/api/workflows/order/xml").await.body, changed.as_bytes());
    let first = site.get("/api/workflows/order/xml?version=1").await;
    assert_eq!(first.body, ORDER.as_bytes());
    assert_eq!(first.headers["content-type"], "application/xml");
    site.close().await;
}

#[tokio::test]
async fn an_instance_starts_and_shows_itself_field_for_field() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    let body = json!({
        "inputData": { "orderId": "12345", "amount": 100.5 },
        "options": { "priority": "high", "startedBy": "user123", "businessKey": "A-17" },
    });
    let answer = site.post("/api/workflows/order/instances", body).await;
    assert_eq!(answer.status, 201);
    let started = answer.json();
    assert_eq!(names(&started), ["instance", "success"]);
    assert_eq!(names(&started["instance"]), ["id", "startedAt", "status", "workflowId"]);
    assert_eq!(
        (&started["instance"]["workflowId"], &started["instance"]["status"]),
        (&json!("order"), &json!("running"))
    );
    let id = text(&started["instance"]["id"]);
    assert!(id.starts_with("inst_"));

    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    let instance = &shown["instance"];
    let fields = [
        "completedAt",
        "completedNodes",
        "currentNodes",
        "id",
        "metadata",
        "progress",
        "startedAt",
        "startedBy",
        "status",
        "tokens",
        "variables",
        "workflowId",
        "workflowVersion",
    ];
    assert_eq!(names(instance), fields);
    assert_eq!(instance["startedAt"], started["instance"]["startedAt"]);
    assert!(text(&instance["startedAt"]).ends_with('Z'));
    assert_eq!(instance["variables"], json!({ "orderId": "12345", "amount": 100.5 }));
    assert_eq!((&instance["startedBy"], &instance["workflowVersion"]), (&json!("user123"), &json!(1)));
    assert_eq!(
        (&instance["currentNodes"], &instance["completedNodes"]),
        (&json!(["charge"]), &json!(["placed"]))
    );
    assert_eq!((&instance["completedAt"], &instance["status"]), (&json!(null), &json!("running")));
    assert!(instance["progress"].as_u64().is_some_and(|percent| percent > 0 && percent < 100));
    assert_eq!(instance["metadata"], json!({ "retriesCount": 0, "errorCount": 0, "lastError": null }));
    let token = &instance["tokens"][0];
    assert_eq!(names(token), ["id", "mode", "parentId", "position", "status"]);
    assert_eq!((&token["position"], &token["mode"]), (&json!("charge"), &json!("forward")));
    assert_eq!((&token["status"], &token["parentId"]), (&json!("ready"), &json!(null)));
    assert!(text(&token["id"]).starts_with("tok_"));
    site.close().await;
}

#[tokio::test]
async fn a_job_is_claimed_executes_and_its_result_moves_the_token() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    let id = site.start("order", json!({ "amount": 2000 })).await;
    let job = site.claim("charge-card").await;
    let fields = [
        "attempt",
        "headers",
        "id",
        "instanceId",
        "lease",
        "leaseUntil",
        "nodeId",
        "type",
        "variables",
        "workflowId",
    ];
    assert_eq!(names(&job), fields);
    assert_eq!(
        (&job["instanceId"], &job["nodeId"], &job["attempt"]),
        (&json!(id), &json!("charge"), &json!(1))
    );
    assert_eq!(job["variables"], json!({ "amount": 2000 }));
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["tokens"][0]["status"], "executing");

    let path = format!("/api/jobs/{}", text(&job["id"]));
    let longer =
        site.post(&format!("{path}/extend"), json!({ "lease": job["lease"], "timeout": 120_000 })).await;
    assert_eq!(
        (longer.status.as_u16(), names(&longer.json()["job"])),
        (200, vec!["id", "lease", "leaseUntil"])
    );
    assert!(text(&longer.json()["job"]["leaseUntil"]) > text(&job["leaseUntil"]));
    let done = site
        .post(&format!("{path}/complete"), json!({ "lease": job["lease"], "variables": { "charged": true } }))
        .await;
    assert_eq!(done.status, 200);
    assert_eq!(done.json()["instance"], json!({ "id": id, "status": "running" }));
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["currentNodes"], json!(["approve"]));
    assert_eq!(shown["instance"]["variables"], json!({ "amount": 2000, "charged": true }));
    site.close().await;
}

#[tokio::test]
async fn a_type_named_twice_gives_each_job_once() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    site.start("order", json!({ "amount": 1 })).await;
    let wanted = json!({ "types": ["charge-card", "charge-card"], "max": 10 });
    let claimed = site.post("/api/jobs/activate", wanted).await.json();
    assert_eq!(claimed["jobs"].as_array().map(Vec::len), Some(1), "{claimed}");
    site.close().await;
}

#[tokio::test]
async fn a_failed_job_is_tried_again_and_counted() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    let id = site.start("order", json!({ "amount": 1 })).await;
    let job = site.claim("charge-card").await;
    let path = format!("/api/jobs/{}/fail", text(&job["id"]));
    let failed = site
        .post(&path, json!({ "lease": job["lease"], "error": "no money", "retries": 2, "backoffMs": 0 }))
        .await;
    assert_eq!((failed.status.as_u16(), &failed.json()["job"]["status"]), (200, &json!("failed")));
    let again = site.claim("charge-card").await;
    assert_eq!(again["attempt"], 2);
    assert_ne!(again["id"], job["id"], "every try is a job of its own");
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    let metadata = json!({ "retriesCount": 1, "errorCount": 1, "lastError": "no money" });
    assert_eq!(shown["instance"]["metadata"], metadata);
    site.close().await;
}

#[tokio::test]
async fn a_task_is_listed_completed_and_ends_the_instance() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let listed = site.get(&format!("/api/tasks?instanceId={id}")).await.json();
    assert_eq!(names(&listed), ["next", "success", "tasks"]);
    let task = &listed["tasks"][0];
    assert_eq!(
        (&task["nodeId"], &task["name"], &task["status"]),
        (&json!("answer"), &json!("Answer"), &json!("created"))
    );
    let task = text(&task["id"]);
    let body = json!({ "data": { "approved": true, "comments": "Looks good" } });
    let done = site.post(&format!("/api/tasks/{task}/complete"), body).await;
    assert_eq!(done.status, 200);
    let done = done.json();
    assert_eq!(names(&done), ["instance", "success", "task"]);
    assert_eq!(names(&done["task"]), ["completedAt", "id", "status"]);
    assert_eq!((&done["task"]["id"], &done["task"]["status"]), (&json!(task), &json!("completed")));
    assert_eq!(done["instance"], json!({ "id": id, "status": "completed" }));
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!((&shown["instance"]["progress"], &shown["instance"]["tokens"]), (&json!(100), &json!([])));
    assert_eq!(shown["instance"]["completedAt"], done["task"]["completedAt"]);
    assert_eq!(shown["instance"]["variables"], json!({ "approved": true, "comments": "Looks good" }));
    site.close().await;
}

#[tokio::test]
async fn tasks_come_page_by_page() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    for _ in 0..5 {
        site.start("ask", json!({})).await;
    }
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let page = site.get(&format!("/api/tasks?limit=2{next}")).await.json();
        seen.extend(page["tasks"].as_array().expect("a list").iter().map(|task| text(&task["id"])));
        let Some(cursor) = page["next"].as_str() else { break };
        next = format!("&after={cursor}");
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!((seen.len(), once.len()), (5, 5));
    site.close().await;
}

#[tokio::test]
async fn pause_resume_and_cancel_answer_with_the_new_status() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    for (verb, status) in [("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")] {
        let answer = site.post(&format!("/api/instances/{id}/{verb}"), json!({ "reason": "because" })).await;
        assert_eq!(answer.json(), json!({ "success": true, "instance": { "id": id, "status": status } }));
    }
    let empty = site.start("ask", json!({})).await;
    let answer = site.raw(&format!("/api/instances/{empty}/pause"), &[], b"").await;
    assert_eq!(answer.json()["instance"]["status"], "paused", "a body is not needed");
    site.close().await;
}

#[tokio::test]
async fn the_same_idempotency_key_gives_the_same_answer() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    site.deploy(ORDER).await;
    let key = [("idempotency-key", "checkout-1")];
    let first = site.raw("/api/workflows/ask/instances", &key, b"{}").await;
    let id = text(&first.json()["instance"]["id"]);
    let task = site.task_of(&id).await;
    site.post(&format!("/api/tasks/{task}/complete"), json!({})).await;
    let second = site.raw("/api/workflows/ask/instances", &key, b"{}").await;
    assert_eq!((second.status, &second.body), (first.status, &first.body), "even after it has ended");
    let other = site.raw("/api/workflows/order/instances", &key, b"{}").await;
    support::refused(&other, 409, "idempotency_key_reused");
    site.close().await;
}

#[tokio::test]
async fn a_start_can_wait_for_the_end() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    site.engine.worker("charge-card", |_: tyer_runtime::Job| async { Ok(json!({ "charged": true })) });
    let path = "/api/workflows/order/instances";
    let ended =
        site.post(path, json!({ "inputData": { "amount": 1 }, "options": { "wait": 10_000 } })).await.json();
    let instance = &ended["instance"];
    assert_eq!(names(instance), ["completedAt", "id", "startedAt", "status", "variables", "workflowId"]);
    assert_eq!((&instance["status"], &instance["variables"]["charged"]), (&json!("completed"), &json!(true)));
    let waits =
        site.post(path, json!({ "inputData": { "amount": 5000 }, "options": { "wait": 50 } })).await.json();
    assert_eq!(waits["instance"]["status"], "running");
    site.close().await;
}

#[tokio::test]
async fn history_comes_in_pages_with_ids_and_moments_spelled_out() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let id = site.start("ask", json!({ "a": 1 })).await;
    let task = site.task_of(&id).await;
    site.post(&format!("/api/tasks/{task}/complete"), json!({})).await;
    let (mut events, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let page = site.get(&format!("/api/instances/{id}/history?after={after}&limit=2")).await.json();
        events.extend(page["events"].as_array().expect("a list").clone());
        let Some(next) = page["next"].as_str() else { break };
        after = next.to_owned();
    }
    for (event, seq) in events.iter().zip(1..) {
        assert_eq!(names(event), ["at", "data", "instanceId", "seq", "type"]);
        assert_eq!((&event["seq"], &event["instanceId"]), (&json!(seq), &json!(id)));
    }
    let types: Vec<_> = events.iter().map(|event| text(&event["type"])).collect();
    assert_eq!(
        (types.first().map(String::as_str), types.last().map(String::as_str)),
        (Some("workflow.started"), Some("workflow.completed"))
    );
    let created = events.iter().find(|event| event["type"] == "task.created").expect("a task was created");
    assert_eq!((&created["data"]["taskId"], &created["data"]["nodeId"]), (&json!(task), &json!("answer")));
    site.close().await;
}

#[tokio::test]
async fn an_incident_is_listed_and_resolved() {
    let mut site = Site::open().await;
    site.deploy(STUCK).await;
    let id = site.start("stuck", json!({ "amount": 1 })).await;
    let listed = site.get(&format!("/api/incidents?instanceId={id}")).await.json();
    let incident = &listed["incidents"][0];
    assert_eq!((&incident["kind"], &incident["nodeId"]), (&json!("no_flow"), &json!("choose")));
    let incident = text(&incident["id"]);
    let answer = site.post(&format!("/api/incidents/{incident}/resolve"), json!({})).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["incident"]["status"]), (200, &json!("resolved")));
    let again = site.post(&format!("/api/incidents/{incident}/resolve"), json!({})).await;
    support::refused(&again, 409, "incident_already_resolved");
    site.close().await;
}

#[tokio::test]
async fn the_server_says_that_it_lives_and_is_ready() {
    let mut site = Site::open().await;
    assert_eq!(site.get("/health/live").await.json(), json!({ "success": true, "status": "live" }));
    assert_eq!(site.get("/health/ready").await.json(), json!({ "success": true, "status": "ready" }));
    site.close().await;
}

#[tokio::test]
async fn a_poll_that_waits_does_not_hold_up_the_end() {
    let mut site = Site::open().await;
    site.deploy(ORDER).await;
    let mut other = tyer_server::client::Client::new(site.address);
    let polling = tokio::spawn(async move {
        other.post("/api/jobs/activate", &json!({ "types": ["nothing"], "waitMs": 60_000 })).await
    });
    // The server has taken the poll when it answers another call on a later connection.
    site.get("/health/live").await;
    let begun = std::time::Instant::now();
    site.close().await;
    assert!(begun.elapsed().as_secs() < 9, "the end took {:?}", begun.elapsed());
    if let Ok(answer) = polling.await.expect("the poll ends") {
        assert_eq!(answer.json(), json!({ "success": true, "jobs": [] }));
    }
}

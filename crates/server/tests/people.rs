//! What people do with their tasks, over a real socket.

mod support;

use serde_json::json;
use support::{ASK, Site, refused};

async fn asked(site: &mut Site) -> (String, String) {
    site.deploy(ASK).await;
    let id = site.start("ask", json!({})).await;
    let task = site.task_of(&id).await;
    (id, format!("/api/tasks/{task}"))
}

#[tokio::test]
async fn a_task_is_claimed_by_one_released_and_assigned() {
    let mut site = Site::open().await;
    let (id, path) = asked(&mut site).await;
    let claimed = site.post(&format!("{path}/claim"), json!({ "userId": "ann" })).await.json();
    assert_eq!(
        (&claimed["task"]["status"], &claimed["task"]["assignee"]),
        (&json!("claimed"), &json!("ann"))
    );
    let held =
        refused(&site.post(&format!("{path}/claim"), json!({ "userId": "bob" })).await, 409, "task_held");
    assert_eq!(held["details"]["holder"], "ann");
    let listed = site.get(&format!("/api/tasks?instanceId={id}")).await.json();
    assert_eq!(
        (&listed["tasks"][0]["assignee"], &listed["tasks"][0]["status"]),
        (&json!("ann"), &json!("claimed"))
    );
    let released = site.post(&format!("{path}/release"), json!({ "userId": "ann" })).await.json();
    assert_eq!(released["task"]["assignee"], json!(null));
    let assigned = site.post(&format!("{path}/assign"), json!({ "assignee": "bob" })).await.json();
    assert_eq!(assigned["task"]["assignee"], "bob");
    refused(&site.post(&format!("{path}/claim"), json!({})).await, 400, "field_missing");
    site.close().await;
}

#[tokio::test]
async fn a_task_changes_its_urgency() {
    let mut site = Site::open().await;
    let (id, path) = asked(&mut site).await;
    let body = json!({ "priority": "high", "dueDate": "2030-01-31T12:00:00Z" });
    assert_eq!(site.patch(&path, body).await.status, 200);
    let listed = site.get(&format!("/api/tasks?instanceId={id}")).await.json();
    let task = &listed["tasks"][0];
    assert_eq!((&task["priority"], &task["dueDate"]), (&json!(75), &json!("2030-01-31T12:00:00Z")));
    refused(&site.patch(&path, json!({})).await, 400, "field_invalid");
    refused(&site.patch(&path, json!({ "dueDate": "soon" })).await, 400, "field_invalid");
    refused(&site.patch(&path, json!({ "priority": 101 })).await, 400, "field_invalid");
    site.close().await;
}

#[tokio::test]
async fn a_dry_run_of_a_completion_tells_what_would_happen() {
    let mut site = Site::open().await;
    let (id, path) = asked(&mut site).await;
    let dry = site.post(&format!("{path}/complete?dryRun=true"), json!({ "data": { "fine": true } })).await;
    let dry = dry.json();
    assert_eq!((&dry["dryRun"], &dry["instance"]["status"]), (&json!(true), &json!("completed")));
    assert!(
        dry["events"]
            .as_array()
            .is_some_and(|events| events.iter().any(|one| one["type"] == "task.completed"))
    );
    let shown = site.get(&format!("/api/instances/{id}")).await.json();
    assert_eq!(shown["instance"]["status"], "running");
    assert_eq!(site.post(&format!("{path}/complete"), json!({ "userId": "ann" })).await.status, 200);
    refused(&site.post(&format!("{path}/complete?dryRun"), json!({})).await, 409, "task_already_completed");
    refused(
        &site.post(&format!("{path}/claim"), json!({ "userId": "ann" })).await,
        409,
        "task_already_completed",
    );
    site.close().await;
}

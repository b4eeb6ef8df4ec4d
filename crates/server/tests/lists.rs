//! Lists and filters, over a real socket.

mod support;

use serde_json::{Value, json};
use support::{ASK, STUCK, Site, names, refused, text};

/// Calls `ask`; found by its amount and its city.
const TRADE: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <process id="trade" isExecutable="true" tyer:indexed="amount, city">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="call"/>
    <callActivity id="call"><extensionElements><zeebe:calledElement processId="ask"/></extensionElements></callActivity>
    <sequenceFlow id="b" sourceRef="call" targetRef="end"/><endEvent id="end"/>
  </process></definitions>"#;

async fn ids(site: &mut Site, query: &str) -> Vec<String> {
    let (mut found, mut next) = (Vec::new(), String::new());
    loop {
        let page = site.get(&format!("/api/instances?limit=2&{query}{next}")).await.json();
        assert_eq!(page["success"], true, "{query}: {page}");
        let instances = page["instances"].as_array().expect("a list");
        found.extend(instances.iter().map(|one| text(&one["id"])));
        match page["next"].as_str() {
            Some(cursor) => next = format!("&after={cursor}"),
            None => return found,
        }
    }
}

#[tokio::test]
async fn instances_are_found_by_filters_and_come_page_by_page() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    site.deploy(STUCK).await;
    site.deploy(TRADE).await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        asked.push(site.start("ask", json!({})).await);
    }
    let stuck = site.start("stuck", json!({ "amount": 1 })).await;
    let rome = site.start("trade", json!({ "amount": 120, "city": "Rome" })).await;
    let oslo = site.start("trade", json!({ "amount": 7.5, "city": "Oslo" })).await;
    site.engine.settle().await.expect("the called instances have begun");
    site.post(&format!("/api/instances/{}/cancel", asked[0]), json!({})).await;
    site.post(&format!("/api/instances/{}/pause", asked[1]), json!({})).await;
    let task = site.task_of(&asked[2]).await;
    site.post(&format!("/api/tasks/{task}/complete"), json!({})).await;

    assert_eq!(ids(&mut site, "").await.len(), 10);
    assert_eq!(ids(&mut site, "status=cancelled").await, [asked[0].as_str()]);
    assert_eq!(ids(&mut site, "status=paused,completed").await, [asked[2].as_str(), asked[1].as_str()]);
    assert_eq!(ids(&mut site, "workflowId=trade").await, [oslo.as_str(), rome.as_str()]);
    assert_eq!(ids(&mut site, "workflowId=trade&version=1&status=running").await.len(), 2);
    assert_eq!(ids(&mut site, "hasIncident=true").await, [stuck.as_str()]);
    assert_eq!(ids(&mut site, "nodeId=call").await, [oslo.as_str(), rome.as_str()]);
    assert_eq!(ids(&mut site, "var.amount=gt:100").await, [rome.as_str()]);
    assert_eq!(ids(&mut site, "var.city=Oslo&var.amount=lte:7.5").await, [oslo.as_str()]);
    assert_eq!(
        ids(&mut site, "endedAfter=2020-01-01T00:00:00Z").await,
        [asked[2].as_str(), asked[0].as_str()]
    );
    assert_eq!(ids(&mut site, "startedBefore=2020-01-01T00:00:00Z").await, Vec::<String>::new());
    assert_eq!(ids(&mut site, "startedAfter=2020-01-01T00:00:00Z&workflowId=stuck").await, [stuck.as_str()]);
    let counted = site.get("/api/instances?workflowId=ask&limit=1&count=true").await.json();
    assert_eq!((&counted["total"], counted["instances"].as_array().map(Vec::len)), (&json!(7), Some(1)));
    let fields = [
        "businessKey",
        "completedAt",
        "id",
        "incidents",
        "parentInstanceId",
        "startedAt",
        "status",
        "workflowId",
        "workflowVersion",
    ];
    assert_eq!(names(&counted["instances"][0]), fields);
    let children = site.get(&format!("/api/instances/{rome}/children")).await.json();
    assert_eq!(
        (&children["instances"][0]["workflowId"], &children["instances"][0]["parentInstanceId"]),
        (&json!("ask"), &json!(rome))
    );
    site.close().await;
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_by_name() {
    let mut site = Site::open().await;
    for (query, field) in [
        ("status=done", "status"),
        ("version=1", "version"),
        ("startedAfter=yesterday", "startedAfter"),
        ("hasIncident=maybe", "hasIncident"),
        ("limit=0", "limit"),
        ("after=x~inst_1", "after"),
    ] {
        let error = refused(&site.get(&format!("/api/instances?{query}")).await, 400, "field_invalid");
        assert_eq!(error["details"]["field"], field, "{query}");
    }
    refused(&site.get("/api/instances?colour=red").await, 400, "field_unknown");
    refused(&site.get("/api/instances?after=7").await, 400, "id_malformed");
    refused(&site.get("/api/tasks?status=done").await, 400, "field_invalid");
    refused(&site.get("/api/workflows/nothing").await, 404, "workflow_unknown");
    refused(&site.get("/api/workflows/nothing/statistics").await, 404, "workflow_unknown");
    site.close().await;
}

#[tokio::test]
async fn tasks_are_found_by_who_has_them_and_how_urgent_they_are() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let mut tasks = Vec::new();
    for _ in 0..3 {
        let id = site.start("ask", json!({})).await;
        tasks.push(site.task_of(&id).await);
    }
    site.post(&format!("/api/tasks/{}/claim", tasks[0]), json!({ "userId": "ann" })).await;
    let urgent = json!({ "priority": "high", "dueDate": "2030-01-01T00:00:00Z" });
    site.patch(&format!("/api/tasks/{}", tasks[2]), urgent).await;
    let mut found = async |query: &str| -> Vec<String> {
        let page = site.get(&format!("/api/tasks?{query}")).await.json();
        page["tasks"]
            .as_array()
            .unwrap_or_else(|| panic!("{page}"))
            .iter()
            .map(|one| text(&one["id"]))
            .collect()
    };
    assert_eq!(found("assignee=ann").await, [tasks[0].as_str()]);
    assert_eq!(found("user=ann").await, [tasks[0].as_str()]);
    assert_eq!(found("status=created").await, [tasks[1].as_str(), tasks[2].as_str()]);
    assert_eq!(found("status=claimed").await, [tasks[0].as_str()]);
    assert_eq!(found("priority=high").await, [tasks[2].as_str()]);
    assert_eq!(found("dueBefore=2031-01-01T00:00:00Z").await, [tasks[2].as_str()]);
    assert_eq!(found("candidateGroup=staff").await, Vec::<String>::new());
    site.close().await;
}

#[tokio::test]
async fn processes_tell_their_versions_and_how_they_do() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    site.deploy(&ASK.replace("Answer", "Reply")).await;
    site.deploy(STUCK).await;
    let listed = site.get("/api/workflows").await.json();
    let told: Vec<_> = listed["workflows"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (text(&one["id"]), one["version"].as_u64()))
        .collect();
    assert_eq!(told, [("ask".to_owned(), Some(2)), ("stuck".to_owned(), Some(1))]);
    assert_eq!(site.get("/api/workflows/ask").await.json()["workflow"]["version"], 2);
    let versions = site.get("/api/workflows/ask/versions").await.json();
    assert_eq!(
        (&versions["versions"][0]["version"], &versions["versions"][1]["version"]),
        (&json!(2), &json!(1))
    );

    for _ in 0..3 {
        let id = site.start("ask", json!({})).await;
        let task = site.task_of(&id).await;
        site.post(&format!("/api/tasks/{task}/complete"), json!({})).await;
    }
    site.start("ask", json!({})).await;
    let told = site.get("/api/workflows/ask/statistics").await.json()["statistics"].clone();
    assert_eq!(names(&told), ["instances", "nodes", "sampled", "version", "workflowId"]);
    let counts = json!({ "running": 1, "paused": 0, "completed": 3, "failed": 0, "cancelled": 0 });
    assert_eq!((&told["instances"], &told["sampled"]), (&counts, &json!(3)));
    let nodes = told["nodes"].as_array().expect("a list");
    let answer: &Value = nodes.iter().find(|one| one["nodeId"] == "answer").expect("it is there");
    assert_eq!((&answer["active"], &answer["completed"]), (&json!(1), &json!(3)));
    assert!(answer["p50Ms"].is_u64() && answer["p95Ms"].as_u64() >= answer["p50Ms"].as_u64());

    site.start("stuck", json!({ "amount": 1 })).await;
    let all = site.get("/api/incidents").await.json();
    assert_eq!(
        (&all["incidents"][0]["workflowId"], &all["incidents"][0]["nodeId"]),
        (&json!("stuck"), &json!("choose"))
    );
    site.post("/api/messages", json!({ "name": "lost", "correlationKey": "x" })).await;
    let lost = site.get("/api/messages/unmatched").await.json();
    assert_eq!(
        (&lost["messages"][0]["name"], &lost["messages"][0]["correlationKey"]),
        (&json!("lost"), &json!("x"))
    );
    site.close().await;
}

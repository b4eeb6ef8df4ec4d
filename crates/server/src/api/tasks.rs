//! Work for people: what there is to do.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use tyer_engine::{InstanceId, ItemId};
use tyer_runtime::{Engine, Error, OpenTask};

use crate::error::Failure;
use crate::query::Query;
use crate::reply;
use crate::router::App;

/// Tasks of one page, when nothing is said.
const PAGE: u64 = 100;
/// Tasks of one page, at most.
const LARGEST_PAGE: u64 = 1_000;

/// `GET /api/tasks?instanceId=&after=&limit=`: open ones, oldest first.
pub(crate) async fn list(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Failure> {
    let instance: Option<InstanceId> = query.text("instanceId").map(|id| id.parse()).transpose()?;
    let after = query.text("after").map(|id| ItemId::parse("task", &id)).transpose()?;
    let limit = query.number("limit", 1, LARGEST_PAGE)?.unwrap_or(PAGE);
    query.finish()?;
    if let Some(instance) = instance {
        app.engine.glance(instance).await?;
    }
    let limit = usize::try_from(limit).expect("bounded above");
    let mut tasks = page(&app.engine, instance, after, limit + 1).await?;
    let more = tasks.len() > limit;
    tasks.truncate(limit);
    let next = tasks.last().filter(|_| more).map(|task| id_of(task).to_text("task"));
    let tasks: Vec<Value> = tasks.iter().map(describe).collect();
    Ok(reply::ok(json!({ "tasks": tasks, "next": next })))
}

/// Tasks after one, in the order of the store: it is asked for more until the page is full or there are no more.
async fn page(
    engine: &Engine,
    instance: Option<InstanceId>,
    after: Option<ItemId>,
    limit: usize,
) -> Result<Vec<OpenTask>, Error> {
    let mut ask = limit;
    loop {
        let mut tasks = engine.tasks(instance, ask).await?;
        let complete = tasks.len() < ask;
        tasks.retain(|task| after.is_none_or(|after| id_of(task) > after));
        if complete || tasks.len() >= limit {
            tasks.truncate(limit);
            return Ok(tasks);
        }
        ask *= 2;
    }
}

fn id_of(task: &OpenTask) -> ItemId {
    ItemId { instance: task.instance, number: task.asked.task }
}

fn describe(task: &OpenTask) -> Value {
    let asked = &task.asked;
    json!({
        "id": id_of(task).to_text("task"),
        "instanceId": task.instance.to_string(),
        "tokenId": ItemId { instance: task.instance, number: task.token }.to_text("tok"),
        "nodeId": task.node,
        "name": asked.name,
        "status": if asked.assignee.is_some() { "claimed" } else { "created" },
        "assignee": asked.assignee,
        "candidateUsers": asked.candidate_users,
        "candidateGroups": asked.candidate_groups,
        "form": asked.form,
        "priority": asked.priority,
        "dueDate": asked.due.map(reply::moment),
        "createdAt": reply::moment(task.created_at),
    })
}

//! Work for people: what there is to do.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use tyer_engine::{ItemId, Timestamp};
use tyer_runtime::{OpenTask, TaskFilter, TaskPlace};

use crate::error::Failure;
use crate::query::{Query, invalid};
use crate::reply;
use crate::router::App;

/// `GET /api/tasks?instanceId=&user=&assignee=&candidateUser=&candidateGroup=&status=&dueBefore=&priority=&after=&limit=`:
/// open ones, oldest first; with `dueBefore` first due first.
pub(crate) async fn list(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Failure> {
    let filter = filter(&mut query)?;
    let after = query.text("after").map(|text| place(&text)).transpose()?;
    let limit = query.limit()?;
    query.finish()?;
    if let Some(instance) = filter.instance {
        app.engine.glance(instance).await?;
    }
    let by_due = filter.due_before.is_some();
    let found = app.engine.find_tasks(filter, after, limit + 1).await?;
    let (found, next) = reply::page(found, limit, |task| cursor(task, by_due));
    let tasks: Vec<Value> = found.iter().map(describe).collect();
    Ok(reply::ok(json!({ "tasks": tasks, "next": next })))
}

fn filter(query: &mut Query) -> Result<TaskFilter, Failure> {
    let claimed = match query.text("status").as_deref() {
        None => None,
        Some("created") => Some(false),
        Some("claimed") => Some(true),
        Some(_) => return Err(invalid("status", "created or claimed")),
    };
    Ok(TaskFilter {
        instance: query.text("instanceId").map(|id| id.parse()).transpose()?,
        assignee: query.text("assignee"),
        candidate_user: query.text("candidateUser"),
        candidate_group: query.text("candidateGroup"),
        user: query.text("user"),
        claimed,
        due_before: query.moment("dueBefore")?,
        priority: query.text("priority").map(|text| priority(&text)).transpose()?,
        ..TaskFilter::default()
    })
}

fn priority(text: &str) -> Result<u8, Failure> {
    let number = match text {
        "low" => Some(25),
        "normal" => Some(50),
        "high" => Some(75),
        digits => digits.parse().ok().filter(|number| *number <= 100),
    };
    number.ok_or_else(|| invalid("priority", "low, normal, high or a whole number from 0 to 100"))
}

/// In a list by due date, the due date stands before the id.
fn cursor(task: &OpenTask, by_due: bool) -> String {
    let id = id_of(task).to_text("task");
    match task.asked.due.filter(|_| by_due) {
        Some(due) => format!("{}~{id}", due.0),
        None => id,
    }
}

fn place(text: &str) -> Result<TaskPlace, Failure> {
    let (due, id) = match text.split_once('~') {
        Some((due, id)) => {
            let due = due.parse().map_err(|_| invalid("after", "what `next` said"))?;
            (Some(Timestamp(due)), id)
        }
        None => (None, text),
    };
    Ok(TaskPlace { due, id: ItemId::parse("task", id)? })
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

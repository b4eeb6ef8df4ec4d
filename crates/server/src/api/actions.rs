//! What people do with their tasks.
//!
//! **Invariant:** who has a task, and whether another may act on it, is for the engine to say.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use tyer_engine::{Command, ItemId, TaskAction};
use tyer_runtime::Done;

use super::control::previewed;
use super::instances::priority;
use crate::error::Failure;
use crate::fields::Fields;
use crate::past::explained;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

type Answer = Result<Response, Failure>;

/// `POST /api/tasks/:id/complete`
pub(crate) async fn complete(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (task, by) = (ItemId::parse("task", &id)?, fields.text("userId")?);
    let variables = fields.variables("data")?;
    fields.finish()?;
    act(
        &app,
        task,
        by,
        TaskAction::Complete { variables },
        query,
        |done| json!({ "id": id, "status": "completed", "completedAt": reply::moment(done.at) }),
    )
    .await
}

/// `POST /api/tasks/:id/claim`: somebody takes it.
pub(crate) async fn claim(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let task = ItemId::parse("task", &id)?;
    let who = fields.required_text("userId", "who takes the task")?;
    fields.finish()?;
    act(
        &app,
        task,
        Some(who.clone()),
        TaskAction::Claim,
        query,
        |_| json!({ "id": id, "status": "claimed", "assignee": who }),
    )
    .await
}

/// `POST /api/tasks/:id/release`: whoever has it gives it back.
pub(crate) async fn release(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (task, by) = (ItemId::parse("task", &id)?, fields.text("userId")?);
    fields.finish()?;
    act(
        &app,
        task,
        by,
        TaskAction::Release,
        query,
        |_| json!({ "id": id, "status": "created", "assignee": null }),
    )
    .await
}

/// `POST /api/tasks/:id/assign`: it is given to somebody, whoever has it.
pub(crate) async fn assign(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (task, by) = (ItemId::parse("task", &id)?, fields.text("userId")?);
    let to = fields.required_text("assignee", "who shall do the task")?;
    fields.finish()?;
    act(
        &app,
        task,
        by,
        TaskAction::Assign { to: to.clone() },
        query,
        |_| json!({ "id": id, "status": "claimed", "assignee": to }),
    )
    .await
}

/// `PATCH /api/tasks/:id`: how urgent it is.
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (task, by) = (ItemId::parse("task", &id)?, fields.text("userId")?);
    let (urgency, due) = (priority(&mut fields)?, fields.moment("dueDate")?);
    if urgency.is_none() && due.is_none() {
        return Err(fields.invalid("priority", "a new priority or a new dueDate"));
    }
    fields.finish()?;
    act(&app, task, by, TaskAction::Change { priority: urgency, due }, query, |_| json!({ "id": id })).await
}

/// `POST /api/tasks/:id/throw`: the person found what the diagram calls an error.
pub(crate) async fn throw(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (task, by) = (ItemId::parse("task", &id)?, fields.text("userId")?);
    let code = fields.required_text("code", "the code of the error")?;
    let (message, variables) = (fields.text("message")?, fields.variables("variables")?);
    fields.finish()?;
    act(
        &app,
        task,
        by,
        TaskAction::Error { code, message, variables },
        query,
        |_| json!({ "id": id, "status": "thrown" }),
    )
    .await
}

/// `POST /api/tasks/:id/escalate`: the person calls for help.
pub(crate) async fn escalate(
    State(app): State<Arc<App>>,
    Name(id): Name,
    query: Query,
    mut fields: Fields,
) -> Answer {
    let (task, by) = (ItemId::parse("task", &id)?, fields.text("userId")?);
    let code = fields.required_text("code", "the code of the escalation")?;
    fields.finish()?;
    act(&app, task, by, TaskAction::Escalate { code }, query, |_| json!({ "id": id, "status": "escalated" }))
        .await
}

async fn act(
    app: &App,
    task: ItemId,
    by: Option<String>,
    action: TaskAction,
    mut query: Query,
    shown: impl FnOnce(&Done) -> Value,
) -> Answer {
    let dry_run = query.flag("dryRun")?;
    query.finish()?;
    let command = Command::Task { task: task.number, by, action };
    if dry_run {
        return previewed(&app.engine, task.instance, command).await;
    }
    match app.engine.command(task.instance, command).await {
        Ok(done) => {
            let instance = json!({ "id": task.instance.to_string(), "status": done.status });
            Ok(reply::ok(json!({ "task": shown(&done), "instance": instance })))
        }
        Err(error) => Err(explained(&app.engine, error).await),
    }
}

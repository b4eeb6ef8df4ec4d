//! User task: work for a person.

use tyer_model::UserSpec;

use crate::nodes::{activity, error, text, timer};
use crate::words::*;

/// Priority when the model does not say one.
const NORMAL: u8 = 50;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, spec: &UserSpec) {
    match ask(turn, token, spec) {
        Ok(asked) => turn.emit_at(token, EventKind::TaskCreated(Box::new(asked))),
        Err(reason) => activity::give_up(turn, token, "the task", &reason),
    }
}

/// Somebody does something with a task.
pub(crate) fn act(turn: &mut Turn<'_>, task: Number, by: Option<String>, action: TaskAction) {
    let token = turn.instance.tasks[&task].token;
    match action {
        TaskAction::Complete { variables } => {
            turn.emit_at(token, EventKind::TaskCompleted { task, by });
            activity::complete(turn, token, variables);
        }
        TaskAction::Claim => turn.emit_at(token, EventKind::TaskAssigned { task, assignee: by.clone(), by }),
        TaskAction::Release => turn.emit_at(token, EventKind::TaskAssigned { task, assignee: None, by }),
        TaskAction::Assign { to } => {
            turn.emit_at(token, EventKind::TaskAssigned { task, assignee: Some(to), by });
        }
        TaskAction::Change { priority, due } => {
            turn.emit_at(token, EventKind::TaskChanged { task, priority, due });
        }
        TaskAction::Error { code, message, variables } => {
            turn.emit_at(token, EventKind::TaskCancelled { task });
            error::throw(
                turn,
                token,
                Some(&code).filter(|code| !code.is_empty()).map(String::as_str),
                message,
                variables,
            );
        }
        TaskAction::Escalate { code } => error::escalate(turn, token, Some(&code)),
    }
}

fn ask(turn: &Turn<'_>, token: Number, spec: &UserSpec) -> Result<TaskCreated, String> {
    let reads = turn.instance.reading_scope(turn.token(token));
    let one = |part: &Option<_>| text::optional(turn, reads, part.as_ref());
    let many = |part: &Option<_>| part.as_ref().map_or(Ok(Vec::new()), |part| text::names(turn, reads, part));
    let priority = match one(&spec.priority)? {
        Some(text) => priority(&text)?,
        None => NORMAL,
    };
    Ok(TaskCreated {
        task: turn.next_number(),
        name: turn.node_of(token).name.clone(),
        assignee: one(&spec.assignee)?.map(|name| name.to_string()),
        candidate_users: many(&spec.candidate_users)?,
        candidate_groups: many(&spec.candidate_groups)?,
        form: spec.form.clone(),
        priority,
        due: one(&spec.due_date)?.map(|text| timer::moment(&text)).transpose()?,
    })
}

fn priority(text: &str) -> Result<u8, String> {
    let named = match text {
        "low" => Some(25),
        "normal" => Some(NORMAL),
        "high" => Some(75),
        number => number.parse().ok().filter(|number| *number <= 100),
    };
    named.ok_or_else(|| format!("`{text}` is not a priority: expected 0 to 100, low, normal or high"))
}

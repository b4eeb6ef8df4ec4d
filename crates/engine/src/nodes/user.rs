//! User task: work for a person.

use tyer_model::UserSpec;

use crate::event::{EventKind, TaskCreated};
use crate::ids::Number;
use crate::instance::IncidentKind;
use crate::nodes::{text, timer};
use crate::step::Turn;
use crate::variables::Variables;

/// Priority when the model does not say one.
const NORMAL: u8 = 50;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, spec: &UserSpec) {
    match ask(turn, token, spec) {
        Ok(asked) => turn.emit_at(token, EventKind::TaskCreated(Box::new(asked))),
        Err(reason) => {
            let message = format!("the task of `{}`: {reason}", turn.node_of(token).id);
            turn.open_incident(Some(token), IncidentKind::Expression, message);
        }
    }
}

pub(crate) fn complete(turn: &mut Turn<'_>, task: Number, by: Option<String>, variables: Variables) {
    let token = turn.instance.tasks[&task].token;
    turn.emit_at(token, EventKind::TaskCompleted { task, by });
    turn.set_variables(0, variables);
    turn.leave(token);
}

fn ask(turn: &Turn<'_>, token: Number, spec: &UserSpec) -> Result<TaskCreated, String> {
    let one = |part: &Option<_>| part.as_ref().map(|part| text::iso(turn, token, part)).transpose();
    let many = |part: &Option<_>| part.as_ref().map_or(Ok(Vec::new()), |part| text::names(turn, token, part));
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

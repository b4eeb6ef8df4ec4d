//! Phrases.

use tyer_engine::{
    Answer, IncidentKind, Instance, Number, ROOT, SagaCause, ScopeKind, TaskCreated, Thrown, Timestamp,
    Variables, Wanted,
};
use tyer_model::{Backoff, NodeKind, Process};

use super::offset;

/// The wait that the model asks for, where jitter shortens it.
pub(super) fn full_wait(kind: &NodeKind, attempt: u32) -> Option<i64> {
    let NodeKind::Job(spec) = kind else { return None };
    let full = match spec.backoff {
        Backoff::Fixed { .. } => return None,
        Backoff::Linear { delay_ms, cap_ms } => delay_ms.saturating_mul(u64::from(attempt)).min(cap_ms),
        Backoff::Exponential { delay_ms, cap_ms } => {
            let doubled = 1u64.checked_shl(attempt.saturating_sub(1)).unwrap_or(u64::MAX);
            delay_ms.saturating_mul(doubled).min(cap_ms)
        }
    };
    i64::try_from(full).ok()
}

pub(super) fn held(worker: Option<&str>, since: Option<Timestamp>, at: Timestamp) -> String {
    let by = worker.map(|worker| format!(" by {worker}")).unwrap_or_default();
    match since.map(|since| at.0 - since.0) {
        None | Some(0) => by,
        Some(ms) => format!("{by} after {}", offset(ms).trim_start_matches('+')),
    }
}

pub(super) fn asked_in_words(asked: &TaskCreated, began: Timestamp) -> String {
    let mut said = vec![format!("task {}", asked.task)];
    said.extend(asked.name.as_ref().map(|name| format!("\"{name}\"")));
    for (word, people) in [("candidates", &asked.candidate_users), ("groups", &asked.candidate_groups)] {
        if !people.is_empty() {
            said.push(format!("{word} {}", people.join(" ")));
        }
    }
    said.extend(asked.form.as_ref().map(|form| format!("form {form}")));
    if asked.priority != 50 {
        said.push(format!("priority {}", asked.priority));
    }
    said.extend(asked.due.map(|due| format!("due {}", offset(due.0 - began.0))));
    format!("waits for {} ({})", asked.assignee.as_deref().unwrap_or("a person"), said.join(", "))
}

pub(super) fn assigned(task: Number, assignee: Option<&str>, by: Option<&str>) -> String {
    let by_whom = by.filter(|by| Some(*by) != assignee).map(|by| format!(" by {by}")).unwrap_or_default();
    match assignee {
        Some(assignee) => format!("task {task} assigned to {assignee}{by_whom}"),
        None => format!("task {task} released{by_whom}"),
    }
}

pub(super) fn changed(
    task: Number,
    priority: Option<u8>,
    due: Option<Timestamp>,
    began: Timestamp,
) -> String {
    let priority = priority.map(|priority| format!("priority {priority}"));
    let due = due.map(|due| format!("due {}", offset(due.0 - began.0)));
    let said: Vec<String> = priority.into_iter().chain(due).collect();
    format!("task {task} changed: {}", said.join(", "))
}

pub(super) fn wanted_in_words(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Message { name, key: Some(key) } => format!("waits for message {name} key {key}"),
        Wanted::Message { name, key: None } => format!("waits for message {name}"),
        Wanted::Signal { name } => format!("waits for signal {name}"),
        Wanted::Condition { .. } => "waits for its condition".to_owned(),
    }
}

pub(super) fn came(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Message { name, .. } => format!("message {name} came"),
        Wanted::Signal { name } => format!("signal {name} came"),
        Wanted::Condition { .. } => "condition holds".to_owned(),
    }
}

pub(super) fn thrown(what: Thrown, code: Option<&str>, message: Option<&str>, caught: bool) -> String {
    let coded = |word: &str| match code {
        Some(code) => format!("throws {word} {code}"),
        None => format!("throws an {word} without code"),
    };
    let said = message.map(|message| format!(": {message}")).unwrap_or_default();
    let lost = if caught { "" } else { ", which nobody catches" };
    match what {
        Thrown::Error => format!("{}{said}{lost}", coded("error")),
        Thrown::Escalation => format!("{}{said}{lost}", coded("escalation")),
        Thrown::Cancel => "cancels the transaction".to_owned(),
        Thrown::Failure => format!("handled{said}"),
    }
}

pub(super) fn cause_in_words(cause: SagaCause) -> &'static str {
    match cause {
        SagaCause::Throw => "thrown",
        SagaCause::Aside => "thrown aside",
        SagaCause::Cancel => "the transaction is cancelled",
        SagaCause::Local => "the sub-process failed",
        SagaCause::Global => "the instance failed",
        SagaCause::Rollback => "the instance goes back",
        SagaCause::Operator => "somebody asked for it",
    }
}

pub(super) fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Completed { .. } => "completed".to_owned(),
        Answer::Error { code, message } => {
            let said = message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
            format!("error {code}{said}")
        }
        Answer::Failed { message } => format!("failed: {message}"),
        Answer::Escalated { code } => format!("escalation {code}"),
    }
}

pub(super) fn failed(message: &str, code: Option<&str>, compensated: bool) -> String {
    let code =
        code.filter(|code| !code.is_empty()).map(|code| format!(" with error {code}")).unwrap_or_default();
    let undone = if compensated { ", its steps undone" } else { "" };
    format!("instance failed{code}{undone}: {message}")
}

pub(super) fn kind_in_words(kind: IncidentKind) -> &'static str {
    match kind {
        IncidentKind::JobFailed => "job failed",
        IncidentKind::NoFlow => "no flow",
        IncidentKind::Expression => "expression",
        IncidentKind::Validation => "validation",
        IncidentKind::JoinStarved => "join starved",
        IncidentKind::UnhandledError => "unhandled error",
        IncidentKind::CallFailed => "call failed",
        IncidentKind::CompensationFailed => "compensation failed",
        IncidentKind::InDoubt => "in doubt",
        IncidentKind::Runaway => "runaway",
        IncidentKind::Parked => "parked",
    }
}

/// Whose scope it is; none for that of the instance.
pub(super) fn scope_in_words(process: &Process, instance: &Instance, number: Number) -> Option<String> {
    if number == ROOT {
        return None;
    }
    let Some(scope) = instance.scopes.get(&number) else { return Some(format!("scope {number}")) };
    let node = scope.node.map_or("?", |node| &process.node(node).id);
    Some(match scope.kind {
        ScopeKind::Round { index } => format!("round {index} of {node}"),
        ScopeKind::Rounds { .. } => format!("the rounds of {node}"),
        ScopeKind::Branch => format!("branch {number}"),
        ScopeKind::Undo { record } => {
            let step = instance.records.get(&record).map_or("?", |record| &process.node(record.node).id);
            format!("the undoing of {step}")
        }
        ScopeKind::Body | ScopeKind::Local => {
            let same =
                instance.scopes.values().filter(|other| (other.node, other.kind) == (scope.node, scope.kind));
            if same.count() > 1 { format!("{node} (scope {number})") } else { node.to_owned() }
        }
    })
}

/// `a = 1, b = 2`, but for some that are told otherwise.
pub(super) fn values_in_words(values: &Variables, but: &[&str]) -> String {
    let told = values.iter().filter(|(name, _)| !but.contains(name));
    let told: Vec<String> = told.map(|(name, json)| format!("{} = {json}", name_in_words(name))).collect();
    told.join(", ")
}

/// A name that is no single word is quoted.
pub(super) fn name_in_words(name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if plain { name.to_owned() } else { format!("{name:?}") }
}

pub(super) fn listed(tokens: &[Number]) -> String {
    let numbers: Vec<String> = tokens.iter().map(Number::to_string).collect();
    let word = if tokens.len() == 1 { "token" } else { "tokens" };
    format!("{word} {}", numbers.join(", "))
}

pub(super) fn with_reason(what: &str, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    }
}

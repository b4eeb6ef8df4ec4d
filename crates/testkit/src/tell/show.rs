//! An instance as it stands.

use tyer_engine::{Instance, Number, Status, TimerKind, Timestamp, Token, Wait};
use tyer_model::Process;

use super::{asked_in_words, kind_in_words, name_in_words, offset};

/// Tokens with what they wait for, incidents of the whole, counters, variables.
pub(crate) fn show(process: &Process, instance: &Instance, began: Timestamp) -> Vec<String> {
    if instance.version == 0 {
        return vec!["nothing has begun".to_owned()];
    }
    let mut lines = vec![headline(instance, began)];
    lines.extend(
        instance.tokens.iter().map(|(number, token)| token_line(process, instance, began, *number, token)),
    );
    let of_all = instance.incidents.iter().filter(|(_, incident)| incident.token.is_none());
    lines.extend(of_all.map(|(number, incident)| {
        format!("incident {number} ({}): {}", kind_in_words(incident.kind), incident.message)
    }));
    for (scope, variables) in &instance.scopes {
        let place = if *scope == 0 { String::new() } else { format!(" in scope {scope}") };
        lines.extend(variables.iter().map(|(name, json)| format!("{} = {json}{place}", name_in_words(name))));
    }
    lines
}

fn headline(instance: &Instance, began: Timestamp) -> String {
    let status = match instance.status {
        Status::Running => "running",
        Status::Paused => "paused",
        Status::Completed => "completed",
        Status::Failed => "failed",
        Status::Cancelled => "cancelled",
    };
    let mut said = vec![match instance.ended_at {
        Some(ended) => format!("{status} at {}", offset(ended.0 - began.0)),
        None => status.to_owned(),
    }];
    if instance.started_at != began {
        said.push(format!("began at {}", offset(instance.started_at.0 - began.0)));
    }
    for (what, count) in [("retries", instance.retries), ("errors", instance.errors)] {
        if count > 0 {
            said.push(format!("{what}: {count}"));
        }
    }
    said.extend(instance.last_error.as_ref().map(|error| format!("last error: {error}")));
    said.join(", ")
}

fn token_line(
    process: &Process,
    instance: &Instance,
    began: Timestamp,
    number: Number,
    token: &Token,
) -> String {
    let node = &process.node(token.node).id;
    let waits = match &token.wait {
        Wait::Nothing => return format!("token {number} stands before {node}"),
        Wait::Job(job) if instance.status == Status::Paused => {
            format!("has job {} (job {})", job.job_type, job.number)
        }
        Wait::Job(job) => format!("is ready for job {} (job {})", job.job_type, job.number),
        Wait::Task(task) => asked_in_words(&instance.tasks[task].asked, began),
        Wait::Timer(timer) => timer_in_words(instance, *timer, began),
        Wait::Join => {
            let flow = token.flow.map_or("?", |flow| &process.flow(flow).id);
            format!("waits for the other flows ({flow})")
        }
        Wait::Incident(incident) => {
            let kind = kind_in_words(instance.incidents[incident].kind);
            format!("has failed (incident {incident}, {kind})")
        }
    };
    let tries = if token.attempt == 0 { String::new() } else { format!(", failures: {}", token.attempt) };
    format!("token {number} at {node} {waits}{tries}")
}

/// The moment of a retry has jitter that differs from instance to instance: it is left out.
fn timer_in_words(instance: &Instance, number: Number, began: Timestamp) -> String {
    let timer = instance.timers[&number];
    match timer.kind {
        TimerKind::Catch => format!("waits until {} (timer {number})", offset(timer.due.0 - began.0)),
        TimerKind::Retry => format!("waits for its next try (timer {number})"),
        TimerKind::Yield { .. } => format!("makes room for others (timer {number})"),
    }
}

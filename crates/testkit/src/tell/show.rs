//! An instance as it stands, and why it stands there.

use tyer_engine::{Explanation, Instance, Number, Status, TimerKind, Timestamp, Token, Wait};
use tyer_model::Process;

use super::offset;
use super::words::{asked_in_words, kind_in_words, name_in_words, scope_in_words, wanted_in_words};

/// Tokens with what they wait for, incidents of the whole, counters, variables.
pub(crate) fn show(process: &Process, instance: &Instance, began: Timestamp) -> Vec<String> {
    if instance.version == 0 {
        return vec!["nothing has begun".to_owned()];
    }
    let mut lines = vec![headline(instance, began)];
    lines.extend(
        instance.tokens.iter().map(|(number, token)| token_line(process, instance, began, *number, token)),
    );
    for (node, waits) in sources(process, instance, began, None) {
        lines.push(format!("{node} {waits}"));
    }
    let of_all = instance.incidents.iter().filter(|(_, incident)| incident.token.is_none());
    lines.extend(of_all.map(|(number, incident)| {
        format!("incident {number} ({}): {}", kind_in_words(incident.kind), incident.message)
    }));
    for (number, record) in &instance.records {
        lines.push(format!("{} can be undone (record {number})", process.node(record.node).id));
    }
    for (number, scope) in &instance.scopes {
        let place = scope_in_words(process, instance, *number);
        let place = place.map(|place| format!(" in {place}")).unwrap_or_default();
        let told = scope.variables.iter().filter(|(name, _)| !name.starts_with("loop "));
        lines.extend(told.map(|(name, json)| format!("{} = {json}{place}", name_in_words(name))));
    }
    lines
}

/// Every token with what must happen before it goes on.
pub(crate) fn explained(explanations: &[Explanation], began: Timestamp) -> Vec<String> {
    let mut lines = Vec::new();
    for told in explanations {
        let since = offset(told.since.0 - began.0);
        lines.push(format!(
            "token {} at {} since {since} waits for {}",
            told.token, told.node, told.waits_for
        ));
        if !told.missing.is_empty() {
            lines.push(format!("  missing: {}", told.missing.join(", ")));
        }
        lines.extend(told.or.iter().map(|or| format!("  or {or}")));
    }
    if lines.is_empty() {
        lines.push("no token lives".to_owned());
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
    let told = sources(process, instance, began, Some(number));
    let (own, around): (Vec<_>, Vec<_>) = told.into_iter().partition(|(at, _)| at == node);
    let own: Vec<String> = own.into_iter().map(|(_, waits)| waits).collect();
    let around: Vec<String> = around.into_iter().map(|(at, waits)| format!("{at} {waits}")).collect();
    let waits = match &token.wait {
        Wait::Nothing => return format!("token {number} stands before {node}"),
        Wait::Job(job) if instance.status == Status::Paused => {
            format!("has job {} (job {})", job.job_type, job.number)
        }
        Wait::Job(job) => format!("is ready for job {} (job {})", job.job_type, job.number),
        Wait::Task(task) => asked_in_words(&instance.tasks[task].asked, began),
        Wait::Timer(timer) => timer_in_words(instance, *timer, began),
        Wait::Event if own.is_empty() => return format!("token {number} at {node}, {}", around.join(", ")),
        Wait::Event => own.join(", "),
        Wait::Join => {
            let flow = token.flow.map_or("?", |flow| &process.flow(flow).id);
            format!("waits for the other flows ({flow})")
        }
        Wait::Turn => "waits for its turn".to_owned(),
        Wait::Scope => "waits for what goes on inside".to_owned(),
        Wait::Call(call) => format!("waits for call {call}"),
        Wait::Saga(saga) => format!("undoes steps (saga {saga})"),
        Wait::Incident(incident) => {
            let kind = kind_in_words(instance.incidents[incident].kind);
            format!("has failed (incident {incident}, {kind})")
        }
    };
    let mut said = format!("token {number} at {node} {waits}");
    if token.attempt > 0 {
        said.push_str(&format!(", failures: {}", token.attempt));
    }
    for waits in around {
        said.push_str(&format!(", {waits}"));
    }
    for mark in &token.marks {
        said.push_str(&format!(", absorbed at {}", process.node(*mark).id));
    }
    said
}

/// What the diagram has a token wait for, or, without a token, the scopes.
fn sources<'p>(
    process: &'p Process,
    instance: &Instance,
    began: Timestamp,
    token: Option<Number>,
) -> Vec<(&'p str, String)> {
    let timers =
        instance.timers.iter().filter(|(_, timer)| timer.token == token && timer.kind == TimerKind::Catch);
    let timers = timers.map(|(number, timer)| {
        (timer.node, format!("waits until {} (timer {number})", offset(timer.due.0 - began.0)))
    });
    let subscriptions = instance.subscriptions.iter().filter(|(_, subscription)| subscription.token == token);
    let subscriptions = subscriptions.map(|(number, subscription)| {
        (subscription.node, format!("{} (subscription {number})", wanted_in_words(&subscription.wanted)))
    });
    let named = |(node, waits)| (process.node(node).id.as_str(), waits);
    timers.chain(subscriptions).map(named).collect()
}

/// The moment of a retry has jitter that differs from instance to instance: it is left out.
fn timer_in_words(instance: &Instance, number: Number, began: Timestamp) -> String {
    let timer = &instance.timers[&number];
    match timer.kind {
        TimerKind::Catch => format!("waits until {} (timer {number})", offset(timer.due.0 - began.0)),
        TimerKind::Retry => format!("waits for its next try (timer {number})"),
        TimerKind::Yield { .. } => format!("makes room for others (timer {number})"),
    }
}

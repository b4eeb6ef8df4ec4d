//! The first page of every list, timed.

use std::time::{Duration, Instant};

use anyhow::Result;
use tyer_runtime::{
    Comparison, Engine, IndexedValue, InstanceFilter, Span, Status, TaskFilter, Timestamp, VariableTest,
};

use super::{Place, promise};

/// A page, as people see it.
const PAGE: usize = 50;
/// How often each is asked.
const ROUNDS: usize = 5;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

pub(crate) async fn measure(store: &str, place: &Place) -> Result<bool> {
    let engine = place.open().await?;
    let mut worst = (Duration::ZERO, String::new());
    for (name, filter) in instance_questions(now()) {
        let mut slowest = Duration::ZERO;
        let mut found = 0;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            found = engine.find_instances(filter.clone(), None, PAGE).await?.len();
            slowest = slowest.max(begun.elapsed());
        }
        note(&mut worst, name, slowest, found);
    }
    for (name, filter) in task_questions(now()) {
        let mut slowest = Duration::ZERO;
        let mut found = 0;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            found = engine.find_tasks(filter.clone(), None, PAGE).await?.len();
            slowest = slowest.max(begun.elapsed());
        }
        note(&mut worst, name, slowest, found);
    }
    others(&engine, &mut worst).await?;
    engine.shutdown().await;
    let what = format!("first page of every list, slowest of {ROUNDS}: {}", worst.1);
    Ok(promise(store, &what, worst.0.as_secs_f64() * 1_000.0, "ms", 50.0))
}

async fn others(engine: &Engine, worst: &mut (Duration, String)) -> Result<()> {
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let found = engine.incidents(None, None, PAGE).await?.len();
        note(worst, "incidents", begun.elapsed(), found);
        let begun = Instant::now();
        let found = engine.unmatched_messages(None, PAGE).await?.len();
        note(worst, "unmatched messages", begun.elapsed(), found);
        let begun = Instant::now();
        let found = engine.processes(None).await?.len();
        note(worst, "processes", begun.elapsed(), found);
    }
    Ok(())
}

fn note(worst: &mut (Duration, String), name: &str, took: Duration, found: usize) {
    eprintln!("  {name:<44}{:>9.2} ms{found:>6} found", took.as_secs_f64() * 1_000.0);
    if took > worst.0 {
        *worst = (took, name.to_owned());
    }
}

fn now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

fn instance_questions(now: i64) -> Vec<(&'static str, InstanceFilter)> {
    let all = InstanceFilter::default;
    let status = |status| InstanceFilter { statuses: vec![status], ..all() };
    let days = |from: i64, to: i64| Span {
        from: Some(Timestamp(now - from * DAY_MS)),
        to: Some(Timestamp(now - to * DAY_MS)),
    };
    let variable = |name: &str, comparison, value| InstanceFilter {
        variables: vec![VariableTest { name: name.to_owned(), comparison, value }],
        ..all()
    };
    let number = |comparison, value| variable("amount", comparison, IndexedValue::Number(value));
    let of = || InstanceFilter { process: Some("parked".into()), ..all() };
    vec![
        ("all", all()),
        ("running", status(Status::Running)),
        ("paused", status(Status::Paused)),
        ("completed", status(Status::Completed)),
        ("failed", status(Status::Failed)),
        ("cancelled", status(Status::Cancelled)),
        ("of a process", of()),
        ("of a version, failed", InstanceFilter { version: Some(1), statuses: vec![Status::Failed], ..of() }),
        ("business key", InstanceFilter { business_key: Some("K-77".into()), ..all() }),
        ("at a node", InstanceFilter { node: Some("message".into()), ..all() }),
        ("at a node that few stand at", InstanceFilter { node: Some("gate".into()), ..all() }),
        ("with an incident", InstanceFilter { has_incident: Some(true), ..all() }),
        ("running without incident", InstanceFilter { has_incident: Some(false), ..status(Status::Running) }),
        ("started in a day", InstanceFilter { started: days(20, 19), ..all() }),
        ("running, started in a day", InstanceFilter { started: days(20, 19), ..status(Status::Running) }),
        ("ended in a day", InstanceFilter { ended: days(20, 19), ..all() }),
        (
            "completed, of a process, ended in a day",
            InstanceFilter { ended: days(20, 19), statuses: vec![Status::Completed], ..of() },
        ),
        ("amount is", number(Comparison::Equal, 77.0)),
        ("amount over, few", number(Comparison::Greater, 895_000.0)),
        ("amount over, many", number(Comparison::Greater, 10.0)),
        ("amount under, many", number(Comparison::Less, 800_000.0)),
        ("city is", variable("city", Comparison::Equal, IndexedValue::Text("city 7".into()))),
        (
            "running, city is",
            InstanceFilter {
                statuses: vec![Status::Running],
                ..variable("city", Comparison::Equal, IndexedValue::Text("city 7".into()))
            },
        ),
    ]
}

fn task_questions(now: i64) -> Vec<(&'static str, TaskFilter)> {
    let all = TaskFilter::default;
    let who = |who: &str| Some(who.to_owned());
    vec![
        ("tasks: all", all()),
        ("tasks: assignee", TaskFilter { assignee: who("person 50"), ..all() }),
        ("tasks: user", TaskFilter { user: who("ann 50"), ..all() }),
        ("tasks: candidate", TaskFilter { candidate_user: who("bob 7"), ..all() }),
        ("tasks: group", TaskFilter { candidate_group: who("staff 7"), ..all() }),
        ("tasks: claimed", TaskFilter { claimed: Some(true), ..all() }),
        ("tasks: not claimed", TaskFilter { claimed: Some(false), ..all() }),
        ("tasks: urgent", TaskFilter { priority: Some(75), ..all() }),
        ("tasks: due", TaskFilter { due_before: Some(Timestamp(now + 10 * DAY_MS)), ..all() }),
    ]
}

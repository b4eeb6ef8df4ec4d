//! What is asked: every filter of instances and of tasks, and every other list.

use anyhow::Result;
use tyer_runtime::{
    Comparison, Engine, IndexedValue, InstanceFilter, Span, Status, TaskFilter, Timestamp, VariableTest,
};

/// A page, as people see it.
const PAGE: usize = 50;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// One list.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    Instances(InstanceFilter),
    Tasks(TaskFilter),
    Incidents,
    Unmatched,
    Processes,
    Versions,
}

impl Question {
    /// How many its first page has.
    pub(crate) async fn ask(&self, engine: &Engine) -> Result<usize> {
        Ok(match self {
            Question::Instances(filter) => engine.find_instances(filter.clone(), None, PAGE).await?.len(),
            Question::Tasks(filter) => engine.find_tasks(filter.clone(), None, PAGE).await?.len(),
            Question::Incidents => engine.incidents(None, None, PAGE).await?.len(),
            Question::Unmatched => engine.unmatched_messages(None, PAGE).await?.len(),
            Question::Processes => engine.processes(None).await?.len(),
            Question::Versions => engine.processes(Some("parked")).await?.len(),
        })
    }
}

/// Every list, where there are so many instances.
pub(crate) fn all(instances: u64) -> Vec<(&'static str, Question)> {
    let now = now();
    let mut all: Vec<(&'static str, Question)> = Vec::new();
    all.extend(by_state().into_iter().map(|(name, filter)| (name, Question::Instances(filter))));
    all.extend(by_time(now).into_iter().map(|(name, filter)| (name, Question::Instances(filter))));
    all.extend(by_variable(instances).into_iter().map(|(name, filter)| (name, Question::Instances(filter))));
    all.extend(of_tasks(now).into_iter().map(|(name, filter)| (name, Question::Tasks(filter))));
    all.extend([
        ("incidents", Question::Incidents),
        ("messages that nobody has", Question::Unmatched),
        ("processes", Question::Processes),
        ("versions of a process", Question::Versions),
    ]);
    all
}

fn now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

fn of(process: &str) -> InstanceFilter {
    InstanceFilter { process: Some(process.to_owned()), ..InstanceFilter::default() }
}

fn status(status: Status) -> InstanceFilter {
    InstanceFilter { statuses: vec![status], ..InstanceFilter::default() }
}

fn by_state() -> Vec<(&'static str, InstanceFilter)> {
    let all = InstanceFilter::default;
    let node = |name: &str| InstanceFilter { node: Some(name.to_owned()), ..all() };
    let key = |key: &str| InstanceFilter { business_key: Some(key.to_owned()), ..all() };
    let live = || vec![Status::Running, Status::Paused];
    vec![
        ("all", all()),
        ("running", status(Status::Running)),
        ("paused", status(Status::Paused)),
        ("completed", status(Status::Completed)),
        ("failed", status(Status::Failed)),
        ("cancelled", status(Status::Cancelled)),
        ("running or paused", InstanceFilter { statuses: live(), ..all() }),
        ("of a process", of("parked")),
        ("of a version", InstanceFilter { version: Some(1), ..of("parked") }),
        (
            "of a version, failed",
            InstanceFilter { version: Some(1), statuses: vec![Status::Failed], ..of("parked") },
        ),
        ("business key", key("K-77")),
        ("business key that nobody has", key("nobody")),
        ("at a node", node("message")),
        ("at a node that few stand at", node("gate")),
        ("at a node, paused", InstanceFilter { statuses: vec![Status::Paused], ..node("person") }),
        ("with an incident", InstanceFilter { has_incident: Some(true), ..all() }),
        ("running without incident", InstanceFilter { has_incident: Some(false), ..status(Status::Running) }),
    ]
}

fn by_time(now: i64) -> Vec<(&'static str, InstanceFilter)> {
    let all = InstanceFilter::default;
    let day = Span { from: Some(Timestamp(now - 20 * DAY_MS)), to: Some(Timestamp(now - 19 * DAY_MS)) };
    let before = Span { from: None, to: Some(Timestamp(now - 25 * DAY_MS)) };
    let since = Span { from: Some(Timestamp(now - DAY_MS)), to: None };
    let completed = || InstanceFilter { statuses: vec![Status::Completed], ..of("parked") };
    vec![
        ("started in a day", InstanceFilter { started: day, ..all() }),
        ("started since yesterday", InstanceFilter { started: since, ..all() }),
        ("started long ago", InstanceFilter { started: before, ..all() }),
        ("running, started in a day", InstanceFilter { started: day, ..status(Status::Running) }),
        ("failed, started in a day", InstanceFilter { started: day, ..status(Status::Failed) }),
        ("ended in a day", InstanceFilter { ended: day, ..all() }),
        ("ended long ago", InstanceFilter { ended: before, ..all() }),
        ("completed, of a process, ended in a day", InstanceFilter { ended: day, ..completed() }),
    ]
}

/// Amounts grow with time: whoever looks for small ones looks for old ones, and instances come newest first.
fn by_variable(instances: u64) -> Vec<(&'static str, InstanceFilter)> {
    let all = InstanceFilter::default;
    let variable = |name: &str, comparison, value| InstanceFilter {
        variables: vec![VariableTest { name: name.to_owned(), comparison, value }],
        ..all()
    };
    let share = |of_all: f64| instances as f64 * of_all;
    let number = |comparison, value| variable("amount", comparison, IndexedValue::Number(value));
    let city = |name: &str| variable("city", Comparison::Equal, IndexedValue::Text(name.into()));
    vec![
        ("amount is", number(Comparison::Equal, 77.0)),
        ("amount over, few", number(Comparison::Greater, share(0.88))),
        ("amount over, many", number(Comparison::Greater, 10.0)),
        ("amount under, few", number(Comparison::Less, 100.0)),
        ("amount under, some", number(Comparison::Less, share(0.01))),
        ("amount under, a tenth", number(Comparison::Less, share(0.1))),
        ("amount under, most", number(Comparison::Less, share(0.8))),
        (
            "amount under, most, failed",
            InstanceFilter { statuses: vec![Status::Failed], ..number(Comparison::LessOrEqual, share(0.8)) },
        ),
        ("city is", city("city 7")),
        ("city is, running", InstanceFilter { statuses: vec![Status::Running], ..city("city 7") }),
        ("city after", variable("city", Comparison::Greater, IndexedValue::Text("city 99".into()))),
        ("city before", variable("city", Comparison::Less, IndexedValue::Text("city 5".into()))),
    ]
}

fn of_tasks(now: i64) -> Vec<(&'static str, TaskFilter)> {
    let all = TaskFilter::default;
    let who = |who: &str| Some(who.to_owned());
    let due = |days: i64| Some(Timestamp(now + days * DAY_MS));
    vec![
        ("tasks: all", all()),
        ("tasks: assignee", TaskFilter { assignee: who("person 50"), ..all() }),
        ("tasks: user", TaskFilter { user: who("ann 50"), ..all() }),
        ("tasks: candidate", TaskFilter { candidate_user: who("bob 7"), ..all() }),
        ("tasks: group", TaskFilter { candidate_group: who("staff 7"), ..all() }),
        (
            "tasks: group, claimed",
            TaskFilter { candidate_group: who("staff 7"), claimed: Some(true), ..all() },
        ),
        ("tasks: claimed", TaskFilter { claimed: Some(true), ..all() }),
        ("tasks: not claimed", TaskFilter { claimed: Some(false), ..all() }),
        ("tasks: urgent", TaskFilter { priority: Some(75), ..all() }),
        ("tasks: of the usual urgency", TaskFilter { priority: Some(50), ..all() }),
        ("tasks: due", TaskFilter { due_before: due(10), ..all() }),
        ("tasks: overdue", TaskFilter { due_before: due(0), ..all() }),
        (
            "tasks: due, of a group",
            TaskFilter { due_before: due(10), candidate_group: who("staff 0"), ..all() },
        ),
    ]
}

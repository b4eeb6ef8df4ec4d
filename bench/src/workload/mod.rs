//! The workloads: a model, its jobs, and what is done with it.
//!
//! **Invariant:** an instance counts when its end is durable.

mod drive;
mod jobs;
mod people;
mod steps;

use std::time::Duration;

use serde_json::{Value, json};

pub(crate) use drive::{Driver, drive};
pub(crate) use steps::{Latency, Steps};

/// Instances under way at once, when not said otherwise.
pub(crate) const WAITING: usize = 256;

/// What an instance begins with: one row of variables.
pub(crate) const VARIABLES: &str = r#"{"order":"A-17","amount":120,"customer":{"name":"Ada","vip":true}}"#;

/// A process to run many times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    /// As PERFORMANCE names it.
    pub(crate) name: &'static str,
    /// The BPMN id of the process.
    pub(crate) process: &'static str,
    /// The BPMN file.
    pub(crate) model: &'static str,
    /// Job types, the last of which frees a place for another instance.
    pub(crate) jobs: &'static [&'static str],
    /// What is particular about it.
    pub(crate) work: Work,
    /// An instance of it is as much work as so many of W1: so many times fewer are run.
    pub(crate) weight: u64,
    /// Instances under way at once, at most.
    pub(crate) under_way: usize,
}

/// How instances of a workload go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Workers do its jobs, one after the other.
    Sequence,
    /// Workers do its jobs, several at the same time.
    Parallel,
    /// Nothing is waited for: so many rounds of a loop.
    Loop(u32),
    /// Workers do its jobs; one of them is answered by a message.
    Typical,
    /// People list, claim and complete tasks.
    People,
    /// Workers do its jobs; one of them is refused.
    Saga,
    /// Workers do so many jobs of one node, several at the same time.
    Fanout(u32),
}

macro_rules! workload {
    ($name:literal, $process:literal, $work:expr, $weight:literal, $jobs:expr) => {
        Workload {
            name: $name,
            process: $process,
            model: include_str!(concat!("../../models/", $process, ".bpmn")),
            jobs: $jobs,
            work: $work,
            weight: $weight,
            under_way: usize::MAX,
        }
    };
}

/// W1 to W9, but for W6: that is the command `million`.
pub(crate) const WORKLOADS: &[Workload] = &[
    workload!("W1", "one_task", Work::Sequence, 1, &["last"]),
    workload!("W2", "three_tasks", Work::Sequence, 1, &["first", "second", "last"]),
    workload!("W3", "fork4", Work::Parallel, 1, &["a", "b", "c", "last"]),
    workload!("W4", "loop10", Work::Loop(10), 1, &[]),
    workload!(
        "W5",
        "typical",
        Work::Typical,
        5,
        &["prepare", "examine", "reserve", "approve", "ask", "pack", "label", "ship", "invoice", "last"]
    ),
    workload!("W7", "people", Work::People, 4, &[]),
    workload!(
        "W8",
        "saga",
        Work::Saga,
        4,
        &["train", "room", "car", "meal", "pay", "cancel_meal", "cancel_car", "cancel_room", "cancel_train"]
    ),
    Workload { under_way: 4, ..workload!("W9", "fanout", Work::Fanout(1_000), 500, &["item", "last"]) },
];

/// What one run came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// Instances from start to durable end.
    pub(crate) instances: u64,
    /// Turns, all durable.
    pub(crate) turns: u64,
    /// Transactions.
    pub(crate) commits: u64,
    /// How long it took.
    pub(crate) wall: Duration,
    /// Processor time of this process.
    pub(crate) cpu: Duration,
    /// Processor time of the processes of the database, if it has any.
    pub(crate) database_cpu: Duration,
    /// The most memory that this process had.
    pub(crate) resident_kilobytes: u64,
    /// From a command to its durable answer.
    pub(crate) latency: Latency,
}

impl Run {
    /// Instances per second.
    pub(crate) fn rate(&self) -> f64 {
        self.instances as f64 / self.wall.as_secs_f64()
    }
}

impl Workload {
    /// The workload with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Workload> {
        WORKLOADS.iter().find(|workload| workload.name == name)
    }

    /// How many instances stand for so many of W1.
    pub(crate) fn count(&self, of_w1: u64) -> u64 {
        (of_w1 / self.weight).max(1)
    }

    /// What the instance at this place of a run begins with; several places share a person.
    pub(crate) fn variables(&self, at: u64, people: u64) -> Value {
        match self.work {
            Work::Sequence | Work::Parallel | Work::Saga => {
                serde_json::from_str(VARIABLES).unwrap_or_default()
            }
            Work::Loop(rounds) => json!({ "round": 0, "rounds": rounds }),
            Work::Typical => {
                json!({ "order": order(at), "amount": 120, "customer": { "name": "Ada", "vip": true },
                                     "note": "1 KB of variables in all. ".repeat(36) })
            }
            Work::People => json!({ "order": "A-17", "person": person(at % people) }),
            Work::Fanout(items) => json!({ "items": (0..items).collect::<Vec<u32>>() }),
        }
    }

    /// Does a job begin only when the one before it is durable?
    fn is_sequence(&self) -> bool {
        matches!(self.work, Work::Sequence | Work::Saga | Work::Typical)
    }
}

/// What a message to the instance at this place names.
pub(crate) fn order(at: u64) -> String {
    format!("order-{at:010}")
}

/// Who does the tasks of an instance.
pub(crate) fn person(at: u64) -> String {
    format!("person-{at:04}")
}

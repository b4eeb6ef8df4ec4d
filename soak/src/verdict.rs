//! Compares what was acknowledged with what was kept. Pure: a ledger and records in, a verdict out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::gather::Record;
use crate::ledger::Entry;
use crate::load::result;

/// How an instance of each process ends, and which nodes it completes, each once.
const ENDS: [(&str, &str, &[&str]); 4] = [
    (
        "soak",
        "completed",
        &["start", "fork", "first", "pause", "news", "call", "join", "ask", "second", "end"],
    ),
    ("called", "completed", &["enter", "third", "leave"]),
    ("told", "completed", &["hear", "heard", "rest"]),
    ("trip", "failed", &["leave_home", "train", "room", "undo_train", "undo_room"]),
];
/// Steps of a trip in the order in which they are undone.
const UNDONE: [&str; 2] = ["undo_room", "undo_train"];

/// What the comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Calls that were acknowledged.
    pub acknowledged: u64,
    /// Of those, not kept.
    pub lost: u64,
    /// Done more than once.
    pub doubled: u64,
    /// Anything else that must never be.
    pub invariants: u64,
    /// One sentence for each.
    pub complaints: Vec<String>,
}

impl Verdict {
    /// Nothing was found, and there was something to look at.
    pub fn is_clean(&self) -> bool {
        self.acknowledged > 0 && self.lost == 0 && self.doubled == 0 && self.invariants == 0
    }

    fn lost(&mut self, complaint: String) {
        self.lost += 1;
        self.complaints.push(format!("lost: {complaint}"));
    }

    fn doubled(&mut self, complaint: String) {
        self.doubled += 1;
        self.complaints.push(format!("doubled: {complaint}"));
    }

    fn broken(&mut self, complaint: String) {
        self.invariants += 1;
        self.complaints.push(format!("invariant: {complaint}"));
    }
}

/// Compares.
pub fn judge(ledger: &[Entry], records: &BTreeMap<String, Record>) -> Verdict {
    let mut verdict = Verdict::default();
    for (id, record) in records {
        judge_record(&mut verdict, id, record);
    }
    let counts = Counts::of(records);
    for entry in ledger {
        judge_entry(&mut verdict, entry, records, &counts);
    }
    judge_keys(&mut verdict, ledger);
    judge_effects(&mut verdict, ledger);
    judge_messages(&mut verdict, ledger);
    verdict
}

/// How often history says what of which job or task.
struct Counts(BTreeMap<(String, String), u64>);

impl Counts {
    fn of(records: &BTreeMap<String, Record>) -> Counts {
        let mut counts = BTreeMap::new();
        for event in records.values().flat_map(|record| &record.events) {
            let kind = text(&event["type"]);
            for name in ["jobId", "taskId"] {
                if let Some(id) = event["data"][name].as_str() {
                    *counts.entry((kind.to_owned(), id.to_owned())).or_default() += 1;
                }
            }
        }
        Counts(counts)
    }

    fn get(&self, kind: &str, id: &str) -> u64 {
        self.0.get(&(kind.to_owned(), id.to_owned())).copied().unwrap_or(0)
    }
}

/// What must hold for every instance, whatever was acknowledged.
fn judge_record(verdict: &mut Verdict, id: &str, record: &Record) {
    let Some((_, status, nodes)) = ENDS.into_iter().find(|(process, ..)| *process == record.process) else {
        return verdict.broken(format!("{id} is of `{}`, which nobody has deployed", record.process));
    };
    if record.status != status {
        verdict.broken(format!("{id} of {} is {}: expected {status}", record.process, record.status));
    }
    if let Some((event, seq)) = record.events.iter().zip(1_u64..).find(|(event, seq)| event["seq"] != *seq) {
        verdict.broken(format!("the history of {id} has {} where {seq} should be", event["seq"]));
    }
    let (mut completed, mut results): (BTreeMap<&str, u64>, BTreeMap<&str, u64>) = Default::default();
    let mut undone = Vec::new();
    for event in &record.events {
        let (node, data) = (text(&event["data"]["nodeId"]), &event["data"]);
        match text(&event["type"]) {
            "node.completed" => {
                *completed.entry(node).or_default() += 1;
                undone.extend(UNDONE.contains(&node).then_some(node));
            }
            "job.completed" | "job.failed" => *results.entry(text(&data["jobId"])).or_default() += 1,
            "task.completed" => *results.entry(text(&data["taskId"])).or_default() += 1,
            _ => {}
        }
    }
    if completed != nodes.iter().map(|node| (*node, 1)).collect() {
        verdict.broken(format!("the nodes of {id} were completed so often: {completed:?}"));
    }
    if record.process == "trip" && undone != UNDONE {
        verdict.broken(format!("the steps of {id} were undone in this order: {undone:?}"));
    }
    for (thing, _) in results.iter().filter(|(_, count)| **count > 1) {
        verdict.doubled(format!("{thing} has more than one result in history"));
    }
}

/// What was acknowledged is there, once, and as it was acknowledged.
fn judge_entry(verdict: &mut Verdict, entry: &Entry, records: &BTreeMap<String, Record>, counts: &Counts) {
    match entry {
        Entry::Started { key, instance, .. } => {
            verdict.acknowledged += 1;
            if !records.contains_key(instance) {
                verdict.lost(format!("{instance}, started as {key}"));
            }
        }
        Entry::JobCompleted { instance, node, job, lease } => {
            verdict.acknowledged += 1;
            let applied =
                records.get(instance).and_then(|record| record.variables[format!("by_{node}")].as_str());
            if counts.get("job.completed", job) == 0 {
                verdict.lost(format!("the completion of {job}"));
            } else if !UNDONE.contains(&node.as_str()) && applied != Some(&result(job, *lease)) {
                verdict.lost(format!("the result of {job} under lease {lease}: {applied:?} was applied"));
            }
        }
        Entry::JobFailed { job, .. } => {
            verdict.acknowledged += 1;
            if counts.get("job.failed", job) == 0 {
                verdict.lost(format!("the failure of {job}"));
            }
        }
        Entry::TaskCompleted { task, .. } => {
            verdict.acknowledged += 1;
            if counts.get("task.completed", task) == 0 {
                verdict.lost(format!("the completion of {task}"));
            }
        }
        Entry::TaskClaimed { task, .. } => {
            verdict.acknowledged += 1;
            if counts.get("task.assigned", task) == 0 {
                verdict.lost(format!("the claim of {task}"));
            }
        }
        Entry::Published { process, key, taken_by } => {
            verdict.acknowledged += 1;
            for gone in taken_by.iter().filter(|instance| !records.contains_key(*instance)) {
                verdict.lost(format!("{gone} of {process}, which had message {key}"));
            }
        }
        Entry::Broken { complaint } => verdict.broken(complaint.clone()),
        Entry::Effect { .. } => {}
    }
}

/// One key, one instance of a process: also for instances that only their workers have met.
fn judge_keys(verdict: &mut Verdict, ledger: &[Entry]) {
    let mut by_key: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for entry in ledger {
        if let Entry::Started { process, key, instance } | Entry::Effect { process, key, instance, .. } =
            entry
        {
            by_key.entry((process, key)).or_default().insert(instance);
        }
    }
    for ((process, key), instances) in by_key.iter().filter(|(_, instances)| instances.len() > 1) {
        verdict.doubled(format!("start {key} of {process} made {instances:?}"));
    }
}

/// A message that begins an instance has begun one: a worker has met it.
fn judge_messages(verdict: &mut Verdict, ledger: &[Entry]) {
    for (process, key) in unmet(ledger) {
        verdict.lost(format!("message {key} for {process} has reached nobody"));
    }
}

/// Messages, by process and key, whose instances no worker has met.
pub fn unmet(ledger: &[Entry]) -> BTreeSet<(&str, &str)> {
    let (mut published, mut met) = (BTreeSet::new(), BTreeSet::new());
    for entry in ledger {
        if let Entry::Published { process, key, .. } = entry {
            published.insert((process.as_str(), key.as_str()));
        } else if let Entry::Effect { process, key, .. } = entry {
            met.insert((process.as_str(), key.as_str()));
        }
    }
    &published - &met
}

/// A lease is given to one worker.
fn judge_effects(verdict: &mut Verdict, ledger: &[Entry]) {
    let mut given = BTreeSet::new();
    for entry in ledger {
        if let Entry::Effect { job, lease, .. } = entry
            && !given.insert((job, lease))
        {
            verdict.doubled(format!("lease {lease} of {job} was given to two workers"));
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

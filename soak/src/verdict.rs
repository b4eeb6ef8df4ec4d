//! Compares what was acknowledged with what was kept. Pure: a ledger and records in, a verdict out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::gather::Record;
use crate::ledger::Entry;
use crate::load::result;

/// How often each node of the process is completed in one instance.
const NODES: [&str; 8] = ["start", "fork", "first", "pause", "join", "ask", "second", "end"];

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
    if record.status != "completed" {
        verdict.broken(format!("{id} has not ended: it is {}", record.status));
    }
    if let Some((event, seq)) = record.events.iter().zip(1_u64..).find(|(event, seq)| event["seq"] != *seq) {
        verdict.broken(format!("the history of {id} has {} where {seq} should be", event["seq"]));
    }
    let mut completed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut results: BTreeMap<&str, u64> = BTreeMap::new();
    for event in &record.events {
        match text(&event["type"]) {
            "node.completed" => *completed.entry(text(&event["data"]["nodeId"])).or_default() += 1,
            "job.completed" | "job.failed" => *results.entry(text(&event["data"]["jobId"])).or_default() += 1,
            "task.completed" => *results.entry(text(&event["data"]["taskId"])).or_default() += 1,
            _ => {}
        }
    }
    let expected: BTreeMap<&str, u64> = NODES.into_iter().map(|node| (node, 1)).collect();
    if completed != expected {
        verdict.broken(format!("the nodes of {id} were completed so often: {completed:?}"));
    }
    for (thing, _) in results.iter().filter(|(_, count)| **count > 1) {
        verdict.doubled(format!("{thing} has more than one result in history"));
    }
}

/// What was acknowledged is there, once, and as it was acknowledged.
fn judge_entry(verdict: &mut Verdict, entry: &Entry, records: &BTreeMap<String, Record>, counts: &Counts) {
    match entry {
        Entry::Started { key, instance } => {
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
            } else if applied != Some(&result(job, *lease)) {
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
        Entry::Broken { complaint } => verdict.broken(complaint.clone()),
        Entry::Effect { .. } => {}
    }
}

/// One key, one instance: also for instances that only their workers have met.
fn judge_keys(verdict: &mut Verdict, ledger: &[Entry]) {
    let mut by_key: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for entry in ledger {
        if let Entry::Started { key, instance } | Entry::Effect { key, instance, .. } = entry {
            by_key.entry(key).or_default().insert(instance);
        }
    }
    for (key, instances) in by_key.iter().filter(|(_, instances)| instances.len() > 1) {
        verdict.doubled(format!("start {key} made {instances:?}"));
    }
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

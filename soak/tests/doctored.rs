//! The checker can fail: every kind of damage is found in doctored ledgers and histories.

use std::collections::BTreeMap;

use serde_json::json;
use tyer_soak::gather::Record;
use tyer_soak::ledger::Entry;
use tyer_soak::verdict::{Verdict, judge};

const ID: &str = "inst_7";

/// An instance as it should be: both jobs, the task, every node once.
fn sound() -> (Vec<Entry>, BTreeMap<String, Record>) {
    let ledger = vec![
        Entry::Started { process: "soak".into(), key: "a".into(), instance: ID.into() },
        Entry::Effect {
            process: "soak".into(),
            key: "a".into(),
            instance: ID.into(),
            job: "job_7-1".into(),
            lease: 1,
        },
        Entry::JobFailed { instance: ID.into(), job: "job_7-1".into() },
        Entry::Effect {
            process: "soak".into(),
            key: "a".into(),
            instance: ID.into(),
            job: "job_7-2".into(),
            lease: 1,
        },
        Entry::Effect {
            process: "soak".into(),
            key: "a".into(),
            instance: ID.into(),
            job: "job_7-2".into(),
            lease: 2,
        },
        Entry::JobCompleted { instance: ID.into(), node: "first".into(), job: "job_7-2".into(), lease: 2 },
        Entry::TaskClaimed { instance: ID.into(), task: "task_7-3".into() },
        Entry::TaskCompleted { instance: ID.into(), task: "task_7-3".into() },
        Entry::Published { process: "soak".into(), key: "a".into(), taken_by: vec![ID.into()] },
    ];
    let mut events = vec![
        json!({ "type": "job.failed", "data": { "jobId": "job_7-1" } }),
        json!({ "type": "job.completed", "data": { "jobId": "job_7-2" } }),
        json!({ "type": "task.assigned", "data": { "taskId": "task_7-3" } }),
        json!({ "type": "task.completed", "data": { "taskId": "task_7-3" } }),
        json!({ "type": "job.completed", "data": { "jobId": "job_7-4" } }),
    ];
    for node in ["start", "fork", "first", "pause", "news", "call", "join", "ask", "second", "end"] {
        events.push(json!({ "type": "node.completed", "data": { "nodeId": node } }));
    }
    let mut record = Record {
        process: "soak".into(),
        status: "completed".into(),
        variables: json!({ "by_first": "job_7-2/2" }),
        events,
    };
    number(&mut record);
    (ledger, BTreeMap::from([(ID.to_owned(), record)]))
}

fn number(record: &mut Record) {
    for (event, seq) in record.events.iter_mut().zip(1..) {
        event["seq"] = json!(seq);
    }
}

/// (lost, doubled, invariants) after the damage.
fn found(damage: impl FnOnce(&mut Vec<Entry>, &mut BTreeMap<String, Record>)) -> (u64, u64, u64) {
    let (mut ledger, mut records) = sound();
    damage(&mut ledger, &mut records);
    let Verdict { lost, doubled, invariants, complaints, .. } = judge(&ledger, &records);
    assert_eq!((lost + doubled + invariants) as usize, complaints.len(), "{complaints:?}");
    (lost, doubled, invariants)
}

fn the_record(records: &mut BTreeMap<String, Record>) -> &mut Record {
    records.get_mut(ID).expect("it is there")
}

#[test]
fn a_sound_run_is_clean_and_an_empty_one_is_not() {
    let (ledger, records) = sound();
    let verdict = judge(&ledger, &records);
    assert!(verdict.is_clean(), "{verdict:?}");
    assert_eq!(verdict.acknowledged, 6);
    assert!(!judge(&[], &BTreeMap::new()).is_clean(), "nothing acknowledged proves nothing");
}

#[test]
fn an_acknowledged_start_that_is_gone_is_lost() {
    let (lost, _, _) = found(|_, records| records.clear());
    assert_eq!(lost, 6, "the start, and everything acknowledged in it");
}

#[test]
fn an_acknowledged_result_that_history_does_not_know_is_lost() {
    for (kind, id) in [
        ("job.completed", "job_7-2"),
        ("job.failed", "job_7-1"),
        ("task.completed", "task_7-3"),
        ("task.assigned", "task_7-3"),
    ] {
        let damage = |_: &mut Vec<Entry>, records: &mut BTreeMap<String, Record>| {
            let record = the_record(records);
            let is_it = |event: &serde_json::Value| {
                event["type"] == kind && (event["data"]["jobId"] == id || event["data"]["taskId"] == id)
            };
            record.events.retain(|event| !is_it(event));
            number(record);
        };
        assert_eq!(found(damage), (1, 0, 0), "{kind}");
    }
}

#[test]
fn an_acknowledged_result_under_another_lease_is_lost() {
    let other = |_: &mut Vec<Entry>, records: &mut BTreeMap<String, Record>| {
        the_record(records).variables["by_first"] = json!("job_7-2/1");
    };
    assert_eq!(found(other), (1, 0, 0));
}

#[test]
fn a_result_that_was_applied_twice_is_doubled() {
    let twice = |_: &mut Vec<Entry>, records: &mut BTreeMap<String, Record>| {
        let record = the_record(records);
        record.events.push(json!({ "type": "task.completed", "data": { "taskId": "task_7-3" } }));
        number(record);
    };
    assert_eq!(found(twice), (0, 1, 0));
}

#[test]
fn two_instances_of_one_key_are_doubled_even_if_only_a_worker_has_met_the_second() {
    let effect = Entry::Effect {
        process: "soak".into(),
        key: "a".into(),
        instance: "inst_8".into(),
        job: "job_8-1".into(),
        lease: 1,
    };
    assert_eq!(found(|ledger, _| ledger.push(effect)), (0, 1, 0));
}

#[test]
fn a_lease_that_two_workers_got_is_doubled() {
    let effect = Entry::Effect {
        process: "soak".into(),
        key: "a".into(),
        instance: ID.into(),
        job: "job_7-2".into(),
        lease: 2,
    };
    assert_eq!(found(|ledger, _| ledger.push(effect)), (0, 1, 0));
}

#[test]
fn a_gap_a_node_too_often_a_missing_end_and_a_wrong_answer_break_invariants() {
    assert_eq!(found(|_, records| drop(the_record(records).events.remove(4))), (0, 0, 1), "a gap in history");
    let twice = |_: &mut Vec<Entry>, records: &mut BTreeMap<String, Record>| {
        let record = the_record(records);
        record.events.push(json!({ "type": "node.completed", "data": { "nodeId": "join" } }));
        number(record);
    };
    assert_eq!(found(twice), (0, 0, 1), "a join that fired twice");
    assert_eq!(
        found(|_, records| the_record(records).status = "running".into()),
        (0, 0, 1),
        "it never ended"
    );
    let broken = Entry::Broken { complaint: "500".into() };
    assert_eq!(found(|ledger, _| ledger.push(broken)), (0, 0, 1), "an answer that must never be");
}

/// A trip as it should be: two steps done, both undone, the last one first.
fn trip(undone: [&str; 2]) -> BTreeMap<String, Record> {
    let nodes = ["leave_home", "train", "room"].into_iter().chain(undone);
    let events = nodes.map(|node| json!({ "type": "node.completed", "data": { "nodeId": node } })).collect();
    let mut record = Record { process: "trip".into(), status: "failed".into(), variables: json!({}), events };
    number(&mut record);
    BTreeMap::from([("inst_9".to_owned(), record)])
}

#[test]
fn steps_that_are_undone_in_the_wrong_order_break_an_invariant() {
    assert_eq!(judge(&[], &trip(["undo_room", "undo_train"])).invariants, 0);
    assert_eq!(judge(&[], &trip(["undo_train", "undo_room"])).invariants, 1);
    assert_eq!(judge(&[], &trip(["undo_room", "undo_room"])).invariants, 2, "and one twice, the other never");
}

#[test]
fn a_message_that_has_begun_nothing_is_lost() {
    let silent = Entry::Published { process: "told".into(), key: "b".into(), taken_by: Vec::new() };
    assert_eq!(found(|ledger, _| ledger.push(silent)), (1, 0, 0));
}

//! What the world does with the server while it is being killed: it starts, tells, works, decides, and tries again.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tyer_server::client::Answer;

use crate::caller::{Answered, Caller};
use crate::ledger::{Entry, Ledger};
use crate::trouble::Addresses;

/// Instances under way, at most: what is left at the end must be finished in time.
const UNDER_WAY: i64 = 150;
/// Nodes after which nothing is left to do for the world.
const LAST_NODES: [&str; 3] = ["second", "heard", "undo_train"];
/// What workers do; `soak-pay` never goes well.
const TYPES: [&str; 9] = [
    "soak-first",
    "soak-second",
    "soak-third",
    "soak-heard",
    "soak-train",
    "soak-room",
    "soak-pay",
    "soak-undo-room",
    "soak-undo-train",
];

/// What the world is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Phase {
    /// Everything.
    Load,
    /// Nothing new; finish what has begun.
    Drain,
    /// Nothing.
    Stop,
}

/// What every part of the world has.
#[derive(Clone, Debug)]
pub struct World {
    /// Where the servers listen now.
    pub addresses: Addresses,
    /// A call that takes longer has no answer.
    pub patience: Duration,
    /// Is that a finding?
    pub must_answer: bool,
    /// What to do.
    pub phase: watch::Receiver<Phase>,
    /// Where it is written down.
    pub ledger: Ledger,
    /// Instances started and not ended, as far as we know.
    pub under_way: Arc<AtomicI64>,
    /// Instances begun so far.
    pub begun: Arc<AtomicU64>,
    /// What chance comes from.
    pub seed: u64,
}

impl World {
    fn is(&self, phase: Phase) -> bool {
        *self.phase.borrow() <= phase
    }
}

/// Begins instances under keys of its own.
pub async fn starts(world: World, number: u64) {
    let mut caller = Caller::new(&world, number);
    for count in 0_u64.. {
        while world.under_way.load(Ordering::SeqCst) >= UNDER_WAY && world.is(Phase::Load) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if !world.is(Phase::Load) {
            return;
        }
        let key = format!("{number}-{count}");
        world.under_way.fetch_add(1, Ordering::SeqCst);
        world.begun.fetch_add(1, Ordering::SeqCst);
        match caller.dice.below(4) {
            0 => caller.start("trip", &key).await,
            1 => caller.publish("soak-begin", "told", &key).await,
            // The message may come before or after the one who waits for it.
            2 => {
                caller.publish("soak-news", "soak", &key).await;
                caller.start("soak", &key).await;
            }
            _ => {
                caller.start("soak", &key).await;
                caller.publish("soak-news", "soak", &key).await;
            }
        }
    }
}

/// Does jobs, and now and then fails one.
pub async fn works(world: World, number: u64) {
    let mut caller = Caller::new(&world, 1_000 + number);
    let wanted =
        json!({ "types": TYPES, "max": 8, "timeout": 2_000, "worker": format!("w{number}"), "waitMs": 200 });
    while world.is(Phase::Drain) {
        let Some(answer) = caller.try_once("/api/jobs/activate", None, &wanted).await else { continue };
        let body = answer.json();
        let Some(jobs) = body["jobs"].as_array() else {
            caller.broken("activate".to_owned(), &answer).await;
            continue;
        };
        for job in jobs {
            caller.work(job).await;
        }
    }
}

/// Completes the tasks that fall to this one of `people`.
pub async fn decides(world: World, number: u64, people: u64) {
    let mut caller = Caller::new(&world, 2_000 + number);
    while world.is(Phase::Drain) {
        let Some(listed) = caller.get("/api/tasks?limit=1000").await else { continue };
        let body = listed.json();
        let tasks = body["tasks"].as_array().cloned().unwrap_or_default();
        let mine: Vec<&Value> =
            tasks.iter().filter(|task| falls_to(text(task, "id"), people) == number).collect();
        if mine.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        for task in mine {
            if caller.dice.once_in(2) {
                caller.claim(text(task, "id"), text(task, "instanceId"), number).await;
            }
            caller.decide(text(task, "id"), text(task, "instanceId")).await;
        }
    }
}

impl Caller {
    async fn start(&mut self, process: &str, key: &str) {
        let body = json!({ "inputData": { "key": key }, "options": { "businessKey": key } });
        let path = format!("/api/workflows/{process}/instances");
        let first = self.post(&path, Some(key), &body).await.answer;
        let Some(instance) = first.json()["instance"]["id"].as_str().map(str::to_owned) else {
            return self.broken(format!("start {key}"), &first).await;
        };
        let process = process.to_owned();
        self.world.ledger.write(Entry::Started { process, key: key.to_owned(), instance }).await;
        if self.dice.once_in(5) {
            let again = self.post(&path, Some(key), &body).await.answer;
            if again.body != first.body {
                self.broken(format!("the second start {key} is not answered as the first"), &again).await;
            }
        }
    }

    /// A message is published again until there is an answer: its id makes it one message.
    async fn publish(&mut self, name: &str, process: &str, key: &str) {
        let body = json!({
            "name": name, "correlationKey": key, "messageId": key, "ttl": 3_600_000, "variables": { "key": key },
        });
        let Answered { answer, tried_before } = self.post("/api/messages", None, &body).await;
        let told = answer.json();
        let Some(taken_by) = told["message"]["correlatedTo"].as_array() else {
            return self.broken(format!("publish {name} {key}"), &answer).await;
        };
        if told["message"]["duplicate"] == true && !tried_before {
            self.broken(format!("message {name} {key} was new"), &answer).await;
        }
        let taken_by = taken_by.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let (process, key) = (process.to_owned(), key.to_owned());
        self.world.ledger.write(Entry::Published { process, key, taken_by }).await;
    }

    async fn work(&mut self, job: &Value) {
        let (id, instance, node) = (text(job, "id"), text(job, "instanceId"), text(job, "nodeId"));
        let lease = job["lease"].as_u64().unwrap_or(0);
        let (process, key) = (text(job, "workflowId").to_owned(), text(&job["variables"], "key").to_owned());
        let effect = Entry::Effect { process, key, instance: instance.to_owned(), job: id.to_owned(), lease };
        self.world.ledger.write(effect).await;
        if node == "pay" {
            return self.fail(id, instance, lease, Some(0)).await;
        }
        // A handler that fails is for a person to look at: nobody fails one here.
        if job["attempt"] == 1 && !node.starts_with("undo") && self.dice.once_in(10) {
            return self.fail(id, instance, lease, None).await;
        }
        let path = format!("/api/jobs/{id}/complete");
        let body = json!({ "lease": lease, "variables": { format!("by_{node}"): result(id, lease) } });
        let Answered { answer, .. } = self.post(&path, None, &body).await;
        match outcome(&answer) {
            "done" => {
                let (instance, node, job) = (instance.to_owned(), node.to_owned(), id.to_owned());
                self.world.ledger.write(Entry::JobCompleted { instance, node, job, lease }).await;
                if self.dice.once_in(5) {
                    let again = self.post(&path, None, &body).await.answer;
                    if outcome(&again) != "job_already_completed" {
                        self.broken(format!("the second completion of {id}"), &again).await;
                    }
                }
            }
            // An earlier try of ours was done, or the lease ran out while the server was away and another has it now.
            "job_already_completed" | "job_already_failed" | "lease_lost" => {}
            _ => self.broken(format!("complete {id}"), &answer).await,
        }
        if LAST_NODES.contains(&node) && matches!(outcome(&answer), "done" | "job_already_completed") {
            self.world.under_way.fetch_sub(1, Ordering::SeqCst);
        }
    }

    async fn fail(&mut self, id: &str, instance: &str, lease: u64, retries: Option<u32>) {
        let body = json!({ "lease": lease, "error": "soak", "backoffMs": 20, "retries": retries });
        let answer = self.post(&format!("/api/jobs/{id}/fail"), None, &body).await.answer;
        match outcome(&answer) {
            "done" => {
                let entry = Entry::JobFailed { instance: instance.to_owned(), job: id.to_owned() };
                self.world.ledger.write(entry).await;
            }
            "job_already_completed" | "job_already_failed" | "lease_lost" => {}
            _ => self.broken(format!("fail {id}"), &answer).await,
        }
    }

    async fn claim(&mut self, task: &str, instance: &str, number: u64) {
        let body = json!({ "userId": format!("p{number}") });
        let answer = self.post(&format!("/api/tasks/{task}/claim"), None, &body).await.answer;
        match outcome(&answer) {
            "done" => {
                let entry = Entry::TaskClaimed { instance: instance.to_owned(), task: task.to_owned() };
                self.world.ledger.write(entry).await;
            }
            _ => self.broken(format!("claim {task}"), &answer).await,
        }
    }

    async fn decide(&mut self, task: &str, instance: &str) {
        let path = format!("/api/tasks/{task}/complete");
        let body = json!({ "data": { "decided": true } });
        let Answered { answer, tried_before } = self.post(&path, None, &body).await;
        match outcome(&answer) {
            "done" => {
                let entry = Entry::TaskCompleted { instance: instance.to_owned(), task: task.to_owned() };
                self.world.ledger.write(entry).await;
                if self.dice.once_in(5) {
                    let again = self.post(&path, None, &body).await.answer;
                    if outcome(&again) != "task_already_completed" {
                        self.broken(format!("the second completion of {task}"), &again).await;
                    }
                }
            }
            "task_already_completed" if tried_before => {}
            _ => self.broken(format!("complete {task}"), &answer).await,
        }
    }
}

/// What a result says of itself: the variable that shows whose result was applied.
pub fn result(job: &str, lease: u64) -> String {
    format!("{job}/{lease}")
}

/// `done`, or the code of the refusal.
fn outcome(answer: &Answer) -> &'static str {
    const KNOWN: [&str; 4] =
        ["job_already_completed", "job_already_failed", "lease_lost", "task_already_completed"];
    if answer.status.is_success() {
        return "done";
    }
    let body = answer.json();
    KNOWN.into_iter().find(|code| body["error"]["code"] == *code).unwrap_or("unexpected")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("?")
}

fn falls_to(task: &str, people: u64) -> u64 {
    task.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % people
}

//! What the world does with the server while it is being killed: it starts, works, decides, and tries again.
//!
//! **Invariant:** a call without an answer is made again until there is one; only answers are acknowledged.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tyer_server::client::{Answer, Client};

use crate::dice::Dice;
use crate::ledger::{Entry, Ledger};

/// Instances under way, at most: what is left at the end must be finished in time.
const UNDER_WAY: i64 = 150;
/// A call that takes longer has no answer.
const PATIENCE: Duration = Duration::from_secs(30);

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
    /// Where the server listens now.
    pub address: watch::Receiver<SocketAddr>,
    /// What to do.
    pub phase: watch::Receiver<Phase>,
    /// Where it is written down.
    pub ledger: Ledger,
    /// Instances started and not ended, as far as we know.
    pub under_way: Arc<AtomicI64>,
    /// What chance comes from.
    pub seed: u64,
}

/// One caller with its own connection.
struct Caller {
    world: World,
    client: Client,
    connected_to: SocketAddr,
    dice: Dice,
}

/// An answer, and whether earlier tries may have been done without one.
struct Answered {
    answer: Answer,
    tried_before: bool,
}

impl World {
    fn caller(&self, name: u64) -> Caller {
        let connected_to = *self.address.borrow();
        let (client, dice) = (Client::new(connected_to), Dice::new(self.seed, name));
        Caller { world: self.clone(), client, connected_to, dice }
    }

    fn is(&self, phase: Phase) -> bool {
        *self.phase.borrow() <= phase
    }
}

/// Starts instances under keys of its own.
pub async fn starts(world: World, number: u64) {
    let mut caller = world.caller(number);
    for count in 0_u64.. {
        while world.under_way.load(Ordering::SeqCst) >= UNDER_WAY && world.is(Phase::Load) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if !world.is(Phase::Load) {
            return;
        }
        let key = format!("{number}-{count}");
        let body = json!({ "inputData": { "key": key }, "options": { "businessKey": key } });
        world.under_way.fetch_add(1, Ordering::SeqCst);
        let path = "/api/workflows/soak/instances";
        let first = caller.post(path, Some(&key), &body).await.answer;
        let Some(instance) = first.json()["instance"]["id"].as_str().map(str::to_owned) else {
            caller.broken(format!("start {key}"), &first).await;
            continue;
        };
        world.ledger.write(Entry::Started { key: key.clone(), instance }).await;
        if caller.dice.once_in(5) {
            let again = caller.post(path, Some(&key), &body).await.answer;
            if again.body != first.body {
                caller.broken(format!("the second start {key} is not answered as the first"), &again).await;
            }
        }
    }
}

/// Does jobs, and now and then fails one.
pub async fn works(world: World, number: u64) {
    let mut caller = world.caller(1_000 + number);
    let wanted = json!({
        "types": ["soak-first", "soak-second"], "max": 8, "timeout": 2_000, "worker": format!("w{number}"), "waitMs": 200,
    });
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
    let mut caller = world.caller(2_000 + number);
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
            caller.decide(text(task, "id"), text(task, "instanceId")).await;
        }
    }
}

impl Caller {
    async fn work(&mut self, job: &Value) {
        let (id, instance, node) = (text(job, "id"), text(job, "instanceId"), text(job, "nodeId"));
        let lease = job["lease"].as_u64().unwrap_or(0);
        let key = job["variables"]["key"].as_str().unwrap_or("?").to_owned();
        let effect = Entry::Effect { key, instance: instance.to_owned(), job: id.to_owned(), lease };
        self.world.ledger.write(effect).await;
        if job["attempt"] == 1 && self.dice.once_in(10) {
            return self.fail(id, instance, lease).await;
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
        if node == "second" && matches!(outcome(&answer), "done" | "job_already_completed") {
            self.world.under_way.fetch_sub(1, Ordering::SeqCst);
        }
    }

    async fn fail(&mut self, id: &str, instance: &str, lease: u64) {
        let body = json!({ "lease": lease, "error": "soak", "backoffMs": 20 });
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

    /// Asks until there is an answer.
    async fn post(&mut self, path: &str, key: Option<&str>, body: &Value) -> Answered {
        let mut tried_before = false;
        loop {
            if let Some(answer) = self.try_once(path, key, body).await {
                return Answered { answer, tried_before };
            }
            tried_before = true;
        }
    }

    async fn try_once(&mut self, path: &str, key: Option<&str>, body: &Value) -> Option<Answer> {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(key.map(|key| ("idempotency-key", key)));
        self.send(hyper::Method::POST, path, &headers, body.to_string()).await
    }

    async fn get(&mut self, path: &str) -> Option<Answer> {
        self.send(hyper::Method::GET, path, &[], String::new()).await
    }

    async fn send(
        &mut self,
        method: hyper::Method,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Option<Answer> {
        let address = *self.world.address.borrow();
        if address != self.connected_to {
            (self.client, self.connected_to) = (Client::new(address), address);
        }
        match tokio::time::timeout(PATIENCE, self.client.send(method, path, headers, body.into())).await {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(_)) => {
                // Dead, and perhaps not yet born again.
                tokio::time::sleep(Duration::from_millis(5)).await;
                None
            }
            Err(_) => {
                let complaint = format!("{path} has no answer after {PATIENCE:?}");
                self.world.ledger.write(Entry::Broken { complaint }).await;
                None
            }
        }
    }

    async fn broken(&self, what: String, answer: &Answer) {
        let complaint = format!("{what}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
        self.world.ledger.write(Entry::Broken { complaint }).await;
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

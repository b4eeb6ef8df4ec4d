//! Many hands at two nodes take, give back and finish the same things at once; then every thing's answers are explained by
//! one order of the calls, or are a finding.

pub mod checker;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::task::{JoinSet, block_in_place};
use tyer_server::client::Client;

use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};
use crate::run::{Report, deploy};
use crate::trouble;
use crate::trouble::place::Place;
use crate::verdict::Verdict;
use checker::{Act, Answer, Call, is_explained};

const CLIENTS: u64 = 8;
const INSTANCES: usize = 6;
const CALLS_EACH: u32 = 16;

/// Runs so many rounds.
pub async fn run(program: &Path, arguments: &Arguments) -> Result<Report> {
    let folder = trouble::folder(arguments.seed)?;
    eprintln!("soak: seed {}, data in {}", arguments.seed, folder.display());
    let place = Place::create(arguments.store, &folder).await?;
    let birth = |name: &str| Birth::new(program.to_owned(), place.arguments(), folder.join(name));
    let begin = || -> Result<[Life; 2]> { Ok([birth("one.log").begin()?, birth("two.log").begin()?]) };
    let lives = block_in_place(begin)?;
    let nodes = lives.each_ref().map(Life::address);
    deploy(nodes[0], include_bytes!("linear.bpmn")).await?;
    let mut verdict = Verdict::default();
    let mut instances = 0;
    for round in 0..arguments.times {
        let things = Arc::new(Things::begin(nodes, u64::from(round)).await?);
        instances += INSTANCES;
        let mut hands = JoinSet::new();
        for number in 1..=CLIENTS {
            let dice = Dice::new(arguments.seed, u64::from(round) * 100 + number);
            hands.spawn(hand(Arc::clone(&things), nodes, number, dice));
        }
        while let Some(ended) = hands.join_next().await {
            ended.context("a hand did not end well")??;
        }
        judge(&things, &mut verdict);
    }
    for life in lives {
        life.kill()?;
    }
    if verdict.is_clean() {
        place.remove().await?;
        std::fs::remove_dir_all(&folder).context("cannot remove the folder of the run")?;
    }
    Ok(Report { title: arguments.title(), instances, verdict })
}

/// What the hands of one round reach for, and what they were answered.
struct Things {
    tasks: Vec<String>,
    messages: Vec<String>,
    /// Jobs that somebody has, with their leases.
    taken: Mutex<Vec<(String, u64)>>,
    calls: Mutex<BTreeMap<String, Vec<Call>>>,
    clock: Instant,
}

impl Things {
    async fn begin(nodes: [SocketAddr; 2], round: u64) -> Result<Things> {
        let mut client = Client::new(nodes[0]);
        let mut tasks = Vec::new();
        for _ in 0..INSTANCES {
            let started = client.post("/api/workflows/linear/instances", &json!({})).await?.json();
            let id = started["instance"]["id"].as_str().context("an instance has begun")?.to_owned();
            let listed = client.get(&format!("/api/tasks?instanceId={id}")).await?.json();
            tasks.push(text(&listed["tasks"][0], "id")?);
        }
        let messages = (0..INSTANCES).map(|number| format!("m{round}-{number}")).collect();
        let (taken, calls) = (Mutex::default(), Mutex::default());
        Ok(Things { tasks, messages, taken, calls, clock: Instant::now() })
    }

    fn now(&self) -> u128 {
        self.clock.elapsed().as_nanos()
    }

    fn note(&self, thing: &str, call: Call) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.entry(thing.to_owned()).or_default().push(call);
    }

    fn taken(&self) -> std::sync::MutexGuard<'_, Vec<(String, u64)>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One client: each call goes to one of the nodes.
async fn hand(things: Arc<Things>, nodes: [SocketAddr; 2], number: u64, mut dice: Dice) -> Result<()> {
    let mut clients = nodes.map(Client::new);
    for _ in 0..CALLS_EACH {
        let client = &mut clients[dice.below(2) as usize];
        let task = &things.tasks[dice.below(INSTANCES as u64) as usize];
        let message = &things.messages[dice.below(INSTANCES as u64) as usize];
        let job = {
            let taken = things.taken();
            taken.get(dice.below(taken.len() as u64 + 1) as usize).cloned()
        };
        let user = json!({ "userId": format!("p{number}") });
        match (dice.below(10), job) {
            (0..=2, _) => ask(&things, client, task, Act::Claim(number), "claim", &user).await?,
            (3, _) => ask(&things, client, task, Act::Release, "release", &json!({})).await?,
            (4, _) => ask(&things, client, task, Act::Complete, "complete", &json!({})).await?,
            (5..=6, _) => publish(&things, client, message).await?,
            (7..=9, Some((job, lease))) => {
                let lease = lease + u64::from(dice.once_in(4));
                let body = json!({ "lease": lease });
                ask(&things, client, &job, Act::Finish(lease), "complete", &body).await?;
            }
            _ => take(&things, client, number).await?,
        }
    }
    Ok(())
}

async fn ask(
    things: &Things,
    client: &mut Client,
    thing: &str,
    act: Act,
    verb: &str,
    body: &Value,
) -> Result<()> {
    let kind = if thing.starts_with("job") { "jobs" } else { "tasks" };
    let asked = things.now();
    let answer = client.post(&format!("/api/{kind}/{thing}/{verb}"), body).await?;
    let answered = things.now();
    let is_put_off = answer.status == 503 || answer.json()["error"]["code"] == "conflict";
    let call = match answer.status.as_u16() {
        _ if is_put_off => Call { act, answer: None, asked, answered: u128::MAX },
        200..=299 => Call { act, answer: Some(Answer::Done), asked, answered },
        409 => Call { act, answer: Some(Answer::Refused), asked, answered },
        status => bail!("{verb} {thing}: {status} {}", String::from_utf8_lossy(&answer.body)),
    };
    things.note(thing, call);
    Ok(())
}

async fn publish(things: &Things, client: &mut Client, id: &str) -> Result<()> {
    let body = json!({ "name": "linear-news", "correlationKey": id, "messageId": id, "ttl": 3_600_000 });
    let asked = things.now();
    let told = client.post("/api/messages", &body).await?.json();
    let answered = things.now();
    let is_known = told["message"]["duplicate"].as_bool().with_context(|| format!("publish {id}: {told}"))?;
    let answer = if is_known { Answer::Refused } else { Answer::Done };
    things.note(id, Call { act: Act::Publish, answer: Some(answer), asked, answered });
    Ok(())
}

async fn take(things: &Things, client: &mut Client, number: u64) -> Result<()> {
    let worker = format!("w{number}");
    let wanted =
        json!({ "types": ["linear-work"], "max": 1, "timeout": 3_600_000, "worker": worker, "waitMs": 0 });
    let asked = things.now();
    let told = client.post("/api/jobs/activate", &wanted).await?.json();
    let answered = things.now();
    for job in told["jobs"].as_array().with_context(|| format!("activate: {told}"))? {
        let (id, lease) = (text(job, "id")?, job["lease"].as_u64().context("a lease has a number")?);
        things.note(&id, Call { act: Act::Take(lease), answer: Some(Answer::Done), asked, answered });
        things.taken().push((id, lease));
    }
    Ok(())
}

fn judge(things: &Things, verdict: &mut Verdict) {
    let calls = things.calls.lock().unwrap_or_else(PoisonError::into_inner);
    for (thing, calls) in &*calls {
        verdict.acknowledged += calls.len() as u64;
        if !is_explained(calls) {
            verdict.invariants += 1;
            verdict.complaints.push(format!("no order of calls explains {thing}: {calls:?}"));
        }
    }
}

fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).with_context(|| format!("{value} has no {name}"))
}

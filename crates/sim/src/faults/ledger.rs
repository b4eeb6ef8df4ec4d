//! What clients have asked for and were told, kept outside of the engine; and whether history agrees.
//!
//! **Invariant:** what was acknowledged has happened once; what was refused has not; of what nobody knows, at most once.

use std::collections::BTreeMap;

use serde_json::Value;
use tyer_engine::{InstanceId, ItemId};

use super::shelf::{Shelf, events_of};

/// How a request shows in history. Names and reasons are each used by one request only.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// An instance with this business key.
    Start(String),
    /// The result of a job, brought by this worker.
    Job(ItemId, String),
    /// A task, completed by this person.
    Task(ItemId, String),
    /// A variable of this name was set.
    Variable(InstanceId, String),
    /// It was paused, cancelled or bookmarked under this name.
    Named(InstanceId, &'static str, String),
    /// A message that brings this variable: once for each process.
    Message(String),
}

/// What a client knows of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It is done.
    Yes,
    /// It is not done.
    No,
    /// The answer never came.
    Nothing,
}

/// One thing that was asked for, perhaps more than once.
struct Asked {
    mark: Mark,
    acknowledged: bool,
    /// How often it was sent and not answered.
    open: u32,
}

/// All requests.
#[derive(Default)]
pub(super) struct Ledger {
    requests: Vec<Asked>,
}

impl Asked {
    fn told(&self) -> Told {
        match (self.acknowledged, self.open) {
            (true, _) => Told::Yes,
            (false, 0) => Told::No,
            (false, _) => Told::Nothing,
        }
    }
}

impl Ledger {
    /// What a request will leave behind. Gives it a number; two that would show in the same way have the same.
    pub(super) fn note(&mut self, mark: Mark) -> usize {
        let known = self.requests.iter().position(|asked| asked.mark == mark);
        known.unwrap_or_else(|| {
            self.requests.push(Asked { mark, acknowledged: false, open: 0 });
            self.requests.len() - 1
        })
    }

    /// It is sent, once more perhaps: until there is an answer nobody knows.
    pub(super) fn sent(&mut self, number: usize) {
        self.requests[number].open += 1;
    }

    /// An answer came.
    ///
    /// # Errors
    /// A result was taken twice.
    pub(super) fn answer(&mut self, number: usize, told: Told) -> Result<(), String> {
        let asked = &mut self.requests[number];
        let once = matches!(asked.mark, Mark::Job(..) | Mark::Task(..));
        if once && told == Told::Yes && asked.acknowledged {
            return Err(format!("{:?} was acknowledged twice", asked.mark));
        }
        asked.acknowledged |= told == Told::Yes;
        if told != Told::Nothing {
            asked.open -= 1;
        }
        Ok(())
    }

    /// Requests that were acknowledged.
    pub(super) fn acknowledged(&self) -> usize {
        self.requests.iter().filter(|asked| asked.acknowledged).count()
    }

    /// Compares with what is stored.
    pub(super) async fn check(&self, shelf: &Shelf) -> Result<(), String> {
        let past = Past::read(shelf).await?;
        for asked in &self.requests {
            let (mark, told) = (&asked.mark, asked.told());
            let times = past.times(mark);
            let fits = match (mark, told) {
                // Nobody may have waited for it.
                (Mark::Message(_), Told::Yes | Told::Nothing) | (_, Told::Nothing) => times <= 1,
                (_, Told::Yes) => times == 1,
                (_, Told::No) => times == 0,
            };
            if !fits {
                return Err(format!("{mark:?} was answered with {told:?} and has happened {times} times"));
            }
        }
        past.one_result_per_job()
    }
}

/// All that has happened, as it is written.
struct Past {
    turns: BTreeMap<InstanceId, Vec<Vec<Value>>>,
    /// Business keys of those that began by themselves.
    keys: Vec<String>,
    processes: BTreeMap<InstanceId, String>,
}

impl Past {
    async fn read(shelf: &Shelf) -> Result<Past, String> {
        let mut past = Past { turns: BTreeMap::new(), keys: Vec::new(), processes: BTreeMap::new() };
        for (id, kept) in shelf.all().await? {
            past.keys.extend(kept.instance.business_key.filter(|_| kept.instance.parent.is_none()));
            past.processes.insert(id, kept.process.id.clone());
            let rows = shelf.history(id).await?;
            past.turns.insert(id, rows.iter().map(events_of).collect::<Result<_, String>>()?);
        }
        Ok(past)
    }

    fn times(&self, mark: &Mark) -> usize {
        match mark {
            Mark::Start(key) => self.keys.iter().filter(|known| *known == key).count(),
            Mark::Job(job, worker) => self.count(job.instance, |event| {
                is_result(event) && event["data"]["job"] == job.number && event["data"]["worker"] == **worker
            }),
            Mark::Task(task, by) => self.count(task.instance, |event| {
                event["type"] == "task.completed"
                    && event["data"]["task"] == task.number
                    && event["data"]["by"] == **by
            }),
            Mark::Variable(id, name) => self.count(*id, |event| sets(event, name)),
            Mark::Named(id, kind, name) => self.count(*id, |event| {
                event["type"] == *kind
                    && (event["data"]["reason"] == **name || event["data"]["name"] == **name)
            }),
            Mark::Message(name) => self.most_takers_in_a_process(name),
        }
    }

    fn count(&self, id: InstanceId, matches: impl Fn(&Value) -> bool) -> usize {
        let turns = self.turns.get(&id).into_iter().flatten();
        // What a way back writes again was not asked for again.
        let forward = turns.filter(|turn| turn.iter().all(|event| event["type"] != "workflow.rolled_back"));
        forward.flatten().filter(|event| matches(event)).count()
    }

    fn most_takers_in_a_process(&self, name: &str) -> usize {
        let mut takers: BTreeMap<&str, usize> = BTreeMap::new();
        for (id, turns) in &self.turns {
            let takes = |turn: &&Vec<Value>| {
                turn.iter().any(|event| event["type"] == "subscription.triggered")
                    && turn.iter().any(|event| sets(event, name))
            };
            *takers.entry(&self.processes[id]).or_default() += turns.iter().filter(takes).count();
        }
        takers.into_values().max().unwrap_or(0)
    }

    /// I6.
    fn one_result_per_job(&self) -> Result<(), String> {
        for (id, turns) in &self.turns {
            let mut results: BTreeMap<u64, usize> = BTreeMap::new();
            for job in turns.iter().flatten().filter(|event| is_result(event)) {
                *results.entry(job["data"]["job"].as_u64().unwrap_or(0)).or_default() += 1;
            }
            if let Some((job, times)) = results.into_iter().find(|(_, times)| *times > 1) {
                return Err(format!("I6: job {job} of {id} has {times} results"));
            }
        }
        Ok(())
    }
}

fn is_result(event: &Value) -> bool {
    event["type"] == "job.completed" || event["type"] == "job.failed"
}

fn sets(event: &Value, name: &str) -> bool {
    event["type"] == "variable.updated" && event["data"]["values"].get(name).is_some()
}

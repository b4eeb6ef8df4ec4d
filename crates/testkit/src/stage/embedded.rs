//! The runtime as a stage: one engine or several on one store, kept, closed or dropped after every line.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tyer_engine::{
    Command, Instance, InstanceId, ItemId, Number, Rejection, Start, Status, TimerKind, Timestamp, Variables,
};
use tyer_runtime::{ActivateJobs, Engine, Error, JobError, TestClock};

use super::{LEASE_MS, Page, Published, Refusal, Stage, WORKER};

/// Turns or instances read at once.
const PAGE: usize = 1000;
/// Times that a store is asked whether a dropped engine has let go of it.
const PATIENCE: u32 = 500;

/// What happens to the engines after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// They go on.
    Stay,
    /// They are shut down, and opened again.
    Close,
    /// They are dropped with everything that runs in them, and opened again.
    Drop,
}

type Opening = Pin<Box<dyn Future<Output = Result<Engine, Error>>>>;

/// Opens an engine on the store of the stage, with the clock of the stage.
pub type Open = Box<dyn Fn(TestClock) -> Opening>;

/// Engines on one store as a stage. Commands go to one engine after the
/// other, so each of several has a stale cache.
pub struct Embedded {
    open: Open,
    nodes: usize,
    habit: Habit,
    clock: TestClock,
    tokio: Option<Runtime>,
    engines: Vec<Engine>,
    turn: usize,
    held: BTreeMap<ItemId, Held>,
}

/// A job that the worker of the transcript has claimed.
#[derive(Clone, Copy)]
struct Held {
    lease: u32,
    until: Timestamp,
}

impl Embedded {
    /// Engines for instances of the processes of this BPMN file.
    ///
    /// # Errors
    /// When the store cannot be opened or the file is refused.
    pub fn new(bpmn: &[u8], nodes: usize, habit: Habit, open: Open) -> Result<Embedded, Refusal> {
        let (clock, tokio, engines, turn, held) =
            (TestClock::default(), None, Vec::new(), 0, BTreeMap::new());
        let mut stage = Embedded { open, nodes, habit, clock, tokio, engines, turn, held };
        stage.open()?;
        stage.deploy(bpmn)?;
        Ok(stage)
    }

    /// An engine that forgets, as a stage.
    ///
    /// # Errors
    /// When the file is refused.
    pub fn memory(bpmn: &[u8]) -> Result<Embedded, Refusal> {
        let open: Open =
            Box::new(|clock| Box::pin(async move { Engine::builder().clock(&clock).memory().await }));
        Embedded::new(bpmn, 1, Habit::Stay, open)
    }

    fn open(&mut self) -> Result<(), Refusal> {
        let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let tokio = self.tokio.insert(tokio.map_err(|error| Refusal::Broken(error.to_string()))?);
        for _ in 0..self.nodes {
            let engine = open_patiently(tokio, &self.open, &self.clock).map_err(refusal)?;
            self.engines.push(engine);
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(tokio) = self.tokio.take() else { return };
        for engine in self.engines.drain(..) {
            match self.habit {
                Habit::Stay | Habit::Close => tokio.block_on(engine.shutdown()),
                Habit::Drop => drop(engine),
            }
        }
        drop(tokio);
    }

    /// A write: on one engine after the other, so that none has seen what the last one did. Then everything is said and
    /// done that follows from it.
    fn on_next<F, T>(&mut self, ask: impl FnOnce(Engine) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.turn = (self.turn + 1) % self.engines.len();
        let answer = self.on(self.turn, ask);
        for node in 0..self.engines.len() {
            self.on(node, |engine| async move { engine.settle().await })?;
        }
        answer
    }

    /// A read: on an engine that did not write last. It must see every acknowledged write.
    fn on_other<F, T>(&self, ask: impl FnOnce(Engine) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.on((self.turn + 1) % self.engines.len(), ask)
    }

    fn on<F, T>(&self, node: usize, ask: impl FnOnce(Engine) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let tokio = self.tokio.as_ref().expect("open between two lines");
        tokio.block_on(ask(self.engines[node].clone())).map_err(refusal)
    }

    fn offer_result(&mut self, job: ItemId, held: Held, command: Command) -> Result<(), Refusal> {
        self.on_next(|engine| async move {
            if let Command::CompleteJob { variables, .. } = command {
                return engine.complete_job(job, held.lease, variables).await;
            }
            let failure = if let Command::FailJob { error: message, retries, backoff_ms, .. } = command {
                JobError { message, retries, backoff_ms, ..JobError::default() }
            } else if let Command::ThrowError { code, message, variables, .. } = command {
                let message = message.unwrap_or_default();
                JobError { message, code: Some(code), variables, ..JobError::default() }
            } else {
                return engine.command(job.instance, command).await;
            };
            engine.fail_job(job, held.lease, failure).await
        })?;
        Ok(())
    }

    /// Does a token make room for others?
    fn someone_yields(&mut self) -> Result<bool, Refusal> {
        for id in self.instances()? {
            let instance = self.state(id)?;
            let mut timers = instance.timers.values();
            if instance.status == Status::Running
                && timers.any(|timer| matches!(timer.kind, TimerKind::Yield { .. }))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is due now fires once, in due order.
    fn fire_once(&mut self) -> Result<(), Refusal> {
        let now = self.clock.now();
        let mut due: Vec<(Timestamp, InstanceId, Number)> = Vec::new();
        for id in self.instances()? {
            let instance = self.state(id)?;
            let timers = instance.timers.iter().filter(|(_, timer)| timer.due <= now);
            let running = instance.status == Status::Running;
            due.extend(timers.filter(|_| running).map(|(number, timer)| (timer.due, id, *number)));
        }
        due.sort();
        for (_, id, timer) in due {
            self.offer(id, Command::TimerDue { timer })?;
        }
        Ok(())
    }

    /// Claims jobs of this type one by one until it is the one asked for; the others stay claimed too.
    fn claim_of_type(&mut self, job: ItemId, job_type: &str) -> Result<bool, Refusal> {
        let wanted = ActivateJobs {
            types: vec![job_type.to_owned()],
            max: 1,
            worker: WORKER.to_owned(),
            timeout: Duration::from_millis(LEASE_MS.unsigned_abs()),
            wait: Duration::ZERO,
        };
        loop {
            let wanted = wanted.clone();
            let claimed = self.on_next(|engine| async move { engine.activate_jobs(&wanted).await })?;
            let Some(active) = claimed.first() else { return Ok(false) };
            let held = Held { lease: active.lease, until: active.until };
            self.held.insert(active.job.id, held);
            if active.job.id == job {
                return Ok(true);
            }
        }
    }
}

impl Stage for Embedded {
    fn deploy(&mut self, bpmn: &[u8]) -> Result<(), Refusal> {
        let bpmn: Arc<[u8]> = bpmn.into();
        self.on_next(|engine| async move { engine.deploy(&bpmn).await }).map(drop)
    }

    fn start(&mut self, process: &str, start: Start) -> Result<InstanceId, Refusal> {
        let process = process.to_owned();
        let started = self.on_next(|engine| async move {
            let mut begin = engine.start(&process).variables(&start.variables).at(start.at);
            if let Some(key) = start.business_key {
                begin = begin.business_key(key);
            }
            if let Some(who) = start.started_by {
                begin = begin.started_by(who);
            }
            begin.send().await
        })?;
        Ok(started.id())
    }

    fn offer(&mut self, instance: InstanceId, command: Command) -> Result<(), Refusal> {
        if let Command::CompleteJob { job, .. }
        | Command::FailJob { job, .. }
        | Command::ThrowError { job, .. } = &command
        {
            let job = ItemId { instance, number: *job };
            if let Some(held) = self.held.get(&job).copied() {
                return self.offer_result(job, held, command);
            }
        }
        self.on_next(|engine| async move { engine.command(instance, command).await }).map(drop)
    }

    fn migrate(&mut self, instance: InstanceId, mapping: Vec<(String, String)>) -> Result<(), Refusal> {
        self.on_next(|engine| async move { engine.instance(instance).migrate(None, mapping).await }).map(drop)
    }

    fn publish(&mut self, message: Published) -> Result<(), Refusal> {
        let Published { name, key, id, ttl_ms, variables } = message;
        self.on_next(|engine| async move {
            let ttl = Duration::from_millis(ttl_ms.unsigned_abs());
            let mut publish = engine.publish(&name).ttl(ttl).variables(&variables);
            if let Some(key) = key {
                publish = publish.key(key);
            }
            if let Some(id) = id {
                publish = publish.message_id(id);
            }
            publish.send().await
        })
        .map(drop)
    }

    fn signal(&mut self, name: &str, variables: Variables) -> Result<(), Refusal> {
        let name = name.to_owned();
        self.on_next(|engine| async move { engine.signal(&name, &variables).await }).map(drop)
    }

    fn instances(&mut self) -> Result<Vec<InstanceId>, Refusal> {
        let mut ids = Vec::new();
        loop {
            let after = ids.last().copied().unwrap_or(InstanceId(0));
            let page = self.on_other(|engine| async move { engine.instances(after, PAGE).await })?;
            if page.is_empty() {
                return Ok(ids);
            }
            ids.extend(page.into_iter().map(|instance| instance.id));
        }
    }

    fn claim(&mut self, instance: InstanceId, number: Number) -> Result<bool, Refusal> {
        let job = ItemId { instance, number };
        if self.held.get(&job).is_some_and(|held| held.until > self.clock.now()) {
            return Ok(true);
        }
        let instance = self.state(instance)?;
        let waiting = instance.token_of_job(number).and_then(|token| instance.tokens[&token].job());
        waiting.map_or(Ok(false), |waiting| self.claim_of_type(job, &waiting.job_type))
    }

    fn advance(&mut self, ms: i64) -> Result<(), Refusal> {
        let yields = self.someone_yields()?;
        self.clock.advance_ms(ms);
        if yields {
            return self.fire_once();
        }
        self.on_next(|engine| async move { engine.run_until_idle().await })
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn history(&mut self, id: InstanceId, after: u64) -> Result<Vec<Page>, Refusal> {
        let (mut after, mut pages) = (after, Vec::<Page>::new());
        loop {
            let turns = self.on_other(|engine| async move { engine.turns(id, after, PAGE).await })?;
            let Some(last) = turns.last() else { return Ok(pages) };
            after = last.first_seq + u64::from(last.count) - 1;
            let page = |turn: tyer_runtime::HistoryRow| {
                let tyer_runtime::HistoryRow { first_seq, at, events, .. } = turn;
                Page { first_seq, at, events }
            };
            pages.extend(turns.into_iter().map(page));
        }
    }

    fn state(&mut self, id: InstanceId) -> Result<Instance, Refusal> {
        let seen = self.on_other(|engine| async move { engine.instance(id).overview().await });
        match seen {
            Ok(overview) => Ok(overview.instance),
            Err(Refusal::Rejected(Rejection::InstanceUnknown { .. })) => Ok(Instance::blank(id)),
            Err(other) => Err(other),
        }
    }

    fn line_ended(&mut self) -> Result<(), Refusal> {
        if self.habit == Habit::Stay {
            return Ok(());
        }
        self.close();
        self.open()
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.close();
    }
}

/// A dropped engine may hold its file for a moment longer.
fn open_patiently(tokio: &Runtime, open: &Open, clock: &TestClock) -> Result<Engine, Error> {
    for _ in 1..PATIENCE {
        match tokio.block_on(open(clock.clone())) {
            Err(Error::Store(error)) if is_in_use(&error) => std::thread::sleep(Duration::from_millis(10)),
            other => return other,
        }
    }
    tokio.block_on(open(clock.clone()))
}

fn is_in_use(error: &impl std::fmt::Display) -> bool {
    error.to_string().contains("is open in another process")
}

fn refusal(error: Error) -> Refusal {
    if let Error::Rejected(rejection) = error {
        return Refusal::Rejected(rejection);
    }
    Refusal::Broken(error.to_string())
}

//! The runtime as a stage: one engine or several on one store, kept, closed or dropped after every line.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tyer_engine::{
    Command, Instance, InstanceId, ItemId, Number, Rejection, Start, Status, TimerKind, Timestamp, Variables,
    Wait, Wanted, start_triggers,
};
use tyer_model::{NodeKind, Throw};
use tyer_runtime::{ActivateJobs, Engine, Error, JobError, TestClock};

use super::{LEASE_MS, Page, Published, Refusal, Stage, WORKER};

/// Events read at once.
const PAGE: usize = 1000;
/// How a stage says what it cannot play.
pub const NOT_YET: &str = "the runtime does not do this yet:";
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
    bpmn: Arc<[u8]>,
    can_be_undone: bool,
    open: Open,
    nodes: usize,
    habit: Habit,
    clock: TestClock,
    tokio: Option<Runtime>,
    engines: Vec<Engine>,
    turn: usize,
    begun: Vec<InstanceId>,
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
        let can_be_undone = talks_to_nobody(bpmn)?;
        let (clock, bpmn) = (TestClock::default(), Arc::from(bpmn));
        let (tokio, engines, turn, begun, held) = (None, Vec::new(), 0, Vec::new(), BTreeMap::new());
        let mut stage =
            Embedded { bpmn, can_be_undone, open, nodes, habit, clock, tokio, engines, turn, begun, held };
        stage.open()?;
        stage.on_next(|engine, stage| async move { engine.deploy(&stage.bpmn).await.map(drop) })?;
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

    /// A write: on one engine after the other, so that none has seen what the last one did.
    fn on_next<'s, F, T>(&'s mut self, ask: impl FnOnce(Engine, &'s Embedded) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Error>> + 's,
    {
        self.turn = (self.turn + 1) % self.engines.len();
        self.on(self.turn, ask)
    }

    /// A read: on an engine that did not write last. It must see every acknowledged write.
    fn on_other<'s, F, T>(&'s self, ask: impl FnOnce(Engine, &'s Embedded) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Error>> + 's,
    {
        self.on((self.turn + 1) % self.engines.len(), ask)
    }

    fn on<'s, F, T>(&'s self, node: usize, ask: impl FnOnce(Engine, &'s Embedded) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Error>> + 's,
    {
        let tokio = self.tokio.as_ref().expect("open between two lines");
        tokio.block_on(ask(self.engines[node].clone(), self)).map_err(refusal)
    }

    fn offer_result(&mut self, job: ItemId, held: Held, command: Command) -> Result<(), Refusal> {
        self.on_next(|engine, _| async move {
            if let Command::FailJob { error: message, retries, backoff_ms, .. } = command {
                engine.fail_job(job, held.lease, JobError { message, retries, backoff_ms }).await
            } else if let Command::CompleteJob { variables, .. } = command {
                engine.complete_job(job, held.lease, variables).await
            } else {
                engine.command(job.instance, command).await
            }
        })?;
        Ok(())
    }

    /// Everybody of these instances who waits for it gets it, in order; false if nobody does.
    fn trigger(
        &mut self,
        most: usize,
        name: &str,
        variables: &Variables,
        wants: impl Fn(&Wanted) -> bool,
    ) -> Result<bool, Refusal> {
        let mut waiting = Vec::new();
        for id in self.begun.clone() {
            let instance = self.state(id)?;
            let found = instance.subscriptions.iter().filter(|(_, waits)| wants(&waits.wanted));
            waiting.extend(found.map(|(number, _)| (id, *number)));
        }
        if most == 1 && waiting.len() > 1 {
            return Err(not_yet("messages that several wait for"));
        }
        for (id, subscription) in waiting.iter().take(most) {
            let message = (most == 1).then(|| name.to_owned());
            self.offer(
                *id,
                Command::Trigger { subscription: *subscription, variables: variables.clone(), message },
            )?;
        }
        Ok(!waiting.is_empty())
    }

    /// The token that made room goes on, once; whatever else is due fires too.
    fn fire_once(&mut self, instance: &Instance) -> Result<(), Refusal> {
        let id = instance.id;
        let now = self.clock.now();
        let due = instance.timers.iter().filter(|(_, timer)| timer.due <= now);
        let mut due: Vec<(Timestamp, Number)> = due.map(|(number, timer)| (timer.due, *number)).collect();
        due.sort();
        for (_, timer) in due {
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
            let claimed = self.on_next(|engine, _| async move { engine.activate_jobs(&wanted).await })?;
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
    fn deploy(&mut self, _bpmn: &[u8]) -> Result<(), Refusal> {
        Err(not_yet("several versions"))
    }

    fn start(&mut self, process: &str, start: Start) -> Result<InstanceId, Refusal> {
        if !start.at.is_empty() {
            return Err(not_yet("a start at a node"));
        }
        let process = process.to_owned();
        let started = self.on_next(|engine, _| async move {
            let mut begin = engine.start(&process).variables(&start.variables);
            if let Some(key) = start.business_key {
                begin = begin.business_key(key);
            }
            if let Some(who) = start.started_by {
                begin = begin.started_by(who);
            }
            begin.send().await
        })?;
        self.begun.push(started.id());
        Ok(started.id())
    }

    fn offer(&mut self, instance: InstanceId, command: Command) -> Result<(), Refusal> {
        if let Command::CompleteJob { job, .. } | Command::FailJob { job, .. } = &command {
            let job = ItemId { instance, number: *job };
            if let Some(held) = self.held.get(&job).copied() {
                return self.offer_result(job, held, command);
            }
        } else if let Command::ThrowError { job, .. } = &command
            && self.held.contains_key(&ItemId { instance, number: *job })
        {
            return Err(not_yet("an error thrown under a lease"));
        } else if matches!(command, Command::Compensate { .. }) && !self.held.is_empty() {
            return Err(not_yet("a saga that knows leases"));
        }
        self.on_next(|engine, _| async move { engine.command(instance, command).await }).map(drop)
    }

    fn migrate(&mut self, _instance: InstanceId, _mapping: Vec<(String, String)>) -> Result<(), Refusal> {
        Err(not_yet("migration"))
    }

    fn publish(&mut self, message: Published) -> Result<(), Refusal> {
        let Published { name, key, id, ttl_ms, variables } = message;
        if id.is_some() {
            return Err(not_yet("messages with an id"));
        }
        let wants = |wanted: &Wanted| match wanted {
            Wanted::Message { name: waited, key: wanted } => {
                **waited == *name && (wanted.is_none() || *wanted == key)
            }
            Wanted::Signal { .. } | Wanted::Condition { .. } => false,
        };
        let taken = self.trigger(1, &name, &variables, wants)?;
        if taken || ttl_ms == 0 { Ok(()) } else { Err(not_yet("messages that wait")) }
    }

    fn signal(&mut self, name: &str, variables: Variables) -> Result<(), Refusal> {
        let wants = |wanted: &Wanted| matches!(wanted, Wanted::Signal { name: waited } if **waited == *name);
        self.trigger(usize::MAX, name, &variables, wants).map(drop)
    }

    fn instances(&mut self) -> Result<Vec<InstanceId>, Refusal> {
        Ok(self.begun.clone())
    }

    fn claim(&mut self, instance: InstanceId, number: Number) -> Result<bool, Refusal> {
        let job = ItemId { instance, number };
        if self.held.get(&job).is_some_and(|held| held.until > self.clock.now()) {
            return Ok(true);
        }
        if self.can_be_undone {
            return Err(not_yet("a saga that knows leases"));
        }
        let instance = self.state(instance)?;
        let job_type = instance.token_of_job(number).and_then(|token| {
            let Wait::Job(job) = &instance.tokens[&token].wait else { return None };
            Some(Arc::clone(&job.job_type))
        });
        job_type.map_or(Ok(false), |job_type| self.claim_of_type(job, &job_type))
    }

    fn advance(&mut self, ms: i64) -> Result<(), Refusal> {
        self.clock.advance_ms(ms);
        for id in self.begun.clone() {
            let instance = self.state(id)?;
            let mut timers = instance.timers.values();
            let someone_yields = timers.any(|timer| matches!(timer.kind, TimerKind::Yield { .. }));
            if someone_yields && instance.status == Status::Running {
                return self.fire_once(&instance);
            }
        }
        self.on_next(|engine, _| async move { engine.run_until_idle().await })
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn history(&mut self, id: InstanceId, after: u64) -> Result<Vec<Page>, Refusal> {
        let (mut after, mut pages) = (after, Vec::<Page>::new());
        loop {
            let events = self.on_other(|engine, _| async move { engine.history(id, after, PAGE).await })?;
            let Some(last) = events.last() else { return Ok(pages) };
            after = last.seq;
            for run in events.chunk_by(|one, other| one.at == other.at) {
                let packed: Vec<&str> = run.iter().map(|event| event.event.get()).collect();
                let events = format!("[{}]", packed.join(","));
                pages.push(Page { first_seq: run[0].seq, at: run[0].at, events });
            }
        }
    }

    fn state(&mut self, id: InstanceId) -> Result<Instance, Refusal> {
        let seen = self.on_other(|engine, _| async move { engine.instance(id).overview().await });
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

/// What the runtime does not do yet: the transcript is left out there, and counted.
fn not_yet(what: &str) -> Refusal {
    Refusal::Broken(format!("{NOT_YET} {what}"))
}

/// Instances that speak to others need a runtime that delivers. Tells whether steps of the processes can be undone.
fn talks_to_nobody(bpmn: &[u8]) -> Result<bool, Refusal> {
    let imported = tyer_model::import(bpmn).map_err(|problems| Refusal::Broken(problems.to_string()))?;
    for process in &imported.processes {
        let waits = start_triggers(process, Timestamp(0)).is_ok_and(|triggers| !triggers.is_empty());
        if waits || process.nodes().any(|(_, node)| talks(&node.kind)) {
            return Err(not_yet("what instances say to each other"));
        }
    }
    Ok(imported.processes.iter().any(|process| process.nodes().any(|(_, node)| node.handler.is_some())))
}

fn talks(kind: &NodeKind) -> bool {
    let said = |thrown: &Throw| matches!(thrown, Throw::Message(_) | Throw::Signal(_));
    match kind {
        NodeKind::Call(_) | NodeKind::Send(_) => true,
        NodeKind::Throw(throws) | NodeKind::End(throws) => throws.iter().any(said),
        NodeKind::Start(_)
        | NodeKind::Catch(_)
        | NodeKind::Link(_)
        | NodeKind::Boundary(_)
        | NodeKind::Pass
        | NodeKind::Job(_)
        | NodeKind::User(_)
        | NodeKind::Script(_)
        | NodeKind::Receive { .. }
        | NodeKind::SubProcess(_)
        | NodeKind::Exclusive
        | NodeKind::Parallel
        | NodeKind::Inclusive
        | NodeKind::Complex { .. }
        | NodeKind::EventBased { .. } => false,
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

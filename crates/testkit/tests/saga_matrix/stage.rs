//! Plays a case on the runtime: people and workers do what there is to do until everything has ended.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tyer_engine::{
    Command, IncidentKind, Instance, InstanceId, ItemId, Mode, Number, Rejection, Status, TaskAction,
    Timestamp, Token, Variables, Wait, Wanted,
};
use tyer_model::Process;
use tyer_runtime::{ActivateJobs, ActiveJob, Engine, Error, JobError, TestClock};
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;
use tyer_store::{Error as StoreError, Mailbox, Store, Views, restore};
use tyer_testkit::Script;

use crate::rules;
use crate::{Case, Happening, Mend};

/// More than any model needs.
const MOST_STEPS: u32 = 120;
/// Things go wrong so often, if a crash hid the first time.
const MOST_HAPPENINGS: u32 = 2;
const LEASE: Duration = Duration::from_secs(300);

/// Runs a case; dies at this write, if any, before or after it is written. Gives back how many writes there were.
pub(crate) fn run(script: &Script, case: &Case, crash: Option<(u64, bool)>) -> Result<u64, String> {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let tokio = tokio.map_err(|error| error.to_string())?;
    let world = Arc::new(World {
        memory: Arc::default(),
        clock: TestClock::default(),
        writes: AtomicU64::new(0),
        died: Notify::new(),
    });
    let (died, held) = (Vec::new(), BTreeMap::new());
    let mut people = People { script, case, happened: 0, died, held };
    let first = tokio.block_on(async {
        let engine = world.open(crash).await?;
        engine.deploy(&script.bpmn).await.map_err(|error| error.to_string())?;
        // Whoever waits for a store that is gone would wait long.
        Ok::<_, String>(tokio::select! {
            biased;
            () = world.died.notified() => Err(Ended::Dead),
            lived = people.live(&engine, &world) => lived,
        })
    })?;
    let Err(Ended::Dead) = first else {
        let judged = first.map_err(|ended| ended.to_string());
        return judged.and_then(|()| tokio.block_on(rules::judge(script, &world))).map(|()| world.written());
    };
    // What the dead engine still ran is gone with its runtime.
    drop(tokio);
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build();
    tokio.map_err(|error| error.to_string())?.block_on(async {
        let engine = world.open(None).await?;
        people.live(&engine, &world).await.map_err(|ended| ended.to_string())?;
        rules::judge(script, &world).await
    })?;
    Ok(world.written())
}

/// What outlives an engine.
pub(crate) struct World {
    pub(crate) memory: Arc<Memory>,
    clock: TestClock,
    writes: AtomicU64,
    died: Notify,
}

impl World {
    fn written(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    /// An engine that dies at this write, or never.
    async fn open(self: &Arc<World>, crash: Option<(u64, bool)>) -> Result<Engine, String> {
        let (commits, posts) = (Arc::clone(self), Arc::clone(self));
        let store = Intercepted::writes(
            Arc::clone(&self.memory),
            move |store, batch| {
                let fate = commits.fate(crash);
                Box::pin(async move {
                    let answer = if fate == Fate::Dead { Err(gone()) } else { store.commit(batch).await };
                    if fate == Fate::LastWords { Err(gone()) } else { answer }
                })
            },
            move |store, batch| {
                let fate = posts.fate(crash);
                Box::pin(async move {
                    let answer = if fate == Fate::Dead { Err(gone()) } else { store.post(batch).await };
                    if fate == Fate::LastWords { Err(gone()) } else { answer }
                })
            },
        );
        let opened = Engine::builder().tracks(1).clock(&self.clock).on(Arc::new(store), false).await;
        opened.map_err(|error| error.to_string())
    }

    fn fate(&self, crash: Option<(u64, bool)>) -> Fate {
        let write = self.writes.fetch_add(1, Ordering::SeqCst);
        if crash.is_some_and(|(at, _)| write >= at) {
            self.died.notify_one();
        }
        match crash {
            Some((at, true)) if write == at => Fate::LastWords,
            Some((at, _)) if write >= at => Fate::Dead,
            Some(_) | None => Fate::Well,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Well,
    /// Written, and nobody hears of it.
    LastWords,
    Dead,
}

/// Not worth another try: the engine gives up at once.
fn gone() -> StoreError {
    StoreError::Damaged("the power is off".to_owned())
}

/// Why people stop.
enum Ended {
    /// The engine is dead.
    Dead,
    /// Something is wrong.
    Wrong(String),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ended::Dead => write!(formatter, "the engine is dead"),
            Ended::Wrong(what) => write!(formatter, "{what}"),
        }
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Ended {
        if matches!(error, Error::Store(StoreError::Damaged(_))) {
            return Ended::Dead;
        }
        Ended::Wrong(error.to_string())
    }
}

/// Workers and people.
struct People<'c> {
    script: &'c Script,
    case: &'c Case,
    happened: u32,
    /// Jobs of handlers whose worker has died.
    died: Vec<ItemId>,
    /// Jobs that a worker has: it outlives the engine.
    held: BTreeMap<ItemId, ActiveJob>,
}

pub(crate) type All = BTreeMap<InstanceId, (Arc<Process>, Instance)>;

impl People<'_> {
    async fn live(&mut self, engine: &Engine, world: &World) -> Result<(), Ended> {
        self.begin(engine).await?;
        for _ in 0..MOST_STEPS {
            engine.run_until_idle().await?;
            let all = all(world, self.script).await.map_err(Ended::Wrong)?;
            if all.values().all(|(_, instance)| instance.status.is_ended()) {
                return Ok(());
            }
            if !self.act(engine, world, &all).await? {
                return Err(Ended::Wrong(format!("nobody can do anything: {}", standing(&all))));
            }
        }
        let all = all(world, self.script).await.map_err(Ended::Wrong)?;
        Err(Ended::Wrong(format!("it does not end: {}", standing(&all))))
    }

    /// As the transcript begins; under a key, so that it can be asked for again after a crash.
    async fn begin(&self, engine: &Engine) -> Result<(), Ended> {
        let said = self.script.text.lines().find(|line| line.starts_with("> start")).unwrap_or_default();
        let variables = said.find('{').map_or("{}", |at| &said[at..]);
        let variables = Variables::parse(variables).map_err(|error| Ended::Wrong(error.to_string()))?;
        let start = engine.start(&self.script.process.id).variables(&variables).idempotency_key("one");
        start.send().await?;
        Ok(())
    }

    /// The first thing that there is to do; false if there is none.
    async fn act(&mut self, engine: &Engine, world: &World, all: &All) -> Result<bool, Ended> {
        for (id, (process, instance)) in all {
            if instance.status == Status::Paused {
                tried(engine.command(*id, Command::Resume).await)?;
                return Ok(true);
            }
            if let Some((number, incident)) = instance.incidents.iter().next() {
                self.mend(engine, *id, *number, incident.kind).await?;
                return Ok(true);
            }
            for token in instance.tokens.values() {
                let node = &process.node(token.node).id;
                if self.work(engine, world, *id, token, node).await? {
                    return Ok(true);
                }
            }
        }
        self.from_outside(engine, world, all).await
    }

    async fn mend(
        &self,
        engine: &Engine,
        id: InstanceId,
        incident: Number,
        kind: IncidentKind,
    ) -> Result<(), Ended> {
        let resolve = Command::Resolve { incident, retries: None };
        let command = match (kind, self.case.mend) {
            (IncidentKind::CompensationFailed, Mend::Skip) => Command::SkipCompensation { incident },
            (IncidentKind::CompensationFailed, Mend::Abort) => Command::AbortCompensation { incident },
            _ => resolve,
        };
        tried(engine.command(id, command).await)
    }

    /// Somebody works at this node, or something goes wrong there.
    async fn work(
        &mut self,
        engine: &Engine,
        world: &World,
        id: InstanceId,
        token: &Token,
        node: &str,
    ) -> Result<bool, Ended> {
        let happens = self.case.node.as_deref() == Some(node) && self.happened < MOST_HAPPENINGS;
        if let Wait::Job(job) = &token.wait {
            let job = (ItemId { instance: id, number: job.number }, &*job.job_type);
            if self.case.all_held && happens {
                self.claim(engine, &self.types(), 100).await?;
            }
            let Some(held) = self.hold(engine, world, job.0, job.1).await? else {
                // Held by a worker that died with the engine: the lease has to end first.
                return Ok(false);
            };
            if happens {
                return self.happen(engine, &held).await.map(|()| true);
            }
            let handler = token.mode == Mode::Compensation;
            if handler && self.case.worker_dies && !self.died.contains(&held.job.id) {
                self.died.push(held.job.id);
                return self.die(engine, world, &held).await.map(|()| true);
            }
            complete_twice(engine, &held).await?;
            return Ok(true);
        }
        let Wait::Task(task) = token.wait else { return Ok(false) };
        let task = ItemId { instance: id, number: task };
        if happens && self.case.happening != Happening::Fails {
            self.happened += 1;
            let error =
                TaskAction::Error { code: "boom".to_owned(), message: None, variables: Variables::default() };
            let undo = Command::Compensate { reason: None };
            match self.case.happening {
                Happening::Operator => tried(engine.command(id, undo).await)?,
                Happening::Throws | Happening::Fails => tried(engine.act_on_task(task, None, error).await)?,
            }
            return Ok(true);
        }
        tried(engine.complete_task(task, Variables::default(), None).await)?;
        Ok(true)
    }

    async fn happen(&mut self, engine: &Engine, held: &ActiveJob) -> Result<(), Ended> {
        self.happened += 1;
        let job = held.job.id;
        match self.case.happening {
            Happening::Fails => {
                let error = JobError { retries: Some(0), ..JobError::new("it does not work") };
                tried(engine.fail_job(job, held.lease, error).await)
            }
            Happening::Throws => tried(engine.fail_job(job, held.lease, JobError::thrown("boom", "")).await),
            Happening::Operator => {
                tried(engine.command(job.instance, Command::Compensate { reason: None }).await)
            }
        }
    }

    /// The worker of a handler is never heard of again: after its lease another one does the work, and when the first one
    /// comes back it is sent away.
    async fn die(&mut self, engine: &Engine, world: &World, held: &ActiveJob) -> Result<(), Ended> {
        engine.advance(LEASE + Duration::from_secs(1)).await?;
        let Some(second) = self.hold(engine, world, held.job.id, &held.job.job_type).await? else {
            return Err(Ended::Wrong(format!("job {:?} is not offered again", held.job.id)));
        };
        if second.lease <= held.lease {
            return Err(Ended::Wrong(format!("lease {} does not follow lease {}", second.lease, held.lease)));
        }
        match engine.complete_job(held.job.id, held.lease, Variables::default()).await {
            Err(Error::Rejected(Rejection::LeaseLost { .. })) => complete_twice(engine, &second).await,
            Err(error) if is_dead(&error) => Err(Ended::Dead),
            other => Err(Ended::Wrong(format!("a worker that came back too late was told {other:?}"))),
        }
    }

    /// The job, if it can be had: as a worker that has it already, or that claims it now.
    async fn hold(
        &mut self,
        engine: &Engine,
        world: &World,
        job: ItemId,
        job_type: &str,
    ) -> Result<Option<ActiveJob>, Ended> {
        let now = world.clock.now();
        self.held.retain(|_, active| active.until > now);
        while !self.held.contains_key(&job) {
            if self.claim(engine, &[job_type.to_owned()], 1).await? == 0 {
                return Ok(None);
            }
        }
        Ok(self.held.get(&job).cloned())
    }

    async fn claim(&mut self, engine: &Engine, types: &[String], max: usize) -> Result<usize, Ended> {
        let (types, worker) = (types.to_vec(), "worker".to_owned());
        let wanted = ActivateJobs { types, max, worker, timeout: LEASE, wait: Duration::ZERO };
        let claimed = engine.activate_jobs(&wanted).await?;
        let count = claimed.len();
        self.held.extend(claimed.into_iter().map(|active| (active.job.id, active)));
        Ok(count)
    }

    fn types(&self) -> Vec<String> {
        let mut types = Vec::new();
        for process in &self.script.processes {
            for (_, node) in process.nodes() {
                if let tyer_model::NodeKind::Job(spec) = &node.kind
                    && let tyer_model::Text::Literal(name) = &spec.job_type
                {
                    types.push(name.to_string());
                }
            }
        }
        types
    }

    /// What is waited for comes: a message, a signal, a moment.
    async fn from_outside(&self, engine: &Engine, world: &World, all: &All) -> Result<bool, Ended> {
        for (_, instance) in all.values() {
            for subscription in instance.subscriptions.values() {
                match &subscription.wanted {
                    Wanted::Message { name, key } => {
                        let publish = engine.publish(name);
                        let publish = if let Some(key) = key { publish.key(key) } else { publish };
                        publish.send().await?;
                        return Ok(true);
                    }
                    Wanted::Signal { name } => {
                        engine.signal(name, Variables::default()).await?;
                        return Ok(true);
                    }
                    Wanted::Condition { .. } => {}
                }
            }
        }
        let timers = all.values().flat_map(|(_, instance)| instance.timers.values().map(|timer| timer.due));
        let due = timers.min().unwrap_or(Timestamp(world.clock.now().0 + 301_000));
        let ms = (due.0 - world.clock.now().0).max(0).cast_unsigned();
        let anything = all.values().any(|(_, instance)| !instance.timers.is_empty() || has_jobs(instance));
        engine.advance(Duration::from_millis(ms)).await?;
        Ok(anything)
    }
}

fn has_jobs(instance: &Instance) -> bool {
    instance.tokens.values().any(|token| token.job().is_some())
}

fn is_dead(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::Damaged(_)))
}

/// A refusal is part of life: after a crash people do again what was done already.
fn tried<T>(answer: Result<T, Error>) -> Result<(), Ended> {
    match answer {
        Ok(_) | Err(Error::Rejected(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The second result of a job is refused, whoever brings it.
async fn complete_twice(engine: &Engine, held: &ActiveJob) -> Result<(), Ended> {
    engine.complete_job(held.job.id, held.lease, Variables::default()).await?;
    let again = engine.complete_job(held.job.id, held.lease, Variables::default()).await;
    let command =
        Command::CompleteJob { job: held.job.id.number, holder: None, variables: Variables::default() };
    let without_lease = engine.command(held.job.id.instance, command).await;
    for second in [again, without_lease] {
        match second {
            Err(Error::Rejected(_)) => {}
            Err(error) if is_dead(&error) => return Err(Ended::Dead),
            other => {
                return Err(Ended::Wrong(format!(
                    "job {:?} is done, and was done again: {other:?}",
                    held.job.id
                )));
            }
        }
    }
    Ok(())
}

/// Every stored instance, read past the engine.
pub(crate) async fn all(world: &World, script: &Script) -> Result<All, String> {
    let (memory, mut all) = (&world.memory, BTreeMap::new());
    let listed = memory.instances(None, InstanceId(0), 1_000).await.map_err(|error| error.to_string())?;
    let ids = listed.into_iter().map(|listed| listed.id).collect();
    for loaded in memory.load(ids).await.map_err(|error| error.to_string())?.into_iter().flatten() {
        let definition =
            memory.definition(loaded.instance.definition).await.map_err(|error| error.to_string())?;
        let key = definition.map(|definition| definition.key.clone()).unwrap_or_default();
        let process = script.processes.iter().find(|process| process.id == key);
        let process =
            process.ok_or_else(|| format!("an instance is of `{key}`, which is not in the file"))?;
        let (instance, _) = restore(process, loaded).map_err(|error| error.to_string())?;
        all.insert(instance.id, (Arc::clone(process), instance));
    }
    Ok(all)
}

fn standing(all: &All) -> String {
    let tokens = all.values().flat_map(|(process, instance)| {
        instance.tokens.values().map(|token| format!("`{}` {:?}", process.node(token.node).id, token.wait))
    });
    tokens.collect::<Vec<_>>().join(", ")
}

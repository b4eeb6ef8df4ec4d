//! Workers and people: they do what there is to do, and let go wrong what the case says.

use std::collections::BTreeMap;
use std::time::Duration;

use tyer_engine::{
    Command, IncidentKind, Instance, InstanceId, ItemId, Mode, Number, Rejection, Status, TaskAction,
    Timestamp, Token, Variables, Wait, Wanted,
};
use tyer_runtime::{ActivateJobs, ActiveJob, Engine, Error, JobError};
use tyer_store::Error as StoreError;
use tyer_testkit::Script;

use crate::stage::{All, World, all};
use crate::{Case, Happening, Mend};

/// More than any model needs.
const MOST_STEPS: u32 = 120;
/// Things go wrong so often, if a crash hid the first time.
const MOST_HAPPENINGS: u32 = 2;
const LEASE: Duration = Duration::from_secs(300);

/// Why people stop.
pub(crate) enum Ended {
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
pub(crate) struct People<'c> {
    script: &'c Script,
    case: &'c Case,
    happened: u32,
    /// Jobs of handlers whose worker has died.
    died: Vec<ItemId>,
    /// Jobs that a worker has: it outlives the engine.
    held: BTreeMap<ItemId, ActiveJob>,
}

impl<'c> People<'c> {
    pub(crate) fn new(script: &'c Script, case: &'c Case) -> People<'c> {
        People { script, case, happened: 0, died: Vec::new(), held: BTreeMap::new() }
    }

    /// Does what there is to do until everything has ended.
    pub(crate) async fn live(&mut self, engine: &Engine, world: &World) -> Result<(), Ended> {
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
        self.let_it_come(engine, world, all).await
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
    async fn let_it_come(&self, engine: &Engine, world: &World, all: &All) -> Result<bool, Ended> {
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

fn standing(all: &All) -> String {
    let tokens = all.values().flat_map(|(process, instance)| {
        instance.tokens.values().map(|token| format!("`{}` {:?}", process.node(token.node).id, token.wait))
    });
    tokens.collect::<Vec<_>>().join(", ")
}

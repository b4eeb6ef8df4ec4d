//! Load what is missing, step the command, make the turn.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tyer_engine::{
    Command, Event, EventKind, Holder, Instance, InstanceId, Limits, Migration, Number, Rejection, SagaCause,
    Timestamp, TokenStatus, Wait,
};
use tyer_map::{Map, Set};
use tyer_model::Process;
use tyer_store::{Changes, Hold, Lease, Mail, Packed, Relies, Turn, TurnKey};

use super::cache::Cached;
use super::{Ask, BATCH, Boxed, Done, Request, Taken, Track};
use crate::error::Error;
use crate::job::Job;
use crate::live::Seen;
use crate::mail::{self, Sender};
use crate::processes::Compiled;
use crate::shared::Shared;
use crate::workers::LocalJob;

/// Loads are tried again for this many times while the store is out of reach.
const OUTAGES: u8 = 60;

/// What stepping came to.
enum Step {
    Events(Vec<Event>),
    Rejected(Rejection),
    Panicked(String),
}

impl Track {
    /// Steps everything that can be stepped now.
    pub(super) async fn work(&mut self) {
        while !self.todo.is_empty() && self.pause.is_none() && self.pending.len() < super::AHEAD {
            let count = self.todo.len().min(BATCH);
            let requests: Vec<Boxed> = self.todo.drain(..count).collect();
            let absent = match self.load_missing(&requests).await {
                Ok(absent) => absent,
                Err(error) => return self.store_failed(requests, error),
            };
            self.step_all(requests, &absent);
        }
        let uncommitted = &self.uncommitted;
        self.cache.shrink(|id| uncommitted.contains_key(id));
    }

    /// In order. A refusal drops its instance from the cache; who comes after it in the same batch is loaded for again,
    /// for only the store can say that an instance is unknown.
    fn step_all(&mut self, requests: Vec<Boxed>, absent: &Set<InstanceId>) {
        let mut dropped = Vec::new();
        for request in requests {
            let id = request.instance;
            let known = self.cache.contains(id) || self.uncommitted.contains_key(&id) || absent.contains(&id);
            match known || matches!(request.ask, Ask::Start(..)) {
                true => self.step(request),
                false => dropped.push(request),
            }
        }
        for request in dropped.into_iter().rev() {
            self.todo.push_front(request);
        }
    }

    /// Loads what is not cached; gives back the ids that the store does not know.
    async fn load_missing(&mut self, requests: &[Boxed]) -> Result<Set<InstanceId>, Error> {
        let mut missing: Vec<InstanceId> = requests
            .iter()
            .filter(|request| !matches!(request.ask, Ask::Start(..)))
            .map(|request| request.instance)
            .filter(|id| !self.cache.contains(*id) && !self.uncommitted.contains_key(id))
            .collect();
        missing.sort();
        missing.dedup();
        let mut absent: Set<InstanceId> = missing.iter().copied().collect();
        if missing.is_empty() {
            return Ok(absent);
        }
        for loaded in self.shared.store.load(missing).await?.into_iter().flatten() {
            absent.remove(&loaded.id);
            let compiled =
                self.shared.processes.by_id(&*self.shared.store, loaded.instance.definition).await?;
            let start_key = loaded.instance.start_key.clone();
            let restored = tyer_store::restore(&compiled.process, loaded);
            let (instance, leases) = restored.map_err(|error| Error::Damaged(error.to_string()))?;
            self.cache.insert(instance, compiled, leases, start_key);
        }
        Ok(absent)
    }

    /// Nothing was stepped: come again a little later, or give up.
    fn store_failed(&mut self, requests: Vec<Boxed>, error: Error) {
        let transient = matches!(&error, Error::Store(error) if error.is_transient());
        let text = error.to_string();
        for mut request in requests.into_iter().rev() {
            request.tries.outages += 1;
            if transient && request.tries.outages < OUTAGES {
                self.todo.push_front(request);
            } else {
                self.answer(request, Err(Error::Store(tyer_store::Error::Unavailable(text.clone()))));
            }
        }
        self.pause = Some(Duration::from_millis(500));
    }

    fn step(&mut self, request: Boxed) {
        let id = request.instance;
        if let Ask::Start(compiled, _) = &request.ask
            && !self.cache.contains(id)
        {
            let (blank, start_key) = (Instance::blank(id), request.start_key.clone());
            self.cache.insert(blank, Arc::clone(compiled), Map::new(), start_key);
        }
        let Some(cached) = self.cache.get_mut(id) else {
            return match self.uncommitted.contains_key(&id) {
                true => self.hold_back(request),
                false => self.answer(request, Err(Rejection::InstanceUnknown { id }.into())),
            };
        };
        // Whose an instance is never changes: this needs no second look.
        if request.tenant.as_ref().is_some_and(|tenant| *tenant != cached.compiled.definition.tenant) {
            return self.answer(request, Err(Rejection::InstanceUnknown { id }.into()));
        }
        let lease = match held_lease(cached, &request) {
            Ok(lease) => lease,
            Err(rejection) => return self.rejected(request, rejection),
        };
        let (now, walk) = (self.shared.now(), self.shared.limits.walk);
        let (version, counter) = (cached.instance.version, cached.instance.counter);
        match take_step(cached, &request, lease.as_ref(), now, &walk) {
            Step::Events(events) if events.is_empty() => self.unchanged(request, now),
            Step::Events(events) => self.stepped(request, &events, version, counter, lease, now),
            Step::Rejected(rejection) => self.rejected(request, rejection),
            Step::Panicked(message) => self.panicked(request, message),
        }
    }

    fn stepped(
        &mut self,
        request: Boxed,
        events: &[Event],
        version: u64,
        counter: Number,
        lease: Option<(Number, Number, Lease)>,
        now: Timestamp,
    ) {
        let id = request.instance;
        let turn_id = match self.shared.ids.next(now) {
            Ok(turn_id) => turn_id,
            Err(error) => {
                self.cache.remove(id);
                return self.answer(request, Err(error));
            }
        };
        let cached = self.cache.get_mut(id).expect("stepped just now");
        let sender = Sender {
            instance: &cached.instance,
            tenant: &cached.compiled.definition.tenant,
            process: &cached.compiled.process.id,
            start_key: cached.start_key.as_deref(),
        };
        let letters = mail::letters(&self.shared, &sender, events, counter, now);
        let (leaves, parcels) = match letters {
            Ok(letters) => letters,
            Err(error) => {
                self.cache.remove(id);
                return self.answer(request, Err(error));
            }
        };
        let process = Arc::clone(&cached.compiled.process);
        let unclaimed = taken_for_a_saga(cached, events, counter);
        if let Some(job) = request.ask.job() {
            cached.let_go(job);
        }
        let mut changes = Changes::of(&cached.instance, counter);
        changes.instance.start_key.clone_from(&cached.start_key);
        changes.instance.tenant.clone_from(&cached.compiled.definition.tenant);
        let mut ready = Vec::new();
        let jobs = take_jobs(&self.shared, cached, &mut changes, &mut ready, now);
        if changes.held == Some(false) {
            // Jobs that were held are ready again; no row of theirs was touched.
            ready.extend(
                cached.instance.tokens.values().filter_map(|token| Some(Arc::clone(&token.job()?.job_type))),
            );
        }
        let turn = TurnKey { instance: id, first_seq: version + 1, turn: turn_id };
        let relies = Box::new(Relies {
            lease: lease.map(|(token, job, lease)| (token, job, lease.number)),
            idempotency_key: request.idempotency_key.clone(),
            unclaimed,
            newest_of: request.newest.then(|| process.id.clone()),
        });
        let count = u32::try_from(events.len()).expect("a turn is bounded");
        let history = Packed { count, at: now, events: tyer_engine::pack(&process, events) };
        let seen = self.shared.onlookers.any().then(|| Seen::of(turn, &cached.compiled, &history));
        let (status, version) = (cached.instance.status, cached.instance.version);
        let due = events.iter().filter_map(|event| due(&event.kind)).min();
        let tells = self.shared.relay.told_of(&changes.instance.tenant);
        let mail = Box::new(Mail { takes: request.take.clone(), leaves, tells });
        self.batch.push(Turn { key: turn, process, relies, changes, history, mail });
        *self.uncommitted.entry(id).or_default() += 1;
        let (duplicate, changed) = (false, true);
        let done = Done { instance: id, status, version, at: now, duplicate, changed };
        let taken = Taken { request, done, turn, jobs, ready, due, seen, parcels };
        self.pending.push(Box::new(taken));
    }

    /// What changes nothing is not written. It counts only on fresh state, as a refusal does.
    fn unchanged(&mut self, mut request: Boxed, now: Timestamp) {
        let id = request.instance;
        if self.uncommitted.contains_key(&id) {
            return self.hold_back(request);
        }
        let cached = self.cache.get_mut(id).expect("stepped just now");
        let (status, version) = (cached.instance.status, cached.instance.version);
        if request.tries.second_look {
            let (duplicate, changed) = (false, false);
            let done = Done { instance: id, status, version, at: now, duplicate, changed };
            return self.answer(request, Ok(done));
        }
        self.cache.remove(id);
        request.tries.second_look = true;
        self.todo.push_front(request);
    }

    /// A refusal counts only on fresh state: the cache may be behind another node, or ahead of the disk.
    fn rejected(&mut self, mut request: Boxed, rejection: Rejection) {
        let id = request.instance;
        if self.uncommitted.contains_key(&id) {
            return self.hold_back(request);
        }
        self.cache.remove(id);
        if request.tries.second_look || matches!(request.ask, Ask::Start(..)) {
            return self.answer(request, Err(rejection.into()));
        }
        request.tries.second_look = true;
        self.todo.push_front(request);
    }

    /// Our fault: the instance is set aside, everyone else goes on.
    fn panicked(&mut self, request: Boxed, message: String) {
        let id = request.instance;
        tracing::error!(instance = %id, message, "the engine failed on an instance");
        self.cache.remove(id);
        if !matches!(request.ask, Ask::Start(..) | Ask::Park(_)) {
            let (park, _) = Request::new(id, Ask::Park(message.clone()), None);
            self.shared.busy.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            self.todo.push_back(Box::new(park));
        }
        self.answer(request, Err(Error::Parked(id, message)));
    }
}

fn take_step(
    cached: &mut Cached,
    request: &Request,
    lease: Option<&(Number, Number, Lease)>,
    now: Timestamp,
    walk: &Limits,
) -> Step {
    let process = Arc::clone(&cached.compiled.process);
    let command = match &request.ask {
        Ask::Start(_, command) | Ask::Do(command) => command.clone(),
        Ask::Migrate(to, mapping) => return migrate(cached, to, mapping.clone(), now, walk),
        Ask::Park(message) => {
            return Step::Events(tyer_engine::park(&process, &mut cached.instance, message.clone(), now));
        }
    };
    caught(&process, &mut cached.instance, with_holder(command, lease), now, walk)
}

fn caught(
    process: &Process,
    instance: &mut Instance,
    command: Command,
    now: Timestamp,
    walk: &Limits,
) -> Step {
    match catch_unwind(AssertUnwindSafe(|| tyer_engine::step_within(process, instance, command, now, walk))) {
        Ok(Ok(events)) => Step::Events(events),
        Ok(Err(rejection)) => Step::Rejected(rejection),
        Err(panic) => Step::Panicked(panic_text(&*panic)),
    }
}

/// The step is taken on the new version, and what follows is too.
fn migrate(
    cached: &mut Cached,
    to: &Arc<Compiled>,
    mapping: Vec<(String, String)>,
    now: Timestamp,
    walk: &Limits,
) -> Step {
    let (definition, version) = (to.definition.id, to.definition.version);
    let from = Arc::clone(&cached.compiled.process);
    let migration = Migration { definition, version, mapping, from };
    let command = Command::Migrate(Box::new(migration));
    let step = caught(&to.process, &mut cached.instance, command, now, walk);
    if let Step::Events(_) = step {
        cached.compiled = Arc::clone(to);
    }
    step
}

/// Steps that could be undone and were taken away because nobody does them, as far as this node knows: a saga relies
/// on that.
fn taken_for_a_saga(cached: &Cached, events: &[Event], counter: Number) -> Vec<Number> {
    let undoes = |event: &Event| {
        matches!(&event.kind, EventKind::SagaStarted { cause, .. }
            if !matches!(cause, SagaCause::Throw | SagaCause::Aside))
    };
    if !events.iter().any(undoes) {
        return Vec::new();
    }
    let process = &cached.compiled.process;
    let could_be_undone = |event: &&Event| {
        event.kind == EventKind::TokenTerminated
            && event.node.is_some_and(|node| process.node(node).handler.is_some())
    };
    let gone = events.iter().filter(could_be_undone).filter_map(|event| event.token);
    let held = |token: &Number| cached.leases.values().any(|held| held.token == *token);
    gone.filter(|token| *token <= counter && !held(token)).collect()
}

/// The lease under which a job's result comes: token, job, lease.
fn held_lease(cached: &Cached, request: &Request) -> Result<Option<(Number, Number, Lease)>, Rejection> {
    let (Some(number), Some(job)) = (request.lease, request.ask.job()) else { return Ok(None) };
    let instance = request.instance;
    let token = cached.instance.token_of_job(job).ok_or(Rejection::JobNotOpen { instance, job })?;
    match cached.leases.get(&job) {
        Some(held) if held.lease.number == number => Ok(Some((token, job, held.lease.clone()))),
        Some(_) | None => Err(Rejection::LeaseLost { instance, job }),
    }
}

/// History keeps who held the job, and since when.
fn with_holder(mut command: Command, lease: Option<&(Number, Number, Lease)>) -> Command {
    if let Command::CompleteJob { holder, .. }
    | Command::FailJob { holder, .. }
    | Command::ThrowError { holder, .. } = &mut command
    {
        *holder = lease.map(|(_, _, lease)| Holder { worker: lease.worker.to_string(), since: lease.since });
    }
    command
}

/// A new job is born executing when a worker of this node has a free slot: that saves a claim.
fn take_jobs(
    shared: &Shared,
    cached: &mut Cached,
    changes: &mut Changes,
    ready: &mut Vec<Arc<str>>,
    now: Timestamp,
) -> Vec<LocalJob> {
    let mut jobs = Vec::new();
    for change in changes.tokens.values_mut() {
        let Some(row) = &mut change.row else { continue };
        let Wait::Job(job) = &row.token.wait else { continue };
        if row.status != TokenStatus::Ready || row.hold == Hold::Kept {
            continue;
        }
        let Some(slot) = shared.workers.reserve(&cached.compiled.definition.tenant, &job.job_type) else {
            ready.push(Arc::clone(&job.job_type));
            continue;
        };
        let (worker, node) = (Arc::clone(shared.workers.name()), Some(shared.ids.node()));
        let lease = Lease { number: 1, worker, node, since: now, until: None };
        let definition = &cached.compiled;
        let variables = cached.instance.visible(cached.instance.reading_scope(&row.token));
        let described =
            Job::describe(definition, cached.instance.id, row.token.node, job, row.token.attempt, variables);
        jobs.push(LocalJob { slot, job: described, lease: 1 });
        cached.hold(job.number, lease.clone());
        row.hold = Hold::Taken(lease);
    }
    jobs
}

/// When the event makes the timer service look. After a pause any timer may be overdue.
fn due(event: &EventKind) -> Option<Timestamp> {
    if let EventKind::TimerCreated { due, .. } = event {
        return Some(*due);
    }
    matches!(event, EventKind::WorkflowResumed).then_some(Timestamp(i64::MIN))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").to_owned()
}

//! Workers inside this process: who does which type of job, and how many at once.
//!
//! **Invariant:** a job begins only after the commit that gave it to us, and a slot is held for as long as it runs.

use std::collections::HashMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::task::Poll;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{Notify, oneshot};
use tyer_engine::{Command, InstanceId, ItemId, Variables};
use tyer_store::{Claim, Lease, Tenant};

use crate::error::Error;
use crate::input::JobInput;
use crate::job::{Job, JobError, Parsed};
use crate::options::WorkerOptions;
use crate::shared::Shared;
use crate::track::{Ask, Done, Message, Reply, Request};

type Work = Pin<Box<dyn Future<Output = Result<Variables, JobError>> + Send>>;
type Handler = Box<dyn Fn(Job) -> Work + Send + Sync>;

/// A job of this node's, ready to begin.
pub(crate) struct LocalJob {
    pub(crate) slot: Slot,
    pub(crate) job: Job,
    pub(crate) lease: u32,
}

pub(crate) struct Workers {
    name: Arc<str>,
    /// Of each type one for everybody, and one for each tenant that has its own.
    by_type: RwLock<HashMap<Arc<str>, Vec<Arc<Worker>>>>,
    /// Somebody outside may want to claim.
    pub(crate) arrived: Notify,
    /// Jobs begun here whose results are not home yet.
    running: Arc<Running>,
    /// No job begins here for the time being.
    resting: AtomicBool,
}

struct Worker {
    /// Whose jobs; none = everybody's.
    tenant: Option<Tenant>,
    job_type: Arc<str>,
    handler: Handler,
    options: WorkerOptions,
    free: AtomicUsize,
    /// The store may have ready jobs of this type.
    backlog: AtomicBool,
    wake: Notify,
}

/// The right to run one job.
pub(crate) struct Slot(Arc<Worker>);

/// A job that was begun here and whose result is not home yet.
pub(crate) struct UnderWay(Arc<Running>);

/// Jobs begun here whose results are not home yet.
#[derive(Default)]
struct Running {
    count: AtomicUsize,
    none: Notify,
}

impl Workers {
    pub(crate) fn new(name: String) -> Workers {
        let running = Arc::default();
        let resting = AtomicBool::new(false);
        Workers { name: name.into(), by_type: RwLock::default(), arrived: Notify::new(), running, resting }
    }

    /// How many jobs run here.
    pub(crate) fn running(&self) -> usize {
        self.running.count.load(Ordering::SeqCst)
    }

    /// Waits until no job runs here.
    pub(crate) async fn all_home(&self) {
        loop {
            let none = self.running.none.notified();
            if self.running() == 0 {
                return;
            }
            none.await;
        }
    }

    /// No job runs here, and none is about to be claimed.
    pub(crate) fn are_idle(&self) -> bool {
        let resting = self.resting.load(Ordering::SeqCst);
        let by_type = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        let about_to_claim = !resting && by_type.values().flatten().any(|worker| worker.is_about_to_claim());
        !about_to_claim && self.running() == 0
    }

    /// From now on no job begins here; or they do again.
    pub(crate) fn rest(&self, resting: bool) {
        self.resting.store(resting, Ordering::SeqCst);
        if !resting {
            self.look();
        }
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// A free slot of a worker for this type.
    pub(crate) fn reserve(&self, tenant: &Tenant, job_type: &str) -> Option<Slot> {
        if self.resting.load(Ordering::SeqCst) {
            return None;
        }
        let by_type = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        let mut workers = by_type.get(job_type)?.iter();
        workers.find_map(|worker| if worker.serves(tenant) { Slot::take(worker) } else { None })
    }

    /// Ready jobs of this type are in the store.
    pub(crate) fn more(&self, job_type: &str) {
        let by_type = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        by_type.get(job_type).into_iter().flatten().for_each(|worker| worker.look());
        self.arrived.notify_waiters();
    }

    /// Nobody has taken its place.
    fn is_current(&self, worker: &Arc<Worker>) -> bool {
        let by_type = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        by_type.get(&worker.job_type).is_some_and(|all| all.iter().any(|one| Arc::ptr_eq(one, worker)))
    }

    /// Ready jobs of any type may be in the store.
    pub(crate) fn look(&self) {
        for worker in self.by_type.read().unwrap_or_else(PoisonError::into_inner).values().flatten() {
            worker.look();
        }
        self.arrived.notify_waiters();
    }

    /// Registers a handler; it replaces a former one for the same type and tenant.
    pub(crate) fn add<F, I, Fut, T>(
        &self,
        shared: &Arc<Shared>,
        tenant: Option<Tenant>,
        job_type: &str,
        options: WorkerOptions,
        handler: F,
    ) where
        F: Fn(I) -> Fut + Send + Sync + 'static,
        I: JobInput + 'static,
        Fut: Future<Output = Result<T, JobError>> + Send + 'static,
        T: Serialize,
    {
        let handler = move |job| -> Work {
            let work = I::of_job(job).map(&handler);
            Box::pin(async move { Ok(Variables::from_serialize(&work?.await?)?) })
        };
        let worker = Arc::new(Worker {
            tenant,
            job_type: job_type.into(),
            handler: Box::new(handler),
            options,
            free: AtomicUsize::new(options.concurrency.max(1)),
            backlog: AtomicBool::new(true),
            wake: Notify::new(),
        });
        let mut by_type = self.by_type.write().unwrap_or_else(PoisonError::into_inner);
        let workers = by_type.entry(Arc::clone(&worker.job_type)).or_default();
        workers.retain(|other| other.tenant != worker.tenant);
        workers.push(Arc::clone(&worker));
        worker.wake.notify_one();
        tokio::spawn(claim_backlog(Arc::downgrade(shared), worker));
    }

    /// Runs a job of ours and brings its result home.
    pub(crate) fn begin(&self, shared: &Arc<Shared>, local: LocalJob) {
        // A job that runs for long does not keep a closed engine alive.
        let under_way = UnderWay::one_more(&self.running);
        let shared = Arc::downgrade(shared);
        tokio::spawn(async move {
            let LocalJob { slot, job, lease } = local;
            let (id, attempt, worker) = (job.id, job.attempt, Arc::clone(&slot.0));
            let command = match worker.run(job).await {
                Ok(variables) => Command::CompleteJob { job: id.number, holder: None, variables },
                Err(error) => worker.options.complete(attempt, error).into_command(id.number),
            };
            drop(slot);
            let reply = Reply::Home(under_way);
            bring_home(&shared, Request::of(id.instance, Ask::Do(command), Some(lease), reply)).await;
        });
    }
}

impl Worker {
    fn serves(&self, tenant: &Tenant) -> bool {
        self.tenant.as_ref().is_none_or(|own| own == tenant)
    }

    fn look(&self) {
        self.backlog.store(true, Ordering::SeqCst);
        self.wake.notify_one();
    }

    fn is_about_to_claim(&self) -> bool {
        self.backlog.load(Ordering::SeqCst) && self.free.load(Ordering::SeqCst) > 0
    }

    async fn run(&self, job: Job) -> Result<Variables, JobError> {
        let mut work = match catch_unwind(AssertUnwindSafe(|| (self.handler)(job))) {
            Ok(work) => work,
            Err(_) => return Err(JobError::new("the handler panicked")),
        };
        let guarded = std::future::poll_fn(move |context| {
            match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
                Ok(polled) => polled,
                Err(_) => Poll::Ready(Err(JobError::new("the handler panicked"))),
            }
        });
        match self.options.timeout {
            None => guarded.await,
            Some(timeout) => tokio::time::timeout(timeout, guarded)
                .await
                .unwrap_or_else(|_| Err(JobError::new(format!("the job took longer than {timeout:?}")))),
        }
    }
}

impl Slot {
    fn take(worker: &Arc<Worker>) -> Option<Slot> {
        let one_less = |free: usize| free.checked_sub(1);
        let taken = worker.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        taken.is_ok().then(|| Slot(Arc::clone(worker)))
    }
}

impl UnderWay {
    fn one_more(running: &Arc<Running>) -> UnderWay {
        running.count.fetch_add(1, Ordering::SeqCst);
        UnderWay(Arc::clone(running))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.none.notify_waiters();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::SeqCst);
        if self.0.backlog.load(Ordering::SeqCst) {
            self.0.wake.notify_one();
        }
    }
}

/// Hands in the result of a job. Nobody waits for the answer: it comes home to [`came_home`].
async fn bring_home(shared: &Weak<Shared>, request: Request) {
    if let Some(shared) = shared.upgrade() {
        // A closed engine takes nothing any more, and the job is done again elsewhere when its lease has ended.
        let _ = put(&shared, request).await;
    }
}

/// A result must not be lost while its lease holds: it is offered until it is applied or refused.
pub(crate) fn came_home(
    shared: &Arc<Shared>,
    (instance, ask, lease): (InstanceId, Ask, Option<u32>),
    under_way: UnderWay,
    answer: Result<Done, Error>,
) {
    let job = || ask.job().map(|number| ItemId { instance, number }.to_text("job"));
    match answer {
        // After a disk has failed, the job is done again by whoever opens the store.
        Ok(_) | Err(Error::Closed | Error::Parked(..) | Error::Store(tyer_store::Error::DiskFailed(_))) => {}
        Err(Error::Rejected(reason)) => tracing::info!(job = job(), %reason, "a late result was refused"),
        Err(error) => {
            tracing::warn!(job = job(), %error, "a result could not be stored yet");
            let shared = Arc::downgrade(shared);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(200)).await;
                bring_home(&shared, Request::of(instance, ask, lease, Reply::Home(under_way))).await;
            });
        }
    }
}

/// Asks the track of an instance, waiting for room.
pub(crate) async fn ask(
    shared: &Shared,
    instance: InstanceId,
    ask: Ask,
    lease: Option<u32>,
) -> Result<Done, Error> {
    hand_in(shared, Request::new(instance, ask, lease)).await?.await.unwrap_or(Err(Error::Closed))
}

/// Puts a command in the queue of its track; what comes of it is told later.
pub(crate) async fn hand_in(
    shared: &Shared,
    (request, answer): (Request, oneshot::Receiver<Result<Done, Error>>),
) -> Result<oneshot::Receiver<Result<Done, Error>>, Error> {
    put(shared, request).await?;
    Ok(answer)
}

/// Puts a request in the queue of its track.
async fn put(shared: &Shared, request: Request) -> Result<(), Error> {
    shared.busy.fetch_add(1, Ordering::SeqCst);
    let put = shared.send(Message::Ask(Box::new(request))).await;
    if put.is_err() {
        shared.busy.fetch_sub(1, Ordering::SeqCst);
    }
    put
}

/// Claims what could not be given to a slot at birth, for as long as the worker is registered.
async fn claim_backlog(shared: Weak<Shared>, worker: Arc<Worker>) {
    let mut parsed = Parsed::default();
    loop {
        worker.wake.notified().await;
        let Some(shared) = shared.upgrade().filter(|shared| !*shared.closing.borrow()) else { return };
        if !shared.workers.is_current(&worker) {
            return;
        }
        let _claiming = UnderWay::one_more(&shared.workers.running);
        let awake = || !shared.workers.resting.load(Ordering::SeqCst);
        while awake() && worker.backlog.swap(false, Ordering::SeqCst) {
            let slots: Vec<Slot> = std::iter::from_fn(|| Slot::take(&worker)).take(256).collect();
            if slots.is_empty() {
                worker.backlog.store(true, Ordering::SeqCst);
                break;
            }
            if let Err(error) = claim(&shared, &worker, slots, &mut parsed).await {
                tracing::warn!(%error, job_type = %worker.job_type, "claiming jobs failed");
                tokio::time::sleep(Duration::from_millis(200)).await;
                worker.look();
                break;
            }
        }
        if !worker.backlog.load(Ordering::SeqCst) {
            parsed = Parsed::default();
        }
    }
}

/// `parsed` has what jobs of the last claim see: slots become free one by one, and most claims are of a few jobs.
async fn claim(
    shared: &Arc<Shared>,
    worker: &Arc<Worker>,
    mut slots: Vec<Slot>,
    parsed: &mut Parsed,
) -> Result<(), Error> {
    let (name, node) = (Arc::clone(shared.workers.name()), Some(shared.ids.node()));
    let lease = Lease { number: 0, worker: name, node, since: shared.now(), until: None };
    let (tenant, types) = (worker.tenant.clone(), vec![Arc::clone(&worker.job_type)]);
    let claim = Claim { tenant, types, max: slots.len(), lease: lease.clone() };
    let claimed = shared.store.claim(claim).await?;
    parsed.next_claim();
    if claimed.len() == slots.len() {
        worker.backlog.store(true, Ordering::SeqCst);
    }
    for claimed in claimed {
        let compiled = shared.processes.by_id(&*shared.store, claimed.definition).await?;
        let job = Job::claimed(&compiled, &claimed, parsed)?;
        let held = Lease { number: claimed.lease, ..lease.clone() };
        shared
            .send(Message::Leased { instance: claimed.instance, job: claimed.job.number, lease: held })
            .await?;
        let slot = slots.pop().expect("no more jobs than slots");
        shared.workers.begin(shared, LocalJob { slot, job, lease: claimed.lease });
    }
    Ok(())
}

//! The engine that a program embeds.

#[cfg(feature = "sqlite")]
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tyer_engine::{Command, InstanceId, Timestamp};
use tyer_store::{ListedInstance, Tenant, memory::Memory};

use crate::clock::{Clock, TestClock};
use crate::error::Error;
use crate::handle::Handle;
use crate::ids::Ids;
use crate::job::{Job, JobError};
use crate::mail::PostOffice;
use crate::node;
use crate::shared::{Backend, Counts, Shared};
use crate::start::StartInstance;
use crate::timers;
use crate::track::{Ask, Done, Message, Request, Track};
use crate::workers::{WorkerOptions, Workers};

/// Commands that may wait at one track before callers are told to come later.
const QUEUE: usize = 16_384;

/// A workflow engine. Cheap to clone; the work stops when the last clone is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tyer_runtime::Engine;
///
/// let engine = Engine::memory().await?;
/// engine.deploy(br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
///   <process id="hello" isExecutable="true">
///     <startEvent id="start"/><sequenceFlow id="f" sourceRef="start" targetRef="end"/><endEvent id="end"/>
///   </process></definitions>"#).await?;
/// let hello = engine.start("hello").send().await?;
/// assert_eq!(hello.finished().await?.status, tyer_runtime::Status::Completed);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
    life: Arc<Life>,
    /// Whose names are meant; none = the default tenant's, and workers for everybody.
    pub(crate) view: Option<Tenant>,
}

/// Ends with the last clone of the engine.
struct Life {
    shared: Arc<Shared>,
    tracks: Mutex<Vec<JoinHandle<()>>>,
    /// Ends when the store is let go.
    end: Mutex<Option<oneshot::Receiver<()>>>,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct Builder {
    tracks: usize,
    clock: Option<TestClock>,
}

/// What an engine has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Instances started.
    pub started: u64,
    /// Instances completed.
    pub completed: u64,
    /// Turns committed.
    pub turns: u64,
    /// Transactions that committed them.
    pub commits: u64,
}

impl Default for Builder {
    fn default() -> Builder {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Builder { tracks: cores.min(8), clock: None }
    }
}

impl Builder {
    /// How many tracks share the instances: more is not faster than the machine has cores.
    #[must_use]
    pub fn tracks(mut self, tracks: usize) -> Builder {
        self.tracks = tracks.max(1);
        self
    }

    /// Time stands still until the clock is moved; call [`Engine::run_until_idle`] after that.
    #[must_use]
    pub fn clock(mut self, clock: &TestClock) -> Builder {
        self.clock = Some(clock.clone());
        self
    }

    /// An engine that forgets when it ends.
    pub async fn memory(self) -> Result<Engine, Error> {
        self.on(Arc::new(Memory::default()), false).await
    }

    /// An engine on a SQLite file, which is made if it is not there.
    #[cfg(feature = "sqlite")]
    pub async fn open(self, path: impl AsRef<Path>) -> Result<Engine, Error> {
        let store = tyer_store::sqlite::Sqlite::open(path)?;
        self.on(Arc::new(store), false).await
    }

    /// An engine on a PostgreSQL database, which other nodes may share.
    #[cfg(feature = "postgres")]
    pub async fn postgres(self, url: &str) -> Result<Engine, Error> {
        let store = tyer_store::postgres::Postgres::connect(url, self.tracks + 2).await?;
        self.on(Arc::new(store), true).await
    }

    /// An engine on any store. `several_nodes`: others may work on it at the same time.
    pub async fn on(
        self,
        store: Arc<impl tyer_store::Store + tyer_store::Mailbox + tyer_store::Views>,
        several_nodes: bool,
    ) -> Result<Engine, Error> {
        let store: Arc<dyn Backend> = store;
        let clock = self.clock.map_or_else(Clock::system, Clock::Test);
        let owner = format!("{}-{}", std::process::id(), clock.now().0);
        let asked_at = clock.now();
        let lease = store.hold_node(None, &owner, asked_at).await?;
        clock.follow(lease.store_time, asked_at);
        let ids = if clock.is_test() { Ids::new(&lease).for_ever() } else { Ids::new(&lease) };
        let (senders, queues): (Vec<_>, Vec<_>) = (0..self.tracks).map(|_| mpsc::channel(QUEUE)).unzip();
        let (gone, end) = oneshot::channel();
        let shared = Arc::new(Shared {
            store,
            several_nodes,
            ids,
            processes: Default::default(),
            workers: Workers::new(format!("node-{}", lease.number)),
            watchers: Default::default(),
            alarm: Default::default(),
            office: PostOffice::default(),
            counts: Counts::default(),
            tracks: senders,
            closing: watch::Sender::new(false),
            busy: AtomicU64::new(0),
            clock,
            _gone: gone,
        });
        let tracks = queues.into_iter().map(|queue| tokio::spawn(Track::new(Arc::clone(&shared)).run(queue)));
        let tracks = Mutex::new(tracks.collect());
        PostOffice::open(&shared);
        if !shared.clock.is_test() {
            tokio::spawn(timers::run(Arc::downgrade(&shared)));
        }
        tokio::spawn(node::renew(Arc::downgrade(&shared), owner, lease));
        Ok(Engine {
            life: Arc::new(Life { shared: Arc::clone(&shared), tracks, end: Mutex::new(Some(end)) }),
            shared,
            view: None,
        })
    }
}

impl Engine {
    /// To set more than the defaults.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// An engine on a SQLite file, which is made if it is not there.
    #[cfg(feature = "sqlite")]
    pub async fn open(path: impl AsRef<Path>) -> Result<Engine, Error> {
        Engine::builder().open(path).await
    }

    /// An engine on a PostgreSQL database, which other nodes may share.
    #[cfg(feature = "postgres")]
    pub async fn postgres(url: &str) -> Result<Engine, Error> {
        Engine::builder().postgres(url).await
    }

    /// An engine that forgets when it ends.
    pub async fn memory() -> Result<Engine, Error> {
        Engine::builder().memory().await
    }

    /// Does jobs of a type inside this process. The result's fields become variables.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) {
    /// use tyer_runtime::Job;
    /// engine.worker("charge-card", |job: Job| async move {
    ///     Ok(serde_json::json!({ "charged": job.variables.get("amount") }))
    /// });
    /// # }
    /// ```
    pub fn worker<F, Fut, T>(&self, job_type: &str, handler: F)
    where
        F: Fn(Job) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, JobError>> + Send + 'static,
        T: Serialize,
    {
        self.worker_with(job_type, WorkerOptions::default(), handler);
    }

    /// Does jobs of a type inside this process, with a say in how.
    pub fn worker_with<F, Fut, T>(&self, job_type: &str, options: WorkerOptions, handler: F)
    where
        F: Fn(Job) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, JobError>> + Send + 'static,
        T: Serialize,
    {
        self.shared.workers.add(&self.shared, self.view.clone(), job_type, options, handler);
    }

    /// Begins an instance of a process: set what you need, then `send`.
    pub fn start(&self, process: &str) -> StartInstance {
        StartInstance::new(self.clone(), process)
    }

    /// A handle on an instance; whether it exists shows when you use it.
    pub fn instance(&self, id: InstanceId) -> Handle {
        Handle::new(self.clone(), id)
    }

    /// Instances after this one, by id: for whoever walks over all of them. Lists are found by
    /// [`Engine::find_instances`].
    pub async fn instances(&self, after: InstanceId, limit: usize) -> Result<Vec<ListedInstance>, Error> {
        Ok(self.shared.store.instances(Some(self.whose()), None, after, limit).await?)
    }

    /// Offers a command to an instance and waits until what it did is durable.
    pub async fn command(&self, instance: InstanceId, command: Command) -> Result<Done, Error> {
        self.command_under_lease(instance, command, None).await
    }

    pub(crate) async fn command_under_lease(
        &self,
        instance: InstanceId,
        command: Command,
        lease: Option<u32>,
    ) -> Result<Done, Error> {
        self.ask(Request::new(instance, Ask::Do(command), lease)).await
    }

    /// From outside: when the track is full, the caller is told instead of kept.
    pub(crate) async fn ask(
        &self,
        (mut request, answer): (Request, oneshot::Receiver<Result<Done, Error>>),
    ) -> Result<Done, Error> {
        request.tenant = Some(self.whose().clone());
        self.shared.busy.fetch_add(1, Ordering::SeqCst);
        if let Err(error) = self.shared.offer(Message::Ask(Box::new(request))) {
            self.shared.busy.fetch_sub(1, Ordering::SeqCst);
            return Err(error);
        }
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Stops: what was taken is finished and answered, nothing new is taken. Jobs that still run here are given up;
    /// they are offered again when the store is opened next.
    pub async fn shutdown(self) {
        self.shared.close();
        let tracks = std::mem::take(&mut *self.life.tracks.lock().unwrap_or_else(PoisonError::into_inner));
        for track in tracks {
            if let Err(error) = track.await {
                tracing::error!(%error, "a track did not end well");
            }
        }
        let end = self.life.end.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(self);
        if let Some(end) = end {
            // Somebody may still hold a clone or a handle: the store stays open for as long.
            let _ = tokio::time::timeout(Duration::from_secs(1), end).await;
        }
    }

    /// Counters since the engine was opened.
    pub fn metrics(&self) -> Metrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &self.shared.counts;
        Metrics {
            started: read(&counts.started),
            completed: read(&counts.completed),
            turns: read(&counts.turns),
            commits: read(&counts.commits),
        }
    }

    /// Fires what is due and waits until nothing is under way. For tests, with a [`TestClock`].
    pub async fn run_until_idle(&self) -> Result<(), Error> {
        self.next_moment().await.map(drop)
    }

    /// Waits until nothing is under way, without a look at what is due. For tests.
    pub async fn settle(&self) -> Result<(), Error> {
        while self.shared.busy.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Moves the test clock on, from one due moment to the next: what is due fires in its order and at its time.
    ///
    /// # Panics
    /// If the engine does not run on a [`TestClock`].
    pub async fn advance(&self, duration: Duration) -> Result<(), Error> {
        let Clock::Test(clock) = &self.shared.clock else { panic!("only a test clock can be moved") };
        let target = clock.now().plus_ms(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX));
        while let Some(next) = self.next_moment().await?.filter(|next| *next <= target) {
            clock.advance_ms((next.0 - clock.now().0).max(0));
        }
        clock.advance_ms((target.0 - clock.now().0).max(0));
        self.run_until_idle().await
    }

    /// Lets everything happen that can happen now; says when the next thing is due.
    async fn next_moment(&self) -> Result<Option<Timestamp>, Error> {
        loop {
            self.settle().await?;
            let looked = timers::look_once(&self.shared).await?;
            if !looked.more && self.shared.busy.load(Ordering::SeqCst) == 0 {
                return Ok(looked.next);
            }
        }
    }
}

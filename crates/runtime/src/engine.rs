//! The engine that a program embeds.

#[cfg(feature = "sqlite")]
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tyer_engine::{Command, InstanceId};
use tyer_store::{ListedInstance, Tenant};

use crate::builder::Builder;
use crate::error::Error;
use crate::handle::Handle;
use crate::ids::Ids;
use crate::input::JobInput;
use crate::job::JobError;
use crate::live::Onlookers;
use crate::mail::PostOffice;
use crate::node;
use crate::options::WorkerOptions;
use crate::relay::Relay;
use crate::shared::{Backend, Counts, Shared};
use crate::start::StartInstance;
use crate::timers;
use crate::track::{Ask, Done, Message, Request, Track};
use crate::upkeep;
use crate::workers::Workers;

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
    pub(crate) life: Arc<Life>,
    /// Whose names are meant; none = the default tenant's, and workers for everybody.
    pub(crate) view: Option<Tenant>,
}

/// Ends with the last clone of the engine.
pub(crate) struct Life {
    shared: Arc<Shared>,
    pub(crate) tracks: Mutex<Vec<JoinHandle<()>>>,
    /// Ends when the store is let go.
    pub(crate) end: Mutex<Option<oneshot::Receiver<()>>>,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.shared.close();
    }
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

impl Engine {
    /// To set more than the defaults.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::builder().tracks(2).memory().await?;
    /// # Ok(()) }
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// An engine on a SQLite file, which is made if it is not there. A second engine on the same file is refused.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::open("orders.db").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "sqlite")]
    pub fn open(path: impl AsRef<Path>) -> Builder {
        Engine::builder().open(path)
    }

    /// An engine on a PostgreSQL database, which other nodes may share.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::postgres("postgres://localhost/orders").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "postgres")]
    pub fn postgres(url: &str) -> Builder {
        Engine::builder().postgres(url)
    }

    /// An engine that forgets when it ends.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().await?;
    /// # Ok(()) }
    /// ```
    pub fn memory() -> Builder {
        Engine::builder().memory()
    }

    pub(crate) async fn open_on(
        mut builder: Builder,
        store: Arc<dyn Backend>,
        several_nodes: bool,
    ) -> Result<Engine, Error> {
        let clock = builder.take_clock();
        let owner = format!("{}-{}", std::process::id(), clock.now().0);
        let asked_at = clock.now();
        let lease = store.hold_node(None, &owner, asked_at).await?;
        clock.follow(lease.store_time, asked_at);
        let ids = if clock.is_test() { Ids::new(&lease).for_ever() } else { Ids::new(&lease) };
        let (senders, queues): (Vec<_>, Vec<_>) =
            (0..builder.tracks).map(|_| mpsc::channel(builder.limits.queue)).unzip();
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
            relay: Relay::default(),
            onlookers: Onlookers::default(),
            counts: Counts::default(),
            tracks: senders,
            closing: watch::Sender::new(false),
            resting: watch::Sender::new(false),
            busy: AtomicU64::new(0),
            limits: builder.limits,
            node_lease: Duration::from_millis((lease.until.0 - lease.store_time.0).max(0).cast_unsigned()),
            clock,
            _gone: gone,
        });
        let tracks = queues.into_iter().map(|queue| tokio::spawn(Track::new(Arc::clone(&shared)).run(queue)));
        let tracks = Mutex::new(tracks.collect());
        PostOffice::open(&shared);
        shared.refresh_sinks().await?;
        if !shared.clock.is_test() {
            tokio::spawn(timers::run(Arc::downgrade(&shared)));
        }
        upkeep::begin(&shared, builder.retention);
        tokio::spawn(node::renew(Arc::downgrade(&shared), owner, lease));
        Ok(Engine {
            life: Arc::new(Life { shared: Arc::clone(&shared), tracks, end: Mutex::new(Some(end)) }),
            shared,
            view: None,
        })
    }

    /// Does jobs of a type inside this process, from now until another worker is registered for the same type. The
    /// handler takes a [`Job`], or its variables as a type of yours ([`JobInput`]); the result's fields become variables.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) {
    /// use tyer_runtime::Job;
    /// engine.worker("charge-card", |job: Job| async move {
    ///     Ok(serde_json::json!({ "charged": job.variables.get("amount") }))
    /// });
    /// # }
    /// ```
    pub fn worker<F, I, Fut, T>(&self, job_type: &str, handler: F)
    where
        F: Fn(I) -> Fut + Send + Sync + 'static,
        I: JobInput + 'static,
        Fut: Future<Output = Result<T, JobError>> + Send + 'static,
        T: Serialize,
    {
        self.worker_with(job_type, WorkerOptions::default(), handler);
    }

    /// Does jobs of a type inside this process, with a say in how.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) {
    /// use tyer_runtime::{JobError, WorkerOptions};
    /// #[derive(serde::Deserialize)]
    /// struct Order { amount: u32 }
    ///
    /// engine.worker_with("charge-card", WorkerOptions::default().tries(3), |order: Order| async move {
    ///     match order.amount {
    ///         0 => Err(JobError::thrown("nothing-to-pay", "the amount is 0")),
    ///         amount => Ok(serde_json::json!({ "charged": amount })),
    ///     }
    /// });
    /// # }
    /// ```
    pub fn worker_with<F, I, Fut, T>(&self, job_type: &str, options: WorkerOptions, handler: F)
    where
        F: Fn(I) -> Fut + Send + Sync + 'static,
        I: JobInput + 'static,
        Fut: Future<Output = Result<T, JobError>> + Send + 'static,
        T: Serialize,
    {
        self.shared.workers.add(&self.shared, self.view.clone(), job_type, options, handler);
    }

    /// Begins an instance of a process: set what you need, then `send`.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let order = engine.start("order").variables(serde_json::json!({ "amount": 120 })).send().await?;
    /// # Ok(()) }
    /// ```
    pub fn start(&self, process: &str) -> StartInstance {
        StartInstance::new(self.clone(), process)
    }

    /// A handle on an instance; whether it exists shows when you use it.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let id = "inst_123".parse().expect("an id");
    /// engine.instance(id).cancel(None).await?;
    /// # Ok(()) }
    /// ```
    pub fn instance(&self, id: InstanceId) -> Handle {
        Handle::new(self.clone(), id)
    }

    /// Instances after this one, by id: for whoever walks over all of them. Lists are found by
    /// [`Engine::find_instances`].
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let first = engine.instances(tyer_runtime::InstanceId(0), 100).await?;
    /// # Ok(()) }
    /// ```
    pub async fn instances(&self, after: InstanceId, limit: usize) -> Result<Vec<ListedInstance>, Error> {
        Ok(self.shared.store.instances(Some(self.whose()), None, after, limit).await?)
    }

    /// Offers a command to an instance and waits until what it did is durable.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::Command;
    /// let id = engine.start("order").send().await?.id();
    /// engine.command(id, Command::Pause { reason: None }).await?;
    /// # Ok(()) }
    /// ```
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

    /// From outside: when there is too much to do already, the caller is told instead of kept.
    pub(crate) async fn ask(
        &self,
        (mut request, answer): (Request, oneshot::Receiver<Result<Done, Error>>),
    ) -> Result<Done, Error> {
        self.shared.admit()?;
        request.tenant = Some(self.whose().clone());
        self.shared.busy.fetch_add(1, Ordering::SeqCst);
        if let Err(error) = self.shared.offer(Message::Ask(Box::new(request))) {
            self.shared.busy.fetch_sub(1, Ordering::SeqCst);
            return Err(error);
        }
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Counters since the engine was opened.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// println!("{} turns in {} commits", engine.metrics().turns, engine.metrics().commits);
    /// # Ok(()) }
    /// ```
    pub fn metrics(&self) -> Metrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &self.shared.counts;
        Metrics {
            started: read(&counts.started),
            completed: read(&counts.completed),
            turns: read(&counts.turns),
            commits: self.shared.store.transactions().unwrap_or_else(|| read(&counts.commits)),
        }
    }
}

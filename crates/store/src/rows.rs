//! Rows as the stores read and write them: nodes and flows by their BPMN ids, moments in milliseconds.

use std::sync::Arc;

use tyer_engine::{
    Incident, Instance, InstanceId, ItemId, Job, Number, Record, Saga, Scope, ScopeKind, StartWanted, Status,
    Subscription, Task, Timer, Timestamp, Token, TokenStatus, Wait,
};
use tyer_model::NodeIx;

use crate::mail::{Letter, StartEvent};
use crate::outbox::Sink;
use crate::tenant::Tenant;

/// `process_instance`: what an instance is, without its tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceRow {
    /// Where it is in its life.
    pub status: Status,
    /// Events so far; orders turns.
    pub version: u64,
    /// The last number given inside it.
    pub counter: Number,
    /// The definition it runs.
    pub definition: i64,
    /// Whose it is: the tenant of its definition. Written when the instance begins.
    pub tenant: Tenant,
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100.
    pub priority: u8,
    /// The instance that called it, and the number of the call.
    pub parent: Option<ItemId>,
    /// The key of the message that began it, if it had one. Written when the instance begins, and read when it ends.
    pub start_key: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How often work was tried again.
    pub retries: u32,
    /// How often something went wrong.
    pub errors: u32,
    /// What went wrong last.
    pub last_error: Option<String>,
}

/// A token to be written: its state after a turn, and who holds its job.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    /// The token.
    pub token: Token,
    /// Its state but for claims.
    pub status: TokenStatus,
    /// Who holds its job.
    pub hold: Hold,
}

/// Who holds the job of a token when a turn is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody: it has none, or a new one.
    Nobody,
    /// A worker of this node, which takes it in the same commit.
    Taken(Lease),
    /// Whoever the store knows: the job is older than the turn. Status and lease stay as they are.
    Kept,
}

/// A claim on a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Counts the claims of this job.
    pub number: u32,
    /// Who holds it.
    pub worker: Arc<str>,
    /// The node whose life the lease is bound to; none for a worker outside.
    pub node: Option<u16>,
    /// When it was claimed.
    pub since: Timestamp,
    /// When it ends by itself; none when bound to a node.
    pub until: Option<Timestamp>,
}

/// A scope to be written, without its variables. The root has none: there is nothing to say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScopeRow {
    /// The scope around it.
    pub parent: Number,
    /// The token that opened it.
    pub owner: Number,
    /// Where.
    pub node: NodeIx,
    /// What sort.
    pub kind: ScopeKind,
    /// Rounds begun, done, and ended before they were done.
    pub rounds: (u32, u32, u32),
}

/// A timer to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct TimerRow {
    /// The timer.
    pub timer: Timer,
    /// Not due while its instance is paused.
    pub held: bool,
}

/// A task to be written.
pub type TaskRow = Task;

/// A subscription to be written.
pub type SubscriptionRow = Subscription;

/// A compensation record to be written.
pub type RecordRow = Record;

/// A saga to be written.
pub type SagaRow = Saga;

/// An incident to be written.
pub type IncidentRow = Incident;

/// Where the BPMN id beside a stored row says what the node is.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const NAMED: NodeIx = NodeIx(u32::MAX);

/// An instance as the store has it; elements by their BPMN ids.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its id.
    pub id: InstanceId,
    /// Its own row.
    pub instance: InstanceRow,
    /// Its tokens.
    pub tokens: Vec<LoadedToken>,
    /// Its scopes but the root.
    pub scopes: Vec<Stored<ScopeRow>>,
    /// Variables of its scopes, as JSON objects.
    pub variables: Vec<(Number, String)>,
    /// Open tasks.
    pub tasks: Vec<Stored<Task>>,
    /// Armed timers.
    pub timers: Vec<Stored<Timer>>,
    /// Messages, signals and conditions that are waited for.
    pub subscriptions: Vec<Stored<Subscription>>,
    /// Completed steps that can be undone.
    pub records: Vec<Stored<Record>>,
    /// Undoings under way.
    pub sagas: Vec<(Number, Saga)>,
    /// Open incidents.
    pub incidents: Vec<(Number, Incident)>,
}

/// A row as the store has it: the node is named beside it, and set in it when the instance is restored.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<T> {
    /// Its number.
    pub number: Number,
    /// The BPMN id of its node.
    pub node: String,
    /// Everything else.
    pub row: T,
}

/// A token as the store has it.
#[derive(Clone, Debug)]
pub struct LoadedToken {
    /// Its number.
    pub number: Number,
    /// Where it stands.
    pub node: String,
    /// The flow by which it came.
    pub flow: Option<String>,
    /// Its state, claims included.
    pub status: TokenStatus,
    /// What must happen before it goes on.
    pub wait: Wait,
    /// Forward, or undoing.
    pub mode: tyer_engine::Mode,
    /// The scope it runs in.
    pub scope: Number,
    /// The scope it has opened.
    pub owns: Option<Number>,
    /// Variables of its branch of a fork.
    pub branch: Option<Number>,
    /// The token that was split to make it.
    pub parent: Option<Number>,
    /// The fork it was born in.
    pub group: Option<Number>,
    /// Nodes that have run for its wave.
    pub marks: Vec<String>,
    /// Failures of its present work.
    pub attempt: u32,
    /// Tries that somebody has granted.
    pub tries: Option<u32>,
    /// Since when it stands there.
    pub since: Timestamp,
    /// The lease on its job.
    pub lease: Option<Lease>,
}

impl TokenRow {
    /// The lease that it is written with.
    pub fn lease(&self) -> Option<&Lease> {
        if let Hold::Taken(lease) = &self.hold { Some(lease) } else { None }
    }
}

impl InstanceRow {
    pub(crate) fn of(instance: &Instance) -> InstanceRow {
        InstanceRow {
            status: instance.status,
            version: instance.version,
            counter: instance.counter,
            definition: instance.definition,
            tenant: Tenant::default(),
            business_key: instance.business_key.clone(),
            started_by: instance.started_by.clone(),
            priority: instance.priority,
            parent: instance.parent,
            start_key: None,
            started_at: instance.started_at,
            ended_at: instance.ended_at,
            retries: instance.retries,
            errors: instance.errors,
            last_error: instance.last_error.clone(),
        }
    }
}

impl ScopeRow {
    /// None for the root.
    pub(crate) fn of(scope: &Scope) -> Option<ScopeRow> {
        let rounds = (scope.rounds.started, scope.rounds.completed, scope.rounds.terminated);
        let (owner, node) = (scope.owner?, scope.node?);
        Some(ScopeRow { parent: scope.parent, owner, node, kind: scope.kind, rounds })
    }
}

impl LoadedToken {
    /// The job it waits for.
    pub fn job(&self) -> Option<&Job> {
        if let Wait::Job(job) = &self.wait { Some(job) } else { None }
    }
}

/// Who wants which jobs.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Of this tenant; none = of all.
    pub tenant: Option<Tenant>,
    /// Types of jobs, each named once.
    pub types: Vec<Arc<str>>,
    /// At most so many.
    pub max: usize,
    /// Who holds them from now on; the number is ignored.
    pub lease: Lease,
}

/// A job claimed for a worker.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The instance.
    pub instance: InstanceId,
    /// The definition it runs.
    pub definition: i64,
    /// The token that waits for it.
    pub token: Number,
    /// Where.
    pub node: String,
    /// The job.
    pub job: Job,
    /// The lease number: results must name it.
    pub lease: u32,
    /// Failures of the same work before.
    pub attempt: u32,
    /// The variables the token sees, as JSON objects: of its own scope first, of the root last. What several jobs of one
    /// claim see is the same text, not a copy.
    pub variables: Vec<Arc<str>>,
}

/// What the passing of time has brought.
#[derive(Clone, Debug, Default)]
pub struct Woken {
    /// Timers that are due, in due order.
    pub due: Vec<Due>,
    /// When the next one is, after those.
    pub next: Option<Timestamp>,
    /// Types of jobs whose leases have expired: they are ready again.
    pub freed: Vec<Arc<str>>,
    /// Jobs whose leases have expired while the steps around them are being undone: nobody knows whether they were
    /// done. They stay as they are until a turn has dealt with them.
    pub in_doubt: Vec<ItemId>,
    /// Start events whose moment has come, in due order.
    pub starts: Vec<StartEvent>,
    /// Errands, messages and signals that their writers did not see to, oldest first.
    pub letters: Vec<Letter>,
    /// Types of jobs that are ready, where other nodes leave jobs without a hint.
    pub ready: Vec<Arc<str>>,
}

/// A timer whose moment has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The instance.
    pub instance: InstanceId,
    /// The timer.
    pub timer: Number,
    /// Its moment.
    pub at: Timestamp,
}

/// The lease on a node number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLease {
    /// 0 to 1023: part of every id this node makes.
    pub number: u16,
    /// Until when, by the store's clock.
    pub until: Timestamp,
    /// No id made before this lease has a later millisecond.
    pub high_water: Timestamp,
    /// The store's time when it answered; the caller's where the store has no clock of its own.
    pub store_time: Timestamp,
    /// What a store that several nodes share has said besides, so that nobody needs to ask again.
    pub news: Option<News>,
}

/// What there is to do, told with the renewal of a node's lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Something is due: [`Store::wake`](crate::Store::wake) tells what.
    pub due: bool,
    /// The next moment that something is due.
    pub next: Option<Timestamp>,
    /// Types of jobs that are ready.
    pub ready: Vec<Arc<str>>,
    /// All sinks there are.
    pub sinks: Vec<Sink>,
}

/// A file to be stored, with the processes in it.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// Whose it is. The same content of two tenants is two deployments.
    pub tenant: Tenant,
    /// Byte for byte.
    pub resource: Arc<[u8]>,
    /// Hash of the bytes.
    pub checksum: String,
    /// Ids to give: the first to the deployment, then one per process.
    pub ids: Vec<i64>,
    /// The executable processes in the file.
    pub processes: Vec<NewProcess>,
    /// When.
    pub at: Timestamp,
}

/// A process to be stored.
#[derive(Clone, Debug)]
pub struct NewProcess {
    /// Its BPMN id.
    pub key: String,
    /// What the version is called.
    pub version_tag: Option<String>,
    /// What its start events wait for: node and position name them. They replace those of older versions.
    pub starts: Vec<(String, u32, StartWanted)>,
}

/// Which version of a process is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The newest.
    Newest,
    /// The one with this number.
    Number(u32),
    /// The newest of those that are called this.
    Tag(String),
    /// The one that was deployed with this definition.
    With(i64),
}

/// A stored version of a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// Its id.
    pub id: i64,
    /// Whose it is.
    pub tenant: Tenant,
    /// The BPMN id of the process.
    pub key: String,
    /// Counts the versions of this tenant's key from 1.
    pub version: u32,
    /// What the version is called.
    pub version_tag: Option<String>,
    /// The file it is in, byte for byte.
    pub resource: Arc<[u8]>,
    /// When it was deployed.
    pub deployed_at: Timestamp,
}

/// Who may do a task, each with its kind.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn candidates_of(task: &TaskRow) -> impl Iterator<Item = (&'static str, &str)> {
    let users = task.asked.candidate_users.iter().map(|who| ("user", who.as_str()));
    users.chain(task.asked.candidate_groups.iter().map(|who| ("group", who.as_str())))
}

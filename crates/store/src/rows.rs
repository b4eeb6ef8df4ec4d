//! Rows as the stores read and write them: nodes and flows by their BPMN ids, moments in milliseconds.

use std::sync::Arc;

use tyer_engine::{Incident, InstanceId, Number, Status, Task, Timer, Timestamp, Token, TokenStatus};

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
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100.
    pub priority: u8,
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

/// A token to be written: its state after a turn, and the lease it is born with.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    /// The token.
    pub token: Token,
    /// Its state but for claims.
    pub status: TokenStatus,
    /// Set when a worker of this node takes the job in the same commit.
    pub lease: Option<Lease>,
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

/// A timer to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimerRow {
    /// The timer.
    pub timer: Timer,
    /// Not due while its instance is paused.
    pub held: bool,
}

/// A task to be written.
pub type TaskRow = Task;

/// An incident to be written.
pub type IncidentRow = Incident;

/// An instance as the store has it; elements by their BPMN ids.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its id.
    pub id: InstanceId,
    /// Its own row.
    pub instance: InstanceRow,
    /// Its tokens.
    pub tokens: Vec<LoadedToken>,
    /// Scopes and their variables, as JSON objects.
    pub scopes: Vec<(Number, String)>,
    /// Open tasks; the node is that of the token.
    pub tasks: Vec<LoadedTask>,
    /// Armed timers.
    pub timers: Vec<(Number, Timer)>,
    /// Open incidents.
    pub incidents: Vec<(Number, Incident)>,
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
    /// Forward, or undoing.
    pub mode: tyer_engine::Mode,
    /// Where it reads variables.
    pub scope: Number,
    /// The token that was split to make it.
    pub parent: Option<Number>,
    /// The fork it was born in.
    pub group: Option<Number>,
    /// Failures of its present work.
    pub attempt: u32,
    /// Since when it stands there.
    pub since: Timestamp,
    /// The job it waits for.
    pub job: Option<tyer_engine::Job>,
    /// The lease on that job.
    pub lease: Option<Lease>,
}

/// A task as the store has it.
#[derive(Clone, Debug)]
pub struct LoadedTask {
    /// Its number is in here.
    pub asked: tyer_engine::TaskCreated,
    /// The token that waits for it.
    pub token: Number,
    /// When it was created.
    pub created_at: Timestamp,
}

/// Who wants which jobs.
#[derive(Clone, Debug)]
pub struct Claim {
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
    pub job: tyer_engine::Job,
    /// The lease number: results must name it.
    pub lease: u32,
    /// Failures of the same work before.
    pub attempt: u32,
    /// The variables the token sees, as a JSON object.
    pub variables: String,
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
}

/// A file to be stored, with the processes in it.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// Byte for byte.
    pub resource: Arc<[u8]>,
    /// Hash of the bytes.
    pub checksum: String,
    /// Ids to give: the first to the deployment, then one per process.
    pub ids: Vec<i64>,
    /// BPMN ids of the executable processes in the file.
    pub processes: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// A stored version of a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its id.
    pub id: i64,
    /// The BPMN id of the process.
    pub key: String,
    /// Counts the versions of this key from 1.
    pub version: u32,
    /// The file it is in, byte for byte.
    pub resource: Arc<[u8]>,
    /// When it was deployed.
    pub deployed_at: Timestamp,
}

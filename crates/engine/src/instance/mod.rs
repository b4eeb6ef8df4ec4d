//! The state of one process instance: a set of tokens and what they wait for.
//!
//! **Invariant:** [`Instance::apply`] is the only way it changes.
//! **Invariant:** [`Index`] is an index over the rest: never stored, always equal to what a scan would give.
//! **Invariant:** every scope but the root is owned by a live token, and a token owns at most one scope.

mod apply;
mod index;
mod records;
mod scope;
mod token;
mod waiting;

use serde::{Deserialize, Serialize};
use tyer_map::{Map, Set};
use tyer_model::NodeIx;

pub(crate) use index::Owner;
pub use index::{Index, Touched};
pub(crate) use scope::{ITEMS, OUTPUT};
pub use scope::{Rounds, Scope, ScopeKind};
pub use token::{Job, Mode, Token, TokenStatus, Wait};
pub use waiting::{
    Incident, IncidentKind, Record, RecordStatus, Saga, Subscription, Task, Timer, TimerKind, Wanted,
};

use crate::ids::{InstanceId, ItemId, Number, Timestamp};

/// The scope of the instance itself.
pub const ROOT: Number = 0;

/// A process instance.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Its name.
    pub id: InstanceId,
    /// Where it is in its life.
    pub status: Status,
    /// How many events it has seen: it orders turns, and numbers history. 0 = blank.
    pub version: u64,
    /// The last number given to a thing inside.
    pub counter: Number,
    /// The definition it runs.
    pub definition: i64,
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100.
    pub priority: u8,
    /// The instance that called it, and the number of the call.
    pub parent: Option<ItemId>,
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
    /// Live tokens.
    pub tokens: Map<Number, Token>,
    /// Open scopes; [`ROOT`] is the instance's own.
    pub scopes: Map<Number, Scope>,
    /// Open tasks.
    pub tasks: Map<Number, Task>,
    /// Armed timers.
    pub timers: Map<Number, Timer>,
    /// Messages, signals and conditions that are waited for.
    pub subscriptions: Map<Number, Subscription>,
    /// Completed steps that can be undone, oldest first.
    pub records: Map<Number, Record>,
    /// Undoings under way.
    pub sagas: Map<Number, Saga>,
    /// Open incidents.
    pub incidents: Map<Number, Incident>,
    /// Jobs that workers hold, as far as the store has told. Not state of the instance: a hint for sagas.
    pub executing: Set<Number>,
    /// Answers that would cost a scan.
    pub index: Index,
    /// What has changed since somebody last looked.
    pub touched: Touched,
}

/// Where an instance is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Tokens move.
    #[default]
    Running,
    /// Tokens stop before the next node.
    Paused,
    /// Every token reached an end.
    Completed,
    /// It could not go on.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl Status {
    /// Is it over?
    pub fn is_ended(self) -> bool {
        matches!(self, Status::Completed | Status::Failed | Status::Cancelled)
    }
}

impl Instance {
    /// An instance that has not begun.
    pub fn blank(id: InstanceId) -> Instance {
        Instance { id, priority: 50, ..Instance::default() }
    }

    /// The token that waits for this job.
    pub fn token_of_job(&self, job: Number) -> Option<Number> {
        self.index.jobs.get(&job).copied()
    }

    /// The token that waits for the end of this call.
    pub fn token_of_call(&self, call: Number) -> Option<Number> {
        self.index.jobs.get(&call).copied()
    }

    /// Nodes at which live tokens stand.
    pub fn occupied(&self) -> impl Iterator<Item = NodeIx> {
        let mut nodes: Vec<NodeIx> = self.index.standing.keys().map(|(_, node)| *node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.into_iter()
    }

    /// The state of a token, but for claims: those are the store's.
    pub fn token_status(&self, token: &Token) -> TokenStatus {
        let is_job = matches!(token.wait, Wait::Job(_));
        if token.wait == Wait::Nothing || (is_job && self.status == Status::Paused) {
            TokenStatus::Created
        } else if is_job {
            TokenStatus::Ready
        } else if let Wait::Incident(_) = token.wait {
            TokenStatus::Failed
        } else {
            TokenStatus::Waiting
        }
    }

    /// The scope in which a token's expressions are evaluated.
    pub fn reading_scope(&self, token: &Token) -> Number {
        token.owns.or(token.branch).unwrap_or(token.scope)
    }

    /// Every variable that a scope sees: its own, and those around it that it does not hide.
    pub fn visible(&self, mut scope: Number) -> crate::variables::Variables {
        let mut chain = vec![scope];
        while scope != ROOT {
            scope = self.scopes[&scope].parent;
            chain.push(scope);
        }
        let mut all = crate::variables::Variables::default();
        for scope in chain.into_iter().rev() {
            all.merge(&self.scopes[&scope].variables);
        }
        // What the engine keeps for rounds is nobody else's.
        all.retain(|name, _| name != ITEMS && name != OUTPUT);
        all
    }

    /// The root scope's variables, if it has begun.
    pub fn variables(&self) -> Option<&crate::variables::Variables> {
        self.scopes.get(&ROOT).map(|scope| &scope.variables)
    }
}

/// Indexes and notes are not state.
impl PartialEq for Instance {
    fn eq(&self, other: &Instance) -> bool {
        self.id == other.id
            && self.status == other.status
            && self.version == other.version
            && self.counter == other.counter
            && self.definition == other.definition
            && self.business_key == other.business_key
            && self.started_by == other.started_by
            && self.priority == other.priority
            && self.parent == other.parent
            && self.started_at == other.started_at
            && self.ended_at == other.ended_at
            && self.retries == other.retries
            && self.errors == other.errors
            && self.last_error == other.last_error
            && self.tokens == other.tokens
            && self.scopes == other.scopes
            && self.tasks == other.tasks
            && self.timers == other.timers
            && self.subscriptions == other.subscriptions
            && self.records == other.records
            && self.sagas == other.sagas
            && self.incidents == other.incidents
            && self.index == other.index
    }
}

//! What people look at: definitions, history, tasks. Never used to decide a turn.

use std::sync::Arc;

use tyer_engine::{IncidentKind, InstanceId, ItemId, Number, Status, TaskCreated, Timestamp};

use crate::Answer;
use crate::filter::{InstanceFilter, InstancePlace, TaskFilter, TaskPlace};
use crate::mail::Message;
use crate::rows::{Definition, Which};
use crate::tenant::Tenant;

/// Reads that show every acknowledged write. What belongs to another tenant is not there.
pub trait Views: Send + Sync + 'static {
    /// A definition by its id, whosever it is: for those who have the id from a row.
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>>;

    /// The id of a version of a process.
    fn version(&self, tenant: &Tenant, key: &str, which: Which) -> Answer<'_, Option<i64>>;

    /// Instances after this one, by id: all, or those that this one has called. Of one tenant (those of others are
    /// passed over), or of all: for whoever keeps the store.
    fn instances(
        &self,
        tenant: Option<&Tenant>,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>>;

    /// Instances that fit, newest first; in a list by end, last ended first.
    fn find_instances(
        &self,
        filter: InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>>;

    /// How many instances fit. Looks at all of them.
    fn count_instances(&self, filter: InstanceFilter) -> Answer<'_, u64>;

    /// The turns of an instance whose last event comes after `seq`, oldest first, at most `limit`.
    fn history(
        &self,
        tenant: &Tenant,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<HistoryRow>>;

    /// Open tasks that fit, oldest first; in a list by due date, first due first.
    fn tasks(&self, filter: TaskFilter, after: Option<TaskPlace>, limit: usize) -> Answer<'_, Vec<OpenTask>>;

    /// Open incidents, those of the newest instance first: of one instance, or of all; below this one.
    fn incidents(
        &self,
        tenant: &Tenant,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedIncident>>;

    /// Messages that wait at this moment and that nobody has, newest first, below this id.
    fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>>;

    /// The newest version of every process, by key; or all versions of one, newest first.
    fn definitions(&self, tenant: &Tenant, key: Option<&str>) -> Answer<'_, Vec<ListedDefinition>>;

    /// Where live tokens of a definition stand now, by node; whosever it is.
    fn standing(&self, definition: i64) -> Answer<'_, Vec<Standing>>;
}

/// An instance in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedInstance {
    /// Its id.
    pub id: InstanceId,
    /// The definition it runs.
    pub definition: i64,
    /// Whose it is.
    pub tenant: Tenant,
    /// The BPMN id of its process; empty if nobody has deployed it.
    pub process: String,
    /// The version of its process.
    pub process_version: u32,
    /// Open incidents.
    pub incidents: u32,
    /// Where it is in its life.
    pub status: Status,
    /// The caller's own name for it.
    pub business_key: Option<String>,
    /// The instance that called it, and the number of the call.
    pub parent: Option<ItemId>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// One turn as history keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    /// The number of its first event.
    pub first_seq: u64,
    /// How many events.
    pub count: u32,
    /// The turn's own id.
    pub turn: i64,
    /// When.
    pub at: Timestamp,
    /// JSON array of events.
    pub events: String,
}

/// A task that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenTask {
    /// The instance.
    pub instance: InstanceId,
    /// The token that waits.
    pub token: Number,
    /// The BPMN id of its node.
    pub node: String,
    /// What is asked.
    pub asked: TaskCreated,
    /// When it was created.
    pub created_at: Timestamp,
}

impl OpenTask {
    /// What commands name it by.
    pub fn id(&self) -> ItemId {
        ItemId { instance: self.instance, number: self.asked.task }
    }
}

/// An incident in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedIncident {
    /// The instance and its number.
    pub id: ItemId,
    /// The token that stands still; none when the whole instance does.
    pub token: Option<Number>,
    /// The BPMN id of its node.
    pub node: Option<String>,
    /// The BPMN id of the process.
    pub process: String,
    /// What sort.
    pub kind: IncidentKind,
    /// What is wrong, in a sentence.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

/// A version of a process in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDefinition {
    /// Its id.
    pub id: i64,
    /// The BPMN id of the process.
    pub key: String,
    /// Its version.
    pub version: u32,
    /// What the version is called.
    pub version_tag: Option<String>,
    /// When it was deployed.
    pub deployed_at: Timestamp,
}

/// How many tokens stand at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The BPMN id of the node.
    pub node: String,
    /// Tokens.
    pub tokens: u64,
    /// Of those, with an open incident.
    pub incidents: u64,
}

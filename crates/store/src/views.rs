//! What people look at: definitions, history, tasks. Never used to decide a turn.

use std::sync::Arc;

use tyer_engine::{InstanceId, ItemId, Number, Status, TaskCreated, Timestamp};

use crate::Answer;
use crate::rows::{Definition, Which};

/// Reads that show every acknowledged write.
pub trait Views: Send + Sync + 'static {
    /// A definition by its id.
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>>;

    /// The id of a version of a process.
    fn version(&self, key: &str, which: Which) -> Answer<'_, Option<i64>>;

    /// Instances after this one, by id: all, or those that this one has called.
    fn instances(
        &self,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>>;

    /// The turns of an instance whose last event comes after `seq`, oldest first, at most `limit`.
    fn history(&self, instance: InstanceId, after: u64, limit: usize) -> Answer<'_, Vec<HistoryRow>>;

    /// Open tasks, oldest first: of one instance, or of all.
    fn tasks(&self, instance: Option<InstanceId>, limit: usize) -> Answer<'_, Vec<OpenTask>>;
}

/// An instance in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedInstance {
    /// Its id.
    pub id: InstanceId,
    /// The definition it runs.
    pub definition: i64,
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

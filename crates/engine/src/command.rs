//! What can be asked of an instance.

use crate::ids::{Number, Timestamp};
use crate::variables::Variables;

/// One thing asked of one instance; it becomes one turn, or a rejection.
#[derive(Clone, Debug)]
pub enum Command {
    /// Begin: only on a blank instance.
    Start(Box<Start>),
    /// A worker did its job.
    CompleteJob {
        /// Which job.
        job: Number,
        /// Who held it.
        holder: Option<Holder>,
        /// What came out.
        variables: Variables,
    },
    /// A worker could not do its job.
    FailJob {
        /// Which job.
        job: Number,
        /// Who held it.
        holder: Option<Holder>,
        /// Why.
        error: String,
        /// How many more tries the worker wants; the model decides when not said.
        retries: Option<u32>,
        /// How long to wait before the next try; the model decides when not said.
        backoff_ms: Option<u64>,
    },
    /// A person did their task.
    CompleteTask {
        /// Which task.
        task: Number,
        /// Who did it.
        by: Option<String>,
        /// What came out.
        variables: Variables,
    },
    /// The moment of a timer has come.
    TimerDue {
        /// Which timer.
        timer: Number,
    },
    /// Stop before the next node.
    Pause {
        /// For the history.
        reason: Option<String>,
    },
    /// Go on after a pause.
    Resume,
    /// End now.
    Cancel {
        /// For the history.
        reason: Option<String>,
    },
    /// The cause of an incident is gone: try again, or go on with what has arrived.
    Resolve {
        /// Which incident.
        incident: Number,
    },
}

/// What an instance begins with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The definition it runs, as the store names it.
    pub definition: i64,
    /// Its version, for people.
    pub version: u32,
    /// The caller's own name for this instance.
    pub business_key: Option<String>,
    /// Who began it.
    pub started_by: Option<String>,
    /// 0 to 100; 50 is normal.
    pub priority: u8,
    /// Variables of the instance.
    pub variables: Variables,
}

/// Who held a job, and since when: history keeps it when the lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The name the worker gave itself.
    pub worker: String,
    /// When it claimed the job.
    pub since: Timestamp,
}

//! What an embedder can be told, by whose fault it is.

use tyer_engine::{InstanceId, Rejection, VariablesError};

/// Why a call did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller asked for something that cannot be; nothing has changed.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The file is not a process that can run: every problem at once.
    #[error(transparent)]
    Problems(#[from] tyer_model::Problems),
    /// No such process was deployed.
    #[error("there is no process `{key}`{}: deploy it first", version.map(|v| format!(" in version {v}")).unwrap_or_default())]
    ProcessUnknown {
        /// The BPMN id asked for.
        key: String,
        /// The version asked for.
        version: Option<u32>,
    },
    /// Variables that are no JSON object.
    #[error(transparent)]
    Variables(#[from] VariablesError),
    /// Others changed the instance again and again while this was tried.
    #[error("instance {0} is changed by others all the time: try again")]
    Conflict(InstanceId),
    /// A newer version was deployed between the look and the start, again and again.
    #[error("newer versions of the process are deployed all the time: try again")]
    Superseded,
    /// What the command answers is not there any more.
    #[error("this has been answered already")]
    Gone,
    /// A sink cannot be what was asked.
    #[error("{0}")]
    Sink(String),
    /// More is asked than can be done.
    #[error("the engine is overloaded: try again later")]
    Overloaded,
    /// The engine failed on this instance and has set it aside.
    #[error("the engine failed on instance {0} and has parked it with an incident: {1}")]
    Parked(InstanceId, String),
    /// The store could not do its part.
    #[error(transparent)]
    Store(#[from] tyer_store::Error),
    /// What is stored cannot be read.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
    /// The engine is shutting down.
    #[error("the engine is shutting down")]
    Closed,
}

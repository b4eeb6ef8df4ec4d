//! What happened, as clients see it and as handlers ask for it.

use tyer_engine::EventKind;
use tyer_runtime::{Error, HistoryEvent};

pub use tyer_runtime::Envelope;

/// What a stored event says happened.
pub(crate) fn kind_of(stored: &HistoryEvent) -> Result<EventKind, Error> {
    let read = tyer_engine::kind_of(stored.event.get());
    read.map_err(|error| Error::Damaged(format!("event {}: {error}", stored.seq)))
}

/// Whether nothing comes after this.
pub(crate) fn is_last(kind: &str) -> bool {
    matches!(kind, "workflow.completed" | "workflow.failed" | "workflow.cancelled")
}

//! What has happened to an instance, read event by event, whichever version it ran at the time.

use std::sync::Arc;

use serde::Deserialize;
use tyer_engine::{Event, Timestamp};
use tyer_store::HistoryRow;

use crate::error::Error;
use crate::handle::Handle;
use crate::processes::Compiled;

/// Turns read at once.
const PAGE: usize = 1_000;

/// Reads which definition names the nodes of a turn.
#[derive(Deserialize)]
struct Naming {
    #[serde(rename = "type")]
    kind: String,
    data: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    definition: Option<i64>,
}

/// One event of the past, with what names its nodes.
pub(crate) struct Past<'a> {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) event: &'a Event,
    pub(crate) compiled: &'a Arc<Compiled>,
    /// It is the first of its turn.
    pub(crate) begins: bool,
}

impl Handle {
    /// Every event so far, oldest first.
    pub(crate) async fn fold(&self, mut each: impl FnMut(Past<'_>)) -> Result<(), Error> {
        let shared = &self.engine.shared;
        let mut compiled: Option<Arc<Compiled>> = None;
        let mut after = 0;
        loop {
            let rows = shared.store.history(self.engine.whose(), self.id(), after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.first_seq + u64::from(last.count) - 1;
            for row in rows {
                if let Some(definition) = named(&row)? {
                    compiled = Some(shared.processes.by_id(&*shared.store, definition).await?);
                }
                let damaged = || Error::Damaged(format!("history of {} has no beginning", self.id()));
                let compiled = compiled.as_ref().ok_or_else(damaged)?;
                let events = tyer_engine::unpack(&compiled.process, &row.events);
                let events = events.map_err(|error| Error::Damaged(error.to_string()))?;
                for (seq, event) in (row.first_seq..).zip(&events) {
                    each(Past { seq, at: row.at, event, compiled, begins: seq == row.first_seq });
                }
            }
        }
    }
}

/// The definition that names nodes from this turn on, if it changes here.
fn named(row: &HistoryRow) -> Result<Option<i64>, Error> {
    if row.first_seq > 1 && !row.events.contains("\"workflow.migrated\"") {
        return Ok(None);
    }
    let events: Vec<Naming> =
        serde_json::from_str(&row.events).map_err(|error| Error::Damaged(format!("history: {error}")))?;
    let names = |event: &&Naming| matches!(&*event.kind, "workflow.started" | "workflow.migrated");
    Ok(events.iter().rfind(names).and_then(|event| event.data.as_ref()?.definition))
}

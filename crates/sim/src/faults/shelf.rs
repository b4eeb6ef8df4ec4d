//! What is stored, read past the engine: states, claims and histories.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tyer_engine::{Instance, InstanceId, Number, unpack};
use tyer_model::Process;
use tyer_store::memory::Memory;
use tyer_store::{DEFAULT_TENANT, HistoryRow, Lease, Store, Views, restore};

/// More instances or turns than a life ever has.
const ALL: usize = 1_000_000;

/// The store, and the processes of its definitions.
pub(super) struct Shelf {
    pub(super) memory: Arc<Memory>,
    processes: Mutex<BTreeMap<i64, Arc<Process>>>,
}

/// One stored instance.
pub(super) struct Kept {
    pub(super) process: Arc<Process>,
    pub(super) instance: Instance,
    /// Who holds which job.
    pub(super) leases: tyer_map::Map<Number, Lease>,
}

impl Shelf {
    pub(super) fn new() -> Shelf {
        Shelf { memory: Arc::new(Memory::default()), processes: Mutex::default() }
    }

    /// Every instance that is stored.
    pub(super) async fn all(&self) -> Result<BTreeMap<InstanceId, Kept>, String> {
        let listed =
            self.memory.instances(None, None, InstanceId(0), ALL).await.map_err(|error| error.to_string())?;
        let ids: Vec<InstanceId> = listed.into_iter().map(|listed| listed.id).collect();
        let loaded = self.memory.load(ids).await.map_err(|error| error.to_string())?;
        let mut all = BTreeMap::new();
        for loaded in loaded.into_iter().flatten() {
            let process = self.process(loaded.instance.definition).await?;
            let (instance, leases) = restore(&process, loaded).map_err(|error| error.to_string())?;
            all.insert(instance.id, Kept { process, instance, leases });
        }
        Ok(all)
    }

    /// The turns of an instance, oldest first.
    pub(super) async fn history(&self, id: InstanceId) -> Result<Vec<HistoryRow>, String> {
        self.memory.history(&DEFAULT_TENANT, id, 0, ALL).await.map_err(|error| error.to_string())
    }

    /// The state that the stored history folds to; every number of an event is there once.
    pub(super) async fn folded(&self, id: InstanceId) -> Result<Instance, String> {
        let mut folded = Instance::blank(id);
        let mut process = None;
        for row in self.history(id).await? {
            if row.first_seq != folded.version + 1 {
                return Err(format!(
                    "{id}: history jumps from event {} to {}",
                    folded.version, row.first_seq
                ));
            }
            if let Some(definition) = definition_named_in(&row)? {
                process = Some(self.process(definition).await?);
            }
            let process = process.as_ref().ok_or_else(|| format!("{id}: history has no beginning"))?;
            let events = unpack(process, &row.events).map_err(|error| format!("{id}: {error}"))?;
            events.iter().for_each(|event| folded.apply(event, row.at));
        }
        Ok(folded)
    }

    async fn process(&self, definition: i64) -> Result<Arc<Process>, String> {
        let known = |shelf: &Shelf| shelf.processes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(process) = known(self).get(&definition) {
            return Ok(Arc::clone(process));
        }
        let stored = self.memory.definition(definition).await.map_err(|error| error.to_string())?;
        let stored = stored.ok_or_else(|| format!("there is no definition {definition}"))?;
        let imported = tyer_model::import(&stored.resource).map_err(|problems| problems.to_string())?;
        let process = imported.processes.into_iter().find(|process| process.id == stored.key);
        let process = Arc::new(process.ok_or_else(|| format!("`{}` is not in its file", stored.key))?);
        self.processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(definition, Arc::clone(&process));
        Ok(process)
    }
}

/// The definition that names nodes from this turn on, if it changes here.
fn definition_named_in(row: &HistoryRow) -> Result<Option<i64>, String> {
    let events = events_of(row)?;
    let named = events
        .iter()
        .rfind(|event| matches!(event["type"].as_str(), Some("workflow.started" | "workflow.migrated")));
    Ok(named.and_then(|event| event["data"]["definition"].as_i64()))
}

/// The events of a turn as they are written.
pub(super) fn events_of(row: &HistoryRow) -> Result<Vec<serde_json::Value>, String> {
    serde_json::from_str(&row.events)
        .map_err(|error| format!("a turn of the history cannot be read: {error}"))
}

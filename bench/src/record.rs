//! Records the turns of one instance, so that the floor program can write exactly the same rows.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use tyer_engine::{InstanceId, ItemId, Timestamp};
use tyer_runtime::Engine;
use tyer_store::memory::Memory;
use tyer_store::{
    Answer, Claim, Claimed, Definition, Deployment, HistoryRow, Loaded, NodeLease, OpenTask, Outcome, Store,
    Turn, TurnKey, Views, Woken,
};

use crate::workload::{self, Workload};

#[derive(Default)]
struct Recorder {
    memory: Memory,
    turns: Mutex<Vec<Turn>>,
}

/// The turns of one instance of a workload, in order.
pub async fn record(workload: &Workload) -> Result<Vec<Turn>> {
    let recorder = Arc::new(Recorder::default());
    let engine = Engine::builder().tracks(1).on(Arc::clone(&recorder), false).await?;
    workload::drive(&engine, workload, 1).await?;
    engine.shutdown().await;
    Ok(std::mem::take(&mut *recorder.turns.lock().unwrap_or_else(PoisonError::into_inner)))
}

impl Store for Recorder {
    fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).extend(batch.iter().cloned());
        self.memory.commit(batch)
    }
    fn settle(&self, turns: Vec<TurnKey>) -> Answer<'_, Vec<bool>> {
        self.memory.settle(turns)
    }
    fn load(&self, ids: Vec<InstanceId>) -> Answer<'_, Vec<Option<Loaded>>> {
        self.memory.load(ids)
    }
    fn claim(&self, claim: Claim) -> Answer<'_, Vec<Claimed>> {
        self.memory.claim(claim)
    }
    fn extend(&self, job: ItemId, lease: u32, until: Timestamp) -> Answer<'_, bool> {
        self.memory.extend(job, lease, until)
    }
    fn wake(&self, now: Timestamp, limit: usize) -> Answer<'_, Woken> {
        self.memory.wake(now, limit)
    }
    fn hold_node(&self, held: Option<NodeLease>, owner: &str, now: Timestamp) -> Answer<'_, NodeLease> {
        self.memory.hold_node(held, owner, now)
    }
    fn deploy(&self, deployment: Deployment) -> Answer<'_, Vec<Definition>> {
        self.memory.deploy(deployment)
    }
}

impl Views for Recorder {
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>> {
        self.memory.definition(id)
    }
    fn version(&self, key: &str, version: Option<u32>) -> Answer<'_, Option<i64>> {
        self.memory.version(key, version)
    }
    fn history(&self, instance: InstanceId, after: u64, limit: usize) -> Answer<'_, Vec<HistoryRow>> {
        self.memory.history(instance, after, limit)
    }
    fn tasks(&self, instance: Option<InstanceId>, limit: usize) -> Answer<'_, Vec<OpenTask>> {
        self.memory.tasks(instance, limit)
    }
}

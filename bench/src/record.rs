//! Records the turns of one instance, so that the floor program can write exactly the same rows.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use tyer_runtime::Engine;
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;
use tyer_store::{Store, Turn};

use crate::workload::{self, Workload};

/// The turns of one instance of a workload, in order.
pub(crate) async fn record(workload: &Workload) -> Result<Vec<Turn>> {
    let turns: Arc<Mutex<Vec<Turn>>> = Arc::default();
    let recorded = Arc::clone(&turns);
    let recorder = Intercepted::commits(Memory::default(), move |store, batch| {
        recorded.lock().unwrap_or_else(PoisonError::into_inner).extend(batch.iter().cloned());
        Box::pin(async move { store.commit(batch).await })
    });
    let engine = Engine::builder().tracks(1).on(Arc::new(recorder), false).await?;
    workload::drive(&engine, workload, 1, 1).await?;
    engine.shutdown().await;
    Ok(std::mem::take(&mut *turns.lock().unwrap_or_else(PoisonError::into_inner)))
}

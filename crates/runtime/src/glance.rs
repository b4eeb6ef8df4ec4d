//! Short looks for those who serve others: one instance, one file, the store itself.

use std::sync::Arc;

use tyer_engine::{InstanceId, Rejection, Status, Timestamp};
use tyer_store::Which;

use crate::engine::Engine;
use crate::error::Error;
use crate::start::which;

/// A short look at an instance: one load, no history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Where it is in its life.
    pub status: Status,
    /// The number of its last event.
    pub version: u64,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Variables whose values no view shows.
    pub masked: Vec<Arc<str>>,
}

impl Engine {
    /// A short look at an instance; refused when there is none.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let id = engine.start("order").send().await?.id();
    /// println!("{:?}", engine.glance(id).await?.status);
    /// # Ok(()) }
    /// ```
    pub async fn glance(&self, id: InstanceId) -> Result<Glance, Error> {
        let loaded = self.shared.store.load(vec![id]).await?.pop().flatten();
        let ours = loaded.filter(|loaded| loaded.instance.tenant == *self.whose());
        let row = ours.ok_or(Rejection::InstanceUnknown { id })?.instance;
        let compiled = self.shared.processes.by_id(&*self.shared.store, row.definition).await?;
        Ok(Glance {
            status: row.status,
            version: row.version,
            started_at: row.started_at,
            ended_at: row.ended_at,
            masked: compiled.process.body(None).masked.clone(),
        })
    }

    /// The file of a process, byte for byte; of its newest version when none is named.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let file = engine.resource("order", None).await?;
    /// # Ok(()) }
    /// ```
    pub async fn resource(&self, process: &str, version: Option<u32>) -> Result<Arc<[u8]>, Error> {
        let shared = &self.shared;
        if shared.several_nodes {
            // Another node may have deployed since we looked.
            shared.processes.deployed(self.whose(), process);
        }
        let compiled =
            shared.processes.version(&*shared.store, self.whose(), process, which(version)).await?;
        Ok(Arc::clone(&compiled.definition.resource))
    }

    /// Does the store answer?
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// engine.reach_store().await?;
    /// # Ok(()) }
    /// ```
    pub async fn reach_store(&self) -> Result<(), Error> {
        self.shared.store.version(self.whose(), "", Which::Newest).await?;
        Ok(())
    }
}

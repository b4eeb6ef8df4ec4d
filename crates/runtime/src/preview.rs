//! What a command would do, without doing it.
//!
//! **Invariant:** a preview steps a copy; nothing is written.

use std::sync::Arc;

use tyer_engine::{Command, Instance, Migration, Status};

use crate::error::Error;
use crate::events::{HistoryEvent, split};
use crate::handle::Handle;
use crate::processes::Compiled;
use tyer_store::HistoryRow;

/// What would happen now.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The events that history would get, with the numbers that they would have now.
    pub events: Vec<HistoryEvent>,
    /// The instance's status afterwards.
    pub status: Status,
}

impl Handle {
    /// What a command would do now; refused as the command itself would be.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let cancel = tyer_runtime::Command::Cancel { reason: None };
    /// for event in order.preview(cancel).await?.events {
    ///     println!("would be: {}", event.event);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn preview(&self, command: Command) -> Result<Preview, Error> {
        let (instance, _, compiled) = self.load().await?;
        self.stepped(&compiled, instance, command)
    }

    /// What going on under another version would do now.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// println!("{:?}", order.preview_migration(None, Vec::new()).await?.status);
    /// # Ok(()) }
    /// ```
    pub async fn preview_migration(
        &self,
        version: Option<u32>,
        mapping: Vec<(String, String)>,
    ) -> Result<Preview, Error> {
        let (instance, _, compiled) = self.load().await?;
        let to = self.other_version(&compiled, version).await?;
        let migration = Migration {
            definition: to.definition.id,
            version: to.definition.version,
            mapping,
            from: Arc::clone(&compiled.process),
        };
        self.stepped(&to, instance, Command::Migrate(Box::new(migration)))
    }

    fn stepped(&self, compiled: &Compiled, mut copy: Instance, command: Command) -> Result<Preview, Error> {
        let (now, process) = (self.engine.shared.now(), &compiled.process);
        let first_seq = copy.version + 1;
        let events =
            tyer_engine::step_within(process, &mut copy, command, now, &self.engine.shared.limits.walk)?;
        let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
        let row =
            HistoryRow { first_seq, count, turn: 0, at: now, events: tyer_engine::pack(process, &events) };
        Ok(Preview { events: split(&row)?, status: copy.status })
    }
}

//! History as it is read, and as it goes on.
//!
//! **Invariant:** events of an instance come in order of their numbers, none twice, none left out.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::value::RawValue;
use tyer_engine::{InstanceId, Timestamp};
use tyer_store::HistoryRow;

use crate::engine::Engine;
use crate::error::Error;
use crate::tell::Watch;

/// Turns read at once.
const PAGE: usize = 100;

/// One event of an instance, as clients see it.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryEvent {
    /// Its number in the instance, from 1.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// `{"type": …, "token": …, "node": …, "flow": …, "data": …}`.
    pub event: Box<RawValue>,
}

/// The events of an instance, past and to come.
pub struct Events {
    engine: Engine,
    instance: InstanceId,
    after: u64,
    read: VecDeque<HistoryEvent>,
    watch: Watch,
}

impl Engine {
    /// The events of an instance after a number, oldest first: whole turns, at most about `limit` events.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let id = engine.start("order").send().await?.id();
    /// for event in engine.history(id, 0, 100).await? {
    ///     println!("{} {} {}", event.seq, event.at, event.event);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn history(
        &self,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<HistoryEvent>, Error> {
        let rows = self.shared.store.history(self.whose(), instance, after, limit).await?;
        let mut events = Vec::new();
        for row in rows {
            events.extend(split(&row)?.into_iter().filter(|event| event.seq > after));
            if events.len() >= limit {
                break;
            }
        }
        Ok(events)
    }

    /// The turns of an instance whose last event comes after a number, oldest first, each with its events packed.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let id = engine.start("order").send().await?.id();
    /// let first = engine.turns(id, 0, 1).await?;
    /// # Ok(()) }
    /// ```
    pub async fn turns(
        &self,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<HistoryRow>, Error> {
        Ok(self.shared.store.history(self.whose(), instance, after, limit).await?)
    }

    /// Follows the events of an instance from a number on. Nothing is lost or doubled, whatever happens between.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let id = engine.start("order").send().await?.id();
    /// let mut events = engine.events(id, 0);
    /// println!("{}", events.next().await?.event);
    /// # Ok(()) }
    /// ```
    pub fn events(&self, instance: InstanceId, after: u64) -> Events {
        let watch = Watch::new(&self.shared, instance);
        Events { engine: self.clone(), instance, after, read: VecDeque::new(), watch }
    }
}

impl Events {
    /// The next event, when it is durable.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let mut events = order.events(0);
    /// let first = events.next().await?;
    /// # Ok(()) }
    /// ```
    pub async fn next(&mut self) -> Result<HistoryEvent, Error> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.after = event.seq;
                return Ok(event);
            }
            self.watch.look();
            self.read = self.engine.history(self.instance, self.after, PAGE).await?.into();
            if self.read.is_empty() {
                self.watch.changed().await?;
            }
        }
    }
}

pub(crate) fn split(row: &HistoryRow) -> Result<Vec<HistoryEvent>, Error> {
    let events: Vec<Box<RawValue>> =
        serde_json::from_str(&row.events).map_err(|error| Error::Damaged(format!("history: {error}")))?;
    Ok((row.first_seq..).zip(events).map(|(seq, event)| HistoryEvent { seq, at: row.at, event }).collect())
}

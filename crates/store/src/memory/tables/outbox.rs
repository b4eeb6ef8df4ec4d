//! Streams to sinks, in memory.

use std::sync::Arc;

use tyer_engine::{InstanceId, Timestamp};
use tyer_map::Map;

use super::Tables;
use crate::outbox::{Delivered, Deliveries, Delivery, Piece, Sink, Stream};

#[derive(Default)]
pub(super) struct Streams {
    sinks: Map<Arc<str>, Sink>,
    rows: Map<(Arc<str>, InstanceId), Row>,
}

struct Row {
    next_seq: u64,
    last_seq: u64,
    attempt: u32,
    dead: bool,
    due: Timestamp,
    error: Option<String>,
    lease: i64,
}

impl Streams {
    pub(super) fn add(&mut self, piece: Piece) {
        let Piece { instance, sink, first_seq, last_seq, at } = piece;
        let row = self.rows.entry((sink, instance)).or_insert(Row {
            next_seq: first_seq,
            last_seq,
            attempt: 0,
            dead: false,
            due: at,
            error: None,
            lease: 0,
        });
        row.last_seq = last_seq;
    }

    /// Has the instance something that has not arrived?
    pub(super) fn has(&self, instance: InstanceId) -> bool {
        self.rows.keys().any(|(_, id)| *id == instance)
    }

    fn of(&self, sink: &str) -> impl Iterator<Item = (InstanceId, &Row)> {
        let first = (Arc::from(sink), InstanceId(i64::MIN));
        self.rows
            .range(first.clone()..)
            .take_while(move |((name, _), _)| *name == first.0)
            .map(|((_, id), row)| (*id, row))
    }
}

impl Tables {
    pub(in crate::memory) fn keep_sink(&mut self, sink: Sink) -> bool {
        let name = Arc::clone(&sink.name);
        let new = self.streams.sinks.insert(Arc::clone(&name), sink).is_none();
        if new {
            self.streams.rows.retain(|(sink, _), _| *sink != name);
        }
        new
    }

    pub(in crate::memory) fn drop_sink(&mut self, name: &str) -> bool {
        self.streams.rows.retain(|(sink, _), _| **sink != *name);
        self.streams.sinks.remove(name).is_some()
    }

    pub(in crate::memory) fn sinks(&self) -> Vec<Sink> {
        self.streams.sinks.values().cloned().collect()
    }

    pub(in crate::memory) fn take_deliveries(
        &mut self,
        sink: &str,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Deliveries {
        let waiting = self.streams.of(sink).filter(|(_, row)| !row.dead);
        let mut waiting: Vec<_> = waiting.map(|(id, row)| (row.due, id)).collect();
        waiting.sort_unstable();
        let due = waiting.iter().take_while(|(due, _)| *due <= now).take(limit).count();
        let mut taken = Vec::new();
        for (_, instance) in waiting.iter().take(due) {
            let row = self.streams.rows.get_mut(&(Arc::from(sink), *instance)).expect("found just now");
            row.lease += 1;
            row.due = until;
            let Row { next_seq, last_seq, attempt, lease, .. } = *row;
            taken.push(Delivery {
                sink: Arc::from(sink),
                instance: *instance,
                next_seq,
                last_seq,
                attempt,
                lease,
            });
        }
        // Whoever was due and found no place is due now.
        let after = if taken.len() == limit { Timestamp(i64::MIN) } else { now };
        let waiting = self.streams.of(sink).filter(|(_, row)| !row.dead && row.due > after);
        let next = waiting.map(|(_, row)| row.due).min();
        Deliveries { taken, next }
    }

    pub(in crate::memory) fn mark(
        &mut self,
        outcomes: Vec<(Delivery, Delivered)>,
        now: Timestamp,
    ) -> Vec<bool> {
        outcomes.into_iter().map(|(delivery, delivered)| self.mark_one(&delivery, delivered, now)).collect()
    }

    fn mark_one(&mut self, delivery: &Delivery, delivered: Delivered, now: Timestamp) -> bool {
        let key = (Arc::clone(&delivery.sink), delivery.instance);
        let Some(row) = self
            .streams
            .rows
            .get_mut(&key)
            .filter(|row| row.lease == delivery.lease && row.next_seq == delivery.next_seq)
        else {
            return false;
        };
        match delivered {
            Delivered::Through(seq) if row.last_seq <= seq => drop(self.streams.rows.remove(&key)),
            Delivered::Through(seq) => {
                (row.next_seq, row.attempt, row.due) = (seq + 1, 0, now);
                row.error = None;
            }
            Delivered::Failed { through, error, again } => {
                row.attempt = if through >= delivery.next_seq { 1 } else { delivery.attempt + 1 };
                (row.next_seq, row.dead) = (through + 1, again.is_none());
                (row.due, row.error) = (again.unwrap_or(now), Some(error));
            }
        }
        true
    }

    pub(in crate::memory) fn dead_streams(&self, sink: &str, after: InstanceId, limit: usize) -> Vec<Stream> {
        let dead = self.streams.of(sink).filter(|(id, row)| row.dead && *id > after);
        let listed = dead.map(|(instance, row)| Stream {
            sink: Arc::from(sink),
            instance,
            next_seq: row.next_seq,
            last_seq: row.last_seq,
            attempt: row.attempt,
            at: row.due,
            error: row.error.clone().unwrap_or_default(),
        });
        listed.take(limit).collect()
    }

    pub(in crate::memory) fn redeliver(
        &mut self,
        sink: &str,
        instance: Option<InstanceId>,
        now: Timestamp,
    ) -> u64 {
        let mut count = 0;
        for ((name, of), row) in &mut self.streams.rows {
            if **name == *sink && row.dead && instance.is_none_or(|instance| instance == *of) {
                (row.dead, row.attempt, row.due) = (false, 0, now);
                count += 1;
            }
        }
        count
    }
}

//! What sinks outside have not been told yet: a row for each instance and sink, written with the turn.
//!
//! A *stream* is the history of one instance on its way to one sink. Its row says which events are delivered and which
//! are there; the events themselves stand in `history`.
//!
//! **Invariant:** a turn that names a sink moves the end of its stream in the same commit.
//! **Invariant:** what is delivered is marked, what is not marked is delivered again: at least once, in order.
//! **Invariant:** a stream is in one pair of hands at a time; a stream that is dead waits until somebody says otherwise.

use std::sync::Arc;

use tyer_engine::{InstanceId, Timestamp};
use tyer_map::Map;

use crate::Answer;
use crate::chain::Written;

/// Somebody outside who is told of every turn from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sink {
    /// Its name.
    pub name: Arc<str>,
    /// What sort, for people and for the runtime.
    pub kind: String,
    /// How it is told, as JSON: the runtime's to read.
    pub settings: String,
    /// Since when it is there.
    pub since: Timestamp,
}

/// A stream in somebody's hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// To whom.
    pub sink: Arc<str>,
    /// Of which instance.
    pub instance: InstanceId,
    /// The first event that is not delivered.
    pub next_seq: u64,
    /// The last event that was there when it was taken.
    pub last_seq: u64,
    /// How often the first event was tried in vain.
    pub attempt: u32,
    /// Counts the takings: whoever comes with an older number is too late.
    pub lease: i64,
}

/// Streams that were taken, and when to look again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// In due order.
    pub taken: Vec<Delivery>,
    /// The next moment at which a stream is due.
    pub next: Option<Timestamp>,
}

/// What became of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// Everything up to this event has arrived.
    Through(u64),
    /// This much arrived, then it went wrong: again at this moment, or never by itself.
    Failed {
        /// Everything up to this event has arrived.
        through: u64,
        /// What went wrong.
        error: String,
        /// When to try again; none = dead.
        again: Option<Timestamp>,
    },
}

/// A stream that nobody tries any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// To whom.
    pub sink: Arc<str>,
    /// Of which instance.
    pub instance: InstanceId,
    /// The first event that is not delivered.
    pub next_seq: u64,
    /// The last event that is there.
    pub last_seq: u64,
    /// How often the first event was tried in vain.
    pub attempt: u32,
    /// When it was given up.
    pub at: Timestamp,
    /// What went wrong last.
    pub error: String,
}

/// What sinks outside are told. Every method is atomic.
pub trait Outbox: Send + Sync + 'static {
    /// Puts a sink in its place; true when there was none of this name. What an older one of the name left is gone then.
    fn keep_sink(&self, sink: Sink) -> Answer<'_, bool>;

    /// Takes a sink away, with everything that it has not been told; false when there is none.
    fn drop_sink(&self, name: &str) -> Answer<'_, bool>;

    /// All sinks, by name.
    fn sinks(&self) -> Answer<'_, Vec<Sink>>;

    /// Takes streams of a sink that are due; until the moment named nobody else gets them.
    fn take_deliveries(
        &self,
        sink: &str,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Answer<'_, Deliveries>;

    /// Marks what became of deliveries. One that somebody else has taken since is left alone: false.
    fn mark(&self, outcomes: Vec<(Delivery, Delivered)>, now: Timestamp) -> Answer<'_, Vec<bool>>;

    /// Streams of a sink that nobody tries any more, by instance.
    fn dead_streams(&self, sink: &str, after: InstanceId, limit: usize) -> Answer<'_, Vec<Stream>>;

    /// Dead streams of a sink, of one instance or of all, are tried again from now on. Says how many there were.
    fn redeliver(&self, sink: &str, instance: Option<InstanceId>, now: Timestamp) -> Answer<'_, u64>;
}

/// The piece of a stream that a commit adds.
pub(crate) struct Piece {
    pub(crate) instance: InstanceId,
    pub(crate) sink: Arc<str>,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) at: Timestamp,
}

/// What a commit adds to streams: one piece for each instance and sink, however many turns.
pub(crate) fn pieces(written: &[Written]) -> Vec<Piece> {
    let mut pieces: Map<(InstanceId, &Arc<str>), Piece> = Map::new();
    for one in written {
        for ((key, packed), mail) in one.history.iter().zip(&one.mail) {
            let last_seq = key.first_seq + u64::from(packed.count) - 1;
            for sink in mail.tells.iter().flat_map(|sinks| sinks.iter()) {
                let piece = pieces.entry((one.instance, sink)).or_insert_with(|| Piece {
                    instance: one.instance,
                    sink: Arc::clone(sink),
                    first_seq: key.first_seq,
                    last_seq,
                    at: packed.at,
                });
                piece.last_seq = last_seq;
            }
        }
    }
    pieces.into_values().collect()
}

//! The part of the commit protocol that all stores share: which turns of a batch hold, and what is left to write.
//!
//! **Invariant:** if a turn does not hold, no later turn of its instance in the batch holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use tyer_engine::{InstanceId, Number};
use tyer_model::Process;

use crate::changes::Changes;
use crate::error::Error;
use crate::turn::{Outcome, Packed, Turn, TurnKey};

/// What the store says about the things that turns rely on, locked against change until the commit.
pub(crate) trait Facts {
    /// The version of an instance; none = not there, or locked by another.
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error>;
    /// The job that a token waits for, and its lease number.
    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error>;
    /// The definition that is the newest version of a process.
    fn newest(&self, process: &str) -> Result<Option<i64>, Error>;
    /// The instance started under a key.
    fn idempotency_key(&self, key: &str) -> Result<Option<InstanceId>, Error>;
}

/// All that a batch changes of one instance.
pub(crate) struct Written {
    pub(crate) instance: InstanceId,
    pub(crate) process: Arc<Process>,
    pub(crate) is_start: bool,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) changes: Changes,
    pub(crate) history: Vec<(TurnKey, Packed)>,
}

/// Decides for each turn of a batch whether it holds.
pub(crate) fn judge(batch: &[Turn], facts: &impl Facts) -> Result<Vec<Outcome>, Error> {
    let mut versions: BTreeMap<InstanceId, Option<u64>> = BTreeMap::new();
    let mut keys: BTreeMap<&str, InstanceId> = BTreeMap::new();
    let mut outcomes = Vec::with_capacity(batch.len());
    for turn in batch {
        let id = turn.key.instance;
        let version = match versions.get(&id) {
            Some(version) => *version,
            None => Some(facts.version(id)?.unwrap_or(0)),
        };
        let outcome = judge_one(turn, version, facts, &keys)?;
        let held = outcome == Outcome::Committed;
        versions.insert(id, held.then_some(turn.changes.instance.version));
        if let (true, Some(key)) = (held, &turn.relies.idempotency_key) {
            keys.insert(key, id);
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn judge_one(
    turn: &Turn,
    version: Option<u64>,
    facts: &impl Facts,
    keys: &BTreeMap<&str, InstanceId>,
) -> Result<Outcome, Error> {
    if version != Some(turn.base_version()) {
        return Ok(Outcome::Conflict);
    }
    if let Some(process) = &turn.relies.newest_of
        && facts.newest(process)? != Some(turn.changes.instance.definition)
    {
        return Ok(Outcome::Superseded);
    }
    if let Some(key) = &turn.relies.idempotency_key {
        let first = match keys.get(&**key) {
            Some(first) => Some(*first),
            None => facts.idempotency_key(key)?,
        };
        if let Some(first) = first {
            return Ok(Outcome::Duplicate(first));
        }
    }
    if let Some((token, job, lease)) = turn.relies.lease
        && facts.lease(turn.key.instance, token)? != Some((job, lease))
    {
        return Ok(Outcome::LeaseLost);
    }
    Ok(Outcome::Committed)
}

/// Of the turns that hold, the last state of each row.
pub(crate) fn coalesce(batch: Vec<Turn>, outcomes: &[Outcome]) -> Vec<Written> {
    let mut place: BTreeMap<InstanceId, usize> = BTreeMap::new();
    let mut written: Vec<Written> = Vec::new();
    for (turn, outcome) in batch.into_iter().zip(outcomes) {
        if *outcome != Outcome::Committed {
            continue;
        }
        let (key, is_start) = (turn.key, turn.is_start());
        match place.get(&key.instance) {
            Some(&at) => {
                // A migration renames every row: the last process names them all.
                written[at].process = turn.process;
                written[at].changes.absorb(turn.changes);
                written[at].history.push((key, turn.history));
            }
            None => {
                place.insert(key.instance, written.len());
                written.push(Written {
                    instance: key.instance,
                    process: turn.process,
                    is_start,
                    idempotency_key: turn.relies.idempotency_key,
                    changes: turn.changes,
                    history: vec![(key, turn.history)],
                });
            }
        }
    }
    written
}

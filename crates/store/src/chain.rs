//! The part of the commit protocol that all stores share: which turns of a batch hold, and what is left to write.
//!
//! **Invariant:** if a turn does not hold, no later turn of its instance in the batch holds.

use std::sync::Arc;

use tyer_engine::{InstanceId, Number};
use tyer_map::{Map, Set};
use tyer_model::Process;

use crate::changes::Changes;
use crate::error::Error;
use crate::mail::{Mail, Take};
use crate::tenant::Tenant;
use crate::turn::{Outcome, Packed, Turn, TurnKey};

/// What the store says about the things that turns rely on, locked against change until the commit.
pub(crate) trait Facts {
    /// The version of an instance; none = not there, or locked by another.
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error>;
    /// The job that a token waits for, and its lease number.
    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error>;
    /// Is the token there, and its job held by nobody?
    fn is_free(&self, instance: InstanceId, token: Number) -> Result<bool, Error>;
    /// The definition that is the newest version of a process.
    fn newest(&self, tenant: &Tenant, process: &str) -> Result<Option<i64>, Error>;
    /// The instance started under a key.
    fn idempotency_key(&self, tenant: &Tenant, key: &str) -> Result<Option<InstanceId>, Error>;
    /// The live instance of a process that a message with this key began.
    fn start_key(&self, tenant: &Tenant, process: &str, key: &str) -> Result<Option<InstanceId>, Error>;
    /// Is it still there to be taken?
    fn can_take(&self, take: &Take) -> Result<bool, Error>;
}

/// All that a batch changes of one instance.
pub(crate) struct Written {
    pub(crate) instance: InstanceId,
    pub(crate) process: Arc<Process>,
    pub(crate) is_start: bool,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) changes: Box<Changes>,
    pub(crate) history: Vec<(TurnKey, Packed)>,
    pub(crate) mail: Vec<Mail>,
}

impl Written {
    /// Whose the instance is.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn tenant(&self) -> &str {
        self.changes.instance.tenant.as_str()
    }

    /// The key under which a message began the instance, which has ended: it is free again.
    pub(crate) fn freed_start_key(&self) -> Option<&str> {
        let row = &self.changes.instance;
        row.start_key.as_deref().filter(|_| row.status.is_ended())
    }

    /// The key under which a message begins the instance.
    pub(crate) fn new_start_key(&self) -> Option<&str> {
        let row = &self.changes.instance;
        row.start_key.as_deref().filter(|_| self.is_start && !row.status.is_ended())
    }
}

/// Decides for each turn of a batch whether it holds.
pub(crate) fn judge(batch: &[Turn], facts: &impl Facts) -> Result<Vec<Outcome>, Error> {
    let mut held = Held::default();
    let mut outcomes = Vec::with_capacity(batch.len());
    for turn in batch {
        let outcome = held.judge(turn, facts)?;
        held.note(turn, outcome == Outcome::Committed);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// What the turns of the batch that hold have changed of the facts.
#[derive(Default)]
struct Held<'a> {
    versions: Map<InstanceId, Option<u64>>,
    keys: Map<(&'a Tenant, &'a str), InstanceId>,
    start_keys: Map<(&'a Tenant, &'a str, &'a str), InstanceId>,
    taken: Set<(u8, i64, &'a str, u32)>,
}

impl<'a> Held<'a> {
    fn note(&mut self, turn: &'a Turn, holds: bool) {
        let id = turn.key.instance;
        self.versions.insert(id, holds.then_some(turn.changes.instance.version));
        if !holds {
            return;
        }
        if let Some(key) = turn.idempotency_key() {
            self.keys.insert(key, id);
        }
        if let Some(key) = turn.start_key() {
            self.start_keys.insert(key, id);
        }
        self.taken.extend(turn.mail.takes.as_ref().map(Take::key));
    }

    fn judge(&self, turn: &Turn, facts: &impl Facts) -> Result<Outcome, Error> {
        let id = turn.key.instance;
        // Before anything else: what is done already must not be tried again.
        if let Some(take) = &turn.mail.takes
            && (self.taken.contains(&take.key()) || !facts.can_take(take)?)
        {
            return Ok(Outcome::Gone);
        }
        let version = match self.versions.get(&id) {
            Some(version) => *version,
            None => Some(facts.version(id)?.unwrap_or(0)),
        };
        if version != Some(turn.base_version()) {
            return Ok(Outcome::Conflict);
        }
        if let Some((tenant, process)) = turn.newest_of()
            && facts.newest(tenant, process)? != Some(turn.changes.instance.definition)
        {
            return Ok(Outcome::Superseded);
        }
        if let Some(first) = self.known_key(turn, facts)? {
            return Ok(Outcome::Duplicate(first));
        }
        if let Some((token, job, lease)) = turn.relies.lease
            && facts.lease(id, token)? != Some((job, lease))
        {
            return Ok(Outcome::LeaseLost);
        }
        for token in &turn.relies.unclaimed {
            if !facts.is_free(id, *token)? {
                return Ok(Outcome::Conflict);
            }
        }
        Ok(Outcome::Committed)
    }

    /// The instance that has the key of this start.
    fn known_key(&self, turn: &Turn, facts: &impl Facts) -> Result<Option<InstanceId>, Error> {
        if let Some((tenant, key)) = turn.idempotency_key() {
            let first = match self.keys.get(&(tenant, key)) {
                Some(first) => Some(*first),
                None => facts.idempotency_key(tenant, key)?,
            };
            if first.is_some() {
                return Ok(first);
            }
        }
        match turn.start_key() {
            None => Ok(None),
            Some(wanted @ (tenant, process, key)) => match self.start_keys.get(&wanted) {
                Some(first) => Ok(Some(*first)),
                None => facts.start_key(tenant, process, key),
            },
        }
    }
}

/// Of the turns that hold, the last state of each row.
pub(crate) fn coalesce(batch: Vec<Turn>, outcomes: &[Outcome]) -> Vec<Written> {
    let mut place: Map<InstanceId, usize> = Map::new();
    let mut written: Vec<Written> = Vec::with_capacity(batch.len());
    for (turn, outcome) in batch.into_iter().zip(outcomes) {
        if *outcome != Outcome::Committed {
            continue;
        }
        let (key, is_start) = (turn.key, turn.is_start());
        match place.get(&key.instance) {
            Some(&at) => {
                // A migration renames every row: the last process names them all.
                written[at].process = turn.process;
                written[at].changes.absorb(*turn.changes);
                written[at].history.push((key, turn.history));
                written[at].mail.push(*turn.mail);
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
                    mail: vec![*turn.mail],
                });
            }
        }
    }
    written
}

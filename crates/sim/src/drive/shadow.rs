//! What must hold after every turn: history folds to the state, indexes are true, invariants hold.

use std::collections::BTreeMap;

use tyer_engine::{Instance, InstanceId, pack, unpack};

use crate::world::{Member, World};

/// Instances folded from their packed history.
#[derive(Default)]
pub(super) struct Shadows {
    folded: BTreeMap<InstanceId, (Instance, usize)>,
    pub(super) events: u64,
    pub(super) fingerprint: u64,
}

impl Shadows {
    /// Folds what is new, and compares.
    pub(super) fn check(&mut self, world: &World) -> Result<(), String> {
        for (id, member) in &world.instances {
            self.fold(*id, member)?;
        }
        Ok(())
    }

    /// What has happened since the last check, packed.
    pub(super) fn news(&self, world: &World) -> Vec<String> {
        let mut news = Vec::new();
        for (id, member) in &world.instances {
            let seen = self.folded.get(id).map_or(0, |(_, seen)| *seen);
            let turns = member.turns[seen..].iter();
            news.extend(turns.map(|turn| format!("{id} {}", pack(&turn.process, &turn.events))));
        }
        news
    }

    fn fold(&mut self, id: InstanceId, member: &Member) -> Result<(), String> {
        let (folded, seen) = self.folded.entry(id).or_insert_with(|| (Instance::blank(id), 0));
        if *seen == member.turns.len() {
            return Ok(());
        }
        for turn in &member.turns[*seen..] {
            let packed = pack(&turn.process, &turn.events);
            let events =
                unpack(&turn.process, &packed).map_err(|error| format!("{id}: {error} in {packed}"))?;
            if events != turn.events {
                return Err(format!("{id}: unpacked events differ: {packed}"));
            }
            for event in &events {
                folded.apply(event, turn.at);
            }
            self.events += events.len() as u64;
            self.fingerprint = hash(self.fingerprint, packed.as_bytes());
        }
        *seen = member.turns.len();
        if *folded != member.instance {
            return Err(format!(
                "{id}: the folded history is not the state:\n{folded:#?}\n{:#?}",
                member.instance
            ));
        }
        let mut anew = folded.clone();
        anew.reindex();
        if anew.index != folded.index {
            return Err(format!("{id}: an index is wrong:\n{:#?}\n{:#?}", folded.index, anew.index));
        }
        let broken = tyer_testkit::audit(&member.process, &member.instance);
        if broken.is_empty() { Ok(()) } else { Err(format!("{id}: {}", broken.join("; "))) }
    }
}

/// FNV-1a: the same on every machine.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

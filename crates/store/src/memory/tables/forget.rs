//! Ended instances that are over.

use tyer_engine::{InstanceId, Timestamp};

use super::{Kept, Tables};
use crate::tenant::Tenant;
use crate::upkeep::{ForgetPlace, Forgotten, Over};

impl Tables {
    /// In the order of tenant, end and id, as the other stores do it.
    pub(in crate::memory) fn forget(
        &mut self,
        over: &Over,
        after: Option<&ForgetPlace>,
        limit: usize,
    ) -> Forgotten {
        let after = after.map(|place| (place.tenant.clone(), place.ended, place.id));
        let place = |id: InstanceId, kept: &Kept| Some((kept.row.tenant.clone(), kept.row.ended_at?, id));
        let mut ended: Vec<(Tenant, Timestamp, InstanceId)> =
            self.instances.iter().filter_map(|(id, kept)| place(*id, kept)).collect();
        ended.retain(|(tenant, at, id)| {
            over.tenant.as_ref().is_none_or(|own| own == tenant)
                && *at < over.latest()
                && after.as_ref().is_none_or(|after| (tenant, at, id) > (&after.0, &after.1, &after.2))
        });
        ended.sort();
        let more = ended.len() > limit;
        ended.truncate(limit);
        let last = ended.last().filter(|_| more).cloned();
        let ids = ended.iter().map(|(.., id)| *id).filter(|id| self.is_over(*id, over));
        let instances: Vec<InstanceId> = ids.collect();
        self.instances.retain(|id, _| !instances.contains(id));
        self.idempotency.retain(|_, id| !instances.contains(id));
        Forgotten { instances, next: last.map(|(tenant, ended, id)| ForgetPlace { tenant, ended, id }) }
    }

    fn is_over(&self, id: InstanceId, over: &Over) -> bool {
        let kept = &self.instances[&id];
        let caller = kept.row.parent.and_then(|parent| self.instances.get(&parent.instance));
        let called = caller.is_some_and(|caller| caller.row.ended_at.is_none());
        let key = self.definitions.get(&kept.row.definition).map_or("", |definition| definition.key.as_str());
        let ended = kept.row.ended_at.is_some_and(|ended| over.has(key, ended));
        ended && !called && !self.letters.is_named(id) && !self.streams.has(id)
    }
}

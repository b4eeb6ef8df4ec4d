//! Claims, leases, due timers: what is not a turn.

use std::sync::Arc;

use tyer_engine::{InstanceId, ItemId, Mode, Number, Status, Timestamp, TokenStatus};
use tyer_map::Set;

use super::Tables;
use crate::rows::{Claim, Claimed, Due, Lease, NodeLease, Woken};
use crate::tenant::Tenant;

impl Tables {
    pub(in crate::memory) fn claim(&mut self, claim: &Claim) -> Vec<Claimed> {
        let mut found = Vec::new();
        for job_type in &claim.types {
            let wanted = |(id, _): &&(InstanceId, Number)| {
                claim.tenant.as_ref().is_none_or(|tenant| self.instances[id].row.tenant == *tenant)
            };
            let ready = self.ready.get(job_type).into_iter().flatten().filter(wanted);
            found.extend(ready.take(claim.max - found.len()).copied());
        }
        found.into_iter().filter_map(|(id, n)| self.claim_one(claim, id, n)).collect()
    }

    fn claim_one(&mut self, claim: &Claim, id: InstanceId, n: Number) -> Option<Claimed> {
        self.unindex(id, n);
        let stored = self.instances.get_mut(&id)?;
        let token = stored.tokens.get_mut(&n)?;
        token.leases += 1;
        let number = token.leases;
        token.status = TokenStatus::Executing;
        token.lease = Some(Lease { number, ..claim.lease.clone() });
        let claimed = Claimed {
            instance: id,
            definition: stored.row.definition,
            token: n,
            node: stored.process.node(token.token.node).id.clone(),
            job: token.job()?.clone(),
            lease: number,
            attempt: token.token.attempt,
            variables: Vec::new(),
        };
        let variables = stored.seen(&stored.tokens[&n].token);
        self.index(id, n);
        Some(Claimed { variables, ..claimed })
    }

    pub(in crate::memory) fn extend(
        &mut self,
        tenant: &Tenant,
        job: ItemId,
        lease: u32,
        until: Timestamp,
    ) -> bool {
        let stored = self.instances.get_mut(&job.instance).filter(|stored| stored.row.tenant == *tenant);
        let Some(stored) = stored else {
            return false;
        };
        let token = stored.tokens.values_mut().find(|token| {
            token.leases == lease
                && token.status == TokenStatus::Executing
                && token.job().is_some_and(|own| own.number == job.number)
        });
        match token.and_then(|token| token.lease.as_mut()).filter(|lease| lease.until.is_some()) {
            Some(held) => {
                held.until = Some(until);
                true
            }
            None => false,
        }
    }

    pub(in crate::memory) fn wake(&mut self, now: Timestamp, limit: usize) -> Woken {
        let freed = self.free(|lease| lease.until.is_some_and(|until| until <= now));
        let mut timers = self.due.iter();
        let due: Vec<Due> = timers
            .by_ref()
            .take_while(|(at, ..)| *at <= now)
            .take(limit)
            .map(|(at, instance, timer)| Due { instance: *instance, timer: *timer, at: *at })
            .collect();
        let timer = self.due.iter().map(|(at, ..)| *at).find(|at| *at > now);
        let ends = |(id, n): &(InstanceId, Number)| self.instances[id].tokens[n].lease.as_ref()?.until;
        let lease = self.leased.iter().filter_map(ends).filter(|until| *until > now);
        let in_doubt = self.leased.iter().filter(|held| ends(held).is_some_and(|until| until <= now));
        let job = |(id, n): &(InstanceId, Number)| {
            let job = self.instances[id].tokens[n].job()?;
            Some(ItemId { instance: *id, number: job.number })
        };
        let in_doubt = in_doubt.filter_map(job).take(limit).collect();
        let (starts, start) = self.letters.due_starts(now, limit);
        let next = timer.into_iter().chain(start).chain(lease).min();
        let (letters, ready) = (self.letters.due(now, limit), Vec::new());
        Woken { due, next, freed, in_doubt, starts, letters, ready }
    }

    /// Takes back the leases of which this holds. Those that a saga waits for have run out, and stay.
    fn free(&mut self, holds: impl Fn(&Lease) -> bool) -> Vec<Arc<str>> {
        let over: Vec<(InstanceId, Number)> = self
            .leased
            .iter()
            .filter(|(id, n)| self.instances[id].tokens[n].lease.as_ref().is_some_and(&holds))
            .copied()
            .collect();
        let mut types = Set::new();
        for (id, n) in over {
            self.unindex(id, n);
            let kept = &self.instances[&id];
            let paused = kept.row.status == Status::Paused;
            if kept.tokens[&n].token.mode == Mode::Finishing {
                let lease = self.token_mut(id, n).and_then(|token| token.lease.as_mut());
                if let Some(lease) = lease.filter(|lease| lease.node.is_some()) {
                    (lease.node, lease.until) = (None, Some(Timestamp(0)));
                }
                self.index(id, n);
                continue;
            }
            if let Some(token) = self.token_mut(id, n) {
                token.lease = None;
                token.status = if paused { TokenStatus::Created } else { TokenStatus::Ready };
                types.extend(token.job().map(|job| Arc::clone(&job.job_type)));
            }
            self.index(id, n);
        }
        types.into_iter().collect()
    }

    pub(in crate::memory) fn hold_node(
        &mut self,
        held: Option<NodeLease>,
        owner: &str,
        now: Timestamp,
        lease_ms: i64,
    ) -> Option<NodeLease> {
        let dead: Set<u16> = self
            .nodes
            .iter()
            .filter(|(_, (_, lease))| lease.until < now)
            .map(|(number, _)| *number)
            .collect();
        let mine = |held: &NodeLease| self.nodes.get(&held.number).is_some_and(|(other, _)| other == owner);
        let held = held.filter(mine);
        if held.is_none() {
            self.letters.examine_all();
        }
        let number = match &held {
            Some(held) => held.number,
            None => (0..1024).find(|number| !self.nodes.contains_key(number) || dead.contains(number))?,
        };
        let high_water = self.nodes.get(&number).map_or(Timestamp(0), |(_, lease)| lease.until);
        // A renewal ends no later for being one of many; a new life begins above all that came before.
        let until = match held {
            Some(_) => high_water.max(now.plus_ms(lease_ms)),
            None => high_water.max(now).plus_ms(lease_ms),
        };
        let lease = NodeLease { number, until, high_water, store_time: now, news: None };
        self.nodes.insert(number, (owner.to_owned(), lease.clone()));
        self.free(|lease| lease.node.is_some_and(|node| dead.contains(&node)));
        Some(lease)
    }
}

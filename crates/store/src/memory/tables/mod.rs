//! The tables of the memory store and the indexes over them.

mod forget;
mod kept;
mod lists;
mod mail;
mod outbox;
mod work;

use std::collections::HashMap;
use std::sync::Arc;

use tyer_engine::{InstanceId, Number, Timestamp, TokenStatus};
use tyer_map::{Map, Set};

use crate::chain::{Facts, Written};
use crate::error::Error;
use crate::mail::{StartEvent, StartEventKey, Take};
use crate::rows::{
    Definition, Deployment, Hold, InstanceRow, Loaded, NodeLease, Stored, TimerRow, TokenRow, Which,
};
use crate::tenant::Tenant;
use crate::turn::TurnKey;
use crate::views::HistoryRow;
use kept::{Kept, KeptToken, load_token, named, put};
use mail::Letters;

#[derive(Default)]
pub(in crate::memory) struct Tables {
    /// Boxed: the table has room for more than it holds, and is copied when it grows.
    instances: HashMap<InstanceId, Box<Kept>>,
    idempotency: HashMap<(Tenant, String), InstanceId>,
    ready: Map<Arc<str>, Set<(InstanceId, Number)>>,
    due: Set<(Timestamp, InstanceId, Number)>,
    leased: Set<(InstanceId, Number)>,
    deployments: HashMap<(Tenant, String), Vec<Arc<Definition>>>,
    definitions: Map<i64, Arc<Definition>>,
    nodes: Map<u16, (String, NodeLease)>,
    letters: Letters,
    streams: outbox::Streams,
}

impl Facts for Tables {
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error> {
        Ok(self.instances.get(&instance).map(|stored| stored.row.version))
    }

    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error> {
        let token = self.instances.get(&instance).and_then(|stored| stored.tokens.get(&token));
        let executing = token.filter(|token| token.status == TokenStatus::Executing);
        Ok(executing.and_then(|token| Some((token.job()?.number, token.leases))))
    }

    fn newest(&self, tenant: &Tenant, process: &str) -> Result<Option<i64>, Error> {
        Ok(Tables::version(self, tenant, process, &Which::Newest))
    }

    fn idempotency_key(&self, tenant: &Tenant, key: &str) -> Result<Option<InstanceId>, Error> {
        Ok(self.idempotency.get(&(tenant.clone(), key.to_owned())).copied())
    }

    fn is_free(&self, instance: InstanceId, token: Number) -> Result<bool, Error> {
        let token = self.instances.get(&instance).and_then(|stored| stored.tokens.get(&token));
        Ok(token.is_some_and(|token| token.status != TokenStatus::Executing))
    }

    fn start_key(&self, tenant: &Tenant, process: &str, key: &str) -> Result<Option<InstanceId>, Error> {
        let key = (tenant.clone(), process.to_owned(), key.to_owned());
        Ok(self.letters.start_keys.get(&key).copied())
    }

    fn can_take(&self, take: &Take) -> Result<bool, Error> {
        Ok(self.letters.can_take(take))
    }
}

impl Tables {
    pub(in crate::memory) fn write(&mut self, written: Written) {
        let tenant = written.changes.instance.tenant.clone();
        let start_key = |key: &str| (tenant.clone(), written.process.id.clone(), key.to_owned());
        if let Some(key) = written.new_start_key() {
            self.letters.start_keys.insert(start_key(key), written.instance);
        }
        if let Some(key) = written.freed_start_key() {
            self.letters.start_keys.remove(&start_key(key));
        }
        for piece in crate::outbox::pieces(std::slice::from_ref(&written)) {
            self.streams.add(piece);
        }
        let Written { instance: id, process, changes, history, idempotency_key, mail, .. } = written;
        for mail in mail {
            self.letters.write(mail);
        }
        if let Some(key) = idempotency_key {
            self.idempotency.insert((tenant.clone(), key), id);
        }
        let stored =
            self.instances.entry(id).or_insert_with(|| Box::new(Kept::new(&process, &changes.instance)));
        stored.process = process;
        // Only the first turn says under which key a message began the instance, and whose it is.
        let (start_key, tenant) = (stored.row.start_key.take(), stored.row.tenant.clone());
        stored.row = InstanceRow { start_key, tenant, ..changes.instance };
        put(&mut stored.scopes, changes.scopes);
        for (n, change) in changes.variables {
            match change.row {
                Some(document) => drop(stored.variables.insert(n, document.into())),
                None => drop(stored.variables.remove(&n)),
            }
        }
        put(&mut stored.tasks, changes.tasks);
        for (n, change) in &changes.subscriptions {
            let (old, new) = (stored.subscriptions.get(n), change.row.as_ref());
            let tenant = &stored.row.tenant;
            self.letters.listen(tenant, (id, *n), old.map(|row| &row.wanted), new.map(|row| &row.wanted));
        }
        put(&mut stored.subscriptions, changes.subscriptions);
        put(&mut stored.records, changes.records);
        put(&mut stored.sagas, changes.sagas);
        put(&mut stored.incidents, changes.incidents);
        stored.history.extend(history.into_iter().map(|(key, packed)| HistoryRow {
            first_seq: key.first_seq,
            count: packed.count,
            turn: key.turn,
            at: packed.at,
            events: packed.events,
        }));
        for (n, change) in changes.timers {
            self.put_timer(id, n, change.row);
        }
        for (n, change) in changes.tokens {
            self.put_token(id, n, change.row);
        }
        if let Some(held) = changes.held {
            self.hold(id, held);
        }
    }

    fn put_token(&mut self, id: InstanceId, n: Number, row: Option<TokenRow>) {
        self.unindex(id, n);
        let stored = self.instances.get_mut(&id).expect("written just now");
        let Some(TokenRow { token, status, hold }) = row else {
            return drop(stored.tokens.remove(&n));
        };
        let kept = match hold {
            Hold::Nobody => KeptToken { token, status, lease: None, leases: 0 },
            Hold::Taken(lease) => {
                let (status, leases) = (TokenStatus::Executing, lease.number);
                KeptToken { token, status, lease: Some(lease), leases }
            }
            Hold::Kept => {
                let old = stored.tokens.remove(&n).expect("only a stored token keeps its lease");
                KeptToken { token, ..old }
            }
        };
        stored.tokens.insert(n, kept);
        self.index(id, n);
    }

    fn put_timer(&mut self, id: InstanceId, n: Number, row: Option<TimerRow>) {
        let stored = self.instances.get_mut(&id).expect("written just now");
        if let Some(old) = stored.timers.remove(&n) {
            self.due.remove(&(old.timer.due, id, n));
        }
        if let Some(row) = row {
            if !row.held {
                self.due.insert((row.timer.due, id, n));
            }
            stored.timers.insert(n, row);
        }
    }

    fn hold(&mut self, id: InstanceId, held: bool) {
        let stored = &self.instances[&id];
        let timers: Vec<(Number, TimerRow)> =
            stored.timers.iter().map(|(n, row)| (*n, row.clone())).collect();
        let tokens: Vec<Number> = stored.tokens.keys().copied().collect();
        for (n, row) in timers {
            self.put_timer(id, n, Some(TimerRow { held, ..row }));
        }
        let (from, to) = if held {
            (TokenStatus::Ready, TokenStatus::Created)
        } else {
            (TokenStatus::Created, TokenStatus::Ready)
        };
        for n in tokens {
            self.unindex(id, n);
            if let Some(token) = self.token_mut(id, n)
                && token.status == from
                && token.job().is_some()
            {
                token.status = to;
            }
            self.index(id, n);
        }
    }

    fn token_mut(&mut self, id: InstanceId, n: Number) -> Option<&mut KeptToken> {
        self.instances.get_mut(&id).and_then(|stored| stored.tokens.get_mut(&n))
    }

    fn index(&mut self, id: InstanceId, n: Number) {
        let Some(token) = self.instances.get(&id).and_then(|stored| stored.tokens.get(&n)) else {
            return;
        };
        match (token.status, token.job()) {
            (TokenStatus::Ready, Some(job)) => {
                self.ready.entry(Arc::clone(&job.job_type)).or_default().insert((id, n));
            }
            (TokenStatus::Executing, _) => drop(self.leased.insert((id, n))),
            _ => {}
        }
    }

    fn unindex(&mut self, id: InstanceId, n: Number) {
        let Some(token) = self.instances.get(&id).and_then(|stored| stored.tokens.get(&n)) else {
            return;
        };
        match (token.status, token.job()) {
            (TokenStatus::Ready, Some(job)) => {
                if let Some(ready) = self.ready.get_mut(&job.job_type) {
                    ready.remove(&(id, n));
                }
            }
            (TokenStatus::Executing, _) => drop(self.leased.remove(&(id, n))),
            _ => {}
        }
    }

    pub(in crate::memory) fn has_turn(&self, key: &TurnKey) -> bool {
        let history = self.instances.get(&key.instance).map(|stored| &stored.history);
        history
            .is_some_and(|rows| rows.iter().any(|row| row.first_seq == key.first_seq && row.turn == key.turn))
    }

    pub(in crate::memory) fn load(&self, id: InstanceId) -> Option<Loaded> {
        let stored = self.instances.get(&id)?;
        let process = &stored.process;
        Some(Loaded {
            id,
            instance: stored.row.clone(),
            tokens: stored.tokens.iter().map(|(n, token)| load_token(process, *n, token)).collect(),
            scopes: named(process, &stored.scopes, |row| row.node),
            variables: stored.variables.iter().map(|(n, json)| (*n, json.to_string())).collect(),
            tasks: named(process, &stored.tasks, |row| row.node),
            timers: stored
                .timers
                .iter()
                .map(|(n, row)| Stored {
                    number: *n,
                    node: process.node(row.timer.node).id.clone(),
                    row: row.timer.clone(),
                })
                .collect(),
            subscriptions: named(process, &stored.subscriptions, |row| row.node),
            records: named(process, &stored.records, |row| row.node),
            sagas: stored.sagas.iter().map(|(n, row)| (*n, row.clone())).collect(),
            incidents: stored.incidents.iter().map(|(n, row)| (*n, row.clone())).collect(),
        })
    }

    pub(in crate::memory) fn deploy(&mut self, deployment: &Deployment) -> Vec<Definition> {
        let tenant = &deployment.tenant;
        let content = (tenant.clone(), deployment.checksum.clone());
        if let Some(known) = self.deployments.get(&content) {
            return known.iter().map(|definition| (**definition).clone()).collect();
        }
        let mut new = Vec::new();
        for (process, id) in deployment.processes.iter().zip(&deployment.ids[1..]) {
            let key = &process.key;
            let same = |old: &&Arc<Definition>| old.tenant == *tenant && old.key == *key;
            let latest = self.definitions.values().filter(same).map(|old| old.version).max();
            let definition = Arc::new(Definition {
                id: *id,
                tenant: tenant.clone(),
                key: key.clone(),
                version: latest.unwrap_or(0) + 1,
                version_tag: process.version_tag.clone(),
                resource: Arc::clone(&deployment.resource),
                deployed_at: deployment.at,
            });
            self.definitions.insert(*id, Arc::clone(&definition));
            new.push(definition);
            self.letters.starts.retain(|_, event| event.tenant != *tenant || event.process != *key);
            for (node, position, wanted) in &process.starts {
                let key = StartEventKey { definition: *id, node: node.clone(), position: *position };
                let (tenant, process, wanted) = (tenant.clone(), process.key.clone(), wanted.clone());
                self.letters.starts.insert(key.clone(), StartEvent { key, tenant, process, wanted });
            }
        }
        self.deployments.insert(content, new.clone());
        new.iter().map(|definition| (**definition).clone()).collect()
    }

    pub(in crate::memory) fn definition(&self, id: i64) -> Option<Arc<Definition>> {
        self.definitions.get(&id).cloned()
    }

    pub(in crate::memory) fn version(&self, tenant: &Tenant, key: &str, which: &Which) -> Option<i64> {
        let asked = |one: &&Arc<Definition>| one.tenant == *tenant && one.key == key;
        if let Which::With(other) = which {
            let mut deployments = self.deployments.values();
            let together = deployments.find(|all| all.iter().any(|definition| definition.id == *other))?;
            return together.iter().find(asked).map(|definition| definition.id);
        }
        let versions = self.definitions.values().filter(asked);
        let wanted = versions.filter(|definition| match which {
            Which::Newest | Which::With(_) => true,
            Which::Number(number) => definition.version == *number,
            Which::Tag(tag) => definition.version_tag.as_ref() == Some(tag),
        });
        wanted.max_by_key(|definition| definition.version).map(|definition| definition.id)
    }

    pub(in crate::memory) fn history(
        &self,
        tenant: &Tenant,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Vec<HistoryRow> {
        let theirs = self.instances.get(&instance).filter(|stored| stored.row.tenant == *tenant);
        let rows = theirs.map_or(&[][..], |stored| &stored.history);
        let first = rows.partition_point(|row| row.first_seq + u64::from(row.count) - 1 <= after);
        rows[first..].iter().take(limit).cloned().collect()
    }
}

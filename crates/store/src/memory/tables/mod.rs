//! The tables of the memory store and the indexes over them.

mod work;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tyer_engine::{InstanceId, Job, Number, Timestamp, TokenStatus};
use tyer_model::Process;

use crate::chain::{Facts, Written};
use crate::changes::Change;
use crate::error::Error;
use crate::rows::{
    Definition, Deployment, IncidentRow, InstanceRow, Loaded, LoadedTask, LoadedToken, NodeLease, TaskRow,
    TimerRow, TokenRow,
};
use crate::turn::TurnKey;
use crate::views::{HistoryRow, OpenTask};

#[derive(Default)]
pub(in crate::memory) struct Tables {
    instances: HashMap<InstanceId, Stored>,
    idempotency: HashMap<String, InstanceId>,
    ready: BTreeMap<Arc<str>, BTreeSet<(InstanceId, Number)>>,
    due: BTreeSet<(Timestamp, InstanceId, Number)>,
    leased: BTreeSet<(InstanceId, Number)>,
    deployments: HashMap<String, Vec<Arc<Definition>>>,
    definitions: BTreeMap<i64, Arc<Definition>>,
    nodes: BTreeMap<u16, (String, NodeLease)>,
}

struct Stored {
    process: Arc<Process>,
    row: InstanceRow,
    tokens: BTreeMap<Number, StoredToken>,
    scopes: BTreeMap<Number, String>,
    tasks: BTreeMap<Number, TaskRow>,
    timers: BTreeMap<Number, TimerRow>,
    incidents: BTreeMap<Number, IncidentRow>,
    history: Vec<HistoryRow>,
}

/// A token with the lease columns that claims own; `row.status` is `Executing` while it is claimed.
struct StoredToken {
    row: TokenRow,
    leases: u32,
}

impl StoredToken {
    fn job(&self) -> Option<&Job> {
        self.row.token.job()
    }
}

impl Facts for Tables {
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error> {
        Ok(self.instances.get(&instance).map(|stored| stored.row.version))
    }

    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error> {
        let token = self.instances.get(&instance).and_then(|stored| stored.tokens.get(&token));
        let executing = token.filter(|token| token.row.status == TokenStatus::Executing);
        Ok(executing.and_then(|token| Some((token.job()?.number, token.leases))))
    }

    fn newest(&self, process: &str) -> Result<Option<i64>, Error> {
        Ok(Tables::version(self, process, None))
    }

    fn idempotency_key(&self, key: &str) -> Result<Option<InstanceId>, Error> {
        Ok(self.idempotency.get(key).copied())
    }
}

impl Tables {
    pub(in crate::memory) fn write(&mut self, written: Written) {
        let Written { instance: id, process, changes, history, idempotency_key, .. } = written;
        if let Some(key) = idempotency_key {
            self.idempotency.insert(key, id);
        }
        let stored = self.instances.entry(id).or_insert_with(|| Stored {
            process,
            row: changes.instance.clone(),
            tokens: BTreeMap::new(),
            scopes: BTreeMap::new(),
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            incidents: BTreeMap::new(),
            history: Vec::new(),
        });
        stored.row = changes.instance;
        stored.scopes.extend(changes.scopes);
        put(&mut stored.tasks, changes.tasks);
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
        match row {
            None => drop(stored.tokens.remove(&n)),
            Some(mut row) => {
                let leases = row.lease.as_ref().map_or(0, |lease| lease.number);
                if row.lease.is_some() {
                    row.status = TokenStatus::Executing;
                }
                stored.tokens.insert(n, StoredToken { row, leases });
                self.index(id, n);
            }
        }
    }

    fn put_timer(&mut self, id: InstanceId, n: Number, row: Option<TimerRow>) {
        let stored = self.instances.get_mut(&id).expect("written just now");
        let old = match row {
            Some(row) => {
                if !row.held {
                    self.due.insert((row.timer.due, id, n));
                }
                stored.timers.insert(n, row)
            }
            None => stored.timers.remove(&n),
        };
        if let (Some(old), None) = (old, row) {
            self.due.remove(&(old.timer.due, id, n));
        }
    }

    fn hold(&mut self, id: InstanceId, held: bool) {
        let stored = &self.instances[&id];
        let timers: Vec<(Number, TimerRow)> = stored.timers.iter().map(|(n, row)| (*n, *row)).collect();
        let tokens: Vec<Number> = stored.tokens.keys().copied().collect();
        for (n, row) in timers {
            self.put_timer(id, n, None);
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
                && token.row.status == from
                && token.job().is_some()
            {
                token.row.status = to;
            }
            self.index(id, n);
        }
    }

    fn token_mut(&mut self, id: InstanceId, n: Number) -> Option<&mut StoredToken> {
        self.instances.get_mut(&id).and_then(|stored| stored.tokens.get_mut(&n))
    }

    fn index(&mut self, id: InstanceId, n: Number) {
        let Some(token) = self.instances.get(&id).and_then(|stored| stored.tokens.get(&n)) else {
            return;
        };
        match (token.row.status, token.job()) {
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
        match (token.row.status, token.job()) {
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
        Some(Loaded {
            id,
            instance: stored.row.clone(),
            tokens: stored.tokens.iter().map(|(n, token)| load_token(&stored.process, *n, token)).collect(),
            scopes: stored.scopes.iter().map(|(n, json)| (*n, json.clone())).collect(),
            tasks: stored.tasks.values().map(load_task).collect(),
            timers: stored.timers.iter().map(|(n, row)| (*n, row.timer)).collect(),
            incidents: stored.incidents.iter().map(|(n, row)| (*n, row.clone())).collect(),
        })
    }

    pub(in crate::memory) fn deploy(&mut self, deployment: &Deployment) -> Vec<Definition> {
        if let Some(known) = self.deployments.get(&deployment.checksum) {
            return known.iter().map(|definition| (**definition).clone()).collect();
        }
        let mut new = Vec::new();
        for (key, id) in deployment.processes.iter().zip(&deployment.ids[1..]) {
            let latest = self.definitions.values().filter(|old| old.key == *key).map(|old| old.version).max();
            let definition = Arc::new(Definition {
                id: *id,
                key: key.clone(),
                version: latest.unwrap_or(0) + 1,
                resource: Arc::clone(&deployment.resource),
                deployed_at: deployment.at,
            });
            self.definitions.insert(*id, Arc::clone(&definition));
            new.push(definition);
        }
        self.deployments.insert(deployment.checksum.clone(), new.clone());
        new.iter().map(|definition| (**definition).clone()).collect()
    }

    pub(in crate::memory) fn definition(&self, id: i64) -> Option<Arc<Definition>> {
        self.definitions.get(&id).cloned()
    }

    pub(in crate::memory) fn version(&self, key: &str, version: Option<u32>) -> Option<i64> {
        let versions = self.definitions.values().filter(|definition| definition.key == key);
        let wanted =
            versions.filter(|definition| version.is_none_or(|version| definition.version == version));
        wanted.max_by_key(|definition| definition.version).map(|definition| definition.id)
    }

    pub(in crate::memory) fn history(
        &self,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Vec<HistoryRow> {
        let rows = self.instances.get(&instance).map_or(&[][..], |stored| &stored.history);
        let first = rows.partition_point(|row| row.first_seq + u64::from(row.count) - 1 <= after);
        rows[first..].iter().take(limit).cloned().collect()
    }

    pub(in crate::memory) fn tasks(&self, instance: Option<InstanceId>, limit: usize) -> Vec<OpenTask> {
        let mut ids: Vec<InstanceId> = match instance {
            Some(id) => vec![id],
            None => self.instances.keys().copied().collect(),
        };
        ids.sort();
        let of = |id: InstanceId| {
            let stored = self.instances.get(&id);
            stored.into_iter().flat_map(move |stored| {
                stored.tasks.values().map(move |task| OpenTask {
                    instance: id,
                    token: task.token,
                    node: stored.process.node(task.node).id.clone(),
                    asked: task.asked.clone(),
                    created_at: task.created_at,
                })
            })
        };
        ids.into_iter().flat_map(of).take(limit).collect()
    }
}

fn put<T>(rows: &mut BTreeMap<Number, T>, changes: BTreeMap<Number, Change<T>>) {
    for (n, change) in changes {
        match change.row {
            Some(row) => drop(rows.insert(n, row)),
            None => drop(rows.remove(&n)),
        }
    }
}

fn load_token(process: &Process, number: Number, stored: &StoredToken) -> LoadedToken {
    let token = &stored.row.token;
    LoadedToken {
        number,
        node: process.node(token.node).id.clone(),
        flow: token.flow.map(|flow| process.flow(flow).id.clone()),
        status: stored.row.status,
        mode: token.mode,
        scope: token.scope,
        parent: token.parent,
        group: token.group,
        attempt: token.attempt,
        since: token.since,
        job: stored.job().cloned(),
        lease: stored.row.lease.clone(),
    }
}

fn load_task(task: &TaskRow) -> LoadedTask {
    LoadedTask { asked: task.asked.clone(), token: task.token, created_at: task.created_at }
}

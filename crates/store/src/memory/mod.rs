//! A store that forgets when the process ends: for tests and for work that may be lost.
//!
//! **Invariant:** keeps the whole contract but durability, under one lock.

mod tables;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tyer_engine::{InstanceId, ItemId, Timestamp};

use crate::chain;
use crate::error::Error;
use crate::filter::{InstanceFilter, InstancePlace, TaskFilter, TaskPlace};
use crate::mail::{Mailbox, Message, Post, Sought, StartEvent, Waiting};
use crate::outbox::{Delivered, Deliveries, Delivery, Outbox, Sink, Stream};
use crate::rows::{Claim, Claimed, Definition, Deployment, Loaded, NodeLease, Which, Woken};
use crate::tenant::Tenant;
use crate::turn::{Outcome, Turn, TurnKey};
use crate::upkeep::{ForgetPlace, Forgotten, Over, Upkeep};
use crate::views::{HistoryRow, ListedDefinition, ListedIncident, ListedInstance, OpenTask, Standing, Views};
use crate::{Answer, Store};
use tables::Tables;

/// How long a node may be silent before others take its jobs.
const NODE_LEASE_MS: i64 = 10_000;

/// A store in memory; clones of the `Arc` around it are nodes that share it.
#[derive(Default)]
pub struct Memory {
    tables: Mutex<Tables>,
}

impl Memory {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        // A panic inside a store method would be ours; the tables are whole between methods.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> Answer<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

impl Store for Memory {
    fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>> {
        let mut tables = self.tables();
        let outcomes = chain::judge(&batch, &*tables);
        let Ok(outcomes) = outcomes else {
            return Box::pin(std::future::ready(outcomes));
        };
        for written in chain::coalesce(batch, &outcomes) {
            tables.write(written);
        }
        ready(outcomes)
    }

    fn settle(&self, turns: Vec<TurnKey>) -> Answer<'_, Vec<bool>> {
        let tables = self.tables();
        ready(turns.iter().map(|key| tables.has_turn(key)).collect())
    }

    fn load(&self, ids: Vec<InstanceId>) -> Answer<'_, Vec<Option<Loaded>>> {
        let tables = self.tables();
        ready(ids.iter().map(|id| tables.load(*id)).collect())
    }

    fn claim(&self, claim: Claim) -> Answer<'_, Vec<Claimed>> {
        ready(self.tables().claim(&claim))
    }

    fn extend(&self, tenant: &Tenant, job: ItemId, lease: u32, until: Timestamp) -> Answer<'_, bool> {
        ready(self.tables().extend(tenant, job, lease, until))
    }

    fn wake(&self, now: Timestamp, limit: usize) -> Answer<'_, Woken> {
        ready(self.tables().wake(now, limit))
    }

    fn hold_node(&self, held: Option<NodeLease>, owner: &str, now: Timestamp) -> Answer<'_, NodeLease> {
        let lease = self.tables().hold_node(held, owner, now, NODE_LEASE_MS);
        Box::pin(std::future::ready(
            lease.ok_or_else(|| Error::Unavailable("all 1024 node numbers are taken".into())),
        ))
    }

    fn deploy(&self, deployment: Deployment) -> Answer<'_, Vec<Definition>> {
        ready(self.tables().deploy(&deployment))
    }
}

impl Upkeep for Memory {
    fn backup(&self, _target: PathBuf) -> Answer<'_, ()> {
        let nothing = "a store in memory cannot be backed up: use a file or PostgreSQL";
        Box::pin(std::future::ready(Err(Error::Refused(nothing.to_owned()))))
    }

    fn forget(&self, over: Over, after: Option<ForgetPlace>, limit: usize) -> Answer<'_, Forgotten> {
        ready(self.tables().forget(&over, after.as_ref(), limit))
    }
}

impl Mailbox for Memory {
    fn post(&self, posts: Vec<Post>) -> Answer<'_, Vec<bool>> {
        ready(self.tables().post(posts))
    }

    fn waiting(&self, sought: Sought, limit: usize) -> Answer<'_, Vec<Waiting>> {
        ready(self.tables().waiting(&sought, limit))
    }

    fn start_events(&self, tenant: &Tenant, message: bool, name: &str) -> Answer<'_, Vec<StartEvent>> {
        ready(self.tables().start_events(tenant, message, name))
    }

    fn buffered(
        &self,
        tenant: &Tenant,
        name: &str,
        key: Option<&str>,
        taker: &str,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>> {
        ready(self.tables().buffered(tenant, name, key, taker, now, limit))
    }
}

impl Outbox for Memory {
    fn keep_sink(&self, sink: Sink) -> Answer<'_, bool> {
        ready(self.tables().keep_sink(sink))
    }

    fn drop_sink(&self, name: &str) -> Answer<'_, bool> {
        ready(self.tables().drop_sink(name))
    }

    fn sinks(&self) -> Answer<'_, Vec<Sink>> {
        ready(self.tables().sinks())
    }

    fn take_deliveries(
        &self,
        sink: &str,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Answer<'_, Deliveries> {
        ready(self.tables().take_deliveries(sink, now, until, limit))
    }

    fn mark(&self, outcomes: Vec<(Delivery, Delivered)>, now: Timestamp) -> Answer<'_, Vec<bool>> {
        ready(self.tables().mark(outcomes, now))
    }

    fn dead_streams(&self, sink: &str, after: InstanceId, limit: usize) -> Answer<'_, Vec<Stream>> {
        ready(self.tables().dead_streams(sink, after, limit))
    }

    fn redeliver(&self, sink: &str, instance: Option<InstanceId>, now: Timestamp) -> Answer<'_, u64> {
        ready(self.tables().redeliver(sink, instance, now))
    }
}

impl Views for Memory {
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>> {
        ready(self.tables().definition(id))
    }

    fn version(&self, tenant: &Tenant, key: &str, which: Which) -> Answer<'_, Option<i64>> {
        ready(self.tables().version(tenant, key, &which))
    }

    fn instances(
        &self,
        tenant: Option<&Tenant>,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        ready(self.tables().list(tenant, called_by, after, limit))
    }

    fn history(
        &self,
        tenant: &Tenant,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<HistoryRow>> {
        ready(self.tables().history(tenant, instance, after, limit))
    }

    fn find_instances(
        &self,
        filter: InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        ready(self.tables().find(&filter, after, limit))
    }

    fn count_instances(&self, filter: InstanceFilter) -> Answer<'_, u64> {
        ready(self.tables().count(&filter))
    }

    fn tasks(&self, filter: TaskFilter, after: Option<TaskPlace>, limit: usize) -> Answer<'_, Vec<OpenTask>> {
        ready(self.tables().tasks(&filter, after, limit))
    }

    fn incidents(
        &self,
        tenant: &Tenant,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedIncident>> {
        ready(self.tables().incidents(tenant, instance, below, limit))
    }

    fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>> {
        ready(self.tables().unmatched(tenant, below, now, limit))
    }

    fn definitions(&self, tenant: &Tenant, key: Option<&str>) -> Answer<'_, Vec<ListedDefinition>> {
        ready(self.tables().listed_definitions(tenant, key))
    }

    fn standing(&self, definition: i64) -> Answer<'_, Vec<Standing>> {
        ready(self.tables().standing(definition))
    }
}

//! A store whose commits and loads pass through somebody's hands: to record them, or to make them fail.
//!
//! For tests and measurements; everything else goes to the store inside untouched.

use std::path::PathBuf;
use std::sync::Arc;

use tyer_engine::{InstanceId, ItemId, Timestamp};

use crate::filter::{InstanceFilter, InstancePlace, TaskFilter, TaskPlace};
use crate::mail::{Mailbox, Message, Post, Sought, StartEvent, Waiting};
use crate::outbox::{Delivered, Deliveries, Delivery, Outbox, Sink, Stream};
use crate::rows::{Claim, Claimed, Definition, Deployment, Loaded, NodeLease, Which, Woken};
use crate::tenant::Tenant;
use crate::turn::{Outcome, Turn, TurnKey};
use crate::upkeep::{ForgetPlace, Forgotten, Over, Upkeep};
use crate::views::{HistoryRow, ListedDefinition, ListedIncident, ListedInstance, OpenTask, Standing, Views};
use crate::{Answer, Store};

/// What is done instead of a commit.
pub type OnCommit<S> = Box<dyn Fn(Arc<S>, Vec<Turn>) -> Answer<'static, Vec<Outcome>> + Send + Sync>;
/// What is done instead of a post.
pub type OnPost<S> = Box<dyn Fn(Arc<S>, Vec<Post>) -> Answer<'static, Vec<bool>> + Send + Sync>;
/// What is done to a loaded instance.
pub type OnLoad = Box<dyn Fn(&mut Loaded) + Send + Sync>;

/// A store behind hooks.
pub struct Intercepted<S> {
    inner: Arc<S>,
    on_commit: OnCommit<S>,
    on_post: OnPost<S>,
    on_load: OnLoad,
}

impl<S: Store + Mailbox + Views> Intercepted<S> {
    /// Calls `on_commit` and `on_post` for everything that turns and the mail write.
    pub fn writes(
        inner: Arc<S>,
        on_commit: impl Fn(Arc<S>, Vec<Turn>) -> Answer<'static, Vec<Outcome>> + Send + Sync + 'static,
        on_post: impl Fn(Arc<S>, Vec<Post>) -> Answer<'static, Vec<bool>> + Send + Sync + 'static,
    ) -> Intercepted<S> {
        let (on_commit, on_post) = (Box::new(on_commit), Box::new(on_post));
        Intercepted { inner, on_commit, on_post, on_load: Box::new(|_| {}) }
    }

    /// Calls `on_commit` for every commit; it may call the store's own.
    pub fn commits(
        inner: S,
        on_commit: impl Fn(Arc<S>, Vec<Turn>) -> Answer<'static, Vec<Outcome>> + Send + Sync + 'static,
    ) -> Intercepted<S> {
        Intercepted::writes(Arc::new(inner), on_commit, |store, posts| {
            Box::pin(async move { store.post(posts).await })
        })
    }

    /// Calls `on_load` for every instance that is loaded.
    pub fn loads(inner: Arc<S>, on_load: impl Fn(&mut Loaded) + Send + Sync + 'static) -> Intercepted<S> {
        let writes = Intercepted::writes(
            inner,
            |store: Arc<S>, batch| Box::pin(async move { store.commit(batch).await }),
            |store, posts| Box::pin(async move { store.post(posts).await }),
        );
        Intercepted { on_load: Box::new(on_load), ..writes }
    }

    /// The store inside.
    pub fn inner(&self) -> &Arc<S> {
        &self.inner
    }
}

impl<S: Store + Mailbox + Views> Store for Intercepted<S> {
    fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>> {
        (self.on_commit)(Arc::clone(&self.inner), batch)
    }

    fn settle(&self, turns: Vec<TurnKey>) -> Answer<'_, Vec<bool>> {
        self.inner.settle(turns)
    }

    fn load(&self, ids: Vec<InstanceId>) -> Answer<'_, Vec<Option<Loaded>>> {
        Box::pin(async move {
            let mut loaded = self.inner.load(ids).await?;
            loaded.iter_mut().flatten().for_each(|loaded| (self.on_load)(loaded));
            Ok(loaded)
        })
    }

    fn claim(&self, claim: Claim) -> Answer<'_, Vec<Claimed>> {
        self.inner.claim(claim)
    }

    fn extend(&self, tenant: &Tenant, job: ItemId, lease: u32, until: Timestamp) -> Answer<'_, bool> {
        self.inner.extend(tenant, job, lease, until)
    }

    fn wake(&self, now: Timestamp, limit: usize) -> Answer<'_, Woken> {
        self.inner.wake(now, limit)
    }

    fn hold_node(&self, held: Option<NodeLease>, owner: &str, now: Timestamp) -> Answer<'_, NodeLease> {
        self.inner.hold_node(held, owner, now)
    }

    fn deploy(&self, deployment: Deployment) -> Answer<'_, Vec<Definition>> {
        self.inner.deploy(deployment)
    }
}

impl<S: Store + Mailbox + Views + Upkeep> Upkeep for Intercepted<S> {
    fn backup(&self, target: PathBuf) -> Answer<'_, ()> {
        self.inner.backup(target)
    }

    fn forget(&self, over: Over, after: Option<ForgetPlace>, limit: usize) -> Answer<'_, Forgotten> {
        self.inner.forget(over, after, limit)
    }

    fn transactions(&self) -> Option<u64> {
        self.inner.transactions()
    }
}

impl<S: Store + Mailbox + Views> Mailbox for Intercepted<S> {
    fn post(&self, posts: Vec<Post>) -> Answer<'_, Vec<bool>> {
        (self.on_post)(Arc::clone(&self.inner), posts)
    }

    fn waiting(&self, sought: Sought, limit: usize) -> Answer<'_, Vec<Waiting>> {
        self.inner.waiting(sought, limit)
    }

    fn start_events(&self, tenant: &Tenant, message: bool, name: &str) -> Answer<'_, Vec<StartEvent>> {
        self.inner.start_events(tenant, message, name)
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
        self.inner.buffered(tenant, name, key, taker, now, limit)
    }
}

impl<S: Store + Mailbox + Views> Views for Intercepted<S> {
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>> {
        self.inner.definition(id)
    }

    fn version(&self, tenant: &Tenant, key: &str, which: Which) -> Answer<'_, Option<i64>> {
        self.inner.version(tenant, key, which)
    }

    fn instances(
        &self,
        tenant: Option<&Tenant>,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        self.inner.instances(tenant, called_by, after, limit)
    }

    fn history(
        &self,
        tenant: &Tenant,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<HistoryRow>> {
        self.inner.history(tenant, instance, after, limit)
    }

    fn find_instances(
        &self,
        filter: InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        self.inner.find_instances(filter, after, limit)
    }

    fn count_instances(&self, filter: InstanceFilter) -> Answer<'_, u64> {
        self.inner.count_instances(filter)
    }

    fn tasks(&self, filter: TaskFilter, after: Option<TaskPlace>, limit: usize) -> Answer<'_, Vec<OpenTask>> {
        self.inner.tasks(filter, after, limit)
    }

    fn incidents(
        &self,
        tenant: &Tenant,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedIncident>> {
        self.inner.incidents(tenant, instance, below, limit)
    }

    fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>> {
        self.inner.unmatched(tenant, below, now, limit)
    }

    fn definitions(&self, tenant: &Tenant, key: Option<&str>) -> Answer<'_, Vec<ListedDefinition>> {
        self.inner.definitions(tenant, key)
    }

    fn standing(&self, definition: i64) -> Answer<'_, Vec<Standing>> {
        self.inner.standing(definition)
    }
}

impl<S: Outbox> Outbox for Intercepted<S> {
    fn keep_sink(&self, sink: Sink) -> Answer<'_, bool> {
        self.inner.keep_sink(sink)
    }

    fn drop_sink(&self, name: &str) -> Answer<'_, bool> {
        self.inner.drop_sink(name)
    }

    fn sinks(&self) -> Answer<'_, Vec<Sink>> {
        self.inner.sinks()
    }

    fn take_deliveries(
        &self,
        sink: &str,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Answer<'_, Deliveries> {
        self.inner.take_deliveries(sink, now, until, limit)
    }

    fn mark(&self, outcomes: Vec<(Delivery, Delivered)>, now: Timestamp) -> Answer<'_, Vec<bool>> {
        self.inner.mark(outcomes, now)
    }

    fn dead_streams(&self, sink: &str, after: InstanceId, limit: usize) -> Answer<'_, Vec<Stream>> {
        self.inner.dead_streams(sink, after, limit)
    }

    fn redeliver(&self, sink: &str, instance: Option<InstanceId>, now: Timestamp) -> Answer<'_, u64> {
        self.inner.redeliver(sink, instance, now)
    }
}

//! Lists of everything there is, page by page. Every list shows every acknowledged write.

use std::time::Duration;

use tyer_engine::{InstanceId, ItemId, Status, Timestamp};
use tyer_store::{
    InstanceFilter, InstancePlace, ListedDefinition, ListedIncident, ListedInstance, Message, OpenTask, Span,
    TaskFilter, TaskPlace,
};

use crate::engine::Engine;
use crate::error::Error;
use crate::ids;

/// An id is made before its instance begins, and clocks are set: how far the two moments may be apart. All that began in
/// so much time may be looked at for a page.
const APART: Duration = Duration::from_secs(2 * 3_600);

impl Engine {
    /// Instances that fit, newest first; those asked for by their end come last ended first.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{InstanceFilter, Status};
    /// let failed = InstanceFilter { statuses: vec![Status::Failed], ..InstanceFilter::default() };
    /// for instance in engine.find_instances(failed, None, 50).await? {
    ///     println!("{} of {}", instance.id, instance.process);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn find_instances(
        &self,
        mut filter: InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Result<Vec<ListedInstance>, Error> {
        self.bound(&mut filter);
        Ok(self.shared.store.find_instances(filter, after, limit).await?)
    }

    /// How many instances fit: everything that fits is looked at.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let all = engine.count_instances(tyer_runtime::InstanceFilter::default()).await?;
    /// # Ok(()) }
    /// ```
    pub async fn count_instances(&self, mut filter: InstanceFilter) -> Result<u64, Error> {
        self.bound(&mut filter);
        Ok(self.shared.store.count_instances(filter).await?)
    }

    /// Open tasks that fit, oldest first; those asked for by their due date come first due first.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::TaskFilter;
    /// let annas = TaskFilter { assignee: Some("anna".to_owned()), ..TaskFilter::default() };
    /// let open = engine.find_tasks(annas, None, 50).await?;
    /// # Ok(()) }
    /// ```
    pub async fn find_tasks(
        &self,
        mut filter: TaskFilter,
        after: Option<TaskPlace>,
        limit: usize,
    ) -> Result<Vec<OpenTask>, Error> {
        filter.tenant = self.whose().clone();
        Ok(self.shared.store.tasks(filter, after, limit).await?)
    }

    /// Open incidents, those of the newest instance first: of one instance, or of all.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for incident in engine.incidents(None, None, 50).await? {
    ///     println!("{incident:?}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn incidents(
        &self,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<ListedIncident>, Error> {
        Ok(self.shared.store.incidents(self.whose(), instance, below, limit).await?)
    }

    /// Messages that wait and that nobody has, newest first.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// println!("{} wait", engine.unmatched_messages(None, 50).await?.len());
    /// # Ok(()) }
    /// ```
    pub async fn unmatched_messages(&self, below: Option<i64>, limit: usize) -> Result<Vec<Message>, Error> {
        Ok(self.shared.store.unmatched(self.whose(), below, self.shared.now(), limit).await?)
    }

    /// The newest version of every process; or all versions of one, newest first.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for process in engine.processes(None).await? {
    ///     println!("{process:?}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn processes(&self, key: Option<&str>) -> Result<Vec<ListedDefinition>, Error> {
        Ok(self.shared.store.definitions(self.whose(), key).await?)
    }

    /// How many instances of a process there are in each status; of one version, or of all.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for (status, count) in engine.statuses("order", None).await? {
    ///     println!("{status:?}: {count}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn statuses(&self, process: &str, version: Option<u32>) -> Result<Vec<(Status, u64)>, Error> {
        let mut counts = Vec::new();
        for status in [Status::Running, Status::Paused, Status::Completed, Status::Failed, Status::Cancelled]
        {
            let (statuses, process) = (vec![status], Some(process.to_owned()));
            let filter = InstanceFilter { statuses, process, version, ..InstanceFilter::default() };
            counts.push((status, self.count_instances(filter).await?));
        }
        Ok(counts)
    }

    /// Only what is ours. Ids tell the time: what began in a span has ids of about that span.
    fn bound(&self, filter: &mut InstanceFilter) {
        filter.tenant = self.whose().clone();
        bound(filter);
    }
}

fn bound(filter: &mut InstanceFilter) {
    let apart = i64::try_from(APART.as_millis()).unwrap_or(i64::MAX);
    let Span { from, to } = filter.started;
    let id = |at: Timestamp, by: i64| InstanceId(ids::first_of(at.plus_ms(by)));
    filter.ids.0 = filter.ids.0.max(from.map(|from| id(from, -apart)));
    filter.ids.1 = match (filter.ids.1, to.map(|to| id(to, apart))) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
}

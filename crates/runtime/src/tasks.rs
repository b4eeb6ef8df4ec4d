//! Work for people: who has it, how urgent it is, that it is done.

use serde::Serialize;
use tyer_engine::{Command, InstanceId, ItemId, TaskAction, Timestamp, Variables};
use tyer_store::{OpenTask, TaskFilter};

use crate::engine::Engine;
use crate::error::Error;
use crate::track::Done;

impl Engine {
    /// Open tasks, oldest first: of one instance, or of all.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for task in engine.tasks(None, 50).await? {
    ///     println!("{task:?}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn tasks(&self, instance: Option<InstanceId>, limit: usize) -> Result<Vec<OpenTask>, Error> {
        self.find_tasks(TaskFilter { instance, ..TaskFilter::default() }, None, limit).await
    }

    /// A person did their task.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, task: tyer_runtime::ItemId) -> Result<(), tyer_runtime::Error> {
    /// engine.complete_task(task, serde_json::json!({ "approved": true }), Some("anna".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    pub async fn complete_task(
        &self,
        task: ItemId,
        variables: impl Serialize,
        by: Option<String>,
    ) -> Result<Done, Error> {
        let variables = Variables::from_serialize(&variables)?;
        self.act_on_task(task, by, TaskAction::Complete { variables }).await
    }

    /// Somebody takes a task that nobody else has.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, task: tyer_runtime::ItemId) -> Result<(), tyer_runtime::Error> {
    /// engine.claim_task(task, "anna").await?;
    /// # Ok(()) }
    /// ```
    pub async fn claim_task(&self, task: ItemId, who: impl Into<String>) -> Result<Done, Error> {
        self.act_on_task(task, Some(who.into()), TaskAction::Claim).await
    }

    /// Whoever has a task gives it back.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, task: tyer_runtime::ItemId) -> Result<(), tyer_runtime::Error> {
    /// engine.release_task(task, Some("anna".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    pub async fn release_task(&self, task: ItemId, by: Option<String>) -> Result<Done, Error> {
        self.act_on_task(task, by, TaskAction::Release).await
    }

    /// A task is given to somebody, whoever has it.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, task: tyer_runtime::ItemId) -> Result<(), tyer_runtime::Error> {
    /// engine.assign_task(task, "ben", Some("anna".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    pub async fn assign_task(
        &self,
        task: ItemId,
        to: impl Into<String>,
        by: Option<String>,
    ) -> Result<Done, Error> {
        self.act_on_task(task, by, TaskAction::Assign { to: to.into() }).await
    }

    /// A task is more or less urgent.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, task: tyer_runtime::ItemId) -> Result<(), tyer_runtime::Error> {
    /// engine.change_task(task, Some(90), None, None).await?; // More urgent.
    /// # Ok(()) }
    /// ```
    pub async fn change_task(
        &self,
        task: ItemId,
        priority: Option<u8>,
        due: Option<Timestamp>,
        by: Option<String>,
    ) -> Result<Done, Error> {
        self.act_on_task(task, by, TaskAction::Change { priority, due }).await
    }

    /// Somebody does something with a task.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, task: tyer_runtime::ItemId) -> Result<(), tyer_runtime::Error> {
    /// engine.act_on_task(task, Some("anna".to_owned()), tyer_runtime::TaskAction::Claim).await?;
    /// # Ok(()) }
    /// ```
    pub async fn act_on_task(
        &self,
        task: ItemId,
        by: Option<String>,
        action: TaskAction,
    ) -> Result<Done, Error> {
        self.command(task.instance, Command::Task { task: task.number, by, action }).await
    }
}

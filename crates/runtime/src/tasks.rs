//! Work for people: who has it, how urgent it is, that it is done.

use tyer_engine::{Command, InstanceId, ItemId, TaskAction, Timestamp, Variables};
use tyer_store::{OpenTask, TaskFilter};

use crate::engine::Engine;
use crate::error::Error;
use crate::track::Done;

impl Engine {
    /// Open tasks, oldest first: of one instance, or of all.
    pub async fn tasks(&self, instance: Option<InstanceId>, limit: usize) -> Result<Vec<OpenTask>, Error> {
        self.find_tasks(TaskFilter { instance, ..TaskFilter::default() }, None, limit).await
    }

    /// A person did their task.
    pub async fn complete_task(
        &self,
        task: ItemId,
        variables: Variables,
        by: Option<String>,
    ) -> Result<Done, Error> {
        self.act_on_task(task, by, TaskAction::Complete { variables }).await
    }

    /// Somebody takes a task that nobody else has.
    pub async fn claim_task(&self, task: ItemId, who: impl Into<String>) -> Result<Done, Error> {
        self.act_on_task(task, Some(who.into()), TaskAction::Claim).await
    }

    /// Whoever has a task gives it back.
    pub async fn release_task(&self, task: ItemId, by: Option<String>) -> Result<Done, Error> {
        self.act_on_task(task, by, TaskAction::Release).await
    }

    /// A task is given to somebody, whoever has it.
    pub async fn assign_task(
        &self,
        task: ItemId,
        to: impl Into<String>,
        by: Option<String>,
    ) -> Result<Done, Error> {
        self.act_on_task(task, by, TaskAction::Assign { to: to.into() }).await
    }

    /// A task is more or less urgent.
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
    pub async fn act_on_task(
        &self,
        task: ItemId,
        by: Option<String>,
        action: TaskAction,
    ) -> Result<Done, Error> {
        self.command(task.instance, Command::Task { task: task.number, by, action }).await
    }
}

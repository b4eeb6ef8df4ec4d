//! What people do to instances: variables, tokens, versions, bookmarks, undoing.

use std::sync::Arc;

use serde::Serialize;
use tyer_engine::{
    Command, Effects, EventKind, Explanation, Instance, Modification, Number, Rejection, Rollback, Status,
    Variables, explain,
};
use tyer_store::ListedInstance;

use crate::error::Error;
use crate::handle::{Handle, mask};
use crate::processes::Compiled;
use crate::start::which;
use crate::track::{Ask, Done, Request};

/// A bookmark in the history of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// The number of the event that set it.
    pub seq: u64,
    /// When.
    pub at: tyer_engine::Timestamp,
}

impl Handle {
    /// Sets variables of the instance. Each goes where its name is known, else to the root.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.set_variables(serde_json::json!({ "express": true })).await?;
    /// # Ok(()) }
    /// ```
    pub async fn set_variables(&self, values: impl Serialize) -> Result<Done, Error> {
        let values = Variables::from_serialize(&values)?;
        self.command(Command::SetVariables { token: None, local: false, values }).await
    }

    /// Sets variables as a token sees them; `local`: exactly in its own scope.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.set_variables_at(3, true, serde_json::json!({ "express": true })).await?;
    /// # Ok(()) }
    /// ```
    pub async fn set_variables_at(
        &self,
        token: Number,
        local: bool,
        values: impl Serialize,
    ) -> Result<Done, Error> {
        let values = Variables::from_serialize(&values)?;
        self.command(Command::SetVariables { token: Some(token), local, values }).await
    }

    /// The variables of the instance, or those that a token sees; values of masked ones are hidden.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// println!("{}", order.variables(None).await?.to_json());
    /// # Ok(()) }
    /// ```
    pub async fn variables(&self, token: Option<Number>) -> Result<Variables, Error> {
        let (instance, _, compiled) = self.load().await?;
        let mut variables = match token {
            None => instance.variables().cloned().unwrap_or_default(),
            Some(number) => {
                let unknown = Rejection::TokenUnknown { instance: self.id(), token: number };
                let token = instance.tokens.get(&number).ok_or(unknown)?;
                instance.visible(instance.reading_scope(token))
            }
        };
        mask(&mut variables, &compiled.process.body(None).masked);
        Ok(variables)
    }

    /// Looks again at conditions: something outside may have changed.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.check_conditions().await?;
    /// # Ok(()) }
    /// ```
    pub async fn check_conditions(&self) -> Result<Done, Error> {
        self.command(Command::CheckConditions).await
    }

    /// The cause of an incident is gone; a job gets this many tries, or what the model says.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.resolve(7, Some(3)).await?; // Incident 7: three more tries.
    /// # Ok(()) }
    /// ```
    pub async fn resolve(&self, incident: Number, retries: Option<u32>) -> Result<Done, Error> {
        self.command(Command::Resolve { incident, retries }).await
    }

    /// Resolves every open incident, so that everything that stands still is tried again. Says how many there were.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let (resolved, status) = order.resolve_all(None).await?;
    /// # Ok(()) }
    /// ```
    pub async fn resolve_all(&self, retries: Option<u32>) -> Result<(usize, Status), Error> {
        let (instance, ..) = self.load().await?;
        if instance.status.is_ended() {
            return Err(Rejection::InstanceEnded { id: self.id(), status: instance.status }.into());
        }
        let (mut resolved, mut status) = (0, instance.status);
        for incident in instance.incidents.keys() {
            match self.resolve(*incident, retries).await {
                Ok(done) => (resolved, status) = (resolved + 1, done.status),
                // Somebody else was first, or resolving another one has ended it.
                Err(Error::Rejected(Rejection::IncidentNotOpen { .. } | Rejection::InstanceEnded { .. })) => {
                }
                Err(error) => return Err(error),
            }
        }
        Ok((resolved, status))
    }

    /// Puts tokens elsewhere, all or nothing.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.modify(tyer_runtime::Modification::default()).await?;
    /// # Ok(()) }
    /// ```
    pub async fn modify(&self, modification: Modification) -> Result<Done, Error> {
        self.command(Command::Modify(modification)).await
    }

    /// Goes on under another version of its process (the newest when none is named). Nodes that are not mapped keep
    /// their ids.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.migrate(None, vec![("check".to_owned(), "check-again".to_owned())]).await?;
    /// # Ok(()) }
    /// ```
    pub async fn migrate(&self, version: Option<u32>, mapping: Vec<(String, String)>) -> Result<Done, Error> {
        let (_, _, compiled) = self.load().await?;
        let to = self.other_version(&compiled, version).await?;
        self.engine.ask(Request::new(self.id(), Ask::Migrate(to, mapping), None)).await
    }

    /// The version that a migration goes to.
    pub(crate) async fn other_version(
        &self,
        of: &Compiled,
        version: Option<u32>,
    ) -> Result<Arc<Compiled>, Error> {
        let shared = &self.engine.shared;
        if shared.several_nodes {
            // Another node may have deployed since we looked.
            shared.processes.deployed(&of.definition.tenant, &of.process.id);
        }
        let tenant = &of.definition.tenant;
        shared.processes.version(&*shared.store, tenant, &of.process.id, which(version)).await
    }

    /// Undoes completed steps of the whole instance, the last one first; then it has failed.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.compensate(Some("the customer has changed their mind".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    pub async fn compensate(&self, reason: Option<String>) -> Result<Done, Error> {
        self.command(Command::Compensate { reason }).await
    }

    /// A step that could not be undone is left as it is; the undoing goes on.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.skip_compensation(7).await?;
    /// # Ok(()) }
    /// ```
    pub async fn skip_compensation(&self, incident: Number) -> Result<Done, Error> {
        self.command(Command::SkipCompensation { incident }).await
    }

    /// The undoing ends here.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.abort_compensation(7).await?;
    /// # Ok(()) }
    /// ```
    pub async fn abort_compensation(&self, incident: Number) -> Result<Done, Error> {
        self.command(Command::AbortCompensation { incident }).await
    }

    /// Sets a bookmark in its history.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.snapshot("before the audit").await?;
    /// # Ok(()) }
    /// ```
    pub async fn snapshot(&self, name: impl Into<String>) -> Result<Done, Error> {
        self.command(Command::Snapshot { name: name.into() }).await
    }

    /// Its bookmarks, oldest first.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// for bookmark in order.snapshots().await? {
    ///     println!("{} at event {}", bookmark.name, bookmark.seq);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn snapshots(&self) -> Result<Vec<Snapshot>, Error> {
        let mut snapshots = Vec::new();
        self.fold(|past| {
            if let EventKind::SnapshotTaken { name } = &past.event.kind {
                snapshots.push(Snapshot { name: name.clone(), seq: past.seq, at: past.at });
            }
        })
        .await?;
        Ok(snapshots)
    }

    /// Goes back to the last bookmark of this name. Steps that can be undone and were completed since stand in the way,
    /// unless `effects` says what becomes of them: [`Effects::Force`] lets them stand; [`Effects::Compensate`] undoes them
    /// first, which takes its time and leaves the instance paused, and the same call then takes it back.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::Effects;
    /// order.roll_back("before the audit", Effects::Compensate).await?;
    /// # Ok(()) }
    /// ```
    pub async fn roll_back(&self, name: &str, effects: Effects) -> Result<Done, Error> {
        let command = self.rollback(name, effects).await?;
        self.command(command).await
    }

    /// The command that goes back to a bookmark, with the state to go back to.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::Effects;
    /// let command = order.rollback("before the audit", Effects::Force).await?;
    /// println!("{:?}", order.preview(command).await?.status);
    /// # Ok(()) }
    /// ```
    pub async fn rollback(&self, name: &str, effects: Effects) -> Result<Command, Error> {
        let unknown = || Rejection::RollbackRefused {
            name: name.to_owned(),
            reason: "there is no bookmark of this name".to_owned(),
        };
        let bookmark =
            self.snapshots().await?.into_iter().rfind(|one| one.name == name).ok_or_else(unknown)?;
        let state = self.state_at(bookmark.seq).await?;
        Ok(Command::Rollback(Box::new(Rollback { name: name.to_owned(), state, effects })))
    }

    /// How it was after this many events.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// println!("{:?}", order.state_at(12).await?.status);
    /// # Ok(()) }
    /// ```
    pub async fn state_at(&self, seq: u64) -> Result<Instance, Error> {
        let mut state = Instance::blank(self.id());
        self.fold(|past| {
            if past.seq <= seq {
                state.apply(past.event, past.at);
            }
        })
        .await?;
        Ok(state)
    }

    /// Why it stands where it stands: for every token what it waits for, since when, and what is missing.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// for token in order.explain().await? {
    ///     println!("{token:?}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn explain(&self) -> Result<Vec<Explanation>, Error> {
        let (instance, _, compiled) = self.load().await?;
        Ok(explain(&compiled.process, &instance))
    }

    /// Instances that it has called, oldest first.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let called = order.children(tyer_runtime::InstanceId(0), 100).await?;
    /// # Ok(()) }
    /// ```
    pub async fn children(
        &self,
        after: tyer_engine::InstanceId,
        limit: usize,
    ) -> Result<Vec<ListedInstance>, Error> {
        let tenant = Some(self.engine.whose());
        Ok(self.engine.shared.store.instances(tenant, Some(self.id()), after, limit).await?)
    }

    /// Offers a command and waits until what it did is durable.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.command(tyer_runtime::Command::CheckConditions).await?;
    /// # Ok(()) }
    /// ```
    pub async fn command(&self, command: Command) -> Result<Done, Error> {
        self.engine.command(self.id(), command).await
    }
}

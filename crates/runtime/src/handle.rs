//! One instance, as a caller holds it.

use serde::de::DeserializeOwned;
use tyer_engine::{Command, Instance, InstanceId, Progress, Rejection, Status, Variables, VariablesError};
use tyer_store::{LoadedToken, restore};

use crate::engine::Engine;
use crate::error::Error;
use crate::tell::Watch;
use crate::track::Done;

/// An instance by its id.
#[derive(Clone)]
pub struct Handle {
    pub(crate) engine: Engine,
    id: InstanceId,
}

/// How an instance ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Completed, failed or cancelled.
    pub status: Status,
    /// Its variables at the end.
    pub variables: Variables,
}

/// Everything there is to see of an instance.
#[derive(Debug)]
pub struct Overview {
    /// The BPMN id of its process.
    pub process: String,
    /// The version of its definition.
    pub version: u32,
    /// Its state.
    pub instance: Instance,
    /// Its tokens with BPMN ids and claims.
    pub tokens: Vec<LoadedToken>,
    /// BPMN ids of nodes where tokens stand.
    pub current_nodes: Vec<String>,
    /// BPMN ids of nodes that have done their work.
    pub completed_nodes: Vec<String>,
    /// A percentage.
    pub progress: u8,
}

impl Finished {
    /// Reads the variables into a type of yours.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, VariablesError> {
        serde_json::from_str(&self.variables.to_json()).map_err(VariablesError::from)
    }
}

impl Handle {
    pub(crate) fn new(engine: Engine, id: InstanceId) -> Handle {
        Handle { engine, id }
    }

    /// Its id.
    pub fn id(&self) -> InstanceId {
        self.id
    }

    /// Waits until the instance has ended.
    pub async fn finished(&self) -> Result<Finished, Error> {
        let mut watch = Watch::new(&self.engine.shared, self.id);
        loop {
            watch.look();
            let instance = self.load().await?.0;
            if instance.status.is_ended() {
                let variables = instance.variables().cloned().unwrap_or_default();
                return Ok(Finished { status: instance.status, variables });
            }
            watch.changed().await?;
        }
    }

    /// Stops before the next node.
    pub async fn pause(&self, reason: Option<String>) -> Result<Done, Error> {
        self.engine.command(self.id, Command::Pause { reason }).await
    }

    /// Goes on after a pause.
    pub async fn resume(&self) -> Result<Done, Error> {
        self.engine.command(self.id, Command::Resume).await
    }

    /// Ends it now.
    pub async fn cancel(&self, reason: Option<String>) -> Result<Done, Error> {
        self.engine.command(self.id, Command::Cancel { reason }).await
    }

    /// Everything there is to see of it, as of now.
    pub async fn overview(&self) -> Result<Overview, Error> {
        let (instance, tokens, compiled) = self.load().await?;
        let process = &compiled.process;
        let mut progress = Progress::default();
        let version = instance.version;
        self.fold(|seq, _, event| {
            if seq <= version {
                progress.apply(event);
            }
        })
        .await?;
        let name = |ix| process.node(ix).id.clone();
        Ok(Overview {
            process: process.id.clone(),
            version: compiled.definition.version,
            current_nodes: instance.occupied().map(name).collect(),
            completed_nodes: progress.completed().map(name).collect(),
            progress: progress.percent(process, &instance),
            tokens,
            instance,
        })
    }

    pub(crate) async fn load(
        &self,
    ) -> Result<(Instance, Vec<LoadedToken>, std::sync::Arc<crate::processes::Compiled>), Error> {
        let shared = &self.engine.shared;
        let loaded = shared.store.load(vec![self.id]).await?.pop().flatten();
        let loaded = loaded.ok_or(Rejection::InstanceUnknown { id: self.id })?;
        let compiled = shared.processes.by_id(&*shared.store, loaded.instance.definition).await?;
        let tokens = loaded.tokens.clone();
        let restored = restore(&compiled.process, loaded);
        let (instance, _) = restored.map_err(|error| Error::Damaged(error.to_string()))?;
        Ok((instance, tokens, compiled))
    }
}

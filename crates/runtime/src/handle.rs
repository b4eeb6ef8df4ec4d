//! One instance, as a caller holds it.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use tyer_engine::{
    Command, Instance, InstanceId, Number, Progress, Rejection, Status, Token, Variables, VariablesError,
};
use tyer_model::Process;
use tyer_store::{LoadedToken, restore};

use crate::engine::Engine;
use crate::error::Error;
use crate::events::Events;
use crate::processes::Compiled;
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
    /// Variables whose values no view shows.
    pub masked: Vec<Arc<str>>,
}

impl Overview {
    fn of(
        compiled: &Compiled,
        instance: Instance,
        tokens: Vec<LoadedToken>,
        progress: &Progress,
    ) -> Overview {
        let process = &compiled.process;
        let name = |ix| process.node(ix).id.clone();
        Overview {
            process: process.id.clone(),
            version: compiled.definition.version,
            current_nodes: instance.occupied().map(name).collect(),
            completed_nodes: progress.completed().map(name).collect(),
            progress: progress.percent(process, &instance),
            masked: process.body(None).masked.clone(),
            tokens,
            instance,
        }
    }

    /// Its variables, but for the values of masked ones.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// println!("{}", order.overview().await?.variables().to_json());
    /// # Ok(()) }
    /// ```
    pub fn variables(&self) -> Variables {
        let mut variables = self.instance.variables().cloned().unwrap_or_default();
        mask(&mut variables, &self.masked);
        variables
    }
}

/// What stands in the place of a value that no view shows.
const MASK: &str = "\"***\"";

/// Hides the values of these variables.
pub(crate) fn mask(variables: &mut Variables, masked: &[Arc<str>]) {
    for name in masked {
        if variables.get(name).is_some() {
            variables.merge(&Variables::of(name, MASK.to_owned()));
        }
    }
}

fn named(process: &Process, instance: &Instance, number: Number, token: &Token) -> LoadedToken {
    let node = |ix| process.node(ix).id.clone();
    LoadedToken {
        number,
        node: node(token.node),
        flow: token.flow.map(|flow| process.flow(flow).id.clone()),
        status: instance.token_status(token),
        wait: token.wait.clone(),
        mode: token.mode,
        scope: token.scope,
        owns: token.owns,
        branch: token.branch,
        parent: token.parent,
        group: token.group,
        marks: token.marks.iter().copied().map(node).collect(),
        attempt: token.attempt,
        tries: token.tries,
        since: token.since,
        lease: None,
    }
}

impl Finished {
    /// Reads the variables into a type of yours.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let total: serde_json::Value = order.finished().await?.read()?;
    /// # Ok(()) }
    /// ```
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, VariablesError> {
        serde_json::from_str(&self.variables.to_json()).map_err(VariablesError::from)
    }
}

impl Handle {
    pub(crate) fn new(engine: Engine, id: InstanceId) -> Handle {
        Handle { engine, id }
    }

    /// Its id.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// println!("{}", order.id());
    /// # Ok(()) }
    /// ```
    pub fn id(&self) -> InstanceId {
        self.id
    }

    /// Waits until the instance has ended.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// #[derive(serde::Deserialize)]
    /// struct Paid { charged: bool }
    /// let paid: Paid = order.finished().await?.read()?;
    /// # Ok(()) }
    /// ```
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

    /// Follows its events after a number (0 = from the first). Nothing is lost or doubled, whatever happens between.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let mut events = order.events(0);
    /// while let Ok(event) = events.next().await {
    ///     println!("{} {}", event.seq, event.event); // Remember `seq`: the next look goes on after it.
    /// }
    /// # Ok(()) }
    /// ```
    pub fn events(&self, after: u64) -> Events {
        self.engine.events(self.id, after)
    }

    /// Its variables, read into a type of yours; also those that views mask.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// #[derive(serde::Deserialize)]
    /// struct Order { amount: u32 }
    /// let now: Order = order.read().await?;
    /// # Ok(()) }
    /// ```
    pub async fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let variables = self.load().await?.0.variables().cloned().unwrap_or_default();
        Ok(serde_json::from_str(&variables.to_json()).map_err(VariablesError::from)?)
    }

    /// Stops before the next node.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.pause(Some("the warehouse is closed".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    pub async fn pause(&self, reason: Option<String>) -> Result<Done, Error> {
        self.engine.command(self.id, Command::Pause { reason }).await
    }

    /// Goes on after a pause.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.resume().await?;
    /// # Ok(()) }
    /// ```
    pub async fn resume(&self) -> Result<Done, Error> {
        self.engine.command(self.id, Command::Resume).await
    }

    /// Ends it now.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// order.cancel(Some("the customer has changed their mind".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    pub async fn cancel(&self, reason: Option<String>) -> Result<Done, Error> {
        self.engine.command(self.id, Command::Cancel { reason }).await
    }

    /// Everything there is to see of it, as of now.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let seen = order.overview().await?;
    /// println!("{} %, at {:?}", seen.progress, seen.current_nodes);
    /// # Ok(()) }
    /// ```
    pub async fn overview(&self) -> Result<Overview, Error> {
        let (instance, tokens, compiled) = self.load().await?;
        let mut progress = Progress::default();
        let version = instance.version;
        self.fold(|past| {
            if past.seq <= version {
                progress.apply(past.event);
            }
        })
        .await?;
        Ok(Overview::of(&compiled, instance, tokens, &progress))
    }

    /// Everything there was to see of it after this many events. Nobody's claims are in it: they leave no trace.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// let then = order.overview_at(12).await?;
    /// # Ok(()) }
    /// ```
    pub async fn overview_at(&self, seq: u64) -> Result<Overview, Error> {
        let (mut instance, mut progress) = (Instance::blank(self.id), Progress::default());
        let mut at_the_time = None;
        self.fold(|past| {
            if past.seq <= seq {
                instance.apply(past.event, past.at);
                progress.apply(past.event);
                at_the_time = Some(Arc::clone(past.compiled));
            }
        })
        .await?;
        let compiled = at_the_time.ok_or(Rejection::InstanceUnknown { id: self.id })?;
        let tokens =
            instance.tokens.iter().map(|(number, token)| named(&compiled.process, &instance, *number, token));
        let tokens = tokens.collect();
        Ok(Overview::of(&compiled, instance, tokens, &progress))
    }

    pub(crate) async fn load(&self) -> Result<(Instance, Vec<LoadedToken>, Arc<Compiled>), Error> {
        let shared = &self.engine.shared;
        let loaded = shared.store.load(vec![self.id]).await?.pop().flatten();
        let ours = loaded.filter(|loaded| loaded.instance.tenant == *self.engine.whose());
        let loaded = ours.ok_or(Rejection::InstanceUnknown { id: self.id })?;
        let compiled = shared.processes.by_id(&*shared.store, loaded.instance.definition).await?;
        let tokens = loaded.tokens.clone();
        let restored = restore(&compiled.process, loaded);
        let (instance, _) = restored.map_err(|error| Error::Damaged(error.to_string()))?;
        Ok((instance, tokens, compiled))
    }
}

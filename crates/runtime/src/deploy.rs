//! Files become processes that can be started.

use std::sync::Arc;

use tyer_engine::{Rejection, StartWanted, Timestamp};
use tyer_model::{Problem, Process};
use tyer_store::{Deployment, NewProcess};

use crate::engine::Engine;
use crate::error::Error;

/// What a deployed file brought.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// Its executable processes.
    pub processes: Vec<DeployedProcess>,
    /// What is odd but not wrong.
    pub warnings: Vec<Problem>,
}

/// A version of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployedProcess {
    /// The BPMN id: start it by this.
    pub key: String,
    /// Counts from 1; the same content again keeps its version.
    pub version: u32,
    /// When this version was first deployed.
    pub deployed_at: Timestamp,
}

impl Engine {
    /// Stores a BPMN file. Refused with every problem at once, or durable when this returns.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let deployed = engine.deploy(std::fs::read("order.bpmn").expect("a file")).await?;
    /// for process in &deployed.processes {
    ///     println!("{} is in version {}", process.key, process.version);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn deploy(&self, file: impl AsRef<[u8]>) -> Result<Deployed, Error> {
        let file = file.as_ref();
        let imported = tyer_model::import(file)?;
        let now = self.shared.now();
        let processes = imported
            .processes
            .iter()
            .map(|process| new_process(process, now))
            .collect::<Result<Vec<_>, _>>()?;
        let earliest = processes.iter().flat_map(|process| &process.starts).filter_map(due).min();
        let ids =
            (0..=processes.len()).map(|_| self.shared.ids.next(now)).collect::<Result<Vec<i64>, Error>>()?;
        let (resource, checksum) = (Arc::from(file), checksum(file));
        let tenant = self.whose().clone();
        let deployment = Deployment { tenant, resource, checksum, ids, processes, at: now };
        let definitions = self.shared.store.deploy(deployment).await?;
        let mut deployed = Deployed { processes: Vec::new(), warnings: imported.warnings };
        for definition in definitions {
            self.shared.processes.deployed(self.whose(), &definition.key);
            let (key, version, deployed_at) = (definition.key, definition.version, definition.deployed_at);
            deployed.processes.push(DeployedProcess { key, version, deployed_at });
        }
        if let Some(due) = earliest {
            self.shared.alarm.due(due);
        }
        Ok(deployed)
    }
}

/// What the store keeps of a process.
fn new_process(process: &Process, now: Timestamp) -> Result<NewProcess, Error> {
    let triggers = tyer_engine::start_triggers(process, now).map_err(|(node, reason)| {
        Error::Rejected(Rejection::CannotStart { node: process.node(node).id.clone(), reason })
    })?;
    let mut starts: Vec<(String, u32, StartWanted)> = Vec::with_capacity(triggers.len());
    for trigger in triggers {
        let node = process.node(trigger.node).id.clone();
        let position = starts.iter().filter(|(other, ..)| *other == node).count();
        let position = u32::try_from(position).expect("a node has few triggers");
        starts.push((node, position, trigger.wanted));
    }
    Ok(NewProcess { key: process.id.clone(), version_tag: process.version_tag.clone(), starts })
}

fn due((_, _, wanted): &(String, u32, StartWanted)) -> Option<Timestamp> {
    if let StartWanted::Timer { due, .. } = wanted { Some(*due) } else { None }
}

fn checksum(bytes: &[u8]) -> String {
    hmac_sha256::Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Files become processes that can be started.

use std::sync::Arc;

use tyer_engine::Timestamp;
use tyer_model::{Definitions, Problem, Problems};
use tyer_store::Deployment;

use crate::engine::Engine;
use crate::error::Error;
use crate::undelivered;

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
    pub async fn deploy(&self, file: impl AsRef<[u8]>) -> Result<Deployed, Error> {
        let file = file.as_ref();
        let definitions = Definitions::read(file)?;
        let imported = definitions.compile()?;
        let undelivered = undelivered::problems(&definitions, &imported);
        if !undelivered.is_empty() {
            return Err(Problems(undelivered).into());
        }
        let processes: Vec<String> = imported.processes.iter().map(|process| process.id.clone()).collect();
        let now = self.shared.now();
        let ids =
            (0..=processes.len()).map(|_| self.shared.ids.next(now)).collect::<Result<Vec<i64>, Error>>()?;
        let (resource, checksum) = (Arc::from(file), checksum(file));
        let definitions =
            self.shared.store.deploy(Deployment { resource, checksum, ids, processes, at: now }).await?;
        let mut deployed = Deployed { processes: Vec::new(), warnings: imported.warnings };
        for definition in definitions {
            self.shared.processes.deployed(&definition.key);
            let (key, version, deployed_at) = (definition.key, definition.version, definition.deployed_at);
            deployed.processes.push(DeployedProcess { key, version, deployed_at });
        }
        Ok(deployed)
    }
}

fn checksum(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

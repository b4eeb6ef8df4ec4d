//! What was acknowledged, and what workers did: an append-only file outside the program under test.
//!
//! **Invariant:** an entry is on the disk before whoever wrote it goes on.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Entry {
    /// A start was acknowledged.
    Started {
        /// Its process.
        process: String,
        /// Its idempotency key.
        key: String,
        /// The instance.
        instance: String,
    },
    /// A worker has the job and does what cannot be undone.
    Effect {
        /// The process of its instance.
        process: String,
        /// The key of its instance.
        key: String,
        /// Its instance.
        instance: String,
        /// The job.
        job: String,
        /// Under this lease.
        lease: u64,
    },
    /// The result of a job was acknowledged.
    JobCompleted {
        /// Its instance.
        instance: String,
        /// The node.
        node: String,
        /// The job.
        job: String,
        /// Under this lease.
        lease: u64,
    },
    /// The failure of a job was acknowledged.
    JobFailed {
        /// Its instance.
        instance: String,
        /// The job.
        job: String,
    },
    /// The completion of a task was acknowledged.
    TaskCompleted {
        /// Its instance.
        instance: String,
        /// The task.
        task: String,
    },
    /// Somebody has the task: acknowledged.
    TaskClaimed {
        /// Its instance.
        instance: String,
        /// The task.
        task: String,
    },
    /// A message was acknowledged; it begins an instance, or reaches one that waits.
    Published {
        /// The process of the instance that must have it.
        process: String,
        /// The key of that instance.
        key: String,
        /// Who had it at once, if anybody.
        taken_by: Vec<String>,
    },
    /// The server did what it must never do.
    Broken {
        /// What.
        complaint: String,
    },
}

/// Writes entries; cheap to clone.
#[derive(Clone, Debug)]
pub struct Ledger(mpsc::UnboundedSender<(Entry, oneshot::Sender<()>)>);

impl Ledger {
    /// A new file.
    pub fn create(path: &Path) -> Result<Ledger> {
        let mut file = File::create_new(path).with_context(|| format!("cannot create {}", path.display()))?;
        let (sender, mut receiver) = mpsc::unbounded_channel::<(Entry, oneshot::Sender<()>)>();
        std::thread::Builder::new().name("ledger".to_owned()).spawn(move || {
            while let Some(first) = receiver.blocking_recv() {
                // Whatever has queued while the last write ran shares one write and one fsync.
                let mut batch = vec![first];
                while let Ok(next) = receiver.try_recv() {
                    batch.push(next);
                }
                let lines: String = batch.iter().map(|(entry, _)| line(entry)).collect();
                file.write_all(lines.as_bytes())
                    .and_then(|()| file.sync_data())
                    .expect("the ledger can be written");
                for (_, written) in batch {
                    let _ = written.send(());
                }
            }
        })?;
        Ok(Ledger(sender))
    }

    /// Writes one entry and waits until it is on the disk.
    pub async fn write(&self, entry: Entry) {
        let (written, wait) = oneshot::channel();
        self.0.send((entry, written)).expect("the ledger's thread lives as long as the ledger");
        wait.await.expect("the ledger's thread answers");
    }
}

fn line(entry: &Entry) -> String {
    serde_json::to_string(entry).expect("an entry is always JSON") + "\n"
}

/// Reads a ledger back.
pub fn read(path: &Path) -> Result<Vec<Entry>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("the ledger says {line}")))
        .collect()
}

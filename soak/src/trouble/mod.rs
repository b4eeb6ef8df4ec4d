//! What goes wrong in a run: one file a kind.
//!
//! **Invariant:** a trouble does nothing to the data that the real one would not do.

pub mod cluster;
mod device;
pub mod disk;
pub mod kill;
pub mod partition;
pub(crate) mod place;
pub mod postgres;
pub mod power;
mod server;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::watch;

use crate::arguments::Arguments;
use crate::dice::Dice;

/// Where the servers listen now.
pub type Addresses = watch::Receiver<Vec<SocketAddr>>;

/// A kind of trouble, with the servers that it befalls.
pub trait Trouble: Sized {
    /// How long a caller waits for an answer before the outcome is unknown; a longer silence is a finding if it `must_answer`.
    const PATIENCE: Duration;
    /// Is a server that says nothing broken? Not where it cannot be heard.
    const MUST_ANSWER: bool;

    /// Everything is made and the servers run.
    fn begin(program: PathBuf, arguments: &Arguments, folder: PathBuf) -> impl Future<Output = Result<Self>>;

    /// Where the servers listen.
    fn addresses(&self) -> Addresses;

    /// It happens, and is over.
    fn strike(&mut self, dice: &mut Dice) -> impl Future<Output = Result<()>>;

    /// Nothing goes wrong any more, and somebody has looked at the data: everything goes.
    fn end(self) -> impl Future<Output = Result<()>>;
}

/// A folder for one run: the ledger, the logs and the data.
pub(crate) fn folder(seed: u64) -> Result<PathBuf> {
    // Runs of one program may begin with the same seed.
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let (process, run) = (std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(format!("tyer_soak_{process}_{run}_{seed}"));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// A random span of time.
pub(crate) fn between(dice: &mut Dice, least_ms: u64, most_ms: u64) -> Duration {
    Duration::from_millis(least_ms + dice.below(most_ms - least_ms + 1))
}

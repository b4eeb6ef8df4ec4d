//! PostgreSQL goes away under the server: restarted, or killed for good while its synchronous standby takes over.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::cluster::Cluster;
use super::{Addresses, Trouble, between};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};

/// One server; a primary and its standby.
#[derive(Debug)]
pub struct Postgres {
    life: Life,
    primary: Cluster,
    standby: Cluster,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

impl Trouble for Postgres {
    /// What PostgreSQL does not answer, the server cannot.
    const PATIENCE: Duration = Duration::from_secs(60);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Postgres> {
        block_in_place(|| {
            let primary = Cluster::create(folder.join("one"), "127.0.0.1", true)?;
            let standby = primary.standby(folder.join("two"))?;
            let both = format!("{},{}", primary.address(), standby.address());
            let url = format!("postgres://tyer@{both}/postgres?target_session_attrs=read-write");
            let log = folder.join("server.log");
            let life = Birth::new(program, vec!["--postgres".to_owned(), url], log).begin()?;
            let addresses = watch::Sender::new(vec![life.address()]);
            Ok(Postgres { life, primary, standby, addresses })
        })
    }

    fn addresses(&self) -> Addresses {
        self.addresses.subscribe()
    }

    async fn strike(&mut self, dice: &mut Dice) -> Result<()> {
        if dice.once_in(3) {
            return block_in_place(|| self.fail_over());
        }
        let mode = if dice.once_in(2) { "fast" } else { "immediate" };
        block_in_place(|| self.primary.stop(mode))?;
        tokio::time::sleep(between(dice, 0, 3_000)).await;
        block_in_place(|| self.primary.start())
    }

    async fn end(self) -> Result<()> {
        self.life.kill()?;
        drop((self.primary, self.standby));
        Ok(())
    }
}

impl Postgres {
    /// The standby takes over; the dead one comes back as its standby, with new data at the old address.
    fn fail_over(&mut self) -> Result<()> {
        self.primary.kill().context("the primary")?;
        self.standby.promote().context("the standby")?;
        std::mem::swap(&mut self.primary, &mut self.standby);
        self.standby.follow_anew(&self.primary)
    }
}

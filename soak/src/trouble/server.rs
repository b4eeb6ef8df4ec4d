//! One server that dies and lives again, and where it listens meanwhile.

use std::net::SocketAddr;

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::Addresses;
use crate::life::{Birth, Life};

/// The server of a run that has one.
#[derive(Debug)]
pub(super) struct Server {
    birth: Birth,
    life: Option<Life>,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

impl Server {
    /// Its first life.
    pub(super) fn begin(birth: Birth) -> Result<Server> {
        let mut server = Server { birth, life: None, addresses: watch::Sender::new(Vec::new()) };
        server.live()?;
        Ok(server)
    }

    /// The next life, on the same data.
    pub(super) fn live(&mut self) -> Result<()> {
        let life = block_in_place(|| self.birth.begin())?;
        self.addresses.send_replace(vec![life.address()]);
        self.life = Some(life);
        Ok(())
    }

    /// SIGKILL.
    pub(super) fn kill(&mut self) -> Result<()> {
        self.life.take().map_or(Ok(()), |life| block_in_place(|| life.kill()))
    }

    pub(super) fn addresses(&self) -> Addresses {
        self.addresses.subscribe()
    }
}

//! The power goes: the server dies, and so does the disk's write cache with everything that was not flushed.
//!
//! What is written goes into nbdkit's memory, what is flushed into a file. Killing nbdkit is the power cut; ext4 finds what
//! the file has.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::device::{Device, Fault};
use super::{Addresses, Trouble};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};

/// One server on a disk that forgets.
#[derive(Debug)]
pub struct Power {
    birth: Birth,
    life: Option<Life>,
    disk: Device,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

impl Trouble for Power {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Power> {
        let disk = block_in_place(|| Device::create(folder.clone(), Fault::Forgets))?;
        let file = disk.path("mounted/soak.db");
        let birth = Birth::new(program, vec!["--db".to_owned(), file], folder.join("server.log"));
        let mut power = Power { birth, life: None, disk, addresses: watch::Sender::new(Vec::new()) };
        power.live()?;
        Ok(power)
    }

    fn addresses(&self) -> Addresses {
        self.addresses.subscribe()
    }

    async fn strike(&mut self, dice: &mut Dice) -> Result<()> {
        let life = self.life.take();
        block_in_place(|| -> Result<()> {
            // Who of the two dies first sees the other's death, or does not.
            if dice.once_in(2) {
                self.disk.cut()?;
                life.map_or(Ok(()), Life::kill)?;
            } else {
                life.map_or(Ok(()), Life::kill)?;
                self.disk.cut()?;
            }
            self.disk.clear_away();
            self.disk.power_on()
        })?;
        self.live()
    }

    async fn end(mut self) -> Result<()> {
        self.life.take().map_or(Ok(()), Life::kill)
    }
}

impl Power {
    fn live(&mut self) -> Result<()> {
        let life = block_in_place(|| self.birth.begin())?;
        self.addresses.send_replace(vec![life.address()]);
        self.life = Some(life);
        Ok(())
    }
}

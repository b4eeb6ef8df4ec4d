//! The power goes: the server dies, and so does the disk's write cache with everything that was not flushed.
//!
//! What is written goes into nbdkit's memory, what is flushed into a file. Killing nbdkit is the power cut; ext4 finds what
//! the file has.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tokio::task::block_in_place;

use super::device::{Device, Fault};
use super::server::Server;
use super::{Addresses, Trouble};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::Birth;

/// One server on a disk that forgets.
#[derive(Debug)]
pub struct Power {
    server: Server,
    disk: Device,
}

impl Trouble for Power {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Power> {
        let disk = block_in_place(|| Device::create(folder.clone(), Fault::Forgets))?;
        let file = disk.path("mounted/soak.db");
        let birth = Birth::new(program, vec!["--db".to_owned(), file], folder.join("server.log"));
        let server = Server::begin(birth)?;
        Ok(Power { server, disk })
    }

    fn addresses(&self) -> Addresses {
        self.server.addresses()
    }

    async fn strike(&mut self, dice: &mut Dice) -> Result<()> {
        // Who of the two dies first sees the other's death, or does not.
        if dice.once_in(2) {
            self.disk.cut()?;
            self.server.kill()?;
        } else {
            self.server.kill()?;
            self.disk.cut()?;
        }
        block_in_place(|| self.disk.replace())?;
        self.server.live()
    }

    async fn end(mut self) -> Result<()> {
        self.server.kill()
    }
}

//! The disk is full: the server refuses, and goes on when there is room again. Or it does not take writes: the server
//! refuses, and the next one goes on when the disk is well.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::task::block_in_place;

use super::device::{Device, Fault};
use super::server::Server;
use super::{Addresses, Trouble, between};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::Birth;
use crate::shell;

/// One server on a small disk.
#[derive(Debug)]
pub struct Disk {
    server: Server,
    device: Device,
}

impl Trouble for Disk {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Disk> {
        let device = block_in_place(|| Device::create(folder.clone(), Fault::Fails))?;
        let file = device.path("mounted/soak.db");
        let birth = Birth::new(program, vec!["--db".to_owned(), file], folder.join("server.log"));
        let server = Server::begin(birth)?;
        Ok(Disk { server, device })
    }

    fn addresses(&self) -> Addresses {
        self.server.addresses()
    }

    async fn strike(&mut self, dice: &mut Dice) -> Result<()> {
        if dice.once_in(2) {
            let ballast = block_in_place(|| fill(&self.device.path("mounted")))?;
            tokio::time::sleep(between(dice, 100, 3_000)).await;
            return std::fs::remove_file(ballast).context("the ballast");
        }
        self.device.fail()?;
        tokio::time::sleep(between(dice, 100, 3_000)).await;
        // A file system that could not write is not to be trusted until it is mounted anew: its cache says what the disk
        // does not have. So nobody goes on with it.
        self.server.kill()?;
        block_in_place(|| self.device.replace())?;
        self.server.live()
    }

    async fn end(mut self) -> Result<()> {
        self.server.kill()
    }
}

/// Takes all the room that is left.
fn fill(folder: &str) -> Result<String> {
    let ballast = format!("{folder}/ballast");
    let room = shell::run("df", &["--output=avail", "--block-size=1", folder])?;
    let room = room.lines().last().unwrap_or("0").trim().to_owned();
    // Somebody else may be quicker: what there is then is little.
    std::fs::write(&ballast, "")?;
    shell::attempt("fallocate", &["--length", &room, &ballast]);
    Ok(ballast)
}

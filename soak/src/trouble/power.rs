//! The power goes: the server dies, and so does the disk's write cache with everything that was not flushed.
//!
//! The file system lies on a loop device over a block device that nbdkit keeps: what is written goes into nbdkit's memory,
//! what is flushed into a file. Killing nbdkit is the power cut; ext4 finds what the file has.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::{Addresses, Trouble};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};
use crate::shell;

/// One server on a disk that forgets.
#[derive(Debug)]
pub struct Power {
    birth: Birth,
    life: Option<Life>,
    disk: Disk,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

/// The disk, and what keeps it.
#[derive(Debug)]
struct Disk {
    folder: PathBuf,
    keepers: Vec<Child>,
    device: String,
}

impl Trouble for Power {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Power> {
        shell::needs_root("power")?;
        shell::needs("nbdkit", "nbdkit")?;
        shell::needs("nbdfuse", "libnbd-bin")?;
        let disk = block_in_place(|| Disk::create(folder.clone()))?;
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

impl Disk {
    fn create(folder: PathBuf) -> Result<Disk> {
        let disk = Disk { folder, keepers: Vec::new(), device: String::new() };
        std::fs::create_dir_all(disk.folder.join("mounted"))?;
        shell::run("truncate", &["-s", "2G", &disk.path("flushed.img")])?;
        shell::run("mkfs.ext4", &["-q", "-F", &disk.path("flushed.img")])?;
        let mut disk = disk;
        disk.power_on()?;
        Ok(disk)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn power_on(&mut self) -> Result<()> {
        let (socket, device, file) = (self.path("socket"), self.path("device"), self.path("flushed.img"));
        let _ = std::fs::remove_file(&socket);
        std::fs::write(&device, "")?;
        let nbdkit = ["-f", "-U", &socket, "--filter=cache", "file", &file, "cache=writeback"];
        self.keepers.push(shell::start("nbdkit", &nbdkit)?);
        wait_until("nbdkit listens", || Path::new(&socket).exists())?;
        self.keepers.push(shell::start("nbdfuse", &[&device, "--unix", &socket])?);
        let is_there = || std::fs::metadata(&device).is_ok_and(|device| device.len() > 0);
        wait_until("the device is there", is_there)?;
        self.device = shell::run("losetup", &["--find", "--show", &device])?;
        shell::run("mount", &[&self.device, &self.path("mounted")]).map(drop)
    }

    /// What was not flushed is gone.
    fn cut(&mut self) -> Result<()> {
        for keeper in &mut self.keepers {
            keeper.kill()?;
            keeper.wait()?;
        }
        self.keepers.clear();
        Ok(())
    }

    /// What is left of a machine without power.
    fn clear_away(&self) {
        shell::attempt("umount", &["--lazy", &self.path("mounted")]);
        shell::attempt("losetup", &["--detach", &self.device]);
        shell::attempt("umount", &["--lazy", &self.path("device")]);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.cut();
        self.clear_away();
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) -> Result<()> {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > Duration::from_secs(20) {
            bail!("waited for 20 seconds in vain: {what}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

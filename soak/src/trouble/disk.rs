//! The disk is full, or does not take writes: the server refuses, and goes on when there is room again.
//!
//! The file system lies on a loop device over a file with holes on a memory disk. Full is the file system itself; when the
//! memory disk under it is full, a write to a hole is an I/O error.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::{Addresses, Trouble, between};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};
use crate::shell;

/// One server on a small disk.
#[derive(Debug)]
pub struct Disk {
    birth: Birth,
    life: Option<Life>,
    mounts: Mounts,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

#[derive(Debug)]
struct Mounts {
    folder: PathBuf,
    device: String,
}

impl Trouble for Disk {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Disk> {
        shell::needs_root("disk")?;
        let mounts = block_in_place(|| Mounts::create(folder.clone()))?;
        let file = mounts.path("mounted/soak.db");
        let birth = Birth::new(program, vec!["--db".to_owned(), file], folder.join("server.log"));
        let mut disk = Disk { birth, life: None, mounts, addresses: watch::Sender::new(Vec::new()) };
        disk.live()?;
        Ok(disk)
    }

    fn addresses(&self) -> Addresses {
        self.addresses.subscribe()
    }

    async fn strike(&mut self, dice: &mut Dice) -> Result<()> {
        let place = if dice.once_in(2) { "mounted" } else { "memory" };
        let ballast = block_in_place(|| self.mounts.fill(place))?;
        tokio::time::sleep(between(dice, 100, 3_000)).await;
        std::fs::remove_file(ballast)?;
        if dice.once_in(2) {
            return Ok(());
        }
        // Only what is on the disk counts.
        if let Some(life) = self.life.take() {
            block_in_place(|| life.kill())?;
        }
        block_in_place(|| self.mounts.mount_again())?;
        self.live()
    }

    async fn end(mut self) -> Result<()> {
        self.life.take().map_or(Ok(()), Life::kill)
    }
}

impl Disk {
    fn live(&mut self) -> Result<()> {
        let life = block_in_place(|| self.birth.begin())?;
        self.addresses.send_replace(vec![life.address()]);
        self.life = Some(life);
        Ok(())
    }
}

impl Mounts {
    fn create(folder: PathBuf) -> Result<Mounts> {
        let mut mounts = Mounts { folder, device: String::new() };
        let (memory, file) = (mounts.path("memory"), mounts.path("memory/disk.img"));
        std::fs::create_dir_all(&memory)?;
        std::fs::create_dir_all(mounts.path("mounted"))?;
        shell::run("mount", &["-t", "tmpfs", "-o", "size=640m", "tmpfs", &memory])?;
        shell::run("truncate", &["-s", "512M", &file])?;
        // Only data can fall into a hole: all of the file system's own blocks are written now.
        let whole = "lazy_itable_init=0,nodiscard";
        shell::run("mkfs.ext4", &["-q", "-F", "-O", "^has_journal", "-E", whole, &file])?;
        mounts.device = shell::run("losetup", &["--find", "--show", &file])?;
        mounts.mount()?;
        Ok(mounts)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn mount(&self) -> Result<()> {
        // What is deleted becomes a hole again.
        shell::run("mount", &["-o", "discard", &self.device, &self.path("mounted")]).map(drop)
    }

    fn mount_again(&self) -> Result<()> {
        shell::run("umount", &[&self.path("mounted")])?;
        self.mount()
    }

    /// Takes all the room that is left.
    fn fill(&self, place: &str) -> Result<String> {
        let (folder, ballast) = (self.path(place), self.path(&format!("{place}/ballast")));
        let room = shell::run("df", &["--output=avail", "--block-size=1", &folder])?;
        let room = room.lines().last().unwrap_or("0").trim().to_owned();
        // Somebody else may be quicker: what there is then is little.
        std::fs::write(&ballast, "")?;
        shell::attempt("fallocate", &["--length", &room, &ballast]);
        shell::attempt("dd", &["if=/dev/zero", &format!("of={ballast}.rest"), "bs=4k", "conv=fsync"]);
        let _ = std::fs::remove_file(format!("{ballast}.rest"));
        Ok(ballast)
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        shell::attempt("umount", &["--lazy", &self.path("mounted")]);
        shell::attempt("losetup", &["--detach", &self.device]);
        shell::attempt("umount", &["--lazy", &self.path("memory")]);
    }
}

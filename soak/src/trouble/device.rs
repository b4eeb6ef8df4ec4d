//! A disk with a fault: a file system on a loop device over a block device that nbdkit keeps.
//!
//! **Invariant:** the file of nbdkit is what the disk has; everything else is gone with whoever kept it.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::shell;

/// What it does that a disk should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It keeps in memory what was not flushed.
    Forgets,
    /// It can be made to fail.
    Fails,
}

/// The disk, and what keeps it.
#[derive(Debug)]
pub(super) struct Device {
    folder: PathBuf,
    fault: Fault,
    keepers: Vec<Child>,
    device: String,
}

impl Device {
    pub(super) fn create(folder: PathBuf, fault: Fault) -> Result<Device> {
        shell::needs_root("power` or `disk")?;
        shell::needs("nbdkit", "nbdkit")?;
        shell::needs("nbdfuse", "libnbd-bin")?;
        let mut device = Device { folder, fault, keepers: Vec::new(), device: String::new() };
        std::fs::create_dir_all(device.path("mounted"))?;
        shell::run("truncate", &["-s", "1G", &device.path("flushed.img")])?;
        shell::run("mkfs.ext4", &["-q", "-F", &device.path("flushed.img")])?;
        device.power_on()?;
        Ok(device)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn power_on(&mut self) -> Result<()> {
        let (socket, device, file) = (self.path("socket"), self.path("device"), self.path("flushed.img"));
        let _ = std::fs::remove_file(&socket);
        let _ = std::fs::remove_file(self.path("failing"));
        std::fs::write(&device, "")?;
        let (failing, filter) = (format!("error-file={}", self.path("failing")), self.fault);
        let filter: &[&str] = match filter {
            Fault::Forgets => &["--filter=cache", "file", &file, "cache=writeback"],
            Fault::Fails => &["--filter=error", "file", &file, "error=EIO", "error-rate=100%", &failing],
        };
        self.keepers.push(shell::start("nbdkit", &[&["-f", "-U", &socket], filter].concat())?);
        wait_until("nbdkit listens", || Path::new(&socket).exists())?;
        self.keepers.push(shell::start("nbdfuse", &[&device, "--unix", &socket])?);
        let is_there = || std::fs::metadata(&device).is_ok_and(|device| device.len() > 0);
        wait_until("the device is there", is_there)?;
        self.device = shell::run("losetup", &["--find", "--show", &device])?;
        shell::run("mount", &[&self.device, &self.path("mounted")]).map(drop)
    }

    /// From now on nothing can be read or written, until it is switched off.
    pub(super) fn fail(&self) -> Result<()> {
        Ok(std::fs::write(self.path("failing"), "")?)
    }

    /// What was not flushed is gone.
    pub(super) fn cut(&mut self) -> Result<()> {
        for keeper in &mut self.keepers {
            keeper.kill()?;
            keeper.wait()?;
        }
        self.keepers.clear();
        Ok(())
    }

    /// Switched off and on again: it has what was flushed, and no fault.
    pub(super) fn replace(&mut self) -> Result<()> {
        self.cut()?;
        self.clear_away();
        self.power_on()
    }

    /// What is left of a machine without power.
    fn clear_away(&self) {
        shell::attempt("umount", &["--lazy", &self.path("mounted")]);
        shell::attempt("losetup", &["--detach", &self.device]);
        shell::attempt("umount", &["--lazy", &self.path("device")]);
    }
}

impl Drop for Device {
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

//! Where PostgreSQL's programs are, and how they come onto a machine that has none.
//!
//! **Invariant:** an installation says what it does before it does it, and leaves no cluster and no service behind.

use super::account::Account;
use crate::step;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const NEEDED: [&str; 3] = ["initdb", "pg_ctl", "postgres"];
const DEBIAN: &str = "/usr/lib/postgresql";
const HOW_TO_INSTALL: &str = "\
PostgreSQL's server programs (initdb, pg_ctl, postgres) were not found on the PATH, under /usr/lib/postgresql or through pg_config.
  Debian, Ubuntu:  sudo apt-get install postgresql
  Fedora:          sudo dnf install postgresql-server
  macOS:           brew install postgresql
No cluster and no service is needed: the tests start their own.";

/// A folder that holds every program that is needed.
#[derive(Debug, Clone)]
pub(crate) struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    /// The programs of this machine; root installs Debian's package if there are none.
    pub(crate) fn find_or_install(account: &Account) -> Result<Binaries> {
        if let Some(found) = first_complete(candidates()) {
            return Ok(found);
        }
        let has_apt = step::quiet(Command::new("apt-get").arg("--version")).is_ok();
        if !account.is_root_stepped_down() || !has_apt {
            bail!(HOW_TO_INSTALL);
        }
        install_debian_package().context("cannot install PostgreSQL")?;
        first_complete(candidates()).context(HOW_TO_INSTALL)
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn first_complete(folders: Vec<PathBuf>) -> Option<Binaries> {
    let complete = |folder: &PathBuf| NEEDED.iter().all(|name| folder.join(name).is_file());
    folders.into_iter().find(complete).map(|folder| Binaries { folder })
}

fn candidates() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(newest_first(Path::new(DEBIAN)));
    folders.extend(step::quiet(Command::new("pg_config").arg("--bindir")).map(PathBuf::from));
    folders
}

/// Debian keeps a folder for each major version: `17/bin` comes before `9.6/bin`.
fn newest_first(versions: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(versions).into_iter().flatten().flatten();
    let mut numbered: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let major = entry.file_name().to_str()?.split('.').next()?.parse().ok()?;
            Some((major, entry.path().join("bin")))
        })
        .collect();
    numbered.sort();
    numbered.into_iter().rev().map(|(_, folder)| folder).collect()
}

fn install_debian_package() -> Result<()> {
    const SETTINGS: &str = "/etc/postgresql-common/createcluster.d";
    eprintln!(
        "    no PostgreSQL here: installs Debian's package `postgresql` with apt-get, without creating a cluster"
    );
    let setting = Path::new(SETTINGS).join("tyer-xtask.conf");
    std::fs::create_dir_all(SETTINGS)?;
    // The package would create and start a cluster `main`; this file tells it not to, for this one installation.
    std::fs::write(&setting, "create_main_cluster = false\n")?;
    let installed = step::check(&mut apt_get(&["update"])).and_then(|()| {
        step::check(&mut apt_get(&["install", "--yes", "--no-install-recommends", "postgresql"]))
    });
    std::fs::remove_file(setting)?;
    installed
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_complete_version_is_taken() {
        let versions = std::env::temp_dir().join(format!("tyer-xtask-versions-{}", std::process::id()));
        for (version, programs) in [("9.6", &NEEDED[..]), ("15", &NEEDED[..]), ("17", &NEEDED[..2])] {
            let folder = versions.join(version).join("bin");
            std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
            for program in programs {
                std::fs::write(folder.join(program), "").expect("the temporary folder is writable");
            }
        }
        let found = first_complete(newest_first(&versions)).map(|binaries| binaries.folder);
        std::fs::remove_dir_all(&versions).expect("the temporary folder is writable");
        assert_eq!(found, Some(versions.join("15").join("bin")));
    }

    #[test]
    fn a_machine_without_any_version_has_no_candidates() {
        assert!(first_complete(newest_first(Path::new("/nonexistent"))).is_none());
    }
}

//! Who runs PostgreSQL: it refuses to run as root, so root steps down to an account without rights.
//!
//! **Invariant:** no account is created and none is changed.

use crate::step;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::fs::{Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The account that owns the cluster's files and processes.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    name: String,
    user: u32,
    group: u32,
    stepped_down: bool,
}

impl Account {
    /// The developer's own account; for root the one that the package made, or else `nobody`.
    pub(crate) fn choose() -> Result<Account> {
        let (user, group) = (number(&["-u"])?, number(&["-g"])?);
        if user != 0 {
            let name = step::quiet(Command::new("id").arg("-un")).unwrap_or_else(|_| user.to_string());
            return Ok(Account { name, user, group, stepped_down: false });
        }
        for name in ["postgres", "nobody"] {
            if let (Ok(user), Ok(group)) = (number(&["-u", name]), number(&["-g", name])) {
                return Ok(Account { name: name.to_owned(), user, group, stepped_down: true });
            }
        }
        bail!(
            "PostgreSQL refuses to run as root, and there is neither an account `postgres` nor `nobody`; run as another user"
        )
    }

    pub(crate) fn is_root_stepped_down(&self) -> bool {
        self.stepped_down
    }

    pub(crate) fn is_owner(&self, found: &Metadata) -> bool {
        found.uid() == self.user
    }

    /// `program`, run by this account in `folder`.
    pub(crate) fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        // The language of messages is ours to read, not the machine's.
        command.current_dir(folder).env("LC_ALL", "C");
        if self.stepped_down {
            command.uid(self.user).gid(self.group);
        }
        command
    }

    /// Makes the account the only one who may enter or read `path`.
    pub(crate) fn own(&self, path: &Path) -> Result<()> {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        std::fs::set_permissions(path, Permissions::from_mode(mode))
            .and_then(|()| chown(path, Some(self.user), Some(self.group)))
            .with_context(|| format!("cannot give {} to {self}", path.display()))
    }

    /// Whether the account can reach and fill `folder`: under a home of root's it cannot.
    pub(crate) fn can_write(&self, folder: &Path) -> bool {
        let probe = folder.join("probe");
        let mut touch = self.command(Path::new("touch"), Path::new("/"));
        let written = step::quiet(touch.arg(&probe)).is_ok();
        written && std::fs::remove_file(probe).is_ok()
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

fn number(arguments: &[&str]) -> Result<u32> {
    let said = step::quiet(Command::new("id").args(arguments))?;
    said.parse().with_context(|| format!("`id` answered `{said}`, expected a number"))
}

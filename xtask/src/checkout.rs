//! Where this checkout lies, and which files belong to it.
//!
//! **Invariant:** nothing here depends on the folder the developer stands in.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo names the manifest at run time, so a moved checkout needs no rebuild of xtask.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let xtask = PathBuf::from(manifest);
    xtask.parent().map_or_else(|| xtask.clone(), Path::to_path_buf)
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = named.unwrap_or_else(|| root().join("target"));
    std::path::absolute(&target).unwrap_or(target)
}

/// Cargo itself, of the same toolchain that runs this.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    Command::new(program)
}

/// The files of the checkout, relative to `root`, sorted: those that git knows, and new ones that it does not ignore.
///
/// A machine without git, or a checkout without `.git`, walks the folders instead.
pub(crate) fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = match listed_by_git(root) {
        Some(files) => files,
        None => walked(root)?,
    };
    // Git still lists a file that was deleted but not yet committed.
    files.retain(|file| root.join(file).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

fn listed_by_git(root: &Path) -> Option<Vec<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    let listed = String::from_utf8(output.stdout).ok()?;
    let files: Vec<PathBuf> = listed.split_terminator('\0').map(PathBuf::from).collect();
    (output.status.success() && !files.is_empty()).then_some(files)
}

fn walked(root: &Path) -> Result<Vec<PathBuf>> {
    const SKIPPED: [&str; 3] = [".git", "target", "node_modules"];
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
            let kind = entry.file_type()?;
            let path = entry.path();
            if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path.strip_prefix(root).unwrap_or(&path).to_path_buf());
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_and_the_walk_both_find_this_file() {
        let this = Path::new("xtask/src/checkout.rs");
        assert!(walked(&root()).expect("the checkout is readable").iter().any(|file| file == this));
        assert!(files(&root()).expect("the checkout is readable").iter().any(|file| file == this));
    }
}

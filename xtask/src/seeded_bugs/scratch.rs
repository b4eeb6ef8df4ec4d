//! A copy of the checkout in which mistakes may be planted, with a target folder of its own that all of them share.
//!
//! **Invariant:** a file that has not changed is not written, so cargo builds only what a mistake touches.
//! **Invariant:** after a hunt the copy is as the checkout is.

use super::patch::Patch;
use crate::{checkout, step};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy.
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Brings the copy up to date.
    pub(super) fn prepare() -> Result<Scratch> {
        let scratch = Scratch { folder: checkout::target().join("seeded-bugs") };
        let files = checkout::files(&checkout::root())?;
        for known in walk(&scratch.tree()) {
            if !files.contains(&known) {
                std::fs::remove_file(scratch.tree().join(&known)).context("cannot remove an old file")?;
            }
        }
        for file in files {
            scratch.refresh(&file)?;
        }
        Ok(scratch)
    }

    /// The folder of the copy, its target folder and the results.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The copy itself.
    pub(super) fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Cargo in the copy. Not optimised, for most of the time is spent building.
    pub(super) fn cargo(&self) -> Command {
        let mut cargo = checkout::cargo();
        cargo.current_dir(self.tree()).env("CARGO_TARGET_DIR", self.folder.join("target"));
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env_remove("UPDATE").env_remove("ONLY");
        cargo
    }

    /// Does something while the mistake is there.
    pub(super) fn with<T>(&self, patch: &Patch, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let planted = self.plant(patch).with_context(|| format!("{} does not apply", patch.name));
        let done = planted.and_then(|()| work()).with_context(|| format!("with {}", patch.name));
        for file in patch.files() {
            self.refresh(Path::new(file))?;
        }
        done
    }

    fn plant(&self, patch: &Patch) -> Result<()> {
        let mut apply = Command::new("git");
        apply.arg("apply").args(&patch.path).current_dir(self.tree());
        // The copy lies in a checkout; git would look for the files of that one.
        apply.env("GIT_CEILING_DIRECTORIES", &self.folder);
        step::quiet(&mut apply).map(drop)
    }

    fn refresh(&self, file: &Path) -> Result<()> {
        let (from, to) = (checkout::root().join(file), self.tree().join(file));
        let text = std::fs::read(&from).with_context(|| format!("cannot read {}", file.display()))?;
        if std::fs::read(&to).is_ok_and(|there| there == text) {
            return Ok(());
        }
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).context("cannot make a folder of the copy")?;
        }
        std::fs::write(&to, text).with_context(|| format!("cannot write {}", to.display()))
    }
}

/// The files below a folder, relative to it; none if it is not there.
fn walk(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(file) = path.strip_prefix(root) {
                files.push(file.to_path_buf());
            }
        }
    }
    files
}

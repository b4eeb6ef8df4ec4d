//! The planted mistakes: patches in a folder, each with a number.
//!
//! **Invariant:** every patch applies to the checkout as it stands; a test says so.

use crate::checkout;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// Where the patches are.
pub(super) const FOLDER: &str = "crates/sim/bugs";

/// One planted mistake.
pub(super) struct Patch {
    /// `07-a-timer-survives-its-owner`.
    pub(super) name: String,
    /// None = nothing is planted.
    pub(super) path: Option<PathBuf>,
    text: String,
}

impl Patch {
    /// The checkout as it is, for one part of the net.
    pub(super) fn nothing(part: &str) -> Result<Patch> {
        Ok(Patch { name: format!("00 {part}"), path: None, text: state()? })
    }

    /// The same mistake, as one part of the net has found it: that is kept under this name.
    pub(super) fn seen_by(&self, part: &str) -> Patch {
        Patch { name: format!("{} / {part}", self.name), path: self.path.clone(), text: self.text.clone() }
    }

    /// The same mistake, as one part of the net has not found it: that holds until anything changes, for a new test may find
    /// it.
    pub(super) fn overlooked_by(&self, part: &str) -> Result<Patch> {
        let seen = self.seen_by(part);
        let (name, text) = (format!("{} / not", seen.name), format!("{}{}", seen.text, state()?));
        Ok(Patch { name, text, ..seen })
    }

    /// Was it asked for? Nobody asked for anything = for everything.
    pub(super) fn is_one_of(&self, numbers: &[&String]) -> bool {
        let number = self.name.split('-').next().unwrap_or_default();
        numbers.is_empty()
            || numbers.iter().any(|wanted| wanted.trim_start_matches('0') == number.trim_start_matches('0'))
    }

    /// The files that it changes, relative to the root.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter_map(|line| line.strip_prefix("+++ b/"))
    }

    /// Another one when the patch or a file that it changes is another.
    pub(super) fn fingerprint(&self) -> String {
        let files = self.files().map(|file| std::fs::read(checkout::root().join(file)).unwrap_or_default());
        let hash = files.fold(hash(FNV, self.text.as_bytes()), |before, bytes| hash(before, &bytes));
        format!("{hash:016x}")
    }
}

/// All patches, by number.
pub(super) fn all() -> Result<Vec<Patch>> {
    let folder = checkout::root().join(FOLDER);
    let mut patches = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot list {FOLDER}"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "patch") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
        patches.push(Patch { name, path: Some(path), text });
    }
    patches.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(patches)
}

/// Another one when anything is another that is built or played.
fn state() -> Result<String> {
    let root = checkout::root();
    let counts = |file: &&PathBuf| {
        !file.starts_with(FOLDER) && (file.starts_with("crates") || file.starts_with("conformance"))
    };
    let files = checkout::files(&root)?;
    let files = files.iter().filter(counts).map(|file| std::fs::read(root.join(file)).unwrap_or_default());
    Ok(format!("{:016x}", files.fold(FNV, |before, bytes| hash(before, &bytes))))
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: the same on every machine.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step;
    use std::process::Command;

    #[test]
    fn every_planted_mistake_applies_to_the_checkout_as_it_stands() {
        let patches = all().expect("the folder is there");
        let wrong: Vec<String> = patches
            .iter()
            .filter_map(|patch| {
                let mut apply = Command::new("git");
                apply.args(["apply", "--check"]).args(&patch.path).current_dir(checkout::root());
                step::quiet(&mut apply).err().map(|error| format!("{}: {error}", patch.name))
            })
            .collect();
        assert!(wrong.is_empty(), "write these anew, for the code has moved on:\n{}", wrong.join("\n"));
    }

    #[test]
    fn every_planted_mistake_has_a_number_of_its_own_and_changes_a_file() {
        let patches = all().expect("the folder is there");
        let mut numbers: Vec<&str> =
            patches.iter().filter_map(|patch| patch.name.split('-').next()).collect();
        numbers.dedup();
        assert_eq!(numbers.len(), patches.len());
        assert!(patches.iter().all(|patch| patch.files().next().is_some()));
    }
}

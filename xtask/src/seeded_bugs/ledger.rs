//! What was found out, line by line in a file, so that a hunt can go on where it was broken off.

use super::hunt::Verdict;
use super::patch::Patch;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Verdicts by name of patch, each with the fingerprint for which it holds.
pub(super) struct Ledger {
    file: PathBuf,
    lines: BTreeMap<String, (String, String)>,
}

impl Ledger {
    /// What was found out before, or nothing.
    pub(super) fn open(folder: &Path, resume: bool) -> Result<Ledger> {
        let file = folder.join("results.txt");
        let text = if resume { std::fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        let mut lines = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.splitn(3, '\t');
            if let (Some(name), Some(print), Some(verdict)) = (words.next(), words.next(), words.next()) {
                lines.insert(name.to_owned(), (print.to_owned(), verdict.to_owned()));
            }
        }
        Ok(Ledger { file, lines })
    }

    /// The verdict on this patch, if it still holds.
    pub(super) fn known(&self, patch: &Patch) -> Option<Verdict> {
        let (print, verdict) = self.lines.get(&patch.name)?;
        (*print == patch.fingerprint()).then(|| Verdict::read(verdict))
    }

    /// Writes a verdict down before the next hunt begins.
    pub(super) fn keep(&mut self, patch: &Patch, verdict: &Verdict) -> Result<()> {
        self.lines.insert(patch.name.clone(), (patch.fingerprint(), verdict.to_string()));
        let text: String = self
            .lines
            .iter()
            .map(|(name, (print, verdict))| format!("{name}\t{print}\t{verdict}\n"))
            .collect();
        std::fs::write(&self.file, text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

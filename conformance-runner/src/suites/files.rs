//! The files of a suite, in an order that does not depend on the machine.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// All files below a folder that end in `.bpmn`, sorted.
pub(super) fn bpmn_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let is_bpmn = |path: &Path| path.to_string_lossy().ends_with(".bpmn");
    let mut found = all_files(dir)?;
    found.retain(|path| is_bpmn(path));
    Ok(found)
}

/// All files below a folder, sorted.
pub(super) fn all_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

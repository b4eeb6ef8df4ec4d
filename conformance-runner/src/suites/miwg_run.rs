//! Executable reference models, run to their ends.

use std::path::Path;

use anyhow::Result;

use crate::report::Report;

pub(super) fn run(_dir: &Path, _report: &mut Report) -> Result<()> {
    Ok(())
}

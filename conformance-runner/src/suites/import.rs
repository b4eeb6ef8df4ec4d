//! Any folder of files: each is imported or refused for reasons that have names; none may crash the importer.

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use tyer_model::{Severity, import};

use super::files::{all_files, read};
use crate::report::Report;

/// An importer that takes longer hangs, for all that people care.
const PATIENCE: Duration = Duration::from_secs(20);

/// Imports every file of the folder.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    let mut counts = Counts::default();
    for path in all_files(dir)? {
        let case = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        let bytes = read(&path)?;
        let begun = Instant::now();
        let outcome = catch_unwind(|| import(&bytes));
        let took = begun.elapsed();
        match outcome {
            Err(_) => {
                counts.crashed += 1;
                report.fail(&case, "imported or refused", "crashed");
            }
            Ok(_) if took > PATIENCE => {
                counts.crashed += 1;
                report.fail(&case, "an answer in time", &format!("took {} s", took.as_secs()));
            }
            Ok(Ok(_)) => {
                counts.imported += 1;
                report.pass(&case);
            }
            Ok(Err(problems)) => {
                counts.refused += 1;
                let errors = problems.0.iter().filter(|problem| problem.severity == Severity::Error);
                let codes: std::collections::BTreeSet<_> =
                    errors.map(|problem| problem.code.name()).collect();
                for code in codes {
                    *counts.by_code.entry(code).or_default() += 1;
                }
                report.pass(&case);
            }
        }
    }
    counts.tell(report);
    Ok(())
}

#[derive(Default)]
struct Counts {
    imported: u64,
    refused: u64,
    crashed: u64,
    /// How many files have an error of the code; a file may have several.
    by_code: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn tell(&self, report: &mut Report) {
        report
            .note(&format!("imported {}, refused {}, crashed {}", self.imported, self.refused, self.crashed));
        for (code, files) in &self.by_code {
            report.note(&format!("  {files:>6} files with {code}"));
        }
    }
}

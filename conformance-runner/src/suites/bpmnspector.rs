//! BPMNspector's files: each says in its name whether it is good BPMN, and the verdict must be the same.

use std::path::Path;

use anyhow::Result;
use tyer_model::{Definitions, Problem, Severity, Strictness};

use super::files::{bpmn_files, read};
use crate::report::Report;

/// Judges every file of the folder.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    for path in bpmn_files(dir)? {
        let case = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        let expected = if is_good(&case) { "good BPMN" } else { "not good BPMN" };
        let problems = problems_of(&path)?;
        if problems.is_empty() == is_good(&case) {
            report.pass(&case);
        } else {
            let got: Vec<String> = problems.iter().map(Problem::to_string).collect();
            let got = if got.is_empty() { "no problem".to_owned() } else { got.join("\n") };
            report.fail(&case, expected, &got);
        }
    }
    Ok(())
}

/// The errors of a file, measured by the letter of BPMN.
pub(super) fn problems_of(path: &Path) -> Result<Vec<Problem>> {
    let folder = path.parent().unwrap_or(path);
    let load = |location: &str| Definitions::read(&std::fs::read(folder.join(location)).ok()?).ok();
    let mut problems = match Definitions::read(&read(path)?) {
        Ok(definitions) => definitions.check_with_imports(Strictness::Specification, &load),
        Err(problems) => problems.0,
    };
    problems.retain(|problem| problem.severity == Severity::Error);
    Ok(problems)
}

/// Whether the suite calls the file good: failing cases say so in their name, and some are groups of broken references.
fn is_good(case: &str) -> bool {
    let name = case.to_lowercase();
    let broken = ["fail", "violation", "gruppe", "teil-2", "no_start", "import_url", "step2"];
    name.contains("manualfix") || !broken.iter().any(|mark| name.contains(mark))
}

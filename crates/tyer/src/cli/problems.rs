//! What is wrong with a file, one line each, as compilers write it.

use std::path::Path;

use tyer_model::{Imported, Problem, Severity};

use super::exit::{Exit, Stop};

/// The bytes of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, Stop> {
    std::fs::read(file).map_err(|error| {
        let exit = if error.kind() == std::io::ErrorKind::NotFound { Exit::NotFound } else { Exit::Failure };
        Stop::new(exit, format!("cannot read {}: {error}", file.display()))
    })
}

/// Compiles a file; its problems go to `say`, one line each.
pub(crate) fn import(file: &Path, bytes: &[u8], say: impl Fn(&str)) -> Result<Imported, Stop> {
    let tell = |problems: &[Problem]| problems.iter().for_each(|problem| say(&line(file, problem)));
    match tyer_model::import(bytes) {
        Ok(imported) => {
            tell(&imported.warnings);
            Ok(imported)
        }
        Err(problems) => {
            tell(&problems.0);
            Err(Stop::silent(Exit::Validation))
        }
    }
}

/// `file:line:column: error[code]: message`, and the hint below.
pub(crate) fn line(file: &Path, problem: &Problem) -> String {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let Problem { line, column, message, hint, .. } = problem;
    let mut text =
        format!("{}:{line}:{column}: {severity}[{}]: {message}", file.display(), problem.code.name());
    if !hint.is_empty() {
        text.push_str("; ");
        text.push_str(hint);
    }
    text
}

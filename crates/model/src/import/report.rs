//! Collects problems while a file is read.
//!
//! **Invariant:** at most [`MOST_PROBLEMS`] are kept, so that a hostile file cannot fill the memory with them.

use tyer_xml::Element;

use super::Imported;
use crate::problem::{Code, Problem, Problems, Severity};
use crate::process::Process;

/// More problems than this nobody reads.
const MOST_PROBLEMS: usize = 1_000;

/// The problems found so far.
#[derive(Debug)]
pub(crate) struct Report {
    problems: Vec<Problem>,
    left_out: usize,
}

impl Report {
    pub(crate) fn new() -> Report {
        Report {
            problems: Vec::new(),
            left_out: 0,
        }
    }

    pub(crate) fn error(&mut self, code: Code, element: Element<'_>, message: String, hint: &str) {
        self.add(Severity::Error, code, element, message, hint);
    }

    pub(crate) fn warning(&mut self, code: Code, element: Element<'_>, message: String, hint: &str) {
        self.add(Severity::Warning, code, element, message, hint);
    }

    fn add(&mut self, severity: Severity, code: Code, element: Element<'_>, message: String, hint: &str) {
        let kept_errors = self.problems.len() >= MOST_PROBLEMS;
        if kept_errors {
            self.left_out += 1;
            // An error must not get lost behind a thousand warnings.
            let warning = self
                .problems
                .iter()
                .rposition(|problem| problem.severity == Severity::Warning);
            match warning.filter(|_| severity == Severity::Error && !self.has_errors()) {
                Some(position) => self.problems.remove(position),
                None => return,
            };
        }
        let position = element.position();
        self.problems.push(Problem {
            severity,
            code,
            element: element.attribute("id").map(str::to_owned),
            line: position.line,
            column: position.column,
            message,
            hint: hint.to_owned(),
        });
    }

    /// Whether the file is refused.
    pub(crate) fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    pub(crate) fn finish(mut self, processes: Vec<Process>) -> Result<Imported, Problems> {
        let refused = self.has_errors();
        self.problems
            .sort_by_key(|problem| (problem.line, problem.column));
        if self.left_out > 0 {
            let message = format!("{} more problems are not reported", self.left_out);
            let (severity, code) = (Severity::Warning, Code::TooManyProblems);
            let hint = "mend those above first".to_owned();
            self.problems.push(Problem {
                severity,
                code,
                element: None,
                line: 1,
                column: 1,
                message,
                hint,
            });
        }
        if refused {
            Err(Problems(self.problems))
        } else {
            Ok(Imported {
                processes,
                warnings: self.problems,
            })
        }
    }
}

/// The one problem of a file that is not XML.
pub(crate) fn malformed(error: tyer_xml::Error) -> Problems {
    let tyer_xml::Error {
        line,
        column,
        message,
    } = error;
    let hint = "the file must be well-formed XML without DOCTYPE".to_owned();
    let (severity, code) = (Severity::Error, Code::XmlMalformed);
    Problems(vec![Problem {
        severity,
        code,
        element: None,
        line,
        column,
        message,
        hint,
    }])
}

/// How messages name an element: its kind and its id.
pub(crate) fn label(element: Element<'_>) -> String {
    match element.attribute("id") {
        Some(id) => format!("{} `{id}`", element.local_name()),
        None => element.local_name().to_owned(),
    }
}

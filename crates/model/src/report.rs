//! Collects problems while a file is looked at.
//!
//! **Invariant:** at most [`MOST_PROBLEMS`] are kept, so that a hostile file cannot fill the memory with them; an error
//! is never lost behind warnings.

use tyer_xml::Element;

use crate::code::{Code, Deployment};
use crate::problem::{Problem, Severity};

/// More problems than this nobody reads.
const MOST_PROBLEMS: usize = 1_000;

/// By what a diagram is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Can it be executed? What is only odd is a warning or not mentioned.
    Deployment,
    /// Is it BPMN to the letter? Everything else is an error.
    Specification,
}

/// The problems found so far.
#[derive(Debug)]
pub(crate) struct Report {
    strictness: Strictness,
    problems: Vec<Problem>,
    errors: usize,
    left_out: usize,
}

impl Report {
    pub(crate) fn new(strictness: Strictness) -> Report {
        Report { strictness, problems: Vec::new(), errors: 0, left_out: 0 }
    }

    /// A rule is broken; how bad that is depends on the rule and on by what is measured. The message is made only when
    /// somebody will read it.
    pub(crate) fn found(&mut self, code: Code, element: Element<'_>, message: impl FnOnce() -> String) {
        if let Some(severity) = self.severity(code) {
            self.add(severity, code, element, message(), code.hint());
        }
    }

    fn severity(&self, code: Code) -> Option<Severity> {
        match (self.strictness, code.deployment()) {
            (Strictness::Specification, _) | (_, Deployment::Refused) => Some(Severity::Error),
            (_, Deployment::Warned) => Some(Severity::Warning),
            (_, Deployment::Silent) => None,
        }
    }

    /// A rule is broken that nobody keeps: a warning even by the letter.
    pub(crate) fn advise(&mut self, code: Code, element: Element<'_>, message: impl FnOnce() -> String) {
        if self.strictness == Strictness::Specification {
            self.warning(code, element, message(), code.hint());
        }
    }

    pub(crate) fn error(&mut self, code: Code, element: Element<'_>, message: String, hint: &str) {
        self.add(Severity::Error, code, element, message, hint);
    }

    pub(crate) fn warning(&mut self, code: Code, element: Element<'_>, message: String, hint: &str) {
        self.add(Severity::Warning, code, element, message, hint);
    }

    fn add(&mut self, severity: Severity, code: Code, element: Element<'_>, message: String, hint: &str) {
        let is_error = severity == Severity::Error;
        if self.problems.len() >= MOST_PROBLEMS {
            self.left_out += 1;
            if !is_error || self.errors > 0 {
                return;
            }
            self.problems.pop();
        }
        self.errors += usize::from(is_error);
        let (line, column) = (element.position().line, element.position().column);
        let (element, hint) = (element.attribute("id").map(str::to_owned), hint.to_owned());
        self.problems.push(Problem { severity, code, element, line, column, message, hint });
    }

    /// By what is measured.
    pub(crate) fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// Whether the file is refused.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// All problems in document order.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| (problem.line, problem.column));
        if self.left_out > 0 {
            let message = format!("{} more problems are not reported", self.left_out);
            let (severity, code) = (Severity::Warning, Code::TooManyProblems);
            let hint = code.hint().to_owned();
            self.problems.push(Problem { severity, code, element: None, line: 1, column: 1, message, hint });
        }
        self.problems
    }
}

/// How messages name an element: its kind and its id.
pub(crate) fn label(element: Element<'_>) -> String {
    match element.attribute("id") {
        Some(id) => format!("{} `{}`", element.local_name(), shortened(id)),
        None => element.local_name().to_owned(),
    }
}

/// A text of bearable length, whatever the file says.
pub(crate) fn shortened(text: &str) -> String {
    let mut characters = text.trim().chars();
    let short: String = characters.by_ref().take(80).collect();
    if characters.next().is_some() { short + "…" } else { short }
}

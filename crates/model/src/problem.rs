//! What is wrong with a diagram: data for the person who drew it, not an error of the program.
//!
//! **Invariant:** a problem names its rule, its element and its place, and says what to do.

use std::fmt;

use serde::Serialize;

use crate::code::Code;

/// One thing to say about a diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Whether the diagram is refused for it.
    pub severity: Severity,
    /// Which rule it is, for programs.
    pub code: Code,
    /// The BPMN id of the element, if it has one.
    pub element: Option<String>,
    /// The line of the element, from 1.
    pub line: u32,
    /// The column of the element, from 1.
    pub column: u32,
    /// What was found, for people.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Whether a diagram with the problem can be deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The diagram is refused.
    Error,
    /// The diagram is deployed; somebody should look.
    Warning,
}

/// Everything that is wrong with a diagram, in document order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Problem { code, line, column, message, hint, .. } = self;
        write!(formatter, "{severity} {} at line {line}, column {column}: {message}", code.name())?;
        if hint.is_empty() { Ok(()) } else { write!(formatter, "; {hint}") }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

//! What is wrong with a model: all of it at once, each with its place.

use std::fmt;
use tyer_xml::Position;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The element cannot be evaluated: it is null.
    Error,
    /// It works, but probably not as meant.
    Warning,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The id or name of the element it is about; empty when it has none.
    pub element: String,
    /// Where it stands in the document.
    pub position: Position,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} ({})", self.element, self.message, self.position)
    }
}

//! What can be wrong with the text of an expression, and what can be wrong with its evaluation.

use crate::ast::Span;
use std::fmt;

/// A text that is not an expression: where, what was expected, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where reading stopped, in bytes of the text.
    pub span: Span,
    /// What would have been read there.
    pub expected: String,
    /// What to do about it, where there is something to say.
    pub hint: Option<String>,
}

impl ParseError {
    pub(crate) fn new(span: Span, expected: impl Into<String>) -> ParseError {
        ParseError { span, expected: expected.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> ParseError {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "expected {} at byte {}", self.expected, self.span.start)?;
        match &self.hint {
            Some(hint) => write!(out, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// Why a part of an evaluation is null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The part, in bytes of the text.
    pub span: Span,
    /// What was wrong with it.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (at byte {})", self.message, self.span.start)
    }
}

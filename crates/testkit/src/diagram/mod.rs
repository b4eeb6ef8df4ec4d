//! A diagram in arrows: text that a person draws with a keyboard, and that becomes ordinary BPMN.
//!
//! `conformance/README.md` describes the language.
//!
//! **Invariant:** the only way from a diagram to a process is through BPMN XML and the importer.

mod event;
mod mark;
mod node;
mod parse;
mod says;
mod task;
#[cfg(test)]
mod tests;
mod tree;
mod words;
mod xml;

use std::fmt;

/// The processes of one text.
///
/// ```
/// use tyer_testkit::Diagram;
///
/// let diagram = Diagram::parse(
///     "process order
///        start                     -> charge
///        charge : job charge-card  -> big
///        big    : exclusive        -> approve if amount > 1000, end else
///        approve : user            -> end",
/// )?;
/// let imported = tyer_model::import(diagram.to_bpmn().as_bytes())?;
/// assert_eq!(imported.processes[0].id, "order");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// BPMN files: the first has every process, each later one a new version of one of them.
    files: Vec<String>,
}

/// A process or a node as written, not yet understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) line: usize,
    pub(crate) id: String,
    /// What stands after the colon.
    pub(crate) drawn: String,
    pub(crate) arrows: Vec<Arrow>,
    pub(crate) inside: Vec<Spot>,
}

/// One way out of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub(crate) target: String,
    pub(crate) when: When,
}

/// On what a way is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    If(String),
    Else,
}

/// A text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what to write.
    pub message: String,
}

impl fmt::Display for Misread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Misread {}

impl Diagram {
    /// Reads arrows.
    ///
    /// # Errors
    /// The first line that could not be read.
    pub fn parse(text: &str) -> Result<Diagram, Misread> {
        let files = parse::parse(text)?;
        let files = files.iter().map(|file| xml::write(file)).collect::<Result<_, _>>()?;
        Ok(Diagram { files })
    }

    /// The same diagram as a BPMN 2.0 file.
    pub fn to_bpmn(&self) -> String {
        self.files[0].clone()
    }

    /// Later versions of processes that are drawn more than once, each as a file of its own.
    pub fn later_versions(&self) -> &[String] {
        &self.files[1..]
    }
}

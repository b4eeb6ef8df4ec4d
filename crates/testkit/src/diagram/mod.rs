//! A diagram in arrows: text that a person draws with a keyboard, and that becomes ordinary BPMN.
//!
//! **Invariant:** the only way from a diagram to a process is through BPMN XML and the importer.

mod parse;
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
    pub(crate) processes: Vec<Sketch>,
}

/// One process as drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sketch {
    pub(crate) id: String,
    pub(crate) nodes: Vec<Spot>,
}

/// One node as drawn, with the arrows that leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    pub(crate) shape: Shape,
    pub(crate) arrows: Vec<Arrow>,
}

/// What stands at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Start,
    End,
    Pass,
    /// Attributes of `tyer:job`.
    Job(Vec<(&'static str, String)>),
    /// Which extension element says which attribute.
    User(Vec<(&'static str, &'static str, String)>),
    Exclusive,
    Parallel,
    /// `timeDuration` or `timeDate`, and its text.
    Timer(&'static str, String),
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
        parse::parse(text)
    }

    /// The same diagram as a BPMN 2.0 file.
    pub fn to_bpmn(&self) -> String {
        xml::write(self)
    }
}

//! Strict, positioned XML reader and writer.
//!
//! [`Document::parse`] turns bytes into a compact tree that keeps the line and column of every element;
//! [`Writer`] writes XML with correct escaping.
//!
//! **Invariant:** no input makes the reader panic, hang, recurse or take more than linear time and memory.
//! **Invariant:** a DOCTYPE is refused, so there are no entities but the five that XML predefines.
//! **Invariant:** pure: no IO; nothing outside the given bytes is ever read.

mod attributes;
mod document;
mod encoding;
mod error;
mod escape;
mod limits;
mod names;
mod reader;
mod writer;

pub use document::{Attribute, Document, Element, Name, Node};
pub use error::{Error, Position};
pub use limits::Limits;
pub use writer::Writer;

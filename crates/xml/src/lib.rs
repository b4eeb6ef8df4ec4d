//! Strict, positioned XML reader and writer.
//!
//! [`Document::parse`] turns bytes into a compact tree that keeps the line and column of every element;
//! [`Writer`] writes XML with correct escaping.
//!
//! **Invariant:** no input makes the reader panic, hang, recurse or take more than linear time and memory.
//! **Invariant:** a DOCTYPE is refused, so there are no entities but the five that XML predefines.
//! **Invariant:** pure: no IO; nothing outside the given bytes is ever read.

mod document;
mod element;
mod encoding;
mod error;
mod escape;
mod limits;
mod lines;
mod names;
mod reader;
mod resolve;
mod writer;

pub use document::Document;
pub use element::{Attribute, Element, Name, Node, Plain};
pub use error::{Error, Position};
pub use limits::Limits;
pub use writer::Writer;

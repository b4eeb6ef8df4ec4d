//! Ordered maps and sets that are small to compile: for each pair of types a B-tree of the standard library is some
//! six thousand lines of code before optimisation, this one a few hundred, and a program that embeds the engine
//! builds a hundred such pairs (docs/adr/0011-small-to-compile.md).
//!
//! **Invariant:** entries are in the order of their keys, each key once.

mod entry;
mod iter;
mod key;
mod map;
mod set;
mod text;

pub use entry::Entry;
pub use iter::{IntoIter, Iter, IterMut};
pub use map::Map;
pub use set::Set;

//! How much a document may ask of the reader.
//!
//! **Invariant:** every limit is checked before the memory it guards is taken.

/// Bounds on a document; beyond any of them it is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest input in bytes.
    pub bytes: usize,
    /// How deep elements may be nested.
    pub depth: usize,
    /// How many elements, texts, comments and instructions there may be in all.
    pub nodes: usize,
    /// How many attributes one element may have, namespace declarations included.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 64 * 1024 * 1024, depth: 256, nodes: 4_000_000, attributes: 1_000 }
    }
}

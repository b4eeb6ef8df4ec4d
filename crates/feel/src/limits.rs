//! How much one evaluation may take.
//!
//! **Invariant:** every loop and every allocation that grows with the input is paid for in fuel or checked
//! against a size, so that an evaluation ends in bounded time, stack and memory whatever its text.

use std::fmt;

/// Bounds of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: about one per operator, function call and list element touched.
    pub fuel: u64,
    /// Nested evaluations, which is what recursion uses up.
    pub depth: u32,
    /// Elements of one list.
    pub list_items: usize,
    /// Bytes of one string.
    pub string_bytes: usize,
    /// Nested lists and contexts in one value.
    pub value_depth: u16,
    /// Warnings kept; later ones are dropped.
    pub warnings: usize,
    /// Traces kept; later ones are dropped.
    pub traces: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            fuel: 2_000_000,
            // The stack frames of an unoptimised build are several times as large.
            depth: if cfg!(debug_assertions) { 192 } else { 512 },
            list_items: 1_000_000,
            string_bytes: 16 << 20,
            value_depth: 128,
            warnings: 32,
            traces: 64,
        }
    }
}

/// The bound that an evaluation ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// [`Limits::fuel`].
    Fuel(u64),
    /// [`Limits::depth`].
    Depth(u32),
    /// [`Limits::list_items`].
    ListItems(usize),
    /// [`Limits::string_bytes`].
    StringBytes(usize),
    /// [`Limits::value_depth`].
    ValueDepth(u16),
}

impl fmt::Display for Exceeded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exceeded::Fuel(limit) => write!(out, "the evaluation was stopped after {limit} steps"),
            Exceeded::Depth(limit) => write!(
                out,
                "the evaluation nests deeper than {limit} levels; does a function call itself without end?"
            ),
            Exceeded::ListItems(limit) => write!(out, "a list would have more than {limit} items"),
            Exceeded::StringBytes(limit) => write!(out, "a string would be longer than {limit} bytes"),
            Exceeded::ValueDepth(limit) => write!(out, "a value nests deeper than {limit} levels"),
        }
    }
}

impl std::error::Error for Exceeded {}

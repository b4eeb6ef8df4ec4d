//! How much an engine takes in before it says that it is too much.
//!
//! **Invariant:** whatever waits in memory is bounded by one of these; who comes when it is full is told
//! [`Error::Overloaded`](crate::Error::Overloaded), and nothing has changed.

/// Bounds of what an engine holds in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Commands that may wait at one track.
    pub(crate) queue: usize,
    /// Instances that one track remembers.
    pub(crate) cache: usize,
    /// Letters between instances that wait to be seen to.
    pub(crate) letters: usize,
    /// How long tokens may run on.
    pub(crate) walk: tyer_engine::Limits,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { queue: 16_384, cache: 10_000, letters: 100_000, walk: tyer_engine::Limits::default() }
    }
}

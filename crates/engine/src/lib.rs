//! The token game: pure, deterministic, proven by fold.

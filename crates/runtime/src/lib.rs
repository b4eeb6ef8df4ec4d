//! Take, load, step, commit, tell: the embedding API.

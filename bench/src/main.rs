//! Placeholder until its first code.
fn main() {}

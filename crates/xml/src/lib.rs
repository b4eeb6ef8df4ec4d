//! Strict, positioned XML reader and writer.

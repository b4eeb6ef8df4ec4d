//! FEEL: parse once, evaluate by reference, fuel-limited.

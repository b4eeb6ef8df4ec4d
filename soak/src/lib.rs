//! The long reliability runs: the real program under load and in trouble, and what it acknowledged is compared with what
//! it kept.
//!
//! **Invariant:** what is compared with is written outside the program under test, before and after each call.

pub mod arguments;
pub mod binary;
mod caller;
pub mod dice;
pub mod gather;
pub mod ledger;
pub mod life;
pub mod linear;
pub mod load;
pub mod run;
mod shell;
pub mod trouble;
pub mod verdict;

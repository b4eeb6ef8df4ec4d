//! FEEL: parse once, evaluate by reference, fuel-limited.
//!
//! ```
//! use tyer_feel::{Clock, Expression, Names, Value};
//! use std::collections::BTreeMap;
//!
//! let condition = Expression::parse("amount > 1000 and customer.vip", &Names::default())?;
//! let variables = BTreeMap::from([
//!     ("amount".to_owned(), Value::from(1500)),
//!     ("customer".to_owned(), Value::from_json(r#"{"vip": true}"#)?),
//! ]);
//! let evaluation = condition.evaluate(&variables, &Clock::epoch());
//! assert_eq!(evaluation.value.as_bool(), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Invariant:** pure. The clock and the zone are passed in; there is no IO, no thread and no randomness.
//! **Invariant:** nothing here panics, overflows the stack or runs without end, whatever the text and the data.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "in a language with dynamic types, most code takes a few types and answers null to all others"
)]

pub mod ast;
mod builtins;
mod clock;
mod compile;
mod error;
mod eval;
mod expression;
mod function;
mod json;
mod juel;
mod lexer;
mod lexicon;
mod limits;
mod names;
mod node;
mod number;
pub mod parser;
pub mod temporal;
mod types;
mod unparse;
mod value;

pub use ast::Span;
pub use builtins::built_in_functions;
pub use clock::Clock;
pub use error::{ParseError, Warning};
pub use eval::{Answer, Evaluator, Lookup, Stop, Trace, Truth};
pub use expression::{Evaluation, Expression, Extension};
pub use function::{Closure, Function};
pub use limits::{Exceeded, Limits};
pub use names::Names;
pub use node::Node;
pub use number::{Decimal, Number};
pub use types::{Constrained, Type};
pub use unparse::unparse;
pub use value::{Context, List, Range, Value};

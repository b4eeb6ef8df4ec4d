//! How a built-in function looks at its arguments.
//!
//! **Invariant:** a list of one stands for its item and an item for a list of one, wherever the other is wanted
//! (DMN 1.5 §10.3.2.9.4).

use crate::ast::Span;
use crate::eval::{Answer, Evaluator, Stop};
use crate::function::Function;
use crate::limits::Exceeded;
use crate::number::{Number, Rounding};
use crate::value::{List, Value};
use std::sync::Arc;

/// One call of a built-in function.
pub(crate) struct Call<'e, 'a> {
    pub(crate) evaluator: &'e mut Evaluator<'a>,
    pub(crate) span: Span,
    pub(crate) name: &'static str,
    pub(crate) arguments: &'e [Value],
}

impl<'e> Call<'e, '_> {
    pub(crate) fn count(&self) -> usize {
        self.arguments.len()
    }

    /// The argument; null when it was left out.
    pub(crate) fn value(&self, index: usize) -> &'e Value {
        self.arguments.get(index).unwrap_or(&Value::Null)
    }

    /// The argument, or the one item of it.
    pub(crate) fn single(&self, index: usize) -> &'e Value {
        match self.value(index) {
            Value::List(list) if list.len() == 1 => {
                let Value::List(list) = self.value(index) else {
                    return self.value(index);
                };
                &list[0]
            }
            value => value,
        }
    }

    pub(crate) fn number(&self, index: usize) -> Option<Number> {
        match self.single(index) {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A position or a length; what stands after the point does not count.
    pub(crate) fn integer(&self, index: usize) -> Option<i64> {
        self.number(index)?.round(0, Rounding::Down)?.to_i64()
    }

    pub(crate) fn string(&self, index: usize) -> Option<&'e Arc<str>> {
        match self.single(index) {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn function(&self, index: usize) -> Option<&'e Function> {
        match self.single(index) {
            Value::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The list, or a list of the one value; `None` for null.
    pub(crate) fn list(&self, index: usize) -> Option<List> {
        match self.value(index) {
            Value::List(list) => Some(list.clone()),
            Value::Null => None,
            value => Some(List::new(vec![value.clone()])),
        }
    }

    /// The items of `f([a, b])` as well as of `f(a, b)`; `None` for `f(null)`.
    pub(crate) fn items(&self) -> Option<List> {
        match self.arguments {
            [_] => self.list(0),
            arguments => Some(List::new(arguments.to_vec())),
        }
    }

    pub(crate) fn burn(&mut self, steps: usize) -> Result<(), Stop> {
        self.evaluator.burn(steps as u64)
    }

    /// Stops before a string is made that would be too long.
    pub(crate) fn check_size(&mut self, bytes: usize) -> Result<(), Stop> {
        let limit = self.evaluator.limits.string_bytes;
        if bytes > limit { Err(self.evaluator.stop(Exceeded::StringBytes(limit))) } else { Ok(()) }
    }

    /// Null, and why.
    pub(crate) fn null(&mut self, reason: &str) -> Answer {
        let message = format!("`{}` {reason}", self.name);
        self.evaluator.null(self.span, message)
    }

    /// Null because of an argument of a wrong type.
    pub(crate) fn expected(&mut self, index: usize, expected: &str) -> Answer {
        let message =
            format!("expects {expected} as argument {}, not {}", index + 1, self.value(index).type_name());
        self.null(&message)
    }

    /// The value, or null and why.
    pub(crate) fn or_null(&mut self, value: Option<impl Into<Value>>, reason: &str) -> Answer {
        match value {
            Some(value) => Ok(value.into()),
            None => self.null(reason),
        }
    }
}

/// Takes an argument out of a call, or answers null from the function around.
macro_rules! take {
    ($call:ident.$kind:ident($($index:literal)?), $expected:literal) => {
        match $call.$kind($($index)?) {
            Some(value) => value,
            None => return $call.expected(0 $(+ $index)?, $expected),
        }
    };
}
pub(super) use take;

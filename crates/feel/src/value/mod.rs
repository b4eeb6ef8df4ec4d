//! What an expression evaluates to.
//!
//! **Invariant:** cloning a value never copies what it holds; lists, contexts and strings are shared.
//! **Invariant:** inside of lists and contexts there is no `Raw`: JSON is read as a whole or not at all.

mod compare;
mod context;
mod list;
mod text;

pub use context::Context;
pub use list::List;
pub(crate) use text::{is_plain_name, write_string_literal};

use crate::ast::Comparison;
use crate::function::Function;
use crate::json;
use crate::number::Number;
use crate::temporal::{Date, DateTime, DaysAndTime, Time};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// A FEEL value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing, or nothing that makes sense.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(Arc<str>),
    /// A list.
    List(List),
    /// Named values in order.
    Context(Context),
    /// A day.
    Date(Date),
    /// A time of day, maybe at an offset or in a zone.
    Time(Arc<Time>),
    /// A day and a time.
    DateTime(Arc<DateTime>),
    /// A duration in whole months.
    YearsAndMonths(i64),
    /// A duration in nanoseconds.
    DaysAndTime(DaysAndTime),
    /// An interval.
    Range(Arc<Range>),
    /// A function.
    Function(Function),
    /// JSON that nobody has read yet.
    Raw(Arc<RawValue>),
}

/// An interval. An end that is `Null` is unknown, unless the range was written with a comparison.
#[derive(Clone, Debug)]
pub struct Range {
    /// The lower end.
    pub start: Value,
    /// The upper end.
    pub end: Value,
    /// Whether the lower end belongs to it.
    pub start_included: bool,
    /// Whether the upper end belongs to it.
    pub end_included: bool,
    /// The comparison it was written with, as in `(< 10)`: its other end is then no bound.
    pub comparison: Option<Comparison>,
}

impl Range {
    /// `[start..end]` with either end open or closed.
    pub fn new(start: Value, end: Value, start_included: bool, end_included: bool) -> Range {
        Range { start, end, start_included, end_included, comparison: None }
    }
}

impl Value {
    /// Reads a JSON document.
    pub fn from_json(text: &str) -> Result<Value, serde_json::Error> {
        serde_json::from_str::<&RawValue>(text).map(|raw| json::read(raw.get()))
    }

    /// JSON that is read when an expression needs it.
    pub fn raw(raw: Arc<RawValue>) -> Value {
        Value::Raw(raw)
    }

    /// A text.
    pub fn string(text: impl Into<Arc<str>>) -> Value {
        Value::String(text.into())
    }

    /// A list.
    pub fn list(items: Vec<Value>) -> Value {
        Value::List(List::new(items))
    }

    /// The value with its JSON read, if it was raw.
    pub fn read(self) -> Value {
        match self {
            Value::Raw(raw) => json::read(raw.get()),
            value => value,
        }
    }

    /// True or false, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Boolean(value) => Some(*value),
            Value::Raw(raw) => match raw.get() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Raw(raw) => json::read_string(raw.get()),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Raw(raw) => Number::parse(raw.get()),
            _ => None,
        }
    }

    /// Whether there is nothing.
    pub fn is_null(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Raw(raw) => raw.get() == "null",
            _ => false,
        }
    }

    /// JSON text: numbers exact, temporal values, ranges and functions as strings.
    pub fn to_json(&self) -> String {
        json::write(self)
    }

    /// The word for its type, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Context(_) => "context",
            Value::Date(_) => "date",
            Value::Time(_) => "time",
            Value::DateTime(_) => "date and time",
            Value::YearsAndMonths(_) => "years and months duration",
            Value::DaysAndTime(_) => "days and time duration",
            Value::Range(_) => "range",
            Value::Function(_) => "function",
            Value::Raw(_) => "unread JSON",
        }
    }

    /// How many lists and contexts are nested in it.
    pub(crate) fn depth(&self) -> u16 {
        match self {
            Value::List(list) => list.depth(),
            Value::Context(context) => context.depth(),
            Value::Function(function) => function.depth(),
            Value::Range(range) => range.start.depth().max(range.end.depth()).saturating_add(1),
            _ => 0,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Number(Number::Int(value))
    }
}

impl From<Number> for Value {
    fn from(value: Number) -> Value {
        Value::Number(value)
    }
}

impl From<Option<Number>> for Value {
    fn from(value: Option<Number>) -> Value {
        value.map_or(Value::Null, Value::Number)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::String(value.into())
    }
}

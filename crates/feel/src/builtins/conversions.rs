//! `string`, `number`, `not`, `is`.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::number::Number;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    builtin("string", &[&["from"]], |call| match call.value(0) {
        Value::Null => Ok(Value::Null),
        Value::String(text) => Ok(Value::String(text.clone())),
        value => {
            call.burn(1)?;
            Ok(Value::from(value.to_string()))
        }
    }),
    builtin("number", &[&["from", "grouping separator?", "decimal separator?"]], number),
    builtin("not", &[&["negand"]], |call| match call.single(0) {
        Value::Boolean(value) => Ok(Value::Boolean(!value)),
        Value::Null => Ok(Value::Null),
        _ => call.expected(0, "true or false"),
    }),
    builtin("is", &[&["value1?", "value2?"]], |call| Ok(Value::Boolean(is(call.value(0), call.value(1))))),
];

/// The same value in the same way: two times are not the same where they are only equal.
fn is(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Time(a), Value::Time(b)) => a.nanos == b.nanos && a.zone == b.zone,
        (Value::DateTime(a), Value::DateTime(b)) => a.local() == b.local() && a.zone == b.zone,
        _ => a.type_name() == b.type_name() && a.equals(b) == Some(true),
    }
}

fn number(call: &mut Call<'_, '_>) -> Answer {
    if let (Value::Number(number), 1) = (call.single(0), call.count()) {
        return Ok(Value::Number(*number));
    }
    let text = take!(call.string(0), "a string");
    let Some(grouping) = separator(call.single(1), &[" ", ",", "."]) else {
        return call.expected(1, "a space, a comma or a point");
    };
    let Some(decimal) = separator(call.single(2), &[",", "."]) else {
        return call.expected(2, "a comma or a point");
    };
    if grouping.is_some() && grouping == decimal {
        return call.null("takes two different separators");
    }
    let mut plain = text.to_string();
    if let Some(grouping) = grouping {
        plain = plain.replace(grouping, "");
    }
    if let Some(decimal) = decimal
        && decimal != "."
    {
        if plain.contains('.') {
            return call.null("takes a number");
        }
        plain = plain.replace(decimal, ".");
    }
    call.or_null(parse(&plain), "takes a number")
}

/// `None` when it is something else than one of the allowed ones or null.
fn separator<'e>(value: &'e Value, allowed: &[&str]) -> Option<Option<&'e str>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) if allowed.contains(&&**text) => Some(Some(text)),
        _ => None,
    }
}

/// A numeric literal with a sign before it.
fn parse(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let starts = digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.');
    if starts && !digits.ends_with('.') { Number::parse(text) } else { None }
}

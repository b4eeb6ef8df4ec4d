//! Values as text: what the function `string` answers, and how values look inside of lists and messages.

use super::{Range, Value};
use std::fmt;

impl fmt::Display for Value {
    /// As FEEL would write it: strings quoted, everything else as `string()` gives it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => out.write_str("null"),
            Value::Boolean(value) => write!(out, "{value}"),
            Value::Number(value) => write!(out, "{value}"),
            Value::String(value) => write_quoted(out, value),
            Value::List(list) => {
                out.write_str("[")?;
                for (index, item) in list.iter().enumerate() {
                    write!(out, "{}{item}", if index == 0 { "" } else { ", " })?;
                }
                out.write_str("]")
            }
            Value::Context(context) => {
                out.write_str("{")?;
                for (index, (name, value)) in context.entries().iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { ", " })?;
                    if is_plain_name(name) {
                        out.write_str(name)?
                    } else {
                        write_quoted(out, name)?
                    }
                    write!(out, ": {value}")?;
                }
                out.write_str("}")
            }
            Value::Date(value) => write!(out, "{value}"),
            Value::Time(value) => write!(out, "{value}"),
            Value::DateTime(value) => write!(out, "{value}"),
            Value::YearsAndMonths(months) => write_months(out, *months),
            Value::DaysAndTime(value) => write!(out, "{value}"),
            Value::Range(range) => write!(out, "{range}"),
            Value::Function(function) => write!(out, "{function}"),
            Value::Raw(raw) => write!(out, "{}", crate::json::read(raw.get())),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.start, &self.end) {
            (Value::Null, end) if self.comparison.is_some() => {
                write!(out, "{}{end}", if self.end_included { "<=" } else { "<" })
            }
            (start, Value::Null) if self.comparison.is_some() => {
                write!(out, "{}{start}", if self.start_included { ">=" } else { ">" })
            }
            (start, end) => {
                let open = if self.start_included { '[' } else { '(' };
                write!(out, "{open}{start}..{end}{}", if self.end_included { ']' } else { ')' })
            }
        }
    }
}

/// A string as FEEL writes it.
pub(crate) fn write_string_literal(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(out, "\\{letter}")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            letter => out.write_char(letter)?,
        }
    }
    out.write_char('"')
}

fn write_quoted(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for part in text.split_inclusive(['"', '\\']) {
        match part.strip_suffix(['"', '\\']) {
            Some(plain) => write!(out, "{plain}\\{}", &part[plain.len()..])?,
            None => out.write_str(part)?,
        }
    }
    out.write_str("\"")
}

fn write_months(out: &mut fmt::Formatter<'_>, months: i64) -> fmt::Result {
    let magnitude = months.unsigned_abs();
    let (years, rest) = (magnitude / 12, magnitude % 12);
    let sign = if months < 0 { "-" } else { "" };
    match (years, rest) {
        (0, rest) => write!(out, "{sign}P{rest}M"),
        (years, 0) => write!(out, "{sign}P{years}Y"),
        (years, rest) => write!(out, "{sign}P{years}Y{rest}M"),
    }
}

pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

//! JSON to values and back, and a look into a document without reading it.
//!
//! **Invariant:** the text was checked by `RawValue`, so that the scanner may rely on its form.

use crate::number::Number;
use crate::value::{Context, List, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// Nesting up to which a document is read.
const MAXIMUM_DEPTH: u32 = 128;

/// Reads a checked document.
pub(crate) fn read(text: &str) -> Value {
    Scanner::new(text).value()
}

/// The string, if the document is one.
pub(crate) fn read_string(text: &str) -> Option<Cow<'_, str>> {
    let mut scanner = Scanner::new(text);
    scanner.skip_space();
    (scanner.peek() == b'"').then(|| scanner.string())
}

/// The text of one member of an object; `None` when the document is no object.
///
/// This is what every `variable.name` in a condition costs: positions stay in registers, nothing is decoded.
pub(crate) fn member<'a>(text: &'a str, name: &str) -> Option<Option<&'a str>> {
    let bytes = text.as_bytes();
    let mut at = blanks_end(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    let mut found = None;
    loop {
        at = blanks_end(bytes, at + 1);
        if bytes.get(at) != Some(&b'"') {
            return Some(found);
        }
        let (key_end, escaped) = string_end(bytes, at + 1);
        let matches = match escaped {
            false => bytes.get(at + 1..key_end) == Some(name.as_bytes()),
            true => serde_json::from_str::<String>(text.get(at..=key_end)?).is_ok_and(|key| key == name),
        };
        let colon = blanks_end(bytes, key_end + 1);
        let start = blanks_end(bytes, colon + 1);
        let end = value_end(bytes, start);
        // Of two members with one name the later one counts.
        if matches {
            found = text.get(start..end);
        }
        at = blanks_end(bytes, end);
    }
}

#[inline]
fn blanks_end(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// The closing quote of a string whose content starts at `at`, and whether it has escapes.
#[inline]
fn string_end(bytes: &[u8], mut at: usize) -> (usize, bool) {
    let mut escaped = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return (at, escaped),
            b'\\' => {
                escaped = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
    (bytes.len(), escaped)
}

/// One past a value that starts at `at`.
fn value_end(bytes: &[u8], mut at: usize) -> usize {
    let mut open = 0u32;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at + 1).0,
            b'{' | b'[' => open += 1,
            b'}' | b']' if open == 0 => return at,
            b'}' | b']' => open -= 1,
            b',' | b' ' | b'\n' | b'\r' | b'\t' if open == 0 => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 1;
        if open == 0 {
            return at.min(bytes.len());
        }
    }
    bytes.len()
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, bytes: text.as_bytes(), at: 0, depth: 0 }
    }

    /// A document that nests deeper than any value may is null from there on.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.depth >= MAXIMUM_DEPTH {
            self.at = value_end(self.bytes, self.at);
            return Value::Null;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Value {
        self.skip_space();
        match self.peek() {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => Value::String(Arc::from(self.string())),
            b't' => self.word(4, Value::Boolean(true)),
            b'f' => self.word(5, Value::Boolean(false)),
            b'n' => self.word(4, Value::Null),
            _ => {
                let start = self.at;
                self.skip_number();
                Number::parse(&self.text[start..self.at]).map_or(Value::Null, Value::Number)
            }
        }
    }

    fn object(&mut self) -> Value {
        let mut entries = Vec::new();
        self.members(|scanner, key| {
            let value = scanner.value();
            entries.push((Arc::from(key), value));
        });
        Value::Context(Context::new(entries))
    }

    fn array(&mut self) -> Value {
        let mut items = Vec::new();
        self.elements(|scanner| items.push(scanner.value()));
        Value::List(List::new(items))
    }

    fn word(&mut self, length: usize, value: Value) -> Value {
        self.at += length;
        value
    }

    fn members(&mut self, mut each: impl FnMut(&mut Self, &str)) {
        self.at += 1;
        self.skip_space();
        while self.peek() == b'"' {
            let key = self.string();
            self.skip_space();
            self.at += 1;
            self.skip_space();
            each(self, &key);
            self.skip_space();
            if self.peek() == b',' {
                self.at += 1;
                self.skip_space();
            }
        }
        self.at += 1;
    }

    fn elements(&mut self, mut each: impl FnMut(&mut Self)) {
        self.at += 1;
        self.skip_space();
        while self.at < self.bytes.len() && self.peek() != b']' {
            each(self);
            self.skip_space();
            if self.peek() == b',' {
                self.at += 1;
                self.skip_space();
            }
        }
        self.at += 1;
    }

    fn string(&mut self) -> Cow<'a, str> {
        let start = self.at;
        let escaped = self.skip_string();
        if !escaped {
            return Cow::Borrowed(&self.text[start + 1..self.at - 1]);
        }
        Cow::Owned(serde_json::from_str(&self.text[start..self.at]).unwrap_or_default())
    }

    /// Passes over a string: whether it had escapes.
    fn skip_string(&mut self) -> bool {
        let (end, escaped) = string_end(self.bytes, self.at + 1);
        self.at = (end + 1).min(self.bytes.len());
        escaped
    }

    fn skip_number(&mut self) {
        while matches!(self.peek(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
            self.at += 1;
        }
        // A document that is none of what JSON knows cannot be here; it must not stop the scan either.
    }
}

/// Writes a value as JSON.
pub(crate) fn write(value: &Value) -> String {
    let mut out = String::new();
    write_into(&mut out, value);
    out
}

fn write_into(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Raw(raw) => out.push_str(raw.get()),
        Value::List(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_into(out, item);
            }
            out.push(']');
        }
        Value::Context(context) => {
            out.push('{');
            for (index, (name, item)) in context.entries().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, name);
                out.push(':');
                write_into(out, item);
            }
            out.push('}');
        }
        Value::String(text) => write_string(out, text),
        Value::Date(_)
        | Value::Time(_)
        | Value::DateTime(_)
        | Value::YearsAndMonths(_)
        | Value::DaysAndTime(_)
        | Value::Range(_)
        | Value::Function(_) => write_string(out, &value.to_string()),
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).expect("a string is always JSON"));
}

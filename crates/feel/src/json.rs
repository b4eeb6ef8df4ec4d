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

/// True or false, if the document is no more.
#[inline]
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The string, if the document is one without escapes.
#[inline]
pub(crate) fn plain_string(text: &str) -> Option<&str> {
    let content = text.strip_prefix('"')?.strip_suffix('"')?;
    (!content.contains('\\')).then_some(content)
}

/// Follows a path through the text of a document; `None` when it has to be read to answer.
#[inline]
pub(crate) fn follow<'a>(text: &'a str, path: &[Arc<str>]) -> Option<&'a str> {
    path.iter().try_fold(text, |text, name| member(text, name)?)
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
fn member<'a>(text: &'a str, name: &str) -> Option<Option<&'a str>> {
    let mut found = None;
    let [b'{', rest @ ..] = after_blanks(text.as_bytes()) else { return None };
    let mut rest = after_blanks(rest);
    while let [b'"', key @ ..] = rest {
        let (length, escaped) = string_length(key);
        let (key, after) = key.split_at_checked(length)?;
        let matches = match escaped {
            false => key == name.as_bytes(),
            true => is_escaped(key, name),
        };
        // After the closing quote stands a colon, after that the value.
        let colon = after_blanks(after.get(1..)?);
        let value = after_blanks(colon.get(1..)?);
        let length = value_length(value);
        // Of two members with one name the later one counts.
        if matches {
            let start = text.len() - value.len();
            found = text.get(start..start + length);
        }
        rest = after_blanks(value.get(length..)?);
        if let [b',', next @ ..] = rest {
            rest = after_blanks(next);
        }
    }
    Some(found)
}

/// Whether a string with escapes says this.
#[cold]
fn is_escaped(content: &[u8], said: &str) -> bool {
    let quoted = [b"\"", content, b"\""].concat();
    serde_json::from_slice::<String>(&quoted).is_ok_and(|content| content == said)
}

#[inline]
fn after_blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b'\0'..=b' ', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// The length of a string's content up to the closing quote, and whether it has escapes.
#[inline]
fn string_length(bytes: &[u8]) -> (usize, bool) {
    let mut escaped = false;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..) {
        at += match rest.first_chunk().map(|eight| quote_or_escape(u64::from_le_bytes(*eight))) {
            Some(8) => {
                at += 8;
                continue;
            }
            Some(distance) => distance,
            None => rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len()),
        };
        if bytes.get(at) != Some(&b'\\') {
            return (at, escaped);
        }
        escaped = true;
        at += 2;
    }
    (bytes.len(), escaped)
}

/// Of eight bytes, how many stand before the first quote or backslash.
#[inline]
fn quote_or_escape(eight: u64) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // The lowest high bit that comes out is that of the first byte that is the one looked for.
    let marks = |wanted: u8| {
        let differing = eight ^ (ONES * u64::from(wanted));
        differing.wrapping_sub(ONES) & !differing
    };
    (((marks(b'"') | marks(b'\\')) & (ONES << 7)).trailing_zeros() / 8) as usize
}

/// The length of the value that the bytes begin with.
#[inline]
fn value_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'"', content @ ..] => (string_length(content).0 + 2).min(bytes.len()),
        [b'{' | b'[', ..] => nested_length(bytes),
        _ => word_length(bytes),
    }
}

/// The length of a number or a word: no byte of these is one that may follow it.
#[inline]
fn word_length(bytes: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(byte, b'\0'..=b' ' | b',' | b'}' | b']');
    bytes.iter().position(ends).unwrap_or(bytes.len())
}

/// The length of an object or array.
fn nested_length(bytes: &[u8]) -> usize {
    let mut open = 0u32;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at += string_length(&bytes[at..]).0 + 1,
            b'{' | b'[' => open += 1,
            b'}' | b']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            break;
        }
    }
    at.min(bytes.len())
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
            self.at += value_length(&self.bytes[self.at..]);
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
        let (length, escaped) = string_length(&self.bytes[self.at + 1..]);
        self.at = (self.at + length + 2).min(self.bytes.len());
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

//! JSON to values and back, and a look into a document without reading it.
//!
//! **Invariant:** the text was checked by `RawValue`, so that the scanner may rely on its form.

mod search;
mod write;

use crate::number::Number;
use crate::value::{Context, List, Value};
use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use search::follow;
use search::{string_length, value_length};
pub(crate) use write::write;

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

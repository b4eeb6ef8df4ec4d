//! A look into a document without reading it.
//!
//! **Invariant:** the text was checked by `RawValue`, so that its form can be relied on; nothing is decoded but keys
//! with escapes.

use std::sync::Arc;

/// Follows a path through the text of a document; `None` when it has to be read to answer.
#[inline]
pub(crate) fn follow<'a>(text: &'a str, path: &[Arc<str>]) -> Option<&'a str> {
    path.iter().try_fold(text, |text, name| member(text, name)?)
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
pub(super) fn string_length(bytes: &[u8]) -> (usize, bool) {
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
pub(super) fn value_length(bytes: &[u8]) -> usize {
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

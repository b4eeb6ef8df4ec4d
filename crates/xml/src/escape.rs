//! References and line ends: what stands in the file and what it means.
//!
//! **Invariant:** only the five predefined entities and character references are resolved.

use std::borrow::Cow;

/// What a piece of character data means: references resolved, line ends made `\n`.
pub(crate) fn decode_text(raw: &str) -> Result<Cow<'_, str>, Unresolved> {
    if memchr::memchr2(b'&', b'\r', raw.as_bytes()).is_some() {
        decode(raw, false).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(raw))
    }
}

/// What an attribute value means: as text, and white space made blanks (XML 1.0 §3.3.3).
pub(crate) fn decode_attribute(raw: &str) -> Result<Cow<'_, str>, Unresolved> {
    let special = |byte| matches!(byte, b'&' | b'\r' | b'\n' | b'\t');
    if raw.bytes().any(special) { decode(raw, true).map(Cow::Owned) } else { Ok(Cow::Borrowed(raw)) }
}

/// A reference that names nothing, and its offset in the piece.
#[derive(Debug)]
pub(crate) struct Unresolved {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

fn decode(raw: &str, attribute: bool) -> Result<String, Unresolved> {
    let mut decoded = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(next) = rest.chars().next() {
        let offset = raw.len() - rest.len();
        let taken = match next {
            '&' => {
                let (character, length) =
                    reference(rest).map_err(|message| Unresolved { offset, message })?;
                decoded.push(character);
                length
            }
            '\r' => {
                decoded.push(if attribute { ' ' } else { '\n' });
                if rest[1..].starts_with('\n') { 2 } else { 1 }
            }
            '\n' | '\t' if attribute => {
                decoded.push(' ');
                1
            }
            other => {
                decoded.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Ok(decoded)
}

/// The character a reference at the start of `text` stands for, and the length of the reference.
fn reference(text: &str) -> Result<(char, usize), String> {
    // No reference is longer; looking further for the `;` would make many `&` quadratic.
    let longest = 16;
    let head = text.bytes().take(longest).position(|byte| byte == b';');
    let Some(end) = head else {
        return Err("`&` that begins no reference; write `&amp;`".to_owned());
    };
    let name = &text[1..end];
    let character = resolve(name).ok_or_else(|| {
        format!(
            "reference `&{name};` is not allowed; only amp, lt, gt, quot, apos and character references are"
        )
    })?;
    Ok((character, end + 1))
}

/// The character that a reference's name stands for.
pub(crate) fn resolve(name: &str) -> Option<char> {
    let number = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => name.strip_prefix('#')?,
    };
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hexadecimal| (hexadecimal, 16));
    if digits.starts_with('+') {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, radix).ok()?).filter(|&character| is_xml_character(character))
}

/// Whether XML 1.0 allows the character in a document (§2.2).
pub(crate) fn is_xml_character(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Writes character data; characters that XML cannot hold become U+FFFD.
pub(crate) fn encode_text(text: &str, into: &mut String) {
    encode(text, into, |character| match character {
        '\r' => Some("&#13;"),
        _ => None,
    });
}

/// Writes an attribute value for double quotes; characters that XML cannot hold become U+FFFD.
pub(crate) fn encode_attribute(value: &str, into: &mut String) {
    encode(value, into, |character| match character {
        '"' => Some("&quot;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        '\t' => Some("&#9;"),
        _ => None,
    });
}

fn encode(text: &str, into: &mut String, special: impl Fn(char) -> Option<&'static str>) {
    for character in text.chars() {
        match character {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            _ => match special(character) {
                Some(reference) => into.push_str(reference),
                None if is_xml_character(character) => into.push(character),
                None => into.push('\u{FFFD}'),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_line_ends_are_decoded() {
        assert_eq!(decode_text("a &lt; b\r\nc\rd&#65;&#x42;").expect("all are known"), "a < b\nc\ndAB");
        assert_eq!(decode_attribute("a\r\nb\tc&#10;d").expect("all are known"), "a b c\nd");
    }

    #[test]
    fn unknown_and_illegal_references_are_refused() {
        for raw in ["&nbsp;", "& ", "&#0;", "&#xFFFF;", "&#+65;", "&#99999999999999;", "&;", "&"] {
            assert!(decode_text(raw).is_err(), "{raw} must be refused");
        }
    }
}

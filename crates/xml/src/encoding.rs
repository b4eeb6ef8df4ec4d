//! Bytes to text: UTF-8, UTF-16, Latin-1 and windows-1252, by byte order mark or declaration.
//!
//! **Invariant:** bytes that the encoding does not allow are refused, never replaced.

use std::borrow::Cow;

use crate::Error;

/// The text of a document, without byte order mark.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes).map(Cow::Owned),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes).map(Cow::Owned),
        [b'<', 0, ..] => utf16(bytes, u16::from_le_bytes).map(Cow::Owned),
        [0, b'<', ..] => utf16(bytes, u16::from_be_bytes).map(Cow::Owned),
        _ => by_declaration(bytes),
    }
}

fn by_declaration(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let Some(label) = declared_encoding(bytes) else {
        return utf8(bytes);
    };
    match label.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => utf8(bytes),
        "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "latin-1" => {
            Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()))
        }
        "windows-1252" | "cp1252" | "cp-1252" => windows_1252(bytes).map(Cow::Owned),
        // Without a byte order mark the bytes were readable as ASCII, so this cannot be UTF-16.
        "utf-16" | "utf-16le" | "utf-16be" => {
            Err(first_line("encoding UTF-16 is declared, but the bytes are not UTF-16; save the file again"))
        }
        _ => Err(first_line(&format!(
            "encoding {label:?} is not supported; save the file as UTF-8 (also read: UTF-16, ISO-8859-1, windows-1252)"
        ))),
    }
}

/// The value of `encoding="…"` in an XML declaration, which is ASCII in every encoding read here.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(256)];
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let end = head.iter().position(|&byte| byte == b'>')?;
    let declaration: String = head[..end].iter().map(|&byte| char::from(byte)).collect();
    let (_, after) = declaration.split_once("encoding")?;
    let after = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|&first| first == '"' || first == '\'')?;
    after[1..].split_once(quote).map(|(label, _)| label.to_owned())
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).map(String::from_utf8_lossy).unwrap_or_default();
        let message = "byte that is not UTF-8; save the file as UTF-8 or declare its encoding";
        Error::at(&valid, valid.len(), message)
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let pairs = bytes.chunks_exact(2);
    let complete = pairs.remainder().is_empty();
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(character) => text.push(character),
            Err(_) => return Err(Error::at(&text, text.len(), "half of a surrogate pair in UTF-16")),
        }
    }
    if complete {
        Ok(text)
    } else {
        Err(Error::at(&text, text.len(), "half of a UTF-16 character at the end"))
    }
}

/// What 0x80 to 0x9F mean in windows-1252; the five unassigned bytes are refused.
const WINDOWS_1252: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“',
    '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

fn windows_1252(bytes: &[u8]) -> Result<String, Error> {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        let character = match byte {
            0x80..=0x9F => WINDOWS_1252[usize::from(byte - 0x80)],
            _ => char::from(byte),
        };
        if character == '\0' {
            return Err(Error::at(
                &text,
                text.len(),
                format!("byte 0x{byte:02X} means nothing in windows-1252"),
            ));
        }
        text.push(character);
    }
    Ok(text)
}

fn first_line(message: &str) -> Error {
    Error { line: 1, column: 1, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_encoding_gives_the_same_text() {
        let text = "<?xml version=\"1.0\" encoding=\"ENC\"?><a b=\"ä\"/>";
        let as_utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(unit).collect() };
        let mut with_mark = vec![0xFF, 0xFE];
        with_mark.extend(as_utf16(u16::to_le_bytes));
        for bytes in [with_mark, as_utf16(u16::to_le_bytes), as_utf16(u16::to_be_bytes)] {
            assert_eq!(decode(&bytes).expect("UTF-16 is read"), text);
        }
        for label in ["iso-8859-1", "windows-1252", "Latin1"] {
            let text = text.replace("ENC", label);
            let bytes: Vec<u8> =
                text.chars().map(|c| u8::try_from(c).expect("the sample is Latin-1")).collect();
            assert_eq!(decode(&bytes).expect("single byte encodings are read"), text);
        }
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>").expect("a mark is skipped"), "<a/>");
    }

    #[test]
    fn windows_1252_knows_the_euro_sign_and_refuses_unassigned_bytes() {
        let euro = b"<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>";
        assert!(decode(euro).expect("0x80 is the euro").ends_with("<a>€</a>"));
        assert!(decode(b"<?xml version='1.0' encoding='windows-1252'?><a>\x81</a>").is_err());
    }

    #[test]
    fn a_wrong_byte_is_refused_where_it_stands() {
        let error = decode(b"<a>\n \xFF</a>").expect_err("0xFF is not UTF-8");
        assert_eq!((error.line, error.column), (2, 2));
        assert!(decode(b"<?xml version='1.0' encoding='EBCDIC'?><a/>").is_err());
        assert!(decode(b"\xFF\xFE<").is_err());
    }
}

//! Why a document was refused, and where.

use std::fmt;

/// A place in a document, as editors count: the first character is line 1, column 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

impl Position {
    /// The position of the character at a byte offset of a text.
    pub(crate) fn at(text: &str, offset: usize) -> Position {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut position = Position { line: 1, column: 1 };
        position.advance(&text[..end]);
        position
    }

    /// Moves past a piece of text.
    pub(crate) fn advance(&mut self, passed: &str) {
        let bytes = passed.as_bytes();
        let last_line = match bytes.iter().rposition(|&byte| byte == b'\n') {
            None => bytes,
            Some(newline) => {
                self.line += count(&bytes[..=newline], |byte| byte == b'\n');
                self.column = 1;
                &bytes[newline + 1..]
            }
        };
        // Bytes that continue a UTF-8 sequence are not characters of their own.
        self.column += count(last_line, |byte| byte & 0xC0 != 0x80);
    }
}

fn count(bytes: &[u8], counts: impl Fn(u8) -> bool) -> u32 {
    bytes.iter().map(|&byte| u32::from(counts(byte))).sum()
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A document that is not the XML we accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct Error {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// What was found and what was expected.
    pub message: String,
}

impl Error {
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> Error {
        let Position { line, column } = Position::at(text, offset);
        Error { line, column, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_count_newlines() {
        assert_eq!(Position::at("äö<a>", 4), Position { line: 1, column: 3 });
        assert_eq!(Position::at("a\nb\n  c", 6), Position { line: 3, column: 3 });
        assert_eq!(Position::at("a", 99), Position { line: 1, column: 2 });
    }
}

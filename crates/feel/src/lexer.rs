//! Text to tokens. A word is never a keyword here: only the parser knows where a name may stand.

use crate::ast::Span;
use crate::error::ParseError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Colon,
    Dot,
    DotDot,
    Plus,
    Minus,
    Star,
    Power,
    Slash,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Arrow,
    At,
    Apostrophe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// A name in backticks; the span leaves them out.
    Quoted,
    Number,
    /// The span leaves the quotes out.
    Text,
    Symbol(Symbol),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// All tokens of a text, closed by one `End`.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    if text.len() > u32::MAX as usize / 2 {
        return Err(ParseError::new(Span::default(), "an expression of less than 2 GB"));
    }
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 2);
    loop {
        let token = lexer.next()?;
        tokens.push(token);
        if token.kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Result<Token, ParseError> {
        self.skip_space()?;
        let start = self.at;
        let Some(byte) = self.peek(0) else {
            return Ok(self.token(TokenKind::End, start, start));
        };
        match byte {
            b'0'..=b'9' => Ok(self.number(start)),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => Ok(self.number(start)),
            b'"' => self.quoted(start, b'"', TokenKind::Text, "a closing \""),
            b'`' => self.quoted(start, b'`', TokenKind::Quoted, "a closing `"),
            _ if is_name_byte(byte) => Ok(self.word(start)),
            _ => self.symbol(start),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn token(&self, kind: TokenKind, start: usize, end: usize) -> Token {
        Token { kind, span: Span { start: start as u32, end: end as u32 } }
    }

    fn skip_space(&mut self) -> Result<(), ParseError> {
        loop {
            let Some(byte) = self.peek(0) else { return Ok(()) };
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.peek(1) == Some(b'/') => {
                    self.at =
                        self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length);
                }
                b'/' if self.peek(1) == Some(b'*') => {
                    let start = self.at;
                    let closed = self.text[start + 2..].find("*/");
                    let open = self.token(TokenKind::End, start, start + 2).span;
                    self.at = start + 4 + closed.ok_or_else(|| ParseError::new(open, "a closing */"))?;
                }
                0x80.. => match self.text[self.at..].chars().next() {
                    Some(letter) if letter.is_whitespace() || letter == '\u{feff}' => {
                        self.at += letter.len_utf8()
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    fn number(&mut self, start: usize) -> Token {
        self.digits();
        if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
            if self.peek(1 + sign).is_some_and(|next| next.is_ascii_digit()) {
                self.at += 1 + sign;
                self.digits();
            }
        }
        self.token(TokenKind::Number, start, self.at)
    }

    fn digits(&mut self) {
        while self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn word(&mut self, start: usize) -> Token {
        while let Some(byte) = self.peek(0) {
            if byte >= 0x80 {
                let Some(letter) = self.text[self.at..].chars().next() else {
                    break;
                };
                if letter.is_whitespace() {
                    break;
                }
                self.at += letter.len_utf8();
            } else if is_name_byte(byte) || byte.is_ascii_digit() {
                self.at += 1;
            } else {
                break;
            }
        }
        self.token(TokenKind::Word, start, self.at)
    }

    fn quoted(
        &mut self,
        start: usize,
        close: u8,
        kind: TokenKind,
        expected: &'static str,
    ) -> Result<Token, ParseError> {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            if byte == close {
                let token = self.token(kind, start + 1, self.at);
                self.at += 1;
                return Ok(token);
            }
            self.at += if byte == b'\\' && close == b'"' && self.peek(1).is_some() { 2 } else { 1 };
        }
        Err(ParseError::new(self.token(kind, start, self.bytes.len()).span, expected))
    }

    fn symbol(&mut self, start: usize) -> Result<Token, ParseError> {
        use Symbol::*;
        let pair = match (self.bytes[start], self.peek(1)) {
            (b'.', Some(b'.')) => Some(DotDot),
            (b'*', Some(b'*')) => Some(Power),
            (b'!', Some(b'=')) => Some(NotEqual),
            (b'<', Some(b'=')) => Some(LessOrEqual),
            (b'>', Some(b'=')) => Some(GreaterOrEqual),
            (b'-', Some(b'>')) => Some(Arrow),
            _ => None,
        };
        if let Some(symbol) = pair {
            self.at += 2;
            return Ok(self.token(TokenKind::Symbol(symbol), start, self.at));
        }
        let symbol = match self.bytes[start] {
            b'(' => Open,
            b')' => Close,
            b'[' => OpenBracket,
            b']' => CloseBracket,
            b'{' => OpenBrace,
            b'}' => CloseBrace,
            b',' => Comma,
            b':' => Colon,
            b'.' => Dot,
            b'+' => Plus,
            b'-' => Minus,
            b'*' => Star,
            b'/' => Slash,
            b'=' => Equal,
            b'<' => Less,
            b'>' => Greater,
            b'@' => At,
            b'\'' => Apostrophe,
            _ => {
                return Err(ParseError::new(
                    self.token(TokenKind::End, start, start + 1).span,
                    "an expression",
                ));
            }
        };
        self.at += 1;
        Ok(self.token(TokenKind::Symbol(symbol), start, self.at))
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'?' || byte == b'$' || byte >= 0x80
}

/// The value of a string literal between its quotes; `None` when an escape is malformed.
pub(crate) fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_owned());
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        if letter != '\\' {
            result.push(letter);
            continue;
        }
        match rest.next()? {
            'n' => result.push('\n'),
            'r' => result.push('\r'),
            't' => result.push('\t'),
            'u' => result.push(utf16(&mut rest)?),
            'U' => result.push(char::from_u32(hexadecimal(&mut rest, 6)?)?),
            escaped @ ('"' | '\'' | '\\') => result.push(escaped),
            other => {
                // A pattern such as "\d" is written in models without doubling the backslash.
                result.push('\\');
                result.push(other);
            }
        }
    }
    Some(result)
}

fn utf16(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let unit = hexadecimal(rest, 4)?;
    if !(0xd800..0xdc00).contains(&unit) {
        return char::from_u32(unit);
    }
    if (rest.next()?, rest.next()?) != ('\\', 'u') {
        return None;
    }
    let low = hexadecimal(rest, 4)?;
    char::decode_utf16([unit as u16, low as u16]).next()?.ok()
}

fn hexadecimal(rest: &mut std::str::Chars<'_>, digits: u32) -> Option<u32> {
    (0..digits).try_fold(0, |value, _| Some(value * 16 + rest.next()?.to_digit(16)?))
}

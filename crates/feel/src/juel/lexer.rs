//! The tokens of a `${…}` expression.

use crate::ast::Span;
use crate::error::ParseError;
use crate::number::Number;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lexeme {
    Word(Arc<str>),
    Text(Arc<str>),
    Number(Number),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) lexeme: Lexeme,
    pub(super) span: Span,
}

/// Longer ones before their beginnings.
const SYMBOLS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(", ")", "[", "]",
    ".", ",",
];

/// Words that are operators, and the symbols they stand for.
const WORDS: &[(&str, &str)] = &[
    ("eq", "=="),
    ("ne", "!="),
    ("le", "<="),
    ("ge", ">="),
    ("and", "&&"),
    ("or", "||"),
    ("lt", "<"),
    ("gt", ">"),
    ("div", "/"),
    ("mod", "%"),
    ("not", "!"),
];

/// Reads `text` from `start`; the text ends where the expression does.
pub(super) fn tokens(text: &str, start: usize) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = start;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            tokens.push(Token { lexeme: Lexeme::End, span: super::span(at, at) });
            return Ok(tokens);
        };
        let (lexeme, length) = match first {
            '\'' | '"' => quoted(rest, first)
                .ok_or_else(|| ParseError::new(super::span(at, text.len()), "a closing quote"))?,
            '0'..='9' => number(rest).ok_or_else(|| ParseError::new(super::span(at, at + 1), "a number"))?,
            letter if letter.is_alphabetic() || letter == '_' || letter == '$' => word(rest),
            _ => symbol(rest).ok_or_else(|| {
                ParseError::new(super::span(at, at + first.len_utf8()), "an operator")
                    .hint(format!("`{first}` is not part of what is translated from ${{…}}"))
            })?,
        };
        tokens.push(Token { lexeme, span: super::span(at, at + length) });
        at += length;
    }
}

fn quoted(rest: &str, quote: char) -> Option<(Lexeme, usize)> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => text.push(letters.next()?.1),
            letter if letter == quote => return Some((Lexeme::Text(text.into()), at + 1)),
            letter => text.push(letter),
        }
    }
    None
}

fn number(rest: &str) -> Option<(Lexeme, usize)> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    Number::parse(&rest[..end]).map(|number| (Lexeme::Number(number), end))
}

fn word(rest: &str) -> (Lexeme, usize) {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let end = rest.find(|letter| !part(letter)).unwrap_or(rest.len());
    let word = &rest[..end];
    let symbol = WORDS.iter().find(|(known, _)| *known == word).map(|(_, symbol)| Lexeme::Symbol(symbol));
    (symbol.unwrap_or_else(|| Lexeme::Word(word.into())), end)
}

fn symbol(rest: &str) -> Option<(Lexeme, usize)> {
    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
    Some((Lexeme::Symbol(symbol), symbol.len()))
}

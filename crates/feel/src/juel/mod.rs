//! `${…}` expressions, translated into the same tree.
//!
//! Covered: comparison, logic, arithmetic, the ternary, property and index access, `empty`, text around and between
//! expressions, `execution.getVariable('x')` and `execution.hasVariable('x')`, and the methods of texts, lists and maps
//! that have an equal in FEEL, such as `contains` and `size`. The rest is refused by name.
//!
//! **Invariant:** what is translated means what it meant; what would not is an error and not a guess.

mod lexer;
mod methods;
mod operators;
mod primary;

use crate::ast::{Expr, Kind, Operator, Span};
use crate::error::ParseError;
use crate::value::Value;
use lexer::{Lexeme, Token};

/// Reads a text with `${…}` or `#{…}` in it.
pub(crate) fn parse(text: &str) -> Result<Expr, ParseError> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match find_open(&text[at..]) {
            None => {
                parts.push(literal(&text[at..], at));
                break;
            }
            Some(0) => {
                let end = closing(text, at + 2)?;
                parts.push(whole(&text[..end], at + 2)?);
                at = end + 1;
            }
            Some(offset) => {
                parts.push(literal(&text[at..at + offset], at));
                at += offset;
            }
        }
    }
    Ok(joined(parts))
}

fn find_open(text: &str) -> Option<usize> {
    [text.find("${"), text.find("#{")].into_iter().flatten().min()
}

/// The `}` that closes an expression, past the ones inside of strings.
fn closing(text: &str, start: usize) -> Result<usize, ParseError> {
    let mut quote = None;
    let mut escaped = false;
    for (offset, letter) in text[start..].char_indices() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), letter) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '}') => return Ok(start + offset),
            _ => {}
        }
    }
    Err(ParseError::new(span(start, text.len()), "a closing }"))
}

fn whole(text: &str, start: usize) -> Result<Expr, ParseError> {
    let tokens = lexer::tokens(text, start)?;
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let result = parser.ternary()?;
    match parser.peek().lexeme {
        Lexeme::End => Ok(result),
        _ => Err(parser.unexpected("an operator or the closing }")),
    }
}

/// One part is itself; several are texts put together, null as nothing.
fn joined(mut parts: Vec<Expr>) -> Expr {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let mut texts = parts.into_iter().map(as_text);
    let Some(first) = texts.next() else {
        return Expr::new(Kind::Literal(Value::from("")));
    };
    Expr::new(Kind::Arithmetic(Box::new(first), texts.map(|text| (Operator::Add, text)).collect()))
}

fn as_text(part: Expr) -> Expr {
    match part.kind {
        Kind::Literal(Value::String(_)) => part,
        _ => {
            let span = part.span;
            let text = call("string", vec![part], span);
            call("get or else", vec![text, Expr::new(Kind::Literal(Value::from("")))], span)
        }
    }
}

fn literal(text: &str, at: usize) -> Expr {
    Expr { kind: Kind::Literal(Value::from(text)), span: span(at, at + text.len()) }
}

fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let function = Expr { kind: Kind::Name(name.into()), span };
    Expr { kind: Kind::Call(Box::new(function), arguments), span }
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if token.lexeme != Lexeme::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = matches!(&self.peek().lexeme, Lexeme::Symbol(found) if *found == symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        ParseError::new(self.peek().span, expected)
    }

    fn deeper(&mut self, read: fn(&mut Parser) -> Result<Expr, ParseError>) -> Result<Expr, ParseError> {
        if self.depth >= crate::parser::MAXIMUM_DEPTH {
            return Err(self.unexpected("fewer nested expressions"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

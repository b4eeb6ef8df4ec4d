//! Tokens to a tree: precedence climbing, with names resolved by longest match as they are met.
//!
//! **Invariant:** recursion is bounded by [`MAXIMUM_DEPTH`], whatever the text.

mod compound;
mod names;
mod operators;
mod primary;
mod tests;
mod types;

use crate::ast::{Expr, Kind, Span};
use crate::error::ParseError;
use crate::lexer::{Symbol, Token, TokenKind, tokens};
use crate::lexicon::{KnownName, Lexicon};
use crate::names::Names;

/// Nested brackets, calls, conditionals: deeper ones are refused.
pub(crate) const MAXIMUM_DEPTH: u32 = 80;

/// Reads one whole expression.
pub fn expression(text: &str, names: &Names) -> Result<Expr, ParseError> {
    let mut parser = Parser::new(text, names)?;
    let result = parser.expression()?;
    parser.finish()?;
    Ok(result)
}

/// Reads unary tests, as in a decision table cell.
pub fn unary_tests(text: &str, names: &Names) -> Result<Expr, ParseError> {
    let mut parser = Parser::new(text, names)?;
    let tests = parser.unary_tests()?;
    parser.finish()?;
    Ok(Expr { kind: Kind::Unary(tests), span: Span { start: 0, end: text.len() as u32 } })
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    names: &'a Names,
    /// Names with spaces bound by the expressions around, innermost last.
    locals: Vec<KnownName>,
    /// The same, by their words.
    local_names: Lexicon,
    /// Names with spaces that some context literal of this text has as a key.
    keys: Lexicon,
    /// Whether a `[` closes the range whose end is being read.
    in_range_end: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, names: &'a Names) -> Result<Parser<'a>, ParseError> {
        let tokens = tokens(text)?;
        Ok(Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            names,
            locals: Vec::new(),
            local_names: Lexicon::default(),
            keys: Lexicon::default(),
            in_range_end: false,
        })
    }

    fn finish(&mut self) -> Result<(), ParseError> {
        let token = self.peek();
        if token.kind == TokenKind::End {
            return Ok(());
        }
        let error = ParseError::new(token.span, "an operator or the end of the expression");
        Err(match (self.at.checked_sub(1).map(|before| self.tokens[before].kind), token.kind) {
            (Some(TokenKind::Word), TokenKind::Word) => {
                error.hint("a name with spaces has to be declared, or written in backticks")
            }
            (_, TokenKind::Symbol(Symbol::Equal)) => error.hint("equality is written with a single ="),
            _ => error,
        })
    }

    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek_kind(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.start as usize..token.span.end as usize]
    }

    fn is(&self, symbol: Symbol) -> bool {
        self.peek().kind == TokenKind::Symbol(symbol)
    }

    fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.is(symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, symbol: Symbol, expected: &str) -> Result<Token, ParseError> {
        if self.is(symbol) { Ok(self.advance()) } else { Err(self.unexpected(expected)) }
    }

    fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Word && self.text_of(token) == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        ParseError::new(self.peek().span, expected)
    }

    /// From the start of an expression to the last token read.
    fn span_from(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).map_or(start, |before| self.tokens[before].span.end);
        Span { start, end: end.max(start) }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        if self.depth >= MAXIMUM_DEPTH {
            let error = self.unexpected(&format!("at most {MAXIMUM_DEPTH} nested expressions"));
            return Err(error.hint("name the inner parts in a context or in variables of their own"));
        }
        self.depth += 1;
        let outer_range = std::mem::take(&mut self.in_range_end);
        let result = read(self);
        self.in_range_end = outer_range;
        self.depth -= 1;
        result
    }

    /// Runs `read` with a name in scope.
    fn with_locals<T>(&mut self, count: usize, result: Result<T, ParseError>) -> Result<T, ParseError> {
        for known in self.locals.drain(count..).rev() {
            self.local_names.remove(&known);
        }
        result
    }

    /// A whole expression, at any precedence.
    pub(crate) fn expression(&mut self) -> Result<Expr, ParseError> {
        self.deeper(|parser| {
            let token = parser.peek();
            if token.kind != TokenKind::Word {
                return parser.disjunction();
            }
            match parser.text_of(token) {
                "if" => parser.conditional(),
                "for" => parser.for_loop(),
                "some" | "every" => parser.quantified(),
                "function" => parser.function_or_name(),
                _ => parser.disjunction(),
            }
        })
    }
}

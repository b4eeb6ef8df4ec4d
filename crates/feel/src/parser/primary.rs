//! Literals, names, brackets.

use super::Parser;
use crate::ast::{Expr, Kind, RangeExpr, Span};
use crate::error::ParseError;
use crate::lexer::{Symbol, Token, TokenKind, unescape};
use crate::number::Number;
use crate::temporal;
use crate::value::Value;
use std::sync::Arc;

use tyer_map::Set;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Result<Expr, ParseError> {
        let token = self.peek();
        let start = token.span.start;
        let kind = match token.kind {
            TokenKind::Number => {
                self.advance();
                let number = Number::parse(self.text_of(token));
                Kind::Literal(Value::Number(
                    number.ok_or_else(|| ParseError::new(token.span, "a number of at most 6144 digits"))?,
                ))
            }
            TokenKind::Text => Kind::Literal(Value::String(self.string()?)),
            TokenKind::Word | TokenKind::Quoted => self.word_or_name()?,
            TokenKind::Symbol(Symbol::Open) => return self.parenthesised(),
            TokenKind::Symbol(Symbol::OpenBracket) => self.list_or_range()?,
            TokenKind::Symbol(Symbol::CloseBracket) => {
                self.advance();
                let first = self.expression()?;
                self.range(first, false)?
            }
            TokenKind::Symbol(Symbol::OpenBrace) => self.context()?,
            TokenKind::Symbol(Symbol::At) => self.at_literal()?,
            TokenKind::Symbol(_) | TokenKind::End => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    pub(super) fn string(&mut self) -> Result<Arc<str>, ParseError> {
        let token = self.advance();
        let text = unescape(self.text_of(token));
        text.map(Arc::from).ok_or_else(|| {
            ParseError::new(token.span, "a string with well-formed escapes")
                .hint("write \\\\ for a backslash")
        })
    }

    fn at_literal(&mut self) -> Result<Kind, ParseError> {
        self.advance();
        if self.peek().kind != TokenKind::Text {
            return Err(self.unexpected("a string after @"));
        }
        let span = self.peek().span;
        let text = self.string()?;
        let value = temporal::parse_any(&text);
        value.map(Kind::Literal).ok_or_else(|| {
            ParseError::new(span, "a date, time, date and time, or duration")
                .hint("for example @\"2026-01-31\" or @\"PT1H\"")
        })
    }

    fn word_or_name(&mut self) -> Result<Kind, ParseError> {
        let token = self.peek();
        if token.kind == TokenKind::Word && self.known_name().is_none_or(|(_, length)| length == 1) {
            let literal = match self.text_of(token) {
                "true" => Some(Value::Boolean(true)),
                "false" => Some(Value::Boolean(false)),
                "null" => Some(Value::Null),
                "if" | "for" | "some" | "every" => return self.expression().map(|whole| whole.kind),
                "function" => return self.function_or_name().map(|whole| whole.kind),
                "then" | "else" | "return" | "satisfies" | "and" | "or" | "in" | "between" => {
                    return Err(self.unexpected("an expression"));
                }
                _ => None,
            };
            if let Some(value) = literal {
                self.advance();
                return Ok(Kind::Literal(value));
            }
        }
        self.name().map(Kind::Name)
    }

    /// `(expression)`, `(a..b)` or `(< a)`.
    fn parenthesised(&mut self) -> Result<Expr, ParseError> {
        let start = self.advance().span.start;
        if let Some(operator) = self.comparison_operator() {
            self.advance();
            let end = self.deeper(Self::additive)?;
            self.expect(Symbol::Close, "`)`")?;
            return Ok(Expr { kind: Kind::HalfRange(operator, Box::new(end)), span: self.span_from(start) });
        }
        let inner = self.expression()?;
        if self.is(Symbol::DotDot) {
            let kind = self.range(inner, false)?;
            return Ok(Expr { kind, span: self.span_from(start) });
        }
        self.expect(Symbol::Close, "`)`")?;
        Ok(inner)
    }

    fn list_or_range(&mut self) -> Result<Kind, ParseError> {
        self.advance();
        let mut items = Vec::new();
        if self.eat(Symbol::CloseBracket) {
            return Ok(Kind::List(items));
        }
        loop {
            // A list may hold half ranges without their brackets: [< 5, > 10].
            let operator = self.comparison_operator();
            if let Some(operator) = operator {
                let start = self.advance().span.start;
                let end = self.deeper(Self::additive)?;
                items.push(Expr {
                    kind: Kind::HalfRange(operator, Box::new(end)),
                    span: self.span_from(start),
                });
            } else {
                let item = self.expression()?;
                if items.is_empty() && self.is(Symbol::DotDot) {
                    return self.range(item, true);
                }
                items.push(item);
            }
            if !self.eat(Symbol::Comma) {
                self.expect(Symbol::CloseBracket, "`,` or `]`")?;
                return Ok(Kind::List(items));
            }
        }
    }

    /// The rest of a range, from its `..`.
    fn range(&mut self, start: Expr, start_included: bool) -> Result<Kind, ParseError> {
        self.expect(Symbol::DotDot, "`..`")?;
        let end = self.range_end()?;
        let end_included = match self.advance() {
            Token { kind: TokenKind::Symbol(Symbol::CloseBracket), .. } => true,
            Token { kind: TokenKind::Symbol(Symbol::Close | Symbol::OpenBracket), .. } => false,
            Token { span, .. } => return Err(ParseError::new(span, "`]` or `)` at the end of a range")),
        };
        Ok(Kind::Range(Box::new(RangeExpr { start, end, start_included, end_included })))
    }

    fn range_end(&mut self) -> Result<Expr, ParseError> {
        self.deeper(|parser| {
            parser.in_range_end = true;
            parser.additive()
        })
    }

    fn context(&mut self) -> Result<Kind, ParseError> {
        self.advance();
        let scope = self.locals.len();
        let mut entries: Vec<(Arc<str>, Expr)> = Vec::new();
        let mut keys = Set::new();
        if self.eat(Symbol::CloseBrace) {
            return Ok(Kind::Context(entries));
        }
        loop {
            let key_span = self.peek().span;
            let key = if self.peek().kind == TokenKind::Text {
                self.string()?
            } else {
                self.name_until(Symbol::Colon)?
            };
            self.expect(Symbol::Colon, "`:`")?;
            let value = self.expression()?;
            if !keys.insert(key.clone()) {
                return Err(duplicate(key_span, &key));
            }
            self.bind(&key);
            self.remember_key(&key);
            entries.push((key, value));
            if !self.eat(Symbol::Comma) {
                let closed = self.expect(Symbol::CloseBrace, "`,` or `}`").map(|_| Kind::Context(entries));
                return self.with_locals(scope, closed);
            }
        }
    }
}

fn duplicate(span: Span, key: &str) -> ParseError {
    ParseError::new(span, format!("each key once: `{key}` stands in this context already"))
}

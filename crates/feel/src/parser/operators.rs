//! The binary operators, from `or` down to the unary minus, and what follows a primary.

use super::{MAXIMUM_DEPTH, Parser};
use crate::ast::{Comparison, Expr, Kind, Operator};
use crate::error::ParseError;
use crate::lexer::{Symbol, TokenKind};
use crate::value::Value;

/// How tightly operators bind, from `or` to `**`.
mod level {
    pub(super) const OR: u8 = 0;
    pub(super) const AND: u8 = 1;
    pub(super) const COMPARISON: u8 = 2;
    pub(super) const ADDITIVE: u8 = 3;
    pub(super) const MULTIPLICATIVE: u8 = 4;
    pub(super) const POWER: u8 = 5;
}

impl Parser<'_> {
    pub(super) fn disjunction(&mut self) -> Result<Expr, ParseError> {
        self.binary(level::OR)
    }

    pub(super) fn additive(&mut self) -> Result<Expr, ParseError> {
        self.binary(level::ADDITIVE)
    }

    /// Operators that bind at least as tightly as `minimum`.
    fn binary(&mut self, minimum: u8) -> Result<Expr, ParseError> {
        let mut left = self.negation()?;
        let mut comparisons = 0;
        while let Some(found) = self.operator_level().filter(|found| *found >= minimum) {
            left = match found {
                level::OR => self.logic(left, "or", Kind::Or)?,
                level::AND => self.logic(left, "and", Kind::And)?,
                level::COMPARISON => {
                    comparisons += 1;
                    if comparisons > MAXIMUM_DEPTH {
                        return Err(self.unexpected("fewer comparisons in a row"));
                    }
                    self.comparison(left)?
                }
                arithmetic => self.arithmetic(left, arithmetic)?,
            };
        }
        Ok(left)
    }

    fn operator_level(&self) -> Option<u8> {
        match self.peek().kind {
            TokenKind::Symbol(symbol) => match symbol {
                Symbol::Plus | Symbol::Minus => Some(level::ADDITIVE),
                Symbol::Star | Symbol::Slash => Some(level::MULTIPLICATIVE),
                Symbol::Power => Some(level::POWER),
                _ => self.comparison_operator().map(|_| level::COMPARISON),
            },
            TokenKind::Word => match self.text_of(self.peek()) {
                "or" => Some(level::OR),
                "and" => Some(level::AND),
                "between" | "in" => Some(level::COMPARISON),
                _ => None,
            },
            _ => None,
        }
    }

    fn logic(&mut self, first: Expr, word: &str, build: fn(Vec<Expr>) -> Kind) -> Result<Expr, ParseError> {
        let operand_level = if word == "or" { level::AND } else { level::COMPARISON };
        let start = first.span.start;
        let mut parts = vec![first];
        while self.eat_word(word) {
            parts.push(self.binary(operand_level)?);
        }
        Ok(Expr { kind: build(parts), span: self.span_from(start) })
    }

    pub(super) fn comparison_operator(&self) -> Option<Comparison> {
        match self.peek().kind {
            TokenKind::Symbol(Symbol::Equal) => Some(Comparison::Equal),
            TokenKind::Symbol(Symbol::NotEqual) => Some(Comparison::NotEqual),
            TokenKind::Symbol(Symbol::Less) => Some(Comparison::Less),
            TokenKind::Symbol(Symbol::LessOrEqual) => Some(Comparison::LessOrEqual),
            TokenKind::Symbol(Symbol::Greater) => Some(Comparison::Greater),
            TokenKind::Symbol(Symbol::GreaterOrEqual) => Some(Comparison::GreaterOrEqual),
            _ => None,
        }
    }

    fn comparison(&mut self, left: Expr) -> Result<Expr, ParseError> {
        let start = left.span.start;
        let kind = if let Some(operator) = self.comparison_operator() {
            self.advance();
            Kind::Compare(operator, Box::new(left), Box::new(self.comparison_operand()?))
        } else if self.eat_word("between") {
            let low = self.additive()?;
            self.expect_word("and")?;
            Kind::Between(Box::new([left, low, self.additive()?]))
        } else {
            self.expect_word("in")?;
            Kind::In(Box::new(left), self.in_tests()?)
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// The right side of a comparison may be a whole `if`, `for` or `some`.
    fn comparison_operand(&mut self) -> Result<Expr, ParseError> {
        let compound = ["if", "for", "some", "every", "function"].iter().any(|word| self.is_word(word));
        if compound { self.expression() } else { self.additive() }
    }

    fn arithmetic(&mut self, first: Expr, operator_level: u8) -> Result<Expr, ParseError> {
        let start = first.span.start;
        let mut rest = Vec::new();
        while self.operator_level() == Some(operator_level) {
            let operator = match self.advance().kind {
                TokenKind::Symbol(Symbol::Plus) => Operator::Add,
                TokenKind::Symbol(Symbol::Minus) => Operator::Subtract,
                TokenKind::Symbol(Symbol::Star) => Operator::Multiply,
                TokenKind::Symbol(Symbol::Slash) => Operator::Divide,
                _ => Operator::Power,
            };
            rest.push((operator, self.binary(operator_level + 1)?));
        }
        Ok(Expr { kind: Kind::Arithmetic(Box::new(first), rest), span: self.span_from(start) })
    }

    fn negation(&mut self) -> Result<Expr, ParseError> {
        if !self.is(Symbol::Minus) {
            return self.postfix();
        }
        let start = self.advance().span.start;
        let operand = self.deeper(Self::negation)?;
        let kind = match operand.kind {
            Kind::Literal(Value::Number(number)) => Kind::Literal(Value::Number(number.negate())),
            _ => Kind::Negate(Box::new(operand)),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    pub(super) fn postfix(&mut self) -> Result<Expr, ParseError> {
        let mut base = self.primary()?;
        let start = base.span.start;
        for _ in 0..MAXIMUM_DEPTH {
            let kind = match self.peek().kind {
                TokenKind::Symbol(Symbol::Dot) => {
                    self.advance();
                    Kind::Path(Box::new(base), self.property_name()?)
                }
                TokenKind::Symbol(Symbol::OpenBracket) => {
                    if self.in_range_end && !self.bracket_is_filter() {
                        return Ok(base);
                    }
                    self.advance();
                    let filter = self.expression()?;
                    self.expect(Symbol::CloseBracket, "`]`")?;
                    Kind::Filter(Box::new(base), Box::new(filter))
                }
                TokenKind::Symbol(Symbol::Open) => self.arguments(base)?,
                TokenKind::Word if self.is_word("instance") => {
                    self.advance();
                    self.expect_word("of")?;
                    Kind::InstanceOf(Box::new(base), self.type_name()?)
                }
                _ => return Ok(base),
            };
            base = Expr { kind, span: self.span_from(start) };
        }
        Err(self
            .unexpected("a shorter path")
            .hint("name the first part in a context or a variable of its own"))
    }

    /// At the end of a range a `[` is a filter only if its `]` is followed by another bracket that closes the range.
    fn bracket_is_filter(&self) -> bool {
        let mut open = 0;
        for index in self.at..self.tokens.len() {
            match self.tokens[index].kind {
                TokenKind::Symbol(Symbol::OpenBracket) => open += 1,
                TokenKind::Symbol(Symbol::CloseBracket) => open -= 1,
                _ => {}
            }
            if open == 0 {
                return matches!(
                    self.tokens[index + 1].kind,
                    TokenKind::Symbol(
                        Symbol::CloseBracket | Symbol::Close | Symbol::OpenBracket | Symbol::Dot
                    )
                ) && index > self.at + 1
                    && !matches!(
                        self.tokens[self.at + 1].kind,
                        TokenKind::Symbol(Symbol::Dot | Symbol::Close | Symbol::Comma)
                    );
            }
        }
        false
    }
}

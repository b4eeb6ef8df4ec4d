//! The binary operators, from `or` down to the unary minus, and what follows a primary.

use super::{MAXIMUM_DEPTH, Parser};
use crate::ast::{Comparison, Expr, Kind, Operator};
use crate::error::ParseError;
use crate::lexer::{Symbol, TokenKind};
use crate::value::Value;

impl Parser<'_> {
    pub(super) fn disjunction(&mut self) -> Result<Expr, ParseError> {
        let first = self.conjunction()?;
        if !self.is_word("or") {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first];
        while self.eat_word("or") {
            parts.push(self.conjunction()?);
        }
        Ok(Expr {
            kind: Kind::Or(parts),
            span: self.span_from(start),
        })
    }

    fn conjunction(&mut self) -> Result<Expr, ParseError> {
        let first = self.comparison()?;
        if !self.is_word("and") {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first];
        while self.eat_word("and") {
            parts.push(self.comparison()?);
        }
        Ok(Expr {
            kind: Kind::And(parts),
            span: self.span_from(start),
        })
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

    fn comparison(&mut self) -> Result<Expr, ParseError> {
        let mut left = self.additive()?;
        let start = left.span.start;
        for _ in 0..MAXIMUM_DEPTH {
            let kind = if let Some(operator) = self.comparison_operator() {
                self.advance();
                Kind::Compare(operator, Box::new(left), Box::new(self.comparison_operand()?))
            } else if self.eat_word("between") {
                let low = self.additive()?;
                self.expect_word("and")?;
                Kind::Between(Box::new([left, low, self.additive()?]))
            } else if self.eat_word("in") {
                Kind::In(Box::new(left), self.in_tests()?)
            } else {
                return Ok(left);
            };
            left = Expr {
                kind,
                span: self.span_from(start),
            };
        }
        Err(self.unexpected("fewer comparisons in a row"))
    }

    /// The right side of a comparison may be a whole `if`, `for` or `some`.
    fn comparison_operand(&mut self) -> Result<Expr, ParseError> {
        let compound = ["if", "for", "some", "every", "function"]
            .iter()
            .any(|word| self.is_word(word));
        if compound {
            self.expression()
        } else {
            self.additive()
        }
    }

    pub(super) fn additive(&mut self) -> Result<Expr, ParseError> {
        let first = self.multiplicative()?;
        self.chain(first, Self::multiplicative, |symbol| match symbol {
            Symbol::Plus => Some(Operator::Add),
            Symbol::Minus => Some(Operator::Subtract),
            _ => None,
        })
    }

    fn multiplicative(&mut self) -> Result<Expr, ParseError> {
        let first = self.power()?;
        self.chain(first, Self::power, |symbol| match symbol {
            Symbol::Star => Some(Operator::Multiply),
            Symbol::Slash => Some(Operator::Divide),
            _ => None,
        })
    }

    fn power(&mut self) -> Result<Expr, ParseError> {
        let first = self.negation()?;
        self.chain(first, Self::negation, |symbol| {
            (symbol == Symbol::Power).then_some(Operator::Power)
        })
    }

    fn chain(
        &mut self,
        first: Expr,
        operand: fn(&mut Self) -> Result<Expr, ParseError>,
        operator_of: fn(Symbol) -> Option<Operator>,
    ) -> Result<Expr, ParseError> {
        let start = first.span.start;
        let mut rest = Vec::new();
        while let TokenKind::Symbol(symbol) = self.peek().kind {
            let Some(operator) = operator_of(symbol) else {
                break;
            };
            self.advance();
            rest.push((operator, operand(self)?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Expr {
            kind: Kind::Arithmetic(Box::new(first), rest),
            span: self.span_from(start),
        })
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
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
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
            base = Expr {
                kind,
                span: self.span_from(start),
            };
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

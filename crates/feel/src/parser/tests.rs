//! The right side of `in`, and unary tests.

use super::Parser;
use crate::ast::{Test, Unary};
use crate::error::ParseError;
use crate::lexer::{Symbol, TokenKind};

impl Parser<'_> {
    /// `in test` or `in (test, test)`.
    pub(super) fn in_tests(&mut self) -> Result<Vec<Test>, ParseError> {
        if self.is(Symbol::Open) {
            let start = self.at;
            if let Some(tests) = self.parenthesised_tests()? {
                return Ok(tests);
            }
            self.at = start;
        }
        Ok(vec![self.in_test()?])
    }

    /// `None` when the bracket belongs to something else: a range, or the first operand of a longer expression.
    fn parenthesised_tests(&mut self) -> Result<Option<Vec<Test>>, ParseError> {
        self.advance();
        let mut tests = Vec::new();
        loop {
            tests.push(self.positive_test()?);
            if self.is(Symbol::DotDot) {
                return Ok(None);
            }
            if self.eat(Symbol::Comma) {
                continue;
            }
            self.expect(Symbol::Close, "`,` or `)`")?;
            let alone = !matches!(
                self.peek().kind,
                TokenKind::Symbol(
                    Symbol::Dot
                        | Symbol::OpenBracket
                        | Symbol::Plus
                        | Symbol::Minus
                        | Symbol::Star
                        | Symbol::Slash
                )
            );
            return Ok(if alone || tests.len() > 1 { Some(tests) } else { None });
        }
    }

    fn in_test(&mut self) -> Result<Test, ParseError> {
        match self.comparison_operator() {
            Some(operator) => {
                self.advance();
                Ok(Test::Compare(operator, self.additive()?))
            }
            None => Ok(Test::Value(self.additive()?)),
        }
    }

    fn positive_test(&mut self) -> Result<Test, ParseError> {
        match self.comparison_operator() {
            Some(operator) => {
                self.advance();
                Ok(Test::Compare(operator, self.deeper(Self::additive)?))
            }
            None => Ok(Test::Value(self.expression()?)),
        }
    }

    /// `-`, `not(…)`, or a comma-separated list of tests.
    pub(super) fn unary_tests(&mut self) -> Result<Unary, ParseError> {
        if self.is(Symbol::Minus) && self.peek_kind(1) == TokenKind::End {
            self.advance();
            return Ok(Unary::Any);
        }
        if let Some(tests) = self.negated_tests()? {
            return Ok(Unary::Not(tests));
        }
        self.test_list().map(Unary::Tests)
    }

    /// `not(…)` around the whole of the tests; a call of the function `not` inside of a test is not one.
    fn negated_tests(&mut self) -> Result<Option<Vec<Test>>, ParseError> {
        if !self.is_word("not") || self.peek_kind(1) != TokenKind::Symbol(Symbol::Open) {
            return Ok(None);
        }
        let start = self.at;
        self.at += 2;
        let tests = self.test_list()?;
        self.expect(Symbol::Close, "`)`")?;
        if self.peek().kind == TokenKind::End {
            return Ok(Some(tests));
        }
        self.at = start;
        Ok(None)
    }

    fn test_list(&mut self) -> Result<Vec<Test>, ParseError> {
        let mut tests = vec![self.positive_test()?];
        while self.eat(Symbol::Comma) {
            tests.push(self.positive_test()?);
        }
        Ok(tests)
    }
}

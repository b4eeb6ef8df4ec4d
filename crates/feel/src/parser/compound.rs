//! `if`, `for`, `some`, `every`, `function`, and the arguments of a call.

use super::Parser;
use crate::ast::{Expr, Iteration, Kind, Parameter};
use crate::error::ParseError;
use crate::lexer::{Symbol, TokenKind};

impl Parser<'_> {
    pub(super) fn conditional(&mut self) -> Result<Expr, ParseError> {
        let start = self.advance().span.start;
        let condition = self.expression()?;
        self.expect_word("then")?;
        let then = self.expression()?;
        if !self.eat_word("else") {
            return Err(self.unexpected("`else`").hint("an `if` without an else is written `else null`"));
        }
        let otherwise = self.expression()?;
        Ok(Expr { kind: Kind::If(Box::new([condition, then, otherwise])), span: self.span_from(start) })
    }

    pub(super) fn for_loop(&mut self) -> Result<Expr, ParseError> {
        let start = self.advance().span.start;
        let scope = self.locals.len();
        let iterations = self.iterations()?;
        self.expect_word("return")?;
        let body = self.expression();
        let body = self.with_locals(scope, body)?;
        Ok(Expr { kind: Kind::For(iterations, Box::new(body)), span: self.span_from(start) })
    }

    pub(super) fn quantified(&mut self) -> Result<Expr, ParseError> {
        let every = self.is_word("every");
        let start = self.advance().span.start;
        let scope = self.locals.len();
        let iterations = self.iterations()?;
        self.expect_word("satisfies")?;
        let condition = self.expression();
        let condition = Box::new(self.with_locals(scope, condition)?);
        Ok(Expr { kind: Kind::Quantified { every, iterations, condition }, span: self.span_from(start) })
    }

    fn iterations(&mut self) -> Result<Vec<Iteration>, ParseError> {
        let mut iterations = Vec::new();
        loop {
            let name = self.name_until_in()?;
            self.expect_word("in")?;
            let from = self.expression()?;
            let to = if self.eat(Symbol::DotDot) { Some(self.expression()?) } else { None };
            self.bind(&name);
            iterations.push(Iteration { name, from, to });
            if !self.eat(Symbol::Comma) {
                return Ok(iterations);
            }
        }
    }

    /// `function(…) body`; or a variable that happens to be called `function`.
    pub(super) fn function_or_name(&mut self) -> Result<Expr, ParseError> {
        if self.peek_kind(1) != TokenKind::Symbol(Symbol::Open) {
            return self.postfix_name();
        }
        let start = self.advance().span.start;
        self.advance();
        let scope = self.locals.len();
        let parameters = self.parameters()?;
        let external = self.eat_word("external");
        let body = self.expression();
        let body = Box::new(self.with_locals(scope, body)?);
        let kind = if external { Kind::External(parameters, body) } else { Kind::Function(parameters, body) };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    fn postfix_name(&mut self) -> Result<Expr, ParseError> {
        let start = self.peek().span.start;
        let name = self.name()?;
        Ok(Expr { kind: Kind::Name(name), span: self.span_from(start) })
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>, ParseError> {
        let mut parameters = Vec::new();
        if self.eat(Symbol::Close) {
            return Ok(parameters);
        }
        loop {
            let name = self.name_until(Symbol::Colon)?;
            let kind = if self.eat(Symbol::Colon) { Some(self.type_name()?) } else { None };
            self.bind(&name);
            parameters.push(Parameter { name, kind });
            if !self.eat(Symbol::Comma) {
                self.expect(Symbol::Close, "`,` or `)`")?;
                return Ok(parameters);
            }
        }
    }

    /// The arguments of a call, from its `(`.
    pub(super) fn arguments(&mut self, function: Expr) -> Result<Kind, ParseError> {
        self.advance();
        let function = Box::new(function);
        if self.eat(Symbol::Close) {
            return Ok(Kind::Call(function, Vec::new()));
        }
        if self.starts_named_argument() {
            return self.named_arguments(function);
        }
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.argument()?);
            if !self.eat(Symbol::Comma) {
                self.expect(Symbol::Close, "`,` or `)`")?;
                return Ok(Kind::Call(function, arguments));
            }
        }
    }

    /// An argument may be a half range without its brackets.
    fn argument(&mut self) -> Result<Expr, ParseError> {
        let Some(operator) = self.comparison_operator() else {
            return self.expression();
        };
        let start = self.advance().span.start;
        let end = self.deeper(Self::additive)?;
        Ok(Expr { kind: Kind::HalfRange(operator, Box::new(end)), span: self.span_from(start) })
    }

    fn named_arguments(&mut self, function: Box<Expr>) -> Result<Kind, ParseError> {
        let mut arguments = Vec::new();
        loop {
            let name = if self.peek().kind == TokenKind::Text {
                self.string()?
            } else {
                self.name_until(Symbol::Colon)?
            };
            self.expect(Symbol::Colon, "`:` after the name of an argument")?;
            arguments.push((name, self.argument()?));
            if !self.eat(Symbol::Comma) {
                self.expect(Symbol::Close, "`,` or `)`")?;
                return Ok(Kind::NamedCall(function, arguments));
            }
        }
    }

    fn starts_named_argument(&self) -> bool {
        let mut ahead = 0;
        loop {
            match self.peek_kind(ahead) {
                TokenKind::Symbol(Symbol::Colon) => return ahead > 0,
                TokenKind::Word | TokenKind::Quoted | TokenKind::Number => ahead += 1,
                TokenKind::Symbol(
                    Symbol::Dot
                    | Symbol::Slash
                    | Symbol::Minus
                    | Symbol::Apostrophe
                    | Symbol::Plus
                    | Symbol::Star,
                ) => ahead += 1,
                TokenKind::Text if ahead == 0 => ahead += 1,
                _ => return false,
            }
        }
    }
}

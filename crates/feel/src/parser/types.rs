//! Types, as in `instance of` and after a parameter.

use super::Parser;
use crate::ast::Span;
use crate::error::ParseError;
use crate::lexer::{Symbol, TokenKind};
use crate::types::Type;
use std::sync::Arc;

impl Parser<'_> {
    pub(super) fn type_name(&mut self) -> Result<Type, ParseError> {
        self.deeper(Self::type_inner)
    }

    fn type_inner(&mut self) -> Result<Type, ParseError> {
        let rest = &self.tokens[self.at..];
        if let Some((name, length)) = self.names.longest(self.text, rest)
            && let Some(kind) = self.names.type_named(&name)
        {
            let kind = kind.clone();
            self.at += length;
            return Ok(kind);
        }
        for (name, kind) in Type::BUILT_IN {
            if self.eat_words(name) {
                return Ok(kind.clone());
            }
        }
        let span = self.peek().span;
        if self.peek().kind != TokenKind::Word {
            return Err(self.unexpected("a type"));
        }
        match self.text_of(self.peek()) {
            "list" => self.parameterised(|inner| Type::List(Arc::new(inner))),
            "range" => self.parameterised(|inner| Type::Range(Arc::new(inner))),
            "context" => self.context_type(),
            "function" => self.function_type(),
            _ => Err(unknown(span)),
        }
    }

    fn eat_words(&mut self, name: &str) -> bool {
        let mut ahead = 0;
        for word in name.split(' ') {
            let token = self.tokens[(self.at + ahead).min(self.tokens.len() - 1)];
            if token.kind != TokenKind::Word || self.text_of(token) != word {
                return false;
            }
            ahead += 1;
        }
        self.at += ahead;
        true
    }

    fn parameterised(&mut self, build: fn(Type) -> Type) -> Result<Type, ParseError> {
        self.advance();
        if !self.eat(Symbol::Less) {
            return Ok(build(Type::Any));
        }
        let inner = self.type_name()?;
        self.close_angle()?;
        Ok(build(inner))
    }

    fn context_type(&mut self) -> Result<Type, ParseError> {
        self.advance();
        let mut fields = Vec::new();
        if !self.eat(Symbol::Less) {
            return Ok(Type::Context(fields.into()));
        }
        loop {
            let name = self.name_until(Symbol::Colon)?;
            self.expect(Symbol::Colon, "`:`")?;
            fields.push((name, self.type_name()?));
            if !self.eat(Symbol::Comma) {
                self.close_angle()?;
                return Ok(Type::Context(fields.into()));
            }
        }
    }

    fn function_type(&mut self) -> Result<Type, ParseError> {
        self.advance();
        if !self.eat(Symbol::Less) {
            return Ok(Type::Function(None));
        }
        let mut parameters = Vec::new();
        if !self.is(Symbol::Greater) {
            parameters.push(self.type_name()?);
            while self.eat(Symbol::Comma) {
                parameters.push(self.type_name()?);
            }
        }
        self.close_angle()?;
        self.expect(Symbol::Arrow, "`->`")?;
        let result = self.type_name()?;
        Ok(Type::Function(Some(Arc::new((parameters, result)))))
    }

    fn close_angle(&mut self) -> Result<(), ParseError> {
        // `>=` may follow a type without a space: list<number>= x.
        self.expect(Symbol::Greater, "`>`").map(|_| ())
    }
}

fn unknown(span: Span) -> ParseError {
    ParseError::new(span, "a type").hint("one of Any, Null, boolean, number, string, date, time, date and time, days and time duration, years and months duration, list, range, context, function")
}

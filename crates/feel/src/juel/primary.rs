//! Literals, variables, properties, indexes, and the few methods that are known.

use super::lexer::Lexeme;
use super::{Parser, call, methods};
use crate::ast::{Expr, Kind, Operator, Span};
use crate::error::ParseError;
use crate::number::Number;
use crate::value::Value;
use std::sync::Arc;

impl Parser {
    pub(super) fn postfix(&mut self) -> Result<Expr, ParseError> {
        let mut base = self.primary()?;
        let start = base.span.start;
        for _ in 0..crate::parser::MAXIMUM_DEPTH {
            let kind = if self.eat(".") {
                let name = self.word()?;
                if self.eat("(") {
                    base = self.deep_step(|parser| parser.method(&base, &name))?;
                    continue;
                }
                Kind::Path(Box::new(base), name)
            } else if self.eat("[") {
                let index = self.deep_step(|parser| parser.deeper(Parser::ternary))?;
                self.expect("]")?;
                indexed(base, index)
            } else if matches!(self.peek().lexeme, Lexeme::Symbol("(")) {
                return Err(self.refused("calling a function"));
            } else {
                return Ok(base);
            };
            base = Expr { kind, span: Span { start, end: self.tokens[self.at - 1].span.end } };
        }
        Err(self.unexpected("a shorter path"))
    }

    /// A step whose tree holds both what stands before it and what stands in its brackets counts towards the depth for
    /// good: otherwise long chains in brackets of long chains would be as deep as their lengths multiplied.
    fn deep_step(
        &mut self,
        read: impl FnOnce(&mut Parser) -> Result<Expr, ParseError>,
    ) -> Result<Expr, ParseError> {
        if self.depth >= crate::parser::MAXIMUM_DEPTH {
            return Err(self.unexpected("a shorter path"));
        }
        self.depth += 1;
        read(self)
    }

    fn primary(&mut self) -> Result<Expr, ParseError> {
        let token = self.advance();
        let span = token.span;
        let kind = match token.lexeme {
            Lexeme::Number(number) => Kind::Literal(Value::Number(number)),
            Lexeme::Text(text) => Kind::Literal(Value::String(text)),
            Lexeme::Word(word) => match &*word {
                "true" => Kind::Literal(Value::Boolean(true)),
                "false" => Kind::Literal(Value::Boolean(false)),
                "null" => Kind::Literal(Value::Null),
                "instanceof" => {
                    return Err(ParseError::new(span, "an expression")
                        .hint("`instanceof` is not translated from ${…}"));
                }
                _ => Kind::Name(word),
            },
            Lexeme::Symbol("(") => {
                let inner = self.deeper(Parser::ternary)?;
                self.expect(")")?;
                return Ok(inner);
            }
            Lexeme::Symbol(_) | Lexeme::End => return Err(ParseError::new(span, "an expression")),
        };
        Ok(Expr { kind, span })
    }

    fn word(&mut self) -> Result<Arc<str>, ParseError> {
        match self.advance().lexeme {
            Lexeme::Word(word) => Ok(word),
            _ => Err(ParseError::new(self.tokens[self.at.saturating_sub(1)].span, "a name after the dot")),
        }
    }

    /// `execution.getVariable('x')`, and methods that have an equal in FEEL; everything else is refused by its name.
    fn method(&mut self, base: &Expr, name: &str) -> Result<Expr, ParseError> {
        if matches!(&base.kind, Kind::Name(base) if &**base == "execution") {
            return self.variable_of_execution(base.span, name);
        }
        let refused = self.refused(&format!("the method `{name}`"));
        let arguments = self.arguments()?;
        let span = Span { start: base.span.start, end: self.tokens[self.at - 1].span.end };
        methods::translated(base, name, arguments, span).ok_or(refused)
    }

    fn variable_of_execution(&mut self, span: Span, name: &str) -> Result<Expr, ParseError> {
        let variable = match (&self.peek().lexeme, name) {
            (Lexeme::Text(variable), "getVariable" | "hasVariable" | "getVariableLocal") => variable.clone(),
            _ => return Err(self.refused(&format!("the method `{name}`"))),
        };
        self.advance();
        self.expect(")")?;
        let variable = Expr { kind: Kind::Name(variable), span };
        Ok(if name == "hasVariable" { call("is defined", vec![variable], span) } else { variable })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, ParseError> {
        let mut arguments = Vec::new();
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.deeper(Parser::ternary)?);
            if self.eat(")") {
                return Ok(arguments);
            }
            self.expect(",")?;
        }
    }

    fn refused(&self, what: &str) -> ParseError {
        self.unexpected("what can be translated from ${…}")
            .hint(format!("{what} is not; write the expression in FEEL"))
    }
}

/// Lists count from 0 here and from 1 in FEEL; a text in brackets is a property.
pub(super) fn indexed(base: Expr, index: Expr) -> Kind {
    let span = index.span;
    match index.kind {
        Kind::Literal(Value::String(name)) => Kind::Path(Box::new(base), name),
        _ => {
            let one = Expr { kind: Kind::Literal(Value::Number(Number::Int(1))), span };
            let position = Expr { kind: Kind::Arithmetic(Box::new(index), vec![(Operator::Add, one)]), span };
            Kind::Filter(Box::new(base), Box::new(position))
        }
    }
}

//! From the ternary down to the unary operators.

use super::lexer::Lexeme;
use super::{Parser, as_text, call};
use crate::ast::{Comparison, Expr, Kind, Operator, Span};
use crate::error::ParseError;
use crate::value::Value;

impl Parser {
    pub(super) fn ternary(&mut self) -> Result<Expr, ParseError> {
        let condition = self.deeper(Parser::or)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.deeper(Parser::ternary)?;
        self.expect(":")?;
        let otherwise = self.deeper(Parser::ternary)?;
        let span = between(&condition, &otherwise);
        Ok(Expr { kind: Kind::If(Box::new([condition, then, otherwise])), span })
    }

    fn or(&mut self) -> Result<Expr, ParseError> {
        let mut parts = vec![self.and()?];
        while self.eat("||") {
            parts.push(self.and()?);
        }
        Ok(several(parts, Kind::Or))
    }

    fn and(&mut self) -> Result<Expr, ParseError> {
        let mut parts = vec![self.equality()?];
        while self.eat("&&") {
            parts.push(self.equality()?);
        }
        Ok(several(parts, Kind::And))
    }

    fn equality(&mut self) -> Result<Expr, ParseError> {
        let left = self.relation()?;
        let operator = if self.eat("==") {
            Comparison::Equal
        } else if self.eat("!=") {
            Comparison::NotEqual
        } else {
            return Ok(left);
        };
        let right = self.relation()?;
        Ok(compare(operator, left, right))
    }

    fn relation(&mut self) -> Result<Expr, ParseError> {
        const OPERATORS: [(&str, Comparison); 4] = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let left = self.sum()?;
        for (symbol, operator) in OPERATORS {
            if self.eat(symbol) {
                let right = self.sum()?;
                return Ok(compare(operator, left, right));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr, ParseError> {
        let first = self.product()?;
        let mut rest = Vec::new();
        loop {
            if self.eat("+") {
                rest.push((Operator::Add, self.product()?));
            } else if self.eat("-") {
                rest.push((Operator::Subtract, self.product()?));
            } else {
                break;
            }
        }
        // Where a text takes part, plus puts texts together.
        let texts = rest.iter().map(|(_, part)| part).chain([&first]).any(is_text);
        if texts && rest.iter().all(|(operator, _)| *operator == Operator::Add) {
            let rest = rest.into_iter().map(|(operator, part)| (operator, as_text(part))).collect();
            return Ok(chain(as_text(first), rest));
        }
        Ok(chain(first, rest))
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        let mut left = self.unary()?;
        loop {
            if self.eat("*") {
                left = chain(left, vec![(Operator::Multiply, self.unary()?)]);
            } else if self.eat("/") {
                left = chain(left, vec![(Operator::Divide, self.unary()?)]);
            } else if self.eat("%") {
                let right = self.unary()?;
                let span = between(&left, &right);
                left = call("modulo", vec![left, right], span);
            } else {
                return Ok(left);
            }
            self.depth += 1;
            if self.depth > crate::parser::MAXIMUM_DEPTH {
                return Err(self.unexpected("fewer factors in a row"));
            }
        }
    }

    fn unary(&mut self) -> Result<Expr, ParseError> {
        let span = self.peek().span;
        if self.eat("!") {
            let operand = self.deeper(Parser::unary)?;
            return Ok(call("not", vec![operand], span));
        }
        if self.eat("-") {
            let operand = self.deeper(Parser::unary)?;
            return Ok(Expr { kind: Kind::Negate(Box::new(operand)), span });
        }
        if matches!(&self.peek().lexeme, Lexeme::Word(word) if &**word == "empty") {
            self.advance();
            let operand = self.deeper(Parser::unary)?;
            return Ok(call("is empty", vec![operand], span));
        }
        self.postfix()
    }
}

fn is_text(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Literal(Value::String(_)))
}

fn several(mut parts: Vec<Expr>, build: fn(Vec<Expr>) -> Kind) -> Expr {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = Span { start: parts[0].span.start, end: parts[parts.len() - 1].span.end };
    Expr { kind: build(parts), span }
}

fn chain(first: Expr, rest: Vec<(Operator, Expr)>) -> Expr {
    let Some((_, last)) = rest.last() else {
        return first;
    };
    let span = between(&first, last);
    Expr { kind: Kind::Arithmetic(Box::new(first), rest), span }
}

fn compare(operator: Comparison, left: Expr, right: Expr) -> Expr {
    let span = between(&left, &right);
    Expr { kind: Kind::Compare(operator, Box::new(left), Box::new(right)), span }
}

fn between(first: &Expr, last: &Expr) -> Span {
    Span { start: first.span.start, end: last.span.end }
}

//! `+ - * / **` and the unary minus.

use super::{Answer, Evaluator};
use crate::ast::{Operator, Span};
use crate::node::Node;
use crate::number::Number;
use crate::temporal::{self, DaysAndTime};
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn arithmetic(&mut self, first: &Node, rest: &[(Operator, Node)], span: Span) -> Answer {
        let mut result = self.evaluate(first)?;
        for (operator, node) in rest {
            let operand = self.evaluate(node)?;
            self.burn(1)?;
            result = match (&result, &operand) {
                (Value::Number(a), Value::Number(b)) => match number(*operator, *a, *b) {
                    Some(number) => Value::Number(number),
                    None => {
                        let message = format!("{a} {} {b} has no result", operator.symbol());
                        self.null(span, message)?
                    }
                },
                _ => self.other(*operator, &result, &operand, span)?,
            };
        }
        Ok(result)
    }

    #[inline(never)]
    fn other(&mut self, operator: Operator, left: &Value, right: &Value, span: Span) -> Answer {
        let result = match (operator, left, right) {
            (Operator::Add, Value::String(a), Value::String(b)) => {
                self.burn((a.len() + b.len()) as u64 / 64)?;
                return self.checked(Value::string([&**a, &**b].concat()));
            }
            (Operator::Add, a, b) => temporal::add(a, b),
            (Operator::Subtract, a, b) => temporal::subtract(a, b),
            (Operator::Multiply, duration, Value::Number(factor))
            | (Operator::Multiply, Value::Number(factor), duration) => temporal::multiply(duration, *factor),
            (
                Operator::Divide,
                duration @ (Value::YearsAndMonths(_) | Value::DaysAndTime(_)),
                Value::Number(divisor),
            ) => temporal::divide(duration, *divisor),
            (Operator::Divide, Value::YearsAndMonths(a), Value::YearsAndMonths(b)) => {
                Number::Int(*a).divide(Number::Int(*b)).map(Value::Number)
            }
            (Operator::Divide, Value::DaysAndTime(a), Value::DaysAndTime(b)) => {
                Number::from_i128(a.nanos()).divide(Number::from_i128(b.nanos())).map(Value::Number)
            }
            _ => None,
        };
        match result {
            Some(value) => Ok(value),
            None => {
                let message =
                    format!("{} {} {} has no result", left.type_name(), operator.symbol(), right.type_name());
                self.null(span, message)
            }
        }
    }

    #[inline(never)]
    pub(super) fn negate(&mut self, node: &Node, span: Span) -> Answer {
        match self.evaluate(node)? {
            Value::Number(number) => Ok(Value::Number(number.negate())),
            Value::YearsAndMonths(months) => Ok(Value::YearsAndMonths(months.saturating_neg())),
            Value::DaysAndTime(duration) => {
                Ok(DaysAndTime::from_nanos(-duration.nanos()).map_or(Value::Null, Value::DaysAndTime))
            }
            other => self.null(span, format!("a {} cannot be negated", other.type_name())),
        }
    }
}

fn number(operator: Operator, a: Number, b: Number) -> Option<Number> {
    match operator {
        Operator::Add => a.add(b),
        Operator::Subtract => a.subtract(b),
        Operator::Multiply => a.multiply(b),
        Operator::Divide => a.divide(b),
        Operator::Power => a.power(b),
    }
}

//! `and`, `or`, `if`, comparisons: three-valued.

use super::{Answer, Evaluator};
use crate::ast::{Comparison, Span};
use crate::node::{Node, NodeKind};
use crate::number::Number;
use crate::value::Value;

impl Evaluator<'_> {
    /// False if any part is false, true if all are true, otherwise null.
    pub(super) fn and(&mut self, parts: &[Node]) -> Answer {
        self.until(parts, false)
    }

    /// True if any part is true, false if all are false, otherwise null.
    pub(super) fn or(&mut self, parts: &[Node]) -> Answer {
        self.until(parts, true)
    }

    fn until(&mut self, parts: &[Node], decisive: bool) -> Answer {
        let mut certain = true;
        for part in parts {
            match self.evaluate(part)? {
                Value::Boolean(value) if value == decisive => return Ok(Value::Boolean(decisive)),
                Value::Boolean(_) => {}
                Value::Null => certain = false,
                other => {
                    let message = format!("true or false was expected here, not a {}", other.type_name());
                    self.warn(part.span, message);
                    certain = false;
                }
            }
        }
        Ok(if certain { Value::Boolean(!decisive) } else { Value::Null })
    }

    #[inline(never)]
    pub(super) fn conditional(&mut self, parts: &[Node; 3]) -> Answer {
        let [condition, then, otherwise] = parts;
        match self.evaluate(condition)? {
            Value::Boolean(true) => self.evaluate(then),
            Value::Boolean(false) | Value::Null => self.evaluate(otherwise),
            other => {
                let message =
                    format!("the condition of an if has to be true or false, not a {}", other.type_name());
                self.null(condition.span, message)
            }
        }
    }

    pub(super) fn compare(&mut self, operator: Comparison, sides: &(Node, Node), span: Span) -> Answer {
        let left = self.evaluate(&sides.0)?;
        if let NodeKind::Constant(right) = &sides.1.kind {
            return self.compare_values(operator, &left, right, span);
        }
        let right = self.evaluate(&sides.1)?;
        self.compare_values(operator, &left, &right, span)
    }

    pub(crate) fn compare_values(
        &mut self,
        operator: Comparison,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Answer {
        if let (Value::Number(Number::Int(a)), Value::Number(Number::Int(b))) = (left, right) {
            return Ok(Value::Boolean(operator.holds(a.cmp(b))));
        }
        let result = match operator {
            Comparison::Equal => left.equals(right),
            Comparison::NotEqual => left.equals(right).map(|equal| !equal),
            Comparison::Less => left.compare(right).map(|order| order.is_lt()),
            Comparison::LessOrEqual => left.compare(right).map(|order| order.is_le()),
            Comparison::Greater => left.compare(right).map(|order| order.is_gt()),
            Comparison::GreaterOrEqual => left.compare(right).map(|order| order.is_ge()),
        };
        match result {
            Some(result) => Ok(Value::Boolean(result)),
            None => self.null(
                span,
                format!(
                    "{} and {} cannot be compared with {}",
                    left.type_name(),
                    right.type_name(),
                    operator.symbol()
                ),
            ),
        }
    }

    #[inline(never)]
    pub(super) fn between(&mut self, parts: &[Node; 3], span: Span) -> Answer {
        let [value, low, high] = parts;
        let value = self.evaluate(value)?;
        let low = self.evaluate(low)?;
        let high = self.evaluate(high)?;
        let above = self.compare_values(Comparison::GreaterOrEqual, &value, &low, span)?;
        let below = self.compare_values(Comparison::LessOrEqual, &value, &high, span)?;
        Ok(match (above, below) {
            (Value::Boolean(above), Value::Boolean(below)) => Value::Boolean(above && below),
            _ => Value::Null,
        })
    }
}

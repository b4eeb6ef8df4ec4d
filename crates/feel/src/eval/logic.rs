//! `and`, `or`, `if`, comparisons: three-valued.

use super::{Answer, Evaluator, Truth};
use crate::ast::{Comparison, Span};
use crate::node::{Node, NodeKind};
use crate::number::Number;
use crate::value::Value;

/// What is neither true nor false is null.
#[inline]
pub(crate) fn truth_value(truth: Option<bool>) -> Value {
    truth.map_or(Value::Null, Value::Boolean)
}

impl Evaluator<'_> {
    /// False if any part is false, true if all are true, otherwise neither.
    pub(super) fn and(&mut self, parts: &[Node]) -> Truth {
        self.until(parts, false)
    }

    /// True if any part is true, false if all are false, otherwise neither.
    pub(super) fn or(&mut self, parts: &[Node]) -> Truth {
        self.until(parts, true)
    }

    fn until(&mut self, parts: &[Node], decisive: bool) -> Truth {
        let mut certain = true;
        for part in parts {
            match self.truth(part)? {
                Some(value) if value == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => certain = false,
            }
        }
        Ok(certain.then_some(!decisive))
    }

    /// A part of `and` or `or`. Comparisons are most of them, and need no value for their answer.
    fn truth(&mut self, part: &Node) -> Truth {
        if let NodeKind::Compare(operator, sides) = &part.kind {
            self.burn(1)?;
            return self.compare(*operator, sides, part.span);
        }
        match self.evaluate(part)? {
            Value::Boolean(value) => Ok(Some(value)),
            Value::Null => Ok(None),
            other => {
                let message = format!("true or false was expected here, not a {}", other.type_name());
                self.warn(part.span, message);
                Ok(None)
            }
        }
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

    pub(super) fn compare(&mut self, operator: Comparison, sides: &(Node, Node), span: Span) -> Truth {
        let (left, right) = sides;
        if let NodeKind::Constant(right) = &right.kind {
            if let Some(holds) = self.compare_unread(operator, left, right) {
                return Ok(Some(holds));
            }
            let left = self.evaluate(left)?;
            return Ok(self.compare_values(operator, &left, right, span));
        }
        let left = self.evaluate(left)?;
        let right = self.evaluate(right)?;
        Ok(self.compare_values(operator, &left, &right, span))
    }

    #[inline]
    pub(crate) fn compare_values(
        &mut self,
        operator: Comparison,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<bool> {
        match (left, right) {
            (Value::Number(Number::Int(left)), Value::Number(Number::Int(right))) => {
                Some(operator.holds(left.cmp(right)))
            }
            _ => self.compare_others(operator, left, right, span),
        }
    }

    #[inline(never)]
    fn compare_others(
        &mut self,
        operator: Comparison,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<bool> {
        let result = match operator {
            Comparison::Equal => left.equals(right),
            Comparison::NotEqual => left.equals(right).map(|equal| !equal),
            Comparison::Less | Comparison::LessOrEqual | Comparison::Greater | Comparison::GreaterOrEqual => {
                left.compare(right).map(|order| operator.holds(order))
            }
        };
        if result.is_none() {
            let (left, right) = (left.type_name(), right.type_name());
            self.warn(span, format!("{left} and {right} cannot be compared with {}", operator.symbol()));
        }
        result
    }

    #[inline(never)]
    pub(super) fn between(&mut self, parts: &[Node; 3], span: Span) -> Answer {
        let [value, low, high] = parts;
        let value = self.evaluate(value)?;
        let low = self.evaluate(low)?;
        let high = self.evaluate(high)?;
        let above = self.compare_values(Comparison::GreaterOrEqual, &value, &low, span);
        let below = self.compare_values(Comparison::LessOrEqual, &value, &high, span);
        Ok(truth_value(above.zip(below).map(|(above, below)| above && below)))
    }
}

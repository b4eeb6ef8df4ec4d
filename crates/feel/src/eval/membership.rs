//! `in` and unary tests.

use super::logic::truth_value;
use super::{Answer, Evaluator, Truth};
use crate::ast::{Comparison, Span};
use crate::node::{Node, NodeKind, TestNode, UnaryNode};
use crate::value::{Range, Value};
use std::sync::Arc;

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn is_in(&mut self, value: &Node, tests: &[TestNode]) -> Answer {
        let value = self.evaluate(value)?;
        Ok(truth_value(self.any_test(&value, tests)?))
    }

    /// Applies unary tests to an input.
    pub fn test(&mut self, node: &Node, input: &Value) -> Truth {
        match &node.kind {
            NodeKind::Unary(unary) => self.unary(unary, input),
            _ => Ok(self.evaluate(node)?.as_bool()),
        }
    }

    pub(super) fn unary(&mut self, unary: &UnaryNode, input: &Value) -> Truth {
        if unary.tests.is_empty() {
            return Ok(Some(true));
        }
        if unary.reads_input {
            self.set(unary.input, input.clone());
        }
        let result = self.any_test(input, &unary.tests)?;
        Ok(result.map(|matches| matches != unary.negated))
    }

    /// True if any test is, false if all are false, otherwise neither.
    fn any_test(&mut self, value: &Value, tests: &[TestNode]) -> Truth {
        let mut certain = true;
        for test in tests {
            match self.one_test(value, test)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => certain = false,
            }
        }
        Ok(certain.then_some(false))
    }

    fn one_test(&mut self, value: &Value, test: &TestNode) -> Truth {
        self.burn(1)?;
        match test {
            TestNode::Compare(operator, Node { kind: NodeKind::Constant(other), span }) => {
                Ok(self.compare_values(*operator, value, other, *span))
            }
            TestNode::Value(Node { kind: NodeKind::Constant(other), span }, _) => {
                self.matches(value, other, *span)
            }
            TestNode::Compare(operator, node) => {
                let other = self.evaluate(node)?;
                Ok(self.compare_values(*operator, value, &other, node.span))
            }
            TestNode::Value(node, condition) => {
                let other = self.evaluate(node)?;
                match other {
                    Value::Boolean(holds) if *condition => return Ok(Some(holds)),
                    Value::Null if *condition => return Ok(None),
                    _ => {}
                }
                self.matches(value, &other, node.span)
            }
        }
    }

    /// Whether a value is what another one describes: it, an item of it, or within it.
    #[inline(never)]
    pub(crate) fn matches(&mut self, value: &Value, other: &Value, span: Span) -> Truth {
        match other {
            Value::List(list) => {
                self.burn(list.len() as u64)?;
                if matches!(value, Value::List(_)) && value.equals(other) == Some(true) {
                    return Ok(Some(true));
                }
                for item in list.iter() {
                    let found = match item {
                        Value::Range(range) if !matches!(value, Value::Range(_)) => range.contains(value),
                        item => value.equals(item),
                    };
                    if found == Some(true) {
                        return Ok(Some(true));
                    }
                }
                Ok(Some(false))
            }
            Value::Range(range) if !matches!(value, Value::Range(_)) => {
                let within = range.contains(value);
                if within.is_none() {
                    self.warn(span, format!("a {} cannot be in this range", value.type_name()));
                }
                Ok(within)
            }
            other => Ok(self.compare_values(Comparison::Equal, value, other, span)),
        }
    }

    #[inline(never)]
    pub(super) fn half_range(&mut self, operator: Comparison, end: &Node, span: Span) -> Answer {
        let end = self.evaluate(end)?;
        match range_from(operator, end) {
            Some(range) => Ok(Value::Range(Arc::new(range))),
            None => self.null(span, format!("there is no range for {}", operator.symbol())),
        }
    }
}

/// The range of all values that compare so.
fn range_from(comparison: Comparison, end: Value) -> Option<Range> {
    end.compare(&end)?;
    let (start, end, start_included, end_included) = match comparison {
        Comparison::Equal => (end.clone(), end, true, true),
        Comparison::NotEqual => return None,
        Comparison::Less => (Value::Null, end, false, false),
        Comparison::LessOrEqual => (Value::Null, end, false, true),
        Comparison::Greater => (end, Value::Null, false, false),
        Comparison::GreaterOrEqual => (end, Value::Null, true, false),
    };
    Some(Range { start, end, start_included, end_included, comparison: Some(comparison) })
}

//! Equality and order of values: three-valued, with null where two values have nothing to do with each other.

use super::{Range, Value};
use crate::ast::Comparison;
use std::cmp::Ordering;

impl Value {
    /// FEEL equality: `None` where the types differ.
    pub fn equals(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Null, Value::Null) => Some(true),
            (Value::Null, _) | (_, Value::Null) => Some(false),
            (Value::Boolean(a), Value::Boolean(b)) => Some(a == b),
            (Value::Number(a), Value::Number(b)) => Some(a == b),
            (Value::String(a), Value::String(b)) => Some(a == b),
            (Value::List(a), Value::List(b)) => Some(
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(one, two)| one.equals(two) == Some(true)),
            ),
            (Value::Context(a), Value::Context(b)) => Some(
                a.entries().len() == b.entries().len()
                    && a.entries()
                        .iter()
                        .all(|(name, one)| b.get(name).is_some_and(|two| one.equals(two) == Some(true))),
            ),
            (Value::Date(a), Value::Date(b)) => Some(a == b),
            (Value::Time(a), Value::Time(b)) => Some(a.equals(b)),
            (Value::DateTime(a), Value::DateTime(b)) => Some(a.equals(b)),
            (Value::YearsAndMonths(a), Value::YearsAndMonths(b)) => Some(a == b),
            (Value::DaysAndTime(a), Value::DaysAndTime(b)) => Some(a == b),
            (Value::YearsAndMonths(0), Value::DaysAndTime(zero))
            | (Value::DaysAndTime(zero), Value::YearsAndMonths(0)) => Some(zero.is_zero()),
            (Value::Range(a), Value::Range(b)) => Some(a.equals(b)),
            (Value::Function(a), Value::Function(b)) => Some(a.is_same(b)),
            (Value::Raw(_), _) => self.clone().read().equals(other),
            (_, Value::Raw(_)) => self.equals(&other.clone().read()),
            _ => None,
        }
    }

    /// FEEL order: `None` where there is none between the two.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
            (Value::Time(a), Value::Time(b)) => a.compare(b),
            (Value::DateTime(a), Value::DateTime(b)) => a.compare(b),
            (Value::YearsAndMonths(a), Value::YearsAndMonths(b)) => Some(a.cmp(b)),
            (Value::DaysAndTime(a), Value::DaysAndTime(b)) => Some(a.cmp(b)),
            (Value::Raw(_), _) => self.clone().read().compare(other),
            (_, Value::Raw(_)) => self.compare(&other.clone().read()),
            _ => None,
        }
    }
}

impl Range {
    fn equals(&self, other: &Range) -> bool {
        self.comparison == other.comparison
            && self.start_included == other.start_included
            && self.end_included == other.end_included
            && self.start.equals(&other.start) == Some(true)
            && self.end.equals(&other.end) == Some(true)
    }

    /// Whether a value lies within; `None` where it cannot be compared to the ends.
    pub fn contains(&self, value: &Value) -> Option<bool> {
        match self.comparison {
            None if self.start.is_null() || self.end.is_null() => return None,
            Some(Comparison::NotEqual) => return value.equals(&self.end).map(|equal| !equal),
            _ => {}
        }
        let above = match &self.start {
            Value::Null => true,
            start => match value.compare(start)? {
                Ordering::Greater => true,
                Ordering::Equal => self.start_included,
                Ordering::Less => false,
            },
        };
        let below = match &self.end {
            Value::Null => true,
            end => match value.compare(end)? {
                Ordering::Less => true,
                Ordering::Equal => self.end_included,
                Ordering::Greater => false,
            },
        };
        Some(above && below)
    }
}

//! Types: what `instance of` asks, what parameters declare, and how a value is brought to a type.

use crate::value::Value;
use crate::{Clock, Expression, Limits};
use std::sync::Arc;

/// A FEEL type.
#[derive(Clone, Debug)]
pub enum Type {
    /// Everything.
    Any,
    /// Only null.
    Null,
    /// True and false.
    Boolean,
    /// Numbers.
    Number,
    /// Texts.
    String,
    /// Days.
    Date,
    /// Times of day.
    Time,
    /// Days with a time.
    DateTime,
    /// Durations in days, hours, minutes, seconds.
    DaysAndTime,
    /// Durations in years and months.
    YearsAndMonths,
    /// Lists of a type.
    List(Arc<Type>),
    /// Ranges over a type.
    Range(Arc<Type>),
    /// Contexts that have at least these entries.
    Context(Arc<[(Arc<str>, Type)]>),
    /// Functions; parameters and result where they are given.
    Function(Option<Arc<(Vec<Type>, Type)>>),
    /// A type of which only some values are allowed.
    Constrained(Arc<Constrained>),
}

/// A type of which only some values are allowed.
#[derive(Debug)]
pub struct Constrained {
    /// The type.
    pub base: Type,
    /// Unary tests that a value has to pass.
    pub allowed: Expression,
    /// Whether the tests hold for the list as a whole and not for each item.
    pub whole: bool,
}

impl Type {
    /// The built-in types, longer names before their beginnings.
    pub(crate) const BUILT_IN: &'static [(&'static str, Type)] = &[
        ("days and time duration", Type::DaysAndTime),
        ("years and months duration", Type::YearsAndMonths),
        ("date and time", Type::DateTime),
        ("dateTime", Type::DateTime),
        ("dayTimeDuration", Type::DaysAndTime),
        ("yearMonthDuration", Type::YearsAndMonths),
        ("date", Type::Date),
        ("time", Type::Time),
        ("number", Type::Number),
        ("string", Type::String),
        ("boolean", Type::Boolean),
        ("Any", Type::Any),
        ("Null", Type::Null),
    ];

    /// A built-in type by its name.
    pub fn built_in(name: &str) -> Option<Type> {
        let simple = Type::BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind.clone());
        simple.or(match name {
            "list" => Some(Type::List(Arc::new(Type::Any))),
            "range" => Some(Type::Range(Arc::new(Type::Any))),
            "context" => Some(Type::Context(Arc::new([]))),
            "function" => Some(Type::Function(None)),
            _ => None,
        })
    }

    /// Whether a value is of this type; null is of no type but `Null` and, as an element or entry, of all.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Type::Any, value) => !value.is_null(),
            (Type::Null, Value::Null)
            | (Type::Boolean, Value::Boolean(_))
            | (Type::Number, Value::Number(_))
            | (Type::String, Value::String(_))
            | (Type::Date, Value::Date(_))
            | (Type::Time, Value::Time(_))
            | (Type::DateTime, Value::DateTime(_))
            | (Type::DaysAndTime, Value::DaysAndTime(_))
            | (Type::YearsAndMonths, Value::YearsAndMonths(_)) => true,
            (Type::List(item), Value::List(list)) => list.iter().all(|value| item.contains_or_null(value)),
            (Type::Range(item), Value::Range(range)) => {
                item.contains_or_null(&range.start) && item.contains_or_null(&range.end)
            }
            (Type::Context(fields), Value::Context(context)) => fields
                .iter()
                .all(|(name, kind)| context.get(name).is_some_and(|value| kind.contains_or_null(value))),
            (Type::Function(None), Value::Function(_)) => true,
            (Type::Function(Some(signature)), Value::Function(function)) => {
                function.conforms(&signature.0, &signature.1)
            }
            (Type::Constrained(constrained), value) => {
                constrained.base.contains(value) && constrained.allows(value)
            }
            (_, Value::Raw(_)) => self.contains(&value.clone().read()),
            _ => false,
        }
    }

    /// What `instance of` asks: as [`Type::contains`], but without regard to allowed values.
    pub(crate) fn has_instance(&self, value: &Value) -> bool {
        match (self, value) {
            (Type::Constrained(constrained), value) => constrained.base.has_instance(value),
            (Type::List(item), Value::List(list)) => {
                list.iter().all(|value| value.is_null() || item.has_instance(value))
            }
            (Type::Context(fields), Value::Context(context)) => fields.iter().all(|(name, kind)| {
                context.get(name).is_some_and(|value| value.is_null() || kind.has_instance(value))
            }),
            (kind, value) => kind.contains(value),
        }
    }

    fn contains_or_null(&self, value: &Value) -> bool {
        value.is_null() || self.contains(value)
    }

    /// Brings a value to this type (DMN 1.5 §10.3.2.9.4); `None` when it cannot be.
    pub fn coerce(&self, value: Value) -> Option<Value> {
        if value.is_null() || matches!(self, Type::Any) {
            return Some(value);
        }
        if self.contains(&value) {
            return Some(value);
        }
        match (self.base(), value) {
            (Type::DateTime, Value::Date(date)) => self.accept(Value::DateTime(Arc::new(date.at_midnight()))),
            (Type::List(_), value @ Value::List(_)) => self.coerce_items(value),
            (Type::List(_), value) => self.accept(Value::list(vec![value])),
            (_, Value::List(list)) if list.len() == 1 => self.accept(list[0].clone()),
            (Type::Context(_), value @ Value::Context(_)) => self.coerce_fields(value),
            _ => None,
        }
    }

    fn accept(&self, value: Value) -> Option<Value> {
        self.contains(&value).then_some(value)
    }

    fn coerce_items(&self, value: Value) -> Option<Value> {
        let (Type::List(item), Value::List(list)) = (self.base(), value) else {
            return None;
        };
        let items: Option<Vec<Value>> = list.iter().map(|value| item.coerce(value.clone())).collect();
        self.accept(Value::list(items?))
    }

    fn coerce_fields(&self, value: Value) -> Option<Value> {
        let (Type::Context(fields), Value::Context(context)) = (self.base(), value) else {
            return None;
        };
        let mut entries = context.entries().to_vec();
        for (name, value) in &mut entries {
            if let Some((_, kind)) = fields.iter().find(|(field, _)| field == name) {
                *value = kind.coerce(value.clone())?;
            }
        }
        self.accept(Value::Context(crate::Context::new(entries)))
    }

    fn base(&self) -> &Type {
        match self {
            Type::Constrained(constrained) => constrained.base.base(),
            _ => self,
        }
    }

    /// Whether every value of this type is one of the other (DMN 1.5 §10.3.2.9.2).
    pub(crate) fn conforms(&self, other: &Type) -> bool {
        match (self.base(), other.base()) {
            (_, Type::Any) | (Type::Null, _) => true,
            (Type::List(a), Type::List(b)) | (Type::Range(a), Type::Range(b)) => a.conforms(b),
            (Type::Context(a), Type::Context(b)) => {
                b.iter().all(|(name, kind)| a.iter().any(|(field, own)| field == name && own.conforms(kind)))
            }
            (Type::Function(_), Type::Function(None)) => true,
            (Type::Function(Some(a)), Type::Function(Some(b))) => {
                a.0.len() == b.0.len()
                    && a.0.iter().zip(&b.0).all(|(own, other)| other.conforms(own))
                    && a.1.conforms(&b.1)
            }
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

impl Constrained {
    fn allows(&self, value: &Value) -> bool {
        // The tests are literals of a model: they read no clock.
        let test = |value: &Value| {
            self.allowed.test(value, &Clock::epoch(), &Limits::default()).value.as_bool() == Some(true)
        };
        match value {
            Value::List(list) if !self.whole => list.iter().all(test),
            value => test(value),
        }
    }
}

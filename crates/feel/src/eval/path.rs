//! `a.b`: entries of contexts, properties of dates, times, durations and ranges; on a list, of each item.

use super::globals::Global;
use super::unread::SEARCHES;
use super::{Answer, Evaluator};
use crate::ast::Span;
use crate::json;
use crate::node::Node;
use crate::number::Number;
use crate::temporal::{Date, DateTime, DaysAndTime, SECOND, Time};
use crate::value::{Range, Value};
use std::sync::Arc;

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn path(&mut self, base: &Node, name: &str, span: Span) -> Answer {
        let base = self.evaluate(base)?;
        self.step(&base, name, span)
    }

    /// A path from a variable. The first times it is looked up in the unread text, then the whole is read.
    pub(super) fn global_path(&mut self, index: u32, path: &[Arc<str>], span: Span) -> Answer {
        if let Global::Unread(raw, searches) = self.find(index)
            && *searches < SEARCHES
        {
            *searches += 1;
            if let Some(found) = json::follow(raw.get(), path) {
                return Ok(json::read(found));
            }
        }
        self.walk(index, path, span)
    }

    fn walk(&mut self, index: u32, path: &[Arc<str>], span: Span) -> Answer {
        let mut value = self.global(index, span);
        for name in path {
            value = self.step(&value, name, span)?;
        }
        Ok(value)
    }

    pub(super) fn item_or(&mut self, slot: u32, name: &str, outer: &Node) -> Answer {
        if let Value::Context(context) = self.slot(slot)
            && let Some(value) = context.get(name)
        {
            return Ok(value.clone());
        }
        self.evaluate(outer)
    }

    #[inline(never)]
    pub(crate) fn step(&mut self, base: &Value, name: &str, span: Span) -> Answer {
        let found = match base {
            Value::Context(context) => context.get(name).cloned(),
            Value::List(list) => {
                self.burn(list.len() as u64)?;
                let mut values = Vec::with_capacity(list.len());
                for item in list.iter() {
                    values.push(self.step(item, name, span)?);
                }
                Some(Value::list(values))
            }
            Value::Date(date) => date_property(*date, name),
            Value::Time(time) => time_property(time, name),
            Value::DateTime(moment) => datetime_property(moment, name),
            Value::YearsAndMonths(months) => match name {
                "years" => Some(Value::from(months / 12)),
                "months" => Some(Value::from(months % 12)),
                _ => None,
            },
            Value::DaysAndTime(duration) => duration_property(*duration, name),
            Value::Range(range) => range_property(range, name),
            Value::Null => return self.null(span, format!("`{name}` was asked of null")),
            _ => None,
        };
        match found {
            Some(value) => Ok(value),
            None => self.null(span, format!("a {} has no `{name}`", base.type_name())),
        }
    }
}

fn date_property(date: Date, name: &str) -> Option<Value> {
    match name {
        "year" => Some(Value::from(i64::from(date.year()))),
        "month" => Some(Value::from(i64::from(date.month()))),
        "day" => Some(Value::from(i64::from(date.day()))),
        "weekday" => Some(Value::from(i64::from(date.weekday()))),
        _ => None,
    }
}

fn time_property(time: &Time, name: &str) -> Option<Value> {
    match name {
        "hour" => Some(Value::from(time.hour())),
        "minute" => Some(Value::from(time.minute())),
        "second" => Some(Value::from(time.second())),
        "time offset" => Some(offset(time.offset())),
        "timezone" => Some(time.zone.name().map_or(Value::Null, Value::from)),
        _ => None,
    }
}

fn datetime_property(moment: &DateTime, name: &str) -> Option<Value> {
    match name {
        "time offset" => Some(offset(moment.offset())),
        _ => date_property(moment.date, name).or_else(|| time_property(&moment.time(), name)),
    }
}

fn offset(seconds: Option<i32>) -> Value {
    let duration = seconds.and_then(|seconds| DaysAndTime::from_nanos(i128::from(seconds) * SECOND));
    duration.map_or(Value::Null, Value::DaysAndTime)
}

fn duration_property(duration: DaysAndTime, name: &str) -> Option<Value> {
    let seconds = duration.nanos() / SECOND;
    let value = match name {
        "days" => seconds / 86_400,
        "hours" => seconds / 3_600 % 24,
        "minutes" => seconds / 60 % 60,
        "seconds" => seconds % 60,
        _ => return None,
    };
    Some(Value::Number(Number::from_i128(value)))
}

fn range_property(range: &Range, name: &str) -> Option<Value> {
    match name {
        "start" => Some(range.start.clone()),
        "end" => Some(range.end.clone()),
        "start included" => Some(Value::Boolean(range.start_included)),
        "end included" => Some(Value::Boolean(range.end_included)),
        _ => None,
    }
}

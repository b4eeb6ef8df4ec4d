//! `+`, `-`, `*` and `/` where a date, a time or a duration takes part.

use super::{DAY, DateTime, DaysAndTime, Time};
use crate::number::{Number, Rounding};
use crate::value::Value;
use std::sync::Arc;

/// `None` where the two have no sum.
pub(crate) fn add(a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::YearsAndMonths(x), Value::YearsAndMonths(y)) => x.checked_add(*y).map(Value::YearsAndMonths),
        (Value::DaysAndTime(x), Value::DaysAndTime(y)) => days_and_time(x.nanos() + y.nanos()),
        (
            Value::YearsAndMonths(_) | Value::DaysAndTime(_),
            Value::Date(_) | Value::Time(_) | Value::DateTime(_),
        ) => add(b, a),
        (Value::Date(date), Value::YearsAndMonths(months)) => date.add_months(*months).map(Value::Date),
        (Value::Date(date), Value::DaysAndTime(duration)) => {
            let moment = date.at_local_midnight().local() + duration.nanos();
            DateTime::of_local(moment, super::Zone::Local).map(|moment| Value::Date(moment.date))
        }
        (Value::DateTime(moment), Value::YearsAndMonths(months)) => {
            let date = moment.date.add_months(*months)?;
            Some(Value::DateTime(Arc::new(DateTime { date, ..DateTime::clone(moment) })))
        }
        (Value::DateTime(moment), Value::DaysAndTime(duration)) => {
            let zone = moment.zone.clone();
            // In a zone, an hour more is an hour more for everyone, whatever the clock on the wall does.
            let result = match moment.universal() {
                Some(universal) => DateTime::of_universal(universal + duration.nanos(), zone),
                None => DateTime::of_local(moment.local() + duration.nanos(), zone),
            };
            result.map(|moment| Value::DateTime(Arc::new(moment)))
        }
        (Value::Time(time), Value::DaysAndTime(duration)) => {
            let nanos = (i128::from(time.nanos) + duration.nanos()).rem_euclid(DAY) as u64;
            Some(Value::Time(Arc::new(Time { nanos, zone: time.zone.clone() })))
        }
        _ => None,
    }
}

/// `None` where the two have no difference.
pub(crate) fn subtract(a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (_, Value::YearsAndMonths(months)) if !matches!(a, Value::Time(_)) => {
            add(a, &Value::YearsAndMonths(months.checked_neg()?))
        }
        (_, Value::DaysAndTime(duration)) => add(a, &days_and_time(-duration.nanos())?),
        (Value::Date(x), Value::Date(y)) => days_and_time(i128::from(x.epoch_day() - y.epoch_day()) * DAY),
        (Value::Date(x), Value::DateTime(_)) => {
            let x = x.at_midnight();
            subtract(&Value::DateTime(Arc::new(x)), b)
        }
        (Value::DateTime(_), Value::Date(y)) => {
            let y = y.at_midnight();
            subtract(a, &Value::DateTime(Arc::new(y)))
        }
        (Value::DateTime(x), Value::DateTime(y)) => match (x.universal(), y.universal()) {
            (Some(x), Some(y)) => days_and_time(x - y),
            (None, None) => days_and_time(x.local() - y.local()),
            _ => None,
        },
        (Value::Time(x), Value::Time(y)) => match (x.universal(), y.universal()) {
            (Some(x), Some(y)) => days_and_time(x - y),
            (None, None) => days_and_time(i128::from(x.nanos) - i128::from(y.nanos)),
            _ => None,
        },
        _ => None,
    }
}

/// A duration times a number; `None` when it is too long.
pub(crate) fn multiply(duration: &Value, factor: Number) -> Option<Value> {
    match duration {
        Value::YearsAndMonths(months) => {
            let product = Number::Int(*months).multiply(factor)?.round(0, Rounding::Down)?;
            product.to_i64().map(Value::YearsAndMonths)
        }
        Value::DaysAndTime(duration) => {
            let product = Number::from_i128(duration.nanos()).multiply(factor)?.round(0, Rounding::Down)?;
            days_and_time(product.to_i128()?)
        }
        _ => None,
    }
}

/// A duration divided by a number; `None` when that is zero.
pub(crate) fn divide(duration: &Value, divisor: Number) -> Option<Value> {
    match duration {
        Value::YearsAndMonths(months) => {
            let quotient = Number::Int(*months).divide(divisor)?.round(0, Rounding::Down)?;
            quotient.to_i64().map(Value::YearsAndMonths)
        }
        Value::DaysAndTime(duration) => {
            let quotient = Number::from_i128(duration.nanos()).divide(divisor)?.round(0, Rounding::Down)?;
            days_and_time(quotient.to_i128()?)
        }
        _ => None,
    }
}

fn days_and_time(nanos: i128) -> Option<Value> {
    DaysAndTime::from_nanos(nanos).map(Value::DaysAndTime)
}

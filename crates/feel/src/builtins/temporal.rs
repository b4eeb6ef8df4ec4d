//! Functions that make dates, times and durations, and look at them.

use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::number::Number;
use crate::temporal::{Date, DateTime, DaysAndTime, SECOND, Time, Zone, parse_duration};
use crate::value::Value;
use std::sync::Arc;

pub(super) const TABLE: &[Builtin] = &[
    builtin("date", &[&["from"], &["year", "month", "day"]], date),
    builtin("time", &[&["from"], &["hour", "minute", "second", "offset?"]], time),
    builtin(
        "date and time",
        &[
            &["from"],
            &["date", "time"],
            &["date", "timezone"],
            &["year", "month", "day", "hour", "minute", "second"],
            &["year", "month", "day", "hour", "minute", "second", "offset"],
            &["year", "month", "day", "hour", "minute", "second", "timezone"],
        ],
        date_and_time,
    ),
    builtin("duration", &[&["from"]], duration),
    builtin("years and months duration", &[&["from", "to"]], years_and_months),
    builtin("now", &[&[]], |call| {
        let clock = call.evaluator.clock;
        let moment = DateTime::of_timestamp(clock.now, Zone::of(&clock.zone));
        Ok(moment.map_or(Value::Null, |moment| Value::DateTime(Arc::new(moment))))
    }),
    builtin("today", &[&[]], |call| {
        let clock = call.evaluator.clock;
        let moment = DateTime::of_timestamp(clock.now, Zone::of(&clock.zone));
        Ok(moment.map_or(Value::Null, |moment| Value::Date(moment.date)))
    }),
    builtin("day of year", &[&["date"]], |call| day_property(call, |date| Value::from(date.day_of_year()))),
    builtin("day of week", &[&["date"]], |call| {
        day_property(call, |date| Value::from(DAYS[usize::from(date.weekday()) - 1]))
    }),
    builtin("month of year", &[&["date"]], |call| {
        day_property(call, |date| Value::from(MONTHS[usize::from(date.month()) - 1]))
    }),
    builtin("week of year", &[&["date"]], |call| day_property(call, |date| Value::from(date.week_of_year()))),
    builtin("last day of month", &[&["date"]], |call| {
        day_property(call, |date| {
            let first = Date::new(date.year(), date.month(), 1);
            let last = first
                .and_then(|first| first.add_months(1))
                .and_then(|next| Date::from_epoch_day(next.epoch_day() - 1));
            last.map_or(Value::Null, Value::Date)
        })
    }),
];

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The value of `date("…")` and its like, where it is written as a literal.
pub(super) fn literal(name: &str, text: &str) -> Option<Value> {
    match name {
        "date" => Date::parse(text).map(Value::Date),
        "time" => Time::parse(text).map(|time| Value::Time(Arc::new(time))),
        "date and time" => date_time_of(text),
        "duration" => parse_duration(text),
        _ => None,
    }
}

fn date_time_of(text: &str) -> Option<Value> {
    let moment = DateTime::parse(text).or_else(|| Date::parse(text).map(Date::at_local_midnight));
    moment.map(|moment| Value::DateTime(Arc::new(moment)))
}

fn date(call: &mut Call<'_, '_>) -> Answer {
    if call.count() == 3 {
        let parts = (whole(call, 0), whole(call, 1), whole(call, 2));
        let (Some(year), Some(month), Some(day)) = parts else {
            return call.null("takes three whole numbers");
        };
        return call.or_null(date_of(year, month, day).map(Value::Date), "found no such day");
    }
    match call.single(0) {
        Value::String(text) => {
            call.or_null(Date::parse(text).map(Value::Date), "takes a text like \"2026-01-31\"")
        }
        Value::Date(date) => Ok(Value::Date(*date)),
        Value::DateTime(moment) => Ok(Value::Date(moment.date)),
        _ => call.expected(0, "a string or a date"),
    }
}

fn time(call: &mut Call<'_, '_>) -> Answer {
    if call.count() > 1 {
        let zone = match call.single(3) {
            Value::Null => Some(Zone::Local),
            Value::DaysAndTime(offset) => zone_of(*offset),
            _ => None,
        };
        let Some(zone) = zone else {
            return call.expected(3, "an offset of at most 14 hours");
        };
        return match clock_of(call, 0, zone) {
            Some(time) => Ok(Value::Time(Arc::new(time))),
            None => call.null("found no such time"),
        };
    }
    match call.single(0) {
        Value::String(text) => {
            let time = Time::parse(text).map(|time| Value::Time(Arc::new(time)));
            call.or_null(time, "takes a text like \"13:45:00\"")
        }
        Value::Time(time) => Ok(Value::Time(time.clone())),
        Value::DateTime(moment) => Ok(Value::Time(Arc::new(moment.time()))),
        Value::Date(_) => Ok(Value::Time(Arc::new(Time { nanos: 0, zone: Zone::Offset(0) }))),
        _ => call.expected(0, "a string or a time"),
    }
}

fn date_and_time(call: &mut Call<'_, '_>) -> Answer {
    match call.count() {
        1 => match call.single(0) {
            Value::String(text) => {
                call.or_null(date_time_of(text), "takes a text like \"2026-01-31T13:45:00\"")
            }
            Value::DateTime(moment) => Ok(Value::DateTime(moment.clone())),
            Value::Date(date) => Ok(Value::DateTime(Arc::new(date.at_midnight()))),
            _ => call.expected(0, "a string"),
        },
        2 => date_with(call),
        _ => {
            let zone = match call.single(6) {
                Value::Null => Some(Zone::Local),
                Value::DaysAndTime(offset) => zone_of(*offset),
                Value::String(name) => Zone::named(name),
                _ => None,
            };
            let parts = (whole(call, 0), whole(call, 1), whole(call, 2), zone);
            let (Some(year), Some(month), Some(day), Some(zone)) = parts else {
                return call.null("takes numbers and an offset or a zone");
            };
            let moment = date_of(year, month, day).and_then(|date| {
                let time = clock_of(call, 3, zone)?;
                Some(Value::DateTime(Arc::new(DateTime { date, nanos: time.nanos, zone: time.zone })))
            });
            call.or_null(moment, "found no such moment")
        }
    }
}

/// A date or date and time, with a time or in a zone.
fn date_with(call: &mut Call<'_, '_>) -> Answer {
    let date = match call.single(0) {
        Value::Date(date) => *date,
        Value::DateTime(moment) => moment.date,
        _ => return call.expected(0, "a date"),
    };
    match (call.single(0), call.single(1)) {
        (_, Value::Time(time)) => {
            Ok(Value::DateTime(Arc::new(DateTime { date, nanos: time.nanos, zone: time.zone.clone() })))
        }
        (Value::DateTime(moment), Value::String(name)) => {
            let seen = Zone::named(name).and_then(|zone| match moment.universal() {
                Some(universal) => DateTime::of_universal(universal, zone),
                None => Some(DateTime { zone, ..DateTime::clone(moment) }),
            });
            call.or_null(seen.map(|moment| Value::DateTime(Arc::new(moment))), "knows no such zone")
        }
        _ => call.expected(1, "a time or a zone"),
    }
}

fn whole(call: &Call<'_, '_>, index: usize) -> Option<i64> {
    call.number(index)?.to_i64()
}

fn date_of(year: i64, month: i64, day: i64) -> Option<Date> {
    Date::new(i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

fn clock_of(call: &Call<'_, '_>, from: usize, zone: Zone) -> Option<Time> {
    let nanos = call.number(from + 2)?.multiply(Number::from_i128(SECOND))?;
    let nanos = nanos.round(0, crate::number::Rounding::Down)?.to_i128()?;
    Time::of_parts(whole(call, from)?, whole(call, from + 1)?, nanos, zone)
}

fn zone_of(offset: DaysAndTime) -> Option<Zone> {
    Zone::of_seconds(i32::try_from(offset.nanos() / SECOND).ok()?)
}

fn duration(call: &mut Call<'_, '_>) -> Answer {
    match call.single(0) {
        Value::String(text) => {
            call.or_null(parse_duration(text), "takes a text like \"P1DT2H\" or \"P1Y2M\"")
        }
        value @ (Value::YearsAndMonths(_) | Value::DaysAndTime(_)) => Ok(value.clone()),
        _ => call.expected(0, "a string"),
    }
}

fn years_and_months(call: &mut Call<'_, '_>) -> Answer {
    let day = |value: &Value| match value {
        Value::Date(date) => Some(*date),
        Value::DateTime(moment) => Some(moment.date),
        _ => None,
    };
    let (Some(from), Some(to)) = (day(call.single(0)), day(call.single(1))) else {
        return call.null("takes two dates");
    };
    let months = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month());
    let mut total = months(to) - months(from);
    // Only whole months count.
    if total > 0 && to.day() < from.day() {
        total -= 1;
    } else if total < 0 && to.day() > from.day() {
        total += 1;
    }
    Ok(Value::YearsAndMonths(total))
}

fn day_property(call: &mut Call<'_, '_>, property: fn(Date) -> Value) -> Answer {
    match call.single(0) {
        Value::Date(date) => Ok(property(*date)),
        Value::DateTime(moment) => Ok(property(moment.date)),
        _ => call.expected(0, "a date"),
    }
}

//! Durations: in whole months, or in nanoseconds.

use super::time::write_fraction;
use super::{Cursor, SECOND};
use crate::value::Value;
use std::fmt;

/// A duration of days, hours, minutes and seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DaysAndTime {
    seconds: i64,
    nanos: u32,
}

impl DaysAndTime {
    /// `None` beyond some 290 000 million years.
    pub fn from_nanos(nanos: i128) -> Option<DaysAndTime> {
        let seconds = i64::try_from(nanos.div_euclid(SECOND)).ok()?;
        Some(DaysAndTime { seconds, nanos: nanos.rem_euclid(SECOND) as u32 })
    }

    /// The whole of it in nanoseconds.
    pub fn nanos(self) -> i128 {
        i128::from(self.seconds) * SECOND + i128::from(self.nanos)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.nanos() == 0
    }
}

/// Reads an ISO 8601 duration: of years and months, or of days and time, not both.
pub fn parse_duration(text: &str) -> Option<Value> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let body = body.strip_prefix('P')?;
    let (date, time) = match body.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (body, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let mut cursor = Cursor { rest: date };
    let years = component(&mut cursor, 'Y')?;
    let months = component(&mut cursor, 'M')?;
    if years.is_some() || months.is_some() {
        let total = years.unwrap_or(0).checked_mul(12)?.checked_add(months.unwrap_or(0))?;
        let done = cursor.rest.is_empty() && time.is_empty();
        return done.then_some(Value::YearsAndMonths(if negative { -total } else { total }));
    }
    let days = component(&mut cursor, 'D')?;
    if !cursor.rest.is_empty() {
        return None;
    }
    let nanos = i128::from(days.unwrap_or(0)) * super::DAY + clock_part(time)?;
    DaysAndTime::from_nanos(if negative { -nanos } else { nanos }).map(Value::DaysAndTime)
}

fn clock_part(text: &str) -> Option<i128> {
    let mut cursor = Cursor { rest: text };
    let hours = component(&mut cursor, 'H')?.unwrap_or(0);
    let minutes = component(&mut cursor, 'M')?.unwrap_or(0);
    let mut nanos = (i128::from(hours) * 3_600 + i128::from(minutes) * 60) * SECOND;
    if !cursor.rest.is_empty() {
        let seconds = cursor.digits();
        let fraction = if cursor.eat('.').is_some() { cursor.digits() } else { "0" };
        if seconds.is_empty() || cursor.rest != "S" {
            return None;
        }
        nanos += i128::from(seconds.parse::<i64>().ok()?) * SECOND;
        nanos += format!("{fraction:0<9.9}").parse::<i128>().ok()?;
    }
    Some(nanos)
}

/// `Some(None)` when the component is not there; `None` when it is malformed.
fn component(cursor: &mut Cursor<'_>, unit: char) -> Option<Option<i64>> {
    let mut ahead = Cursor { rest: cursor.rest };
    let digits = ahead.digits();
    if ahead.eat(unit).is_none() {
        return Some(None);
    }
    cursor.rest = ahead.rest;
    digits.parse().ok().map(Some)
}

impl fmt::Display for DaysAndTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.nanos();
        let magnitude = total.unsigned_abs();
        let (seconds, nanos) = ((magnitude / SECOND as u128) as u64, (magnitude % SECOND as u128) as u64);
        let (days, hours, minutes, rest) =
            (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        if magnitude == 0 {
            return out.write_str("PT0S");
        }
        out.write_str(if total < 0 { "-P" } else { "P" })?;
        if days > 0 {
            write!(out, "{days}D")?;
        }
        if hours + minutes + rest + nanos > 0 {
            out.write_str("T")?;
        }
        if hours > 0 {
            write!(out, "{hours}H")?;
        }
        if minutes > 0 {
            write!(out, "{minutes}M")?;
        }
        if rest + nanos > 0 {
            write!(out, "{rest}")?;
            write_fraction(out, nanos)?;
            out.write_str("S")?;
        }
        Ok(())
    }
}

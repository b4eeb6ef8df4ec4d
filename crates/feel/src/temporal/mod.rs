//! Dates, times and durations, with years far beyond what calendars libraries know.
//!
//! **Invariant:** nothing here reads a clock or the system's zone database: zones come from the bundled one.

mod arithmetic;
mod date;
mod datetime;
mod duration;
mod time;
mod zone;

pub use date::Date;
pub use datetime::DateTime;
pub use duration::DaysAndTime;
pub use time::Time;
pub use zone::Zone;

pub(crate) use arithmetic::{add, divide, multiply, subtract};
pub use duration::parse_duration;

use crate::value::Value;
use std::sync::Arc;

/// Nanoseconds of a second.
pub(crate) const SECOND: i128 = 1_000_000_000;
/// Nanoseconds of a day.
pub(crate) const DAY: i128 = 86_400 * SECOND;

/// What `@"…"` may hold.
pub(crate) fn parse_any(text: &str) -> Option<Value> {
    if text.trim_start_matches('-').starts_with('P') {
        return parse_duration(text);
    }
    if text.split('@').next().is_some_and(|clock| clock.contains('T')) {
        return DateTime::parse(text).map(|value| Value::DateTime(Arc::new(value)));
    }
    match Date::parse(text) {
        Some(date) => Some(Value::Date(date)),
        None => Time::parse(text).map(|value| Value::Time(Arc::new(value))),
    }
}

/// A cursor over the ASCII text of a temporal value.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn eat(&mut self, prefix: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(prefix)?;
        Some(())
    }

    fn digits(&mut self) -> &'a str {
        let end = self.rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits
    }

    fn two_digits(&mut self) -> Option<u8> {
        let digits = self.rest.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        self.rest = &self.rest[2..];
        digits.parse().ok()
    }
}

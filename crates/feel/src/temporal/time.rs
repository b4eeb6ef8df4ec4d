//! A time of day.

use super::{Cursor, DAY, Date, SECOND, Zone};
use std::cmp::Ordering;
use std::fmt;

/// A time of day, maybe at an offset or in a zone.
#[derive(Clone, Debug)]
pub struct Time {
    /// Nanoseconds since midnight.
    pub nanos: u64,
    /// Where.
    pub zone: Zone,
}

impl Time {
    /// Reads `HH:MM:SS[.fraction][zone]`.
    pub fn parse(text: &str) -> Option<Time> {
        let text = text.strip_prefix('T').unwrap_or(text);
        let mut cursor = Cursor { rest: text };
        let nanos = read_clock(&mut cursor)?;
        if nanos == DAY as u64 {
            return None;
        }
        Some(Time { nanos, zone: Zone::read(&mut cursor)? })
    }

    /// `None` when there is no such time.
    pub(crate) fn of_parts(hour: i64, minute: i64, seconds_nanos: i128, zone: Zone) -> Option<Time> {
        let within =
            (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60 * SECOND).contains(&seconds_nanos);
        let nanos = (i128::from(hour) * 3_600 + i128::from(minute) * 60) * SECOND + seconds_nanos;
        within.then_some(Time { nanos: nanos as u64, zone })
    }

    /// The hour of the day.
    pub fn hour(&self) -> i64 {
        (self.nanos / (3_600 * SECOND as u64)) as i64
    }

    /// The minute of the hour.
    pub fn minute(&self) -> i64 {
        (self.nanos / (60 * SECOND as u64) % 60) as i64
    }

    /// The second of the minute, without its fraction.
    pub fn second(&self) -> i64 {
        (self.nanos / SECOND as u64 % 60) as i64
    }

    /// Seconds east of UTC.
    pub(crate) fn offset(&self) -> Option<i32> {
        // A zone has no offset without a day; the first one of our count serves all times alike.
        self.zone.offset_at(Date::new(1970, 1, 1)?, self.nanos)
    }

    /// Nanoseconds since midnight in UTC; may lie on the day before or after.
    pub(crate) fn universal(&self) -> Option<i128> {
        Some(i128::from(self.nanos) - i128::from(self.offset()?) * SECOND)
    }

    pub(crate) fn equals(&self, other: &Time) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// `None` when only one of them says where it is. The resolution of FEEL is the second (DMN 1.5 §10.3.2.3.4).
    pub(crate) fn compare(&self, other: &Time) -> Option<Ordering> {
        match (self.universal(), other.universal()) {
            (Some(a), Some(b)) => Some(a.div_euclid(SECOND).cmp(&b.div_euclid(SECOND))),
            (None, None) => Some((self.nanos / SECOND as u64).cmp(&(other.nanos / SECOND as u64))),
            _ => None,
        }
    }
}

/// `HH:MM:SS[.fraction]` in nanoseconds; `24:00:00` is a whole day.
pub(super) fn read_clock(cursor: &mut Cursor<'_>) -> Option<u64> {
    let hour = cursor.two_digits()?;
    cursor.eat(':')?;
    let minute = cursor.two_digits()?;
    cursor.eat(':')?;
    let second = cursor.two_digits()?;
    let mut fraction = 0;
    if cursor.eat('.').is_some() {
        let digits = cursor.digits();
        if digits.is_empty() {
            return None;
        }
        fraction = format!("{digits:0<9.9}").parse::<u64>().ok()?;
    }
    let total =
        (u64::from(hour) * 3_600 + u64::from(minute) * 60 + u64::from(second)) * SECOND as u64 + fraction;
    let end_of_day = total == DAY as u64 && hour == 24;
    ((hour < 24 && minute < 60 && second < 60) || end_of_day).then_some(total)
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:02}:{:02}:{:02}", self.hour(), self.minute(), self.second())?;
        write_fraction(out, self.nanos % SECOND as u64)?;
        write!(out, "{}", self.zone)
    }
}

pub(super) fn write_fraction(out: &mut fmt::Formatter<'_>, nanos: u64) -> fmt::Result {
    if nanos == 0 { Ok(()) } else { write!(out, ".{}", format!("{nanos:09}").trim_end_matches('0')) }
}

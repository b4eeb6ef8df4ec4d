//! A day and a time.

use super::time::read_clock;
use super::{Cursor, DAY, Date, SECOND, Time, Zone};
use std::cmp::Ordering;
use std::fmt;

/// A day and a time, maybe at an offset or in a zone.
#[derive(Clone, Debug)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// Nanoseconds since midnight.
    pub nanos: u64,
    /// Where.
    pub zone: Zone,
}

impl DateTime {
    /// Reads `[-]YYYY-MM-DDTHH:MM:SS[.fraction][zone]`.
    pub fn parse(text: &str) -> Option<DateTime> {
        let mut cursor = Cursor { rest: text };
        let date = Date::read(&mut cursor)?;
        cursor.eat('T')?;
        let nanos = read_clock(&mut cursor)?;
        let zone = Zone::read(&mut cursor)?;
        if nanos < DAY as u64 {
            return Some(DateTime { date, nanos, zone });
        }
        // 24:00:00 is the first moment of the next day.
        Some(DateTime { date: Date::from_epoch_day(date.epoch_day() + 1)?, nanos: 0, zone })
    }

    /// An instant, seen in a zone.
    pub(crate) fn of_timestamp(timestamp: jiff::Timestamp, zone: Zone) -> Option<DateTime> {
        DateTime::of_universal(timestamp.as_nanosecond(), zone)
    }

    /// Nanoseconds since 1970 in UTC, seen in a zone.
    pub(crate) fn of_universal(nanos: i128, zone: Zone) -> Option<DateTime> {
        let seconds = i64::try_from(nanos.div_euclid(SECOND)).ok()?;
        let offset = zone.offset_of(seconds).unwrap_or(0);
        DateTime::of_local(nanos + i128::from(offset) * SECOND, zone)
    }

    /// Nanoseconds since 1970 by the clock on the wall.
    pub(crate) fn of_local(nanos: i128, zone: Zone) -> Option<DateTime> {
        let date = Date::from_epoch_day(i64::try_from(nanos.div_euclid(DAY)).ok()?)?;
        Some(DateTime { date, nanos: nanos.rem_euclid(DAY) as u64, zone })
    }

    /// Nanoseconds since 1970 by the clock on the wall.
    pub(crate) fn local(&self) -> i128 {
        i128::from(self.date.epoch_day()) * DAY + i128::from(self.nanos)
    }

    /// Seconds east of UTC.
    pub(crate) fn offset(&self) -> Option<i32> {
        self.zone.offset_at(self.date, self.nanos)
    }

    /// Nanoseconds since 1970 in UTC.
    pub(crate) fn universal(&self) -> Option<i128> {
        Some(self.local() - i128::from(self.offset()?) * SECOND)
    }

    /// The time of day.
    pub(crate) fn time(&self) -> Time {
        Time { nanos: self.nanos, zone: self.zone.clone() }
    }

    pub(crate) fn equals(&self, other: &DateTime) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// `None` when only one of them says where it is. The resolution of FEEL is the second (DMN 1.5 §10.3.2.3.5).
    pub(crate) fn compare(&self, other: &DateTime) -> Option<Ordering> {
        match (self.universal(), other.universal()) {
            (Some(a), Some(b)) => Some(a.div_euclid(SECOND).cmp(&b.div_euclid(SECOND))),
            (None, None) => Some(self.local().div_euclid(SECOND).cmp(&other.local().div_euclid(SECOND))),
            _ => None,
        }
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}T{}", self.date, self.time())
    }
}

//! A day of the proleptic Gregorian calendar.

use super::{Cursor, DateTime, Zone};
use std::fmt;

/// The first and last year that a date may have.
const MAXIMUM_YEAR: i32 = 999_999_999;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

impl Date {
    /// `None` when there is no such day.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Date> {
        let exists = (-MAXIMUM_YEAR..=MAXIMUM_YEAR).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day);
        exists.then_some(Date { year, month, day })
    }

    /// Reads `[-]YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Date> {
        let mut cursor = Cursor { rest: text };
        let date = Date::read(&mut cursor)?;
        cursor.rest.is_empty().then_some(date)
    }

    pub(super) fn read(cursor: &mut Cursor<'_>) -> Option<Date> {
        let negative = cursor.eat('-').is_some();
        let digits = cursor.digits();
        if digits.len() < 4 || (digits.len() > 4 && digits.starts_with('0')) {
            return None;
        }
        let year: i32 = digits.parse().ok()?;
        cursor.eat('-')?;
        let month = cursor.two_digits()?;
        cursor.eat('-')?;
        let day = cursor.two_digits()?;
        Date::new(if negative { -year } else { year }, month, day)
    }

    /// The year; zero and before count back from the first.
    pub fn year(self) -> i32 {
        self.year
    }

    /// January is 1.
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month.
    pub fn day(self) -> u8 {
        self.day
    }

    /// Monday is 1, Sunday is 7.
    pub fn weekday(self) -> u8 {
        (self.epoch_day() + 3).rem_euclid(7) as u8 + 1
    }

    /// January 1st is 1.
    pub fn day_of_year(self) -> i64 {
        self.epoch_day() - Date { month: 1, day: 1, ..self }.epoch_day() + 1
    }

    /// The ISO 8601 week.
    pub fn week_of_year(self) -> i64 {
        let thursday = Date::from_epoch_day(self.epoch_day() + 4 - i64::from(self.weekday()));
        thursday.map_or(1, |day| (day.day_of_year() - 1) / 7 + 1)
    }

    /// Days since 1970-01-01.
    pub fn epoch_day(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    /// `None` beyond the years that a date may have.
    pub fn from_epoch_day(days: i64) -> Option<Date> {
        if days.unsigned_abs() > 400_000_000_000 {
            return None;
        }
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u8;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u8;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date::new(i32::try_from(year).ok()?, month, day)
    }

    /// The same day of another month, or its last one.
    pub fn add_months(self, months: i64) -> Option<Date> {
        let total = (i64::from(self.year) * 12 + i64::from(self.month) - 1).checked_add(months)?;
        let year = i32::try_from(total.div_euclid(12)).ok()?;
        let month = total.rem_euclid(12) as u8 + 1;
        Date::new(year, month, self.day.min(days_in_month(year, month)))
    }

    /// The first moment of the day, in UTC as DMN has it (§10.3.2.3.7).
    pub fn at_midnight(self) -> DateTime {
        DateTime { date: self, nanos: 0, zone: Zone::Offset(0) }
    }

    pub(crate) fn at_local_midnight(self) -> DateTime {
        DateTime { date: self, nanos: 0, zone: Zone::Local }
    }
}

pub(crate) fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.year < 0 { "-" } else { "" };
        write!(out, "{sign}{:04}-{:02}-{:02}", self.year.unsigned_abs(), self.month, self.day)
    }
}

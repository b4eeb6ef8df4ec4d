//! Cron lines: `0 9 * * MON-FRI` and its kin, in UTC.
//!
//! Five fields are minute, hour, day, month and weekday; a sixth before them is the second, a seventh behind them the
//! year. Where both day and weekday are restricted, either will do.
//!
//! **Invariant:** what [`Cron::parse`] takes has a moment that fits, or no day of a calendar does.

mod field;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use self::field::{Day, Field, Weekday};

/// The last year that is looked at.
const HORIZON: i16 = 2399;

/// Moments that come again.
///
/// ```
/// use tyer_model::Cron;
///
/// let workdays = Cron::parse("0 9 * * MON-FRI")?;
/// let friday_evening = "2026-11-13T18:00:00Z".parse().expect("a moment");
/// assert_eq!(workdays.after(friday_evening).expect("there is one").to_string(), "2026-11-16T09:00:00Z");
/// # Ok::<(), String>(())
/// ```
pub struct Cron {
    seconds: Field,
    minutes: Field,
    hours: Field,
    days: Vec<Day>,
    months: Field,
    weekdays: Vec<Weekday>,
    years: Option<Field>,
}

impl Cron {
    /// Reads a line, or one of `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`.
    ///
    /// # Errors
    /// Names the field, what is wrong with it, and what could be there.
    pub fn parse(line: &str) -> Result<Cron, String> {
        let line = match line.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            line => line,
        };
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (second, minute, hour, day, month, weekday, year) = match fields[..] {
            [minute, hour, day, month, weekday] => ("0", minute, hour, day, month, weekday, None),
            [second, minute, hour, day, month, weekday] => (second, minute, hour, day, month, weekday, None),
            [second, minute, hour, day, month, weekday, year] => {
                (second, minute, hour, day, month, weekday, Some(year))
            }
            _ => return Err(format!("it has {} fields; a cron line has five, six or seven", fields.len())),
        };
        Ok(Cron {
            seconds: field::SECOND.read(second)?,
            minutes: field::MINUTE.read(minute)?,
            hours: field::HOUR.read(hour)?,
            days: field::days(day)?,
            months: field::MONTH.read(month)?,
            weekdays: field::weekdays(weekday)?,
            years: year.filter(|year| *year != "*").map(|year| field::YEAR.read(year)).transpose()?,
        })
    }

    /// The first moment that fits and is later than this one; none if there is none before the year 2400.
    pub fn after(&self, moment: Timestamp) -> Option<Timestamp> {
        let from = TimeZone::UTC.to_datetime(moment);
        let (mut date, mut time) = (from.date(), self.time(later(from)));
        while date.year() <= HORIZON {
            if let Some(time) = time.filter(|_| self.is_day(date)) {
                return TimeZone::UTC.to_timestamp(DateTime::from_parts(date, time)).ok();
            }
            date = self.next_date(date)?;
            time = self.time(Some((0, 0, 0)));
        }
        None
    }

    /// The first time of a day that fits, from this one on.
    fn time(&self, from: Option<(i8, i8, i8)>) -> Option<Time> {
        let (hour, minute, second) = from?;
        let at = |hour: i16, minute, second| Time::new(hour as i8, minute as i8, second as i8, 0).ok();
        let (first_minute, first_second) = (self.minutes.from(0)?, self.seconds.from(0)?);
        if self.hours.has(hour.into()) {
            if self.minutes.has(minute.into())
                && let Some(second) = self.seconds.from(second.into())
            {
                return at(hour.into(), minute.into(), second);
            }
            if let Some(minute) = self.minutes.from(i16::from(minute) + 1) {
                return at(hour.into(), minute, first_second);
            }
        }
        at(self.hours.from(i16::from(hour) + 1)?, first_minute, first_second)
    }

    fn is_day(&self, date: Date) -> bool {
        let fits = self.months.has(date.month().into());
        let fits = fits && self.years.as_ref().is_none_or(|years| years.has(date.year()));
        fits && match (self.days.is_empty(), self.weekdays.is_empty()) {
            (true, true) => true,
            (false, true) => self.days.iter().any(|day| day.is(date)),
            (true, false) => self.weekdays.iter().any(|day| day.is(date)),
            (false, false) => {
                self.days.iter().any(|day| day.is(date)) || self.weekdays.iter().any(|day| day.is(date))
            }
        }
    }

    /// The next day, or the first of the next month where this month does not fit.
    fn next_date(&self, date: Date) -> Option<Date> {
        let month_fits = self.months.has(date.month().into());
        let year_fits = self.years.as_ref().is_none_or(|years| years.has(date.year()));
        match (year_fits, month_fits) {
            (true, true) => date.tomorrow(),
            (true, false) => date.last_of_month().tomorrow(),
            (false, _) => date.last_of_year().tomorrow(),
        }
        .ok()
    }
}

/// The second after this one, on the same day.
fn later(from: DateTime) -> Option<(i8, i8, i8)> {
    let (hour, minute, second) = (from.hour(), from.minute(), from.second());
    match (hour, minute, second) {
        (23, 59, 59) => None,
        (_, 59, 59) => Some((hour + 1, 0, 0)),
        (_, _, 59) => Some((hour, minute + 1, 0)),
        _ => Some((hour, minute, second + 1)),
    }
}

#[cfg(test)]
mod tests;

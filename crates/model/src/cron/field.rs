//! The fields of a cron line: numbers, names, ranges, steps, and what only days know.

use jiff::civil::Date;

/// What a field may say.
pub(super) struct Kind {
    name: &'static str,
    least: i16,
    most: i16,
    /// Names of its numbers, the first for `least`.
    names: &'static [&'static str],
}

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

pub(super) const SECOND: Kind = Kind { name: "second", least: 0, most: 59, names: &[] };
pub(super) const MINUTE: Kind = Kind { name: "minute", least: 0, most: 59, names: &[] };
pub(super) const HOUR: Kind = Kind { name: "hour", least: 0, most: 23, names: &[] };
pub(super) const MONTH: Kind = Kind { name: "month", least: 1, most: 12, names: &MONTHS };
pub(super) const YEAR: Kind = Kind { name: "year", least: 1970, most: super::HORIZON, names: &[] };
const DAY: Kind = Kind { name: "day", least: 1, most: 31, names: &[] };
/// Sunday is 0, and 7.
const WEEKDAY: Kind = Kind { name: "weekday", least: 0, most: 7, names: &WEEKDAYS };

/// Numbers that fit: first, last and step of each part.
#[derive(Debug)]
pub(super) struct Field(Vec<(i16, i16, i16)>);

impl Field {
    pub(super) fn has(&self, number: i16) -> bool {
        self.0
            .iter()
            .any(|(first, last, step)| (*first..=*last).contains(&number) && (number - first) % step == 0)
    }

    /// The first number that fits, from this one on.
    pub(super) fn from(&self, number: i16) -> Option<i16> {
        let most = self.0.iter().map(|(_, last, _)| *last).max()?;
        (number..=most).find(|number| self.has(*number))
    }
}

/// A day of the month.
pub(super) enum Day {
    Numbered(Field),
    /// `L`.
    Last,
    /// `LW`: the last from Monday to Friday.
    LastWorkday,
    /// `15W`: from Monday to Friday, the nearest to this day and in its month.
    NearestWorkday(i16),
}

/// A day of the week.
pub(super) enum Weekday {
    Numbered(Field),
    /// `FRI#2`: the second of its month.
    Nth(i16, i16),
    /// `FRIL`: the last of its month.
    Last(i16),
}

impl Kind {
    /// A list of `*`, numbers, ranges and steps.
    pub(super) fn read(&self, text: &str) -> Result<Field, String> {
        text.split(',').map(|part| self.part(part)).collect::<Result<Vec<_>, String>>().map(Field)
    }

    fn part(&self, part: &str) -> Result<(i16, i16, i16), String> {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let step = step.map(|step| self.step(step, part)).transpose()?;
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (self.number(first)?, self.number(last)?),
            None if matches!(range, "*" | "?") => (self.least, self.most),
            None => {
                let first = self.number(range)?;
                (first, if step.is_some() { self.most } else { first })
            }
        };
        if first > last {
            return Err(format!("{} `{part}` ends before it begins; write it as two ranges", self.name));
        }
        Ok((first, last, step.unwrap_or(1)))
    }

    fn step(&self, step: &str, part: &str) -> Result<i16, String> {
        step.parse().ok().filter(|step| (1..=self.most).contains(step)).ok_or_else(|| {
            format!("the step of {} `{part}` should be a number from 1 to {}", self.name, self.most)
        })
    }

    fn number(&self, text: &str) -> Result<i16, String> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let named = named.and_then(|at| i16::try_from(at).ok()).map(|at| at + self.least);
        let number = named.or_else(|| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit())));
        number.filter(|number| (self.least..=self.most).contains(number)).ok_or_else(|| {
            let names = if self.names.is_empty() { "" } else { ", or a name of three letters" };
            format!("{} `{text}` should be a number from {} to {}{names}", self.name, self.least, self.most)
        })
    }
}

/// Days of the month; none for every day.
pub(super) fn days(text: &str) -> Result<Vec<Day>, String> {
    if matches!(text, "*" | "?") {
        return Ok(Vec::new());
    }
    let day = |part: &str| match part.to_ascii_uppercase().as_str() {
        "L" => Ok(Day::Last),
        "LW" => Ok(Day::LastWorkday),
        part => match part.strip_suffix('W') {
            Some(near) => DAY.number(near).map(Day::NearestWorkday),
            None => DAY.read(part).map(Day::Numbered),
        },
    };
    text.split(',').map(day).collect()
}

/// Days of the week; none for every day.
pub(super) fn weekdays(text: &str) -> Result<Vec<Weekday>, String> {
    if matches!(text, "*" | "?") {
        return Ok(Vec::new());
    }
    let weekday = |part: &str| {
        if let Some((day, nth)) = part.split_once('#') {
            let nth = nth.parse().ok().filter(|nth| (1..=5).contains(nth));
            let nth = nth.ok_or_else(|| format!("weekday `{part}` should end in #1 to #5"))?;
            return Ok(Weekday::Nth(WEEKDAY.number(day)? % 7, nth));
        }
        match part.strip_suffix(['L', 'l']) {
            Some(day) => Ok(Weekday::Last(WEEKDAY.number(day)? % 7)),
            None => WEEKDAY.read(part).map(Weekday::Numbered),
        }
    };
    text.split(',').map(weekday).collect()
}

impl Day {
    pub(super) fn is(&self, date: Date) -> bool {
        let (day, last) = (i16::from(date.day()), i16::from(date.days_in_month()));
        match self {
            Day::Numbered(field) => field.has(day),
            Day::Last => day == last,
            Day::LastWorkday => is_nearest_workday(date, last),
            Day::NearestWorkday(wanted) => *wanted <= last && is_nearest_workday(date, *wanted),
        }
    }
}

impl Weekday {
    pub(super) fn is(&self, date: Date) -> bool {
        let (weekday, day) = (from_sunday(date), i16::from(date.day()));
        match self {
            Weekday::Numbered(field) => field.has(weekday) || weekday == 0 && field.has(7),
            Weekday::Nth(wanted, nth) => weekday == *wanted && (day - 1) / 7 + 1 == *nth,
            Weekday::Last(wanted) => weekday == *wanted && day + 7 > i16::from(date.days_in_month()),
        }
    }
}

fn from_sunday(date: Date) -> i16 {
    date.weekday().to_sunday_zero_offset().into()
}

/// Is this the day from Monday to Friday that is nearest to a day of its month?
fn is_nearest_workday(date: Date, wanted: i16) -> bool {
    let (day, weekday, last) = (i16::from(date.day()), from_sunday(date), i16::from(date.days_in_month()));
    match weekday {
        0 | 6 => false,
        // A Monday stands in for a Sunday before it, and for a Saturday that is the first.
        1 => day == wanted || day == wanted + 1 || wanted == 1 && day == 3,
        // A Friday stands in for a Saturday after it, and for a Sunday that is the last.
        5 => day == wanted || day == wanted - 1 && (wanted > 1) || wanted == last && day == last - 2,
        _ => day == wanted,
    }
}

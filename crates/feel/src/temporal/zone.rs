//! Where a time is: nowhere in particular, at an offset, or in a named zone.

use super::{Cursor, Date, SECOND};
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Where a time is.
#[derive(Clone, Debug)]
pub enum Zone {
    /// Not said.
    Local,
    /// Seconds east of UTC.
    Offset(i32),
    /// By name, such as `Europe/Paris`.
    Named(Arc<NamedZone>),
}

/// A zone of the bundled database.
#[derive(Debug)]
pub struct NamedZone {
    name: Box<str>,
    zone: TimeZone,
}

impl Zone {
    /// Reads what may follow a time: nothing, `Z`, `±HH:MM[:SS]` or `@Area/City`.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Option<Zone> {
        let rest = std::mem::take(&mut cursor.rest);
        match rest.as_bytes().first() {
            None => Some(Zone::Local),
            Some(b'Z' | b'z') if rest.len() == 1 => Some(Zone::Offset(0)),
            Some(b'@') => Zone::named(&rest[1..]),
            Some(b'+' | b'-') => Zone::offset(rest),
            _ => None,
        }
    }

    fn offset(text: &str) -> Option<Zone> {
        let mut cursor = Cursor { rest: &text[1..] };
        let hours = cursor.two_digits()?;
        cursor.eat(':')?;
        let minutes = cursor.two_digits()?;
        let seconds = if cursor.eat(':').is_some() { cursor.two_digits()? } else { 0 };
        if !cursor.rest.is_empty() || minutes > 59 || seconds > 59 {
            return None;
        }
        let total = i32::from(hours) * 3_600 + i32::from(minutes) * 60 + i32::from(seconds);
        Zone::of_seconds(if text.starts_with('-') { -total } else { total })
    }

    /// `None` beyond 14 hours, the largest offset that XML Schema knows.
    pub(crate) fn of_seconds(seconds: i32) -> Option<Zone> {
        (seconds.abs() <= 14 * 3_600).then_some(Zone::Offset(seconds))
    }

    pub(crate) fn named(name: &str) -> Option<Zone> {
        static BUNDLED: OnceLock<TimeZoneDatabase> = OnceLock::new();
        let zone = BUNDLED.get_or_init(TimeZoneDatabase::bundled).get(name).ok()?;
        Some(Zone::Named(Arc::new(NamedZone { name: name.into(), zone })))
    }

    /// Of a clock's zone.
    pub(crate) fn of(zone: &TimeZone) -> Zone {
        match zone.iana_name() {
            Some(name) if name != "UTC" => {
                Zone::Named(Arc::new(NamedZone { name: name.into(), zone: zone.clone() }))
            }
            _ => Zone::Offset(zone.to_fixed_offset().map_or(0, Offset::seconds)),
        }
    }

    /// The name, if it has one.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Zone::Named(named) => Some(&named.name),
            Zone::Local | Zone::Offset(_) => None,
        }
    }

    /// Seconds east of UTC at a local date and time.
    pub(crate) fn offset_at(&self, date: Date, nanos: u64) -> Option<i32> {
        match self {
            Zone::Local => None,
            Zone::Offset(seconds) => Some(*seconds),
            Zone::Named(named) => {
                let year = known_year(date.year());
                let day = date.day().min(super::date::days_in_month(i32::from(year), date.month()));
                let seconds = (i128::from(nanos) / SECOND) as i32;
                let time = jiff::civil::time(
                    (seconds / 3_600) as i8,
                    (seconds / 60 % 60) as i8,
                    (seconds % 60) as i8,
                    0,
                );
                let civil = jiff::civil::date(year, date.month() as i8, day as i8).to_datetime(time);
                named.zone.to_ambiguous_zoned(civil).compatible().ok().map(|zoned| zoned.offset().seconds())
            }
        }
    }

    /// Seconds east of UTC at an instant.
    pub(crate) fn offset_of(&self, epoch_seconds: i64) -> Option<i32> {
        match self {
            Zone::Local => None,
            Zone::Offset(seconds) => Some(*seconds),
            Zone::Named(named) => {
                let timestamp =
                    jiff::Timestamp::from_second(epoch_seconds.clamp(-370_000_000_000, 250_000_000_000))
                        .ok()?;
                Some(named.zone.to_offset(timestamp).seconds())
            }
        }
    }
}

/// A year that the zone database knows, with the same calendar.
fn known_year(year: i32) -> i16 {
    let known = if year > 9_000 {
        8_800 + year.rem_euclid(400)
    } else if year < -9_000 {
        -9_000 + year.rem_euclid(400)
    } else {
        year
    };
    known as i16
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        match (self, other) {
            (Zone::Local, Zone::Local) => true,
            (Zone::Offset(a), Zone::Offset(b)) => a == b,
            (Zone::Named(a), Zone::Named(b)) => a.name == b.name,
            _ => false,
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Zone::Local => Ok(()),
            Zone::Offset(0) => out.write_str("Z"),
            Zone::Offset(seconds) => {
                let magnitude = seconds.unsigned_abs();
                let sign = if *seconds < 0 { '-' } else { '+' };
                write!(out, "{sign}{:02}:{:02}", magnitude / 3_600, magnitude / 60 % 60)?;
                if magnitude % 60 == 0 { Ok(()) } else { write!(out, ":{:02}", magnitude % 60) }
            }
            Zone::Named(named) => write!(out, "@{}", named.name),
        }
    }
}

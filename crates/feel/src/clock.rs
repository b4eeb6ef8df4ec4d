//! The time and the zone that an evaluation sees.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What `now()` and `today()` answer. Passed in, never read.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The instant.
    pub now: Timestamp,
    /// Where it is looked at.
    pub zone: TimeZone,
}

impl Clock {
    /// An instant, in UTC.
    pub fn utc(now: Timestamp) -> Clock {
        Clock { now, zone: TimeZone::UTC }
    }

    /// 1970-01-01, in UTC: for evaluations that have nothing to do with time.
    pub fn epoch() -> Clock {
        Clock::utc(Timestamp::UNIX_EPOCH)
    }
}

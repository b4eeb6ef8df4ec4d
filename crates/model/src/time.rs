//! Times as people write them in diagrams: durations, moments and cycles of ISO 8601, and cron.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp, Zoned};

use crate::Cron;

/// Whether a text is computed from variables rather than fixed.
pub(crate) fn is_computed(text: &str) -> bool {
    text.starts_with('=') || text.contains("${") || text.contains("#{")
}

/// An ISO 8601 duration that is not negative.
pub(crate) fn duration(written: &str) -> Option<Span> {
    let is_iso = written.trim_start_matches(['+', '-']).starts_with('P');
    written.parse().ok().filter(|span: &Span| is_iso && !span.is_negative())
}

/// A moment; without an offset it is UTC, because the machine's own zone must not decide.
pub(crate) fn moment(written: &str) -> Option<Timestamp> {
    let absolute = written.parse::<Timestamp>().ok();
    let zoned = || written.parse::<Zoned>().ok().map(|zoned| zoned.timestamp());
    let local =
        || written.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    absolute.or_else(zoned).or_else(local)
}

/// A repeated interval such as `R3/PT10S`, or a cron line of five to seven fields.
pub(crate) fn is_cycle(written: &str) -> bool {
    match written.strip_prefix('R') {
        Some(rest) => is_interval(rest),
        None => Cron::parse(written).is_ok(),
    }
}

/// What follows the `R`: a number perhaps, then a duration, perhaps with a start before it or an end after it.
fn is_interval(rest: &str) -> bool {
    let mut parts = rest.split('/');
    let count_is_number = parts.next().is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
    let parts: Vec<_> = parts.collect();
    count_is_number
        && match parts[..] {
            [only] => duration(only).is_some(),
            [first, second] if duration(second).is_some() => moment(first).is_some(),
            [first, second] => duration(first).is_some() && moment(second).is_some(),
            _ => false,
        }
}

/// A fixed duration in milliseconds, for waits between tries: weeks and days are 24 hours each.
pub(crate) fn milliseconds(written: &str) -> Option<u64> {
    let length: SignedDuration =
        duration(written.trim())?.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    u64::try_from(length.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_moments_and_cycles_are_recognised() {
        for good in ["PT15M", "P1Y2M3DT4H5M6.5S", "P2W"] {
            assert!(duration(good).is_some(), "{good} is a duration");
        }
        for bad in ["", "15 minutes", "P", "PT", "-PT1S", "1h", "PT1X"] {
            assert!(duration(bad).is_none(), "{bad:?} is no duration");
        }
        let utc = |written| moment(written).map(|moment| moment.to_string());
        assert_eq!(utc("2030-01-31T12:00:00+02:00").as_deref(), Some("2030-01-31T10:00:00Z"));
        assert_eq!(utc("2030-01-31T12:00:00").as_deref(), Some("2030-01-31T12:00:00Z"));
        assert_eq!(utc("tomorrow"), None);
        let repeated = ["R3/PT10S", "R/PT10S", "R2/2030-01-01T00:00:00Z/P1D", "R/P1D/2030-01-01T00:00:00Z"];
        for good in repeated.into_iter().chain(["0 0 9 * * MON-FRI", "@daily"]) {
            assert!(is_cycle(good), "{good} is a cycle");
        }
        for bad in ["", "PT10S", "Rx/PT10S", "R3", "every day", "R3/PT10S/PT10S"] {
            assert!(!is_cycle(bad), "{bad:?} is no cycle");
        }
        assert_eq!(milliseconds("PT1M1.5S"), Some(61_500));
        assert_eq!(milliseconds("P1D"), Some(86_400_000));
        assert_eq!(milliseconds("-PT1S"), None);
    }
}

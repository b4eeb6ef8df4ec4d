//! Timers: from what the diagram says to a moment.

mod cycle;

use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Span, Timestamp as Moment};
use tyer_model::{Text, TimerSpec};

use crate::nodes::text;
use crate::words::*;

/// A moment, and what is left of the timer's cycle then.
pub(crate) type Due = (Timestamp, Option<Arc<str>>);

/// When a timer is due for the first time.
pub(crate) fn first(turn: &Turn<'_>, reads: Number, spec: &TimerSpec) -> Result<Due, String> {
    first_of(spec, turn.now, |written| text::iso(turn, reads, written))
}

/// As `first`, with texts computed by the caller.
pub(crate) fn first_of(
    spec: &TimerSpec,
    now: Timestamp,
    computed: impl Fn(&Text) -> Result<Arc<str>, String>,
) -> Result<Due, String> {
    match spec {
        TimerSpec::Duration(duration) => Ok((after(now, &computed(duration)?)?, None)),
        TimerSpec::Date(date) => Ok((moment(&computed(date)?)?, None)),
        TimerSpec::Cycle(cycle) => {
            let cycle = computed(cycle)?;
            cycle::first(now, &cycle)?.ok_or_else(|| format!("`{cycle}` never happens"))
        }
    }
}

/// When a timer is due again, and what is left of its cycle then; none when it is used up.
pub(crate) fn next(due: Timestamp, cycle: &str) -> Result<Option<Due>, String> {
    cycle::next(due, cycle)
}

/// Does the cycle say how often?
pub(crate) fn is_counted(cycle: &str) -> bool {
    cycle.strip_prefix('R').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// A moment as RFC 3339 writes it, or as FEEL does with a zone (`2030-01-31T12:00:00@Europe/Paris`). Without either it
/// is UTC, because the machine's own zone must not decide.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    let absolute: Result<Moment, _> = text.parse();
    let local = || {
        let (local, zone) = match text.split_once('@') {
            Some((local, zone)) => (local, TimeZoneDatabase::bundled().get(zone)?),
            None => (text, TimeZone::UTC),
        };
        local.parse::<DateTime>()?.to_zoned(zone)
    };
    absolute
        .or_else(|error| local().map(|zoned| zoned.timestamp()).map_err(|_| error))
        .map(rounded_up)
        .map_err(|error| format!("`{text}` is not a moment like 2030-01-31T12:00:00Z: {error}"))
}

/// A moment some ISO 8601 duration later. Days, months and years are those of the UTC calendar.
fn after(now: Timestamp, text: &str) -> Result<Timestamp, String> {
    let wrong = |error: String| format!("`{text}` is not a duration like PT10S or P1D: {error}");
    if !text.trim_start_matches(['+', '-']).starts_with('P') {
        return Err(wrong("ISO 8601 begins it with a P".to_owned()));
    }
    let later = || {
        let start = Moment::from_millisecond(now.0)?.to_zoned(TimeZone::UTC);
        start.checked_add(text.parse::<Span>()?).map(|due| due.timestamp())
    };
    later().map(rounded_up).map_err(|error: jiff::Error| wrong(error.to_string()))
}

/// A timer is never early: a fraction of a millisecond counts as a whole one.
fn rounded_up(moment: Moment) -> Timestamp {
    let whole = moment.as_millisecond();
    let is_more = moment.duration_since(Moment::UNIX_EPOCH) > SignedDuration::from_millis(whole);
    Timestamp(whole + i64::from(is_more))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_follow_the_calendar_and_are_never_early() {
        let start = moment("2024-01-31T00:00:00Z").expect("a moment");
        let cases = [
            ("PT1S", "2024-01-31T00:00:01Z"),
            ("P1M", "2024-02-29T00:00:00Z"),
            ("P1D", "2024-02-01T00:00:00Z"),
        ];
        for (duration, due) in cases {
            assert_eq!(after(start, duration), moment(due), "{duration}");
        }
        assert_eq!(after(Timestamp(0), "PT0.0001S"), Ok(Timestamp(1)));
        assert_eq!(moment("1970-01-01T00:00:00.0001"), Ok(Timestamp(1)));
        for wrong in ["soon", "5 seconds", "1h", ""] {
            assert!(after(Timestamp(0), wrong).is_err(), "{wrong}");
        }
    }
}

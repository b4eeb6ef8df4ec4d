//! Timer catch event: the token waits until a moment.

use jiff::{SignedDuration, Span, Timestamp as Moment, tz::TimeZone};
use tyer_model::TimerSpec;

use crate::ids::{Number, Timestamp};
use crate::instance::{IncidentKind, TimerKind};
use crate::nodes::text;
use crate::step::Turn;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, spec: &TimerSpec) {
    match due(turn, token, spec) {
        Ok(due) => turn.arm(token, due, TimerKind::Catch),
        Err(reason) => {
            let message = format!("the timer of `{}`: {reason}", turn.node_of(token).id);
            turn.open_incident(Some(token), IncidentKind::Expression, message);
        }
    }
}

fn due(turn: &Turn<'_>, token: Number, spec: &TimerSpec) -> Result<Timestamp, String> {
    match spec {
        TimerSpec::Duration(duration) => after(turn.now, &*text::iso(turn, token, duration)?),
        TimerSpec::Date(date) => moment(&*text::iso(turn, token, date)?),
    }
}

/// A moment as RFC 3339 writes it.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    let moment: Result<Moment, _> = text.parse();
    moment
        .map(|moment| Timestamp(moment.as_millisecond()))
        .map_err(|error| format!("`{text}` is not a moment like 2030-01-31T12:00:00Z: {error}"))
}

/// A moment some ISO 8601 duration later. Days, months and years are those of the UTC calendar.
fn after(now: Timestamp, text: &str) -> Result<Timestamp, String> {
    let wrong = |error: jiff::Error| format!("`{text}` is not a duration like PT10S or P1D: {error}");
    let span: Span = text.parse().map_err(wrong)?;
    let start = Moment::from_millisecond(now.0).map_err(wrong)?.to_zoned(TimeZone::UTC);
    let due = start.checked_add(span).map_err(wrong)?.timestamp();
    let whole = due.as_millisecond();
    // A timer is never early: a fraction of a millisecond counts as a whole one.
    let rounded_up = i64::from(due.duration_since(Moment::UNIX_EPOCH) > SignedDuration::from_millis(whole));
    Ok(Timestamp(whole + rounded_up))
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
        assert!(after(Timestamp(0), "soon").is_err());
    }
}

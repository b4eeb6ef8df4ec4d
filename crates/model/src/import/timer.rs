//! Timers: when, as a duration or a moment.
//!
//! **Invariant:** a literal time in a compiled process can be read: durations as ISO 8601, moments as RFC 3339.

use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use tyer_xml::Element;

use super::expression;
use super::namespace::BPMN;
use super::report::{Report, label};
use crate::problem::Code;
use crate::process::{Text, TimerSpec};

/// What a `timerEventDefinition` says.
pub(crate) fn compile(definition: Element<'_>, owner: Element<'_>, report: &mut Report) -> Option<TimerSpec> {
    let is_time = |child: &Element<'_>| {
        child.name().namespace == BPMN
            && matches!(child.local_name(), "timeDate" | "timeDuration" | "timeCycle")
    };
    let times: Vec<_> = definition.children().filter(is_time).collect();
    let [time] = times[..] else {
        let message = format!("timer of {} has {} times", label(owner), times.len());
        report.error(
            Code::TimerInvalid,
            owner,
            message,
            "give it one of timeDate, timeDuration or timeCycle",
        );
        return None;
    };
    let value = time.text();
    match time.local_name() {
        "timeDuration" => literal_or_expression(&value, owner, report, duration).map(TimerSpec::Duration),
        "timeDate" => literal_or_expression(&value, owner, report, date).map(TimerSpec::Date),
        _ => {
            let message = format!("{} waits for a cycle", label(owner));
            report.error(
                Code::ElementNotExecutable,
                owner,
                message,
                "use timeDuration or timeDate",
            );
            None
        }
    }
}

type Read = fn(&str) -> Result<String, &'static str>;

fn literal_or_expression(value: &str, owner: Element<'_>, report: &mut Report, read: Read) -> Option<Text> {
    match expression::text(value.trim(), owner, report)? {
        Text::Literal(written) => match read(&written) {
            Ok(understood) => Some(Text::Literal(Arc::from(understood))),
            Err(expected) => {
                let message = format!("timer of {}: `{written}` cannot be read", label(owner));
                report.error(Code::TimerInvalid, owner, message, expected);
                None
            }
        },
        computed @ Text::Expression(_) => Some(computed),
    }
}

fn duration(written: &str) -> Result<String, &'static str> {
    let expected = "write an ISO 8601 duration such as PT15M or P2D, or an expression that begins with `=`";
    let span: Span = written.parse().map_err(|_| expected)?;
    let iso = written.starts_with('P') || written.starts_with("-P") || written.starts_with("+P");
    if iso && !span.is_negative() {
        Ok(written.to_owned())
    } else {
        Err(expected)
    }
}

fn date(written: &str) -> Result<String, &'static str> {
    let expected = "write a moment such as 2030-01-31T12:00:00Z, or an expression that begins with `=`";
    if let Ok(moment) = written.parse::<Timestamp>() {
        return Ok(moment.to_string());
    }
    if let Ok(zoned) = written.parse::<Zoned>() {
        return Ok(zoned.timestamp().to_string());
    }
    // A moment without offset means UTC: the machine's own zone must not decide.
    let local: DateTime = written.parse().map_err(|_| expected)?;
    local
        .to_zoned(TimeZone::UTC)
        .map(|zoned| zoned.timestamp().to_string())
        .map_err(|_| expected)
}

/// A fixed duration in milliseconds, for waits between tries: weeks and days are 24 hours each.
pub(crate) fn milliseconds(written: &str) -> Option<u64> {
    let span: Span = written.trim().parse().ok()?;
    let length: SignedDuration = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?;
    u64::try_from(length.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_moments_are_checked() {
        for good in ["PT15M", "P1Y2M3DT4H5M6.5S", "P2W"] {
            assert_eq!(duration(good).as_deref(), Ok(good));
        }
        for bad in ["", "15 minutes", "P", "PT", "-PT1S", "1h", "PT1X"] {
            assert!(duration(bad).is_err(), "{bad:?} is no duration");
        }
        assert_eq!(
            date("2030-01-31T12:00:00+02:00").as_deref(),
            Ok("2030-01-31T10:00:00Z")
        );
        assert_eq!(date("2030-01-31T12:00:00").as_deref(), Ok("2030-01-31T12:00:00Z"));
        assert!(date("tomorrow").is_err());
        assert_eq!(milliseconds("PT1M1.5S"), Some(61_500));
        assert_eq!(milliseconds("P1D"), Some(86_400_000));
        assert_eq!(milliseconds("-PT1S"), None);
    }
}

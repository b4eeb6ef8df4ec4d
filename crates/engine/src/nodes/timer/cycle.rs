//! Cycles: ISO 8601 repetitions (`R3/PT10S`, `R/2030-01-01T00:00:00Z/P1D`) and cron lines.
//!
//! **Invariant:** a timer keeps what is left of its cycle as a text, so that a restart changes nothing.

use std::sync::Arc;

use jiff::Timestamp as Moment;
use tyer_model::Cron;

use super::{after, moment};
use crate::ids::Timestamp;

/// A moment, and what is left of the cycle then.
type Next = Option<super::Due>;

/// The first moment of a cycle.
pub(super) fn first(now: Timestamp, text: &str) -> Result<Next, String> {
    let text = text.trim();
    let Some((times, start, period)) = repetition(text)? else { return cron(now, text) };
    if times == Some(0) {
        return Ok(None);
    }
    let due = match start {
        Some(start) => moment(start)?,
        None => after(now, period)?,
    };
    Ok(Some((due, rest(times, period))))
}

/// The moment after one that has come; `text` is what was left of the cycle.
pub(super) fn next(due: Timestamp, text: &str) -> Result<Next, String> {
    let Some((times, _, period)) = repetition(text)? else { return cron(due, text) };
    if times == Some(0) {
        return Ok(None);
    }
    Ok(Some((after(due, period)?, rest(times, period))))
}

fn rest(times: Option<u32>, period: &str) -> Option<Arc<str>> {
    match times {
        None => Some(Arc::from(format!("R/{period}"))),
        Some(times) => (times > 1).then(|| Arc::from(format!("R{}/{period}", times - 1))),
    }
}

/// How often, from when, how long between.
type Repetition<'t> = (Option<u32>, Option<&'t str>, &'t str);

/// How often (none = for ever), from when, how long between; none if it is no ISO repetition.
fn repetition(text: &str) -> Result<Option<Repetition<'_>>, String> {
    let Some(rest) = text.strip_prefix('R') else { return Ok(None) };
    let wrong = || format!("`{text}` is not a repetition like R3/PT10S or R/2030-01-01T00:00:00Z/P1D");
    let mut parts = rest.split('/');
    let times = match parts.next().ok_or_else(wrong)? {
        "" | "-1" => None,
        digits => Some(digits.parse().map_err(|_| wrong())?),
    };
    match (parts.next(), parts.next(), parts.next()) {
        (Some(period), None, None) => Ok(Some((times, None, period))),
        (Some(start), Some(period), None) => Ok(Some((times, Some(start), period))),
        _ => Err(wrong()),
    }
}

/// The next moment of a cron line, in UTC. `@daily` and the like are known too.
fn cron(after: Timestamp, line: &str) -> Result<Next, String> {
    let wrong =
        |error: String| format!("`{line}` is neither a repetition like R3/PT10S nor a cron line: {error}");
    let cron = Cron::parse(line).map_err(wrong)?;
    let after = Moment::from_millisecond(after.0).map_err(|error| wrong(error.to_string()))?;
    let next = cron.after(after).ok_or_else(|| wrong("no moment fits".to_owned()))?;
    Ok(Some((super::rounded_up(next), Some(Arc::from(line)))))
}

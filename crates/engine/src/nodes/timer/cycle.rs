//! Cycles: ISO 8601 repetitions (`R3/PT10S`, `R/2030-01-01T00:00:00Z/P1D`, `R/P1D/2030-01-01T00:00:00Z`) and cron lines.
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
    let Some(repetition) = Repetition::parse(text)? else { return cron(now, text) };
    let due = match repetition.start {
        Some(start) => moment(start)?,
        None => after(now, repetition.period)?,
    };
    repetition.at(due)
}

/// The moment after one that has come; `text` is what was left of the cycle.
pub(super) fn next(due: Timestamp, text: &str) -> Result<Next, String> {
    let Some(repetition) = Repetition::parse(text)? else { return cron(due, text) };
    repetition.at(after(due, repetition.period)?)
}

/// An ISO 8601 repetition.
struct Repetition<'t> {
    /// None = for ever.
    times: Option<u32>,
    start: Option<&'t str>,
    period: &'t str,
    /// Nothing happens after it.
    end: Option<&'t str>,
}

impl Repetition<'_> {
    /// None if it is something else.
    fn parse(text: &str) -> Result<Option<Repetition<'_>>, String> {
        let Some(rest) = text.strip_prefix('R') else { return Ok(None) };
        let wrong = || {
            format!(
                "`{text}` is not a repetition like R3/PT10S, R/2030-01-01T00:00:00Z/P1D or R/P1D/2030-01-01T00:00:00Z"
            )
        };
        let mut parts = rest.split('/');
        let times = match parts.next().ok_or_else(wrong)? {
            "" | "-1" => None,
            digits => Some(digits.parse().map_err(|_| wrong())?),
        };
        let (start, period, end) = match (parts.next(), parts.next(), parts.next()) {
            (Some(period), None, None) => (None, period, None),
            (Some(period), Some(end), None) if period.starts_with('P') => (None, period, Some(end)),
            (Some(start), Some(period), None) => (Some(start), period, None),
            _ => return Err(wrong()),
        };
        Ok(Some(Repetition { times, start, period, end }))
    }

    /// This moment, if it still belongs to it, and what is left then.
    fn at(&self, due: Timestamp) -> Result<Next, String> {
        let is_over = self.end.map(moment).transpose()?.is_some_and(|end| due > end);
        if is_over || self.times == Some(0) {
            return Ok(None);
        }
        let end = self.end.map(|end| format!("/{end}")).unwrap_or_default();
        let rest = match self.times {
            None => Some(format!("R/{}{end}", self.period)),
            Some(times) => (times > 1).then(|| format!("R{}/{}{end}", times - 1, self.period)),
        };
        Ok(Some((due, rest.map(Arc::from))))
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

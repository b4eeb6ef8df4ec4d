//! Names and numbers: instances, the things inside them, and moments.
//!
//! **Invariant:** everything inside an instance is numbered by the instance's own counter, so a step needs no
//! source of ids and replay gives the same numbers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A thing inside one instance: token, job, task, timer, incident. Counts from 1; 0 is the root scope.
pub type Number = u32;

/// A process instance: 41 bits of milliseconds, 10 of node, 12 of counter; always positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(pub i64);

/// A thing inside an instance, as the outside names it: `task_<instance>-<number>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemId {
    /// The instance it belongs to.
    pub instance: InstanceId,
    /// Its number in there.
    pub number: Number,
}

/// A moment: milliseconds since 1970-01-01T00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A text that should have been an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id: expected {expected}")]
pub struct MalformedId {
    text: String,
    expected: &'static str,
}

impl Timestamp {
    /// This moment, some milliseconds later; saturates at the end of time.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(ms))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "inst_{}", self.0)
    }
}

impl FromStr for InstanceId {
    type Err = MalformedId;

    fn from_str(text: &str) -> Result<InstanceId, MalformedId> {
        let digits = text.strip_prefix("inst_").and_then(positive);
        digits
            .map(InstanceId)
            .ok_or_else(|| MalformedId { text: text.to_owned(), expected: "inst_ and a positive number" })
    }
}

impl ItemId {
    /// Writes it with the kind the outside knows it by (`task`, `job`, `tok`, …).
    pub fn to_text(self, kind: &str) -> String {
        format!("{kind}_{}-{}", self.instance.0, self.number)
    }

    /// Reads `<kind>_<instance>-<number>`.
    pub fn parse(kind: &str, text: &str) -> Result<ItemId, MalformedId> {
        let malformed = || MalformedId {
            text: text.to_owned(),
            expected: "<kind>_<instance>-<number>, as the engine gave it",
        };
        let rest = text.strip_prefix(kind).and_then(|rest| rest.strip_prefix('_')).ok_or_else(malformed)?;
        let (instance, number) = rest.split_once('-').ok_or_else(malformed)?;
        let instance = positive(instance).ok_or_else(malformed)?;
        let number = positive(number).and_then(|n| Number::try_from(n).ok()).ok_or_else(malformed)?;
        Ok(ItemId { instance: InstanceId(instance), number })
    }
}

/// Only canonical decimal digits: `+5`, ` 5` and `05` are other texts than `5`, not other names of it.
fn positive(digits: &str) -> Option<i64> {
    let canonical = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    canonical.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_it_was_written() {
        let item = ItemId { instance: InstanceId(77), number: 3 };
        assert_eq!(ItemId::parse("task", &item.to_text("task")), Ok(item));
        assert_eq!("inst_77".parse(), Ok(InstanceId(77)));
    }

    #[test]
    fn what_is_not_an_id_is_refused() {
        for text in ["", "inst_", "inst_-1", "inst_0", "inst_+1", "inst_01", "inst_9223372036854775808", "77"]
        {
            assert!(text.parse::<InstanceId>().is_err(), "{text}");
        }
        for text in ["task_1", "task_1-", "job_1-1", "task_1-0", "task_1-4294967296", "task_1-1-1"] {
            assert!(ItemId::parse("task", text).is_err(), "{text}");
        }
    }
}

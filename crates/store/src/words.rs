//! Enums as the words that stand in tables: one list per enum, read both ways.

use tyer_engine::{IncidentKind, Mode, Status, TimerKind, TokenStatus};

use crate::error::Error;

/// An enum with one stored word per variant.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// Every variant with its word.
    const WORDS: &'static [(Self, &'static str)];

    /// The word to store.
    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(variant, _)| *variant == self);
        found.expect("every variant has a word").1
    }

    /// The variant of a stored word.
    fn read(text: &str) -> Result<Self, Error> {
        let found = Self::WORDS.iter().find(|(_, word)| *word == text);
        found.map(|(variant, _)| *variant).ok_or_else(|| Error::Damaged(format!("`{text}` is no known word")))
    }
}

impl Word for Status {
    const WORDS: &'static [(Status, &'static str)] = &[
        (Status::Running, "running"),
        (Status::Paused, "paused"),
        (Status::Completed, "completed"),
        (Status::Failed, "failed"),
        (Status::Cancelled, "cancelled"),
    ];
}

impl Word for TokenStatus {
    const WORDS: &'static [(TokenStatus, &'static str)] = &[
        (TokenStatus::Created, "created"),
        (TokenStatus::Ready, "ready"),
        (TokenStatus::Executing, "executing"),
        (TokenStatus::Waiting, "waiting"),
        (TokenStatus::Failed, "failed"),
    ];
}

impl Word for Mode {
    const WORDS: &'static [(Mode, &'static str)] =
        &[(Mode::Forward, "forward"), (Mode::Compensation, "compensation")];
}

impl Word for IncidentKind {
    const WORDS: &'static [(IncidentKind, &'static str)] = &[
        (IncidentKind::JobFailed, "job_failed"),
        (IncidentKind::NoFlow, "no_flow"),
        (IncidentKind::Expression, "expression"),
        (IncidentKind::JoinStarved, "join_starved"),
        (IncidentKind::Runaway, "runaway"),
        (IncidentKind::Parked, "parked"),
    ];
}

/// A kind of timer is a word, and for a yield the visits so far.
pub(crate) fn timer_kind(kind: TimerKind) -> (&'static str, Option<i64>) {
    match kind {
        TimerKind::Catch => ("catch", None),
        TimerKind::Retry => ("retry", None),
        TimerKind::Yield { visits } => ("yield", Some(i64::try_from(visits).unwrap_or(i64::MAX))),
    }
}

/// Reads what [`timer_kind`] wrote.
pub(crate) fn read_timer_kind(word: &str, visits: Option<i64>) -> Result<TimerKind, Error> {
    match word {
        "catch" => Ok(TimerKind::Catch),
        "retry" => Ok(TimerKind::Retry),
        "yield" => Ok(TimerKind::Yield { visits: visits.unwrap_or(0).cast_unsigned() }),
        other => Err(Error::Damaged(format!("`{other}` is no kind of timer"))),
    }
}

//! Enums as the words that stand in tables: one list per enum, read both ways.

use std::sync::Arc;

use tyer_engine::{
    IncidentKind, Job, Mode, Number, RecordStatus, SagaCause, ScopeKind, StartWanted, Status, TimerKind,
    Timestamp, TokenStatus, Wait, Wanted,
};

use tyer_model::{NodeIx, Process};

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
        &[(Mode::Forward, "forward"), (Mode::Finishing, "finishing"), (Mode::Compensation, "compensation")];
}

impl Word for IncidentKind {
    const WORDS: &'static [(IncidentKind, &'static str)] = &[
        (IncidentKind::JobFailed, "job_failed"),
        (IncidentKind::NoFlow, "no_flow"),
        (IncidentKind::Expression, "expression"),
        (IncidentKind::Validation, "validation"),
        (IncidentKind::JoinStarved, "join_starved"),
        (IncidentKind::UnhandledError, "unhandled_error"),
        (IncidentKind::CallFailed, "call_failed"),
        (IncidentKind::CompensationFailed, "compensation_failed"),
        (IncidentKind::InDoubt, "in_doubt"),
        (IncidentKind::Runaway, "runaway"),
        (IncidentKind::Parked, "parked"),
    ];
}

impl Word for RecordStatus {
    const WORDS: &'static [(RecordStatus, &'static str)] = &[
        (RecordStatus::Completed, "completed"),
        (RecordStatus::Compensating, "compensating"),
        (RecordStatus::Failed, "failed"),
        (RecordStatus::Skipped, "skipped"),
    ];
}

impl Word for SagaCause {
    const WORDS: &'static [(SagaCause, &'static str)] = &[
        (SagaCause::Throw, "throw"),
        (SagaCause::Aside, "aside"),
        (SagaCause::Cancel, "cancel"),
        (SagaCause::Local, "local"),
        (SagaCause::Global, "global"),
        (SagaCause::Operator, "operator"),
        (SagaCause::Rollback, "rollback"),
    ];
}

/// What a token waits for is a word and a number. A job has columns of its own, and nothing needs no word.
pub(crate) fn wait(wait: &Wait) -> (Option<&'static str>, Option<Number>) {
    match wait {
        Wait::Nothing | Wait::Job(_) => (None, None),
        Wait::Task(task) => (Some("task"), Some(*task)),
        Wait::Timer(timer) => (Some("timer"), Some(*timer)),
        Wait::Event => (Some("event"), None),
        Wait::Join => (Some("join"), None),
        Wait::Turn => (Some("turn"), None),
        Wait::Scope => (Some("scope"), None),
        Wait::Call(call) => (Some("call"), Some(*call)),
        Wait::Saga(saga) => (Some("saga"), Some(*saga)),
        Wait::Incident(incident) => (Some("incident"), Some(*incident)),
    }
}

/// Reads what [`wait`] wrote.
pub(crate) fn read_wait(word: Option<&str>, number: Option<Number>, job: Option<Job>) -> Result<Wait, Error> {
    match (word, number, job) {
        (None, None, None) => Ok(Wait::Nothing),
        (None, None, Some(job)) => Ok(Wait::Job(job)),
        (Some("task"), Some(task), None) => Ok(Wait::Task(task)),
        (Some("timer"), Some(timer), None) => Ok(Wait::Timer(timer)),
        (Some("event"), None, None) => Ok(Wait::Event),
        (Some("join"), None, None) => Ok(Wait::Join),
        (Some("turn"), None, None) => Ok(Wait::Turn),
        (Some("scope"), None, None) => Ok(Wait::Scope),
        (Some("call"), Some(call), None) => Ok(Wait::Call(call)),
        (Some("saga"), Some(saga), None) => Ok(Wait::Saga(saga)),
        (Some("incident"), Some(incident), None) => Ok(Wait::Incident(incident)),
        (word, number, job) => {
            Err(Error::Damaged(format!("a token cannot wait for {word:?} {number:?} {job:?}")))
        }
    }
}

/// A kind of scope is a word, and for some a number.
pub(crate) fn scope_kind(kind: ScopeKind) -> (&'static str, Option<u32>) {
    match kind {
        ScopeKind::Body => ("body", None),
        ScopeKind::Local => ("local", None),
        ScopeKind::Branch => ("branch", None),
        ScopeKind::Rounds { total } => ("rounds", total),
        ScopeKind::Round { index } => ("round", Some(index)),
        ScopeKind::Undo { record } => ("undo", Some(record)),
    }
}

/// Reads what [`scope_kind`] wrote.
pub(crate) fn read_scope_kind(word: &str, number: Option<u32>) -> Result<ScopeKind, Error> {
    match (word, number) {
        ("body", None) => Ok(ScopeKind::Body),
        ("local", None) => Ok(ScopeKind::Local),
        ("branch", None) => Ok(ScopeKind::Branch),
        ("rounds", total) => Ok(ScopeKind::Rounds { total }),
        ("round", Some(index)) => Ok(ScopeKind::Round { index }),
        ("undo", Some(record)) => Ok(ScopeKind::Undo { record }),
        (word, number) => Err(Error::Damaged(format!("`{word}` {number:?} is no kind of scope"))),
    }
}

/// What is waited for, in columns.
#[derive(Clone, Copy)]
pub(crate) struct WantedColumns<'a> {
    pub(crate) kind: &'static str,
    pub(crate) name: Option<&'a str>,
    pub(crate) key: Option<&'a str>,
    pub(crate) trigger: Option<u32>,
}

/// A subscription's columns.
pub(crate) fn wanted(wanted: &Wanted) -> WantedColumns<'_> {
    let (kind, name, key, trigger) = match wanted {
        Wanted::Message { name, key } => ("message", Some(&**name), key.as_deref(), None),
        Wanted::Signal { name } => ("signal", Some(&**name), None, None),
        Wanted::Condition { trigger, met: false } => ("condition", None, None, Some(*trigger)),
        Wanted::Condition { trigger, met: true } => ("condition_met", None, None, Some(*trigger)),
    };
    WantedColumns { kind, name, key, trigger }
}

/// Reads what [`wanted`] wrote.
pub(crate) fn read_wanted(
    kind: &str,
    name: Option<&str>,
    key: Option<String>,
    trigger: Option<u32>,
) -> Result<Wanted, Error> {
    match (kind, name, trigger) {
        ("message", Some(name), None) => Ok(Wanted::Message { name: Arc::from(name), key }),
        ("signal", Some(name), None) => Ok(Wanted::Signal { name: Arc::from(name) }),
        ("condition", None, Some(trigger)) => Ok(Wanted::Condition { trigger, met: false }),
        ("condition_met", None, Some(trigger)) => Ok(Wanted::Condition { trigger, met: true }),
        (kind, name, _) => Err(Error::Damaged(format!("nobody waits for a {kind} {name:?}"))),
    }
}

/// What a start event waits for, in columns: kind, name, moment, cycle.
pub(crate) fn start_wanted(wanted: &StartWanted) -> (&'static str, Option<&str>, Option<i64>, Option<&str>) {
    match wanted {
        StartWanted::Message { name } => ("message", Some(name), None, None),
        StartWanted::Signal { name } => ("signal", Some(name), None, None),
        StartWanted::Timer { due, cycle } => ("timer", None, Some(due.0), cycle.as_deref()),
    }
}

/// Reads what [`start_wanted`] wrote.
pub(crate) fn read_start_wanted(
    kind: &str,
    name: Option<&str>,
    due: Option<i64>,
    cycle: Option<&str>,
) -> Result<StartWanted, Error> {
    match (kind, name, due) {
        ("message", Some(name), None) => Ok(StartWanted::Message { name: Arc::from(name) }),
        ("signal", Some(name), None) => Ok(StartWanted::Signal { name: Arc::from(name) }),
        ("timer", None, Some(due)) => {
            Ok(StartWanted::Timer { due: Timestamp(due), cycle: cycle.map(Arc::from) })
        }
        (kind, name, _) => Err(Error::Damaged(format!("no start event waits for a {kind} {name:?}"))),
    }
}

/// A list of names.
pub(crate) fn names(names: &[impl serde::Serialize]) -> String {
    serde_json::to_string(names).expect("texts are always JSON")
}

/// The nodes that have run for a token's wave; most have none.
pub(crate) fn marks(process: &Process, marks: &[NodeIx]) -> Option<String> {
    let ids: Vec<&str> = marks.iter().map(|mark| &*process.node(*mark).id).collect();
    (!ids.is_empty()).then(|| names(&ids))
}

/// Reads what [`names`] wrote.
pub(crate) fn read_names(text: &str) -> Result<Vec<String>, Error> {
    serde_json::from_str(text)
        .map_err(|error| Error::Damaged(format!("`{text}` is no list of names: {error}")))
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

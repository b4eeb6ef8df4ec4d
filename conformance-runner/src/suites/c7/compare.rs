//! Where a run first differs from what was recorded, and in which way.

use std::collections::BTreeMap;

use tyer_engine::{EventKind, Status};

use super::model::Model;
use crate::world::World;

/// The first difference of a run.
pub(super) struct Difference {
    /// What runs with the same cause have in common.
    pub(super) cause: String,
    pub(super) expected: String,
    pub(super) got: String,
    /// The same for those who judge it.
    pub(super) what: What,
    /// Sentences of open incidents.
    pub(super) incidents: Vec<String>,
    /// An instance has ended by an error that nobody caught.
    pub(super) failed: bool,
}

/// Sorts of difference.
pub(super) enum What {
    /// Activities are open that should not be, or the other way round.
    Open { missing: Vec<String>, extra: Vec<String> },
    /// Another action comes next; empty = none.
    Action { expected: String, got: String },
    /// Lines of the history.
    History { missing: Vec<String>, extra: Vec<String> },
    /// It did not come to that.
    Else,
}

impl Difference {
    pub(super) fn new(cause: &str, expected: &str, got: &str, what: What) -> Difference {
        let (cause, expected, got) = (cause.to_owned(), expected.to_owned(), got.to_owned());
        Difference { cause, expected, got, what, incidents: Vec::new(), failed: false }
    }

    pub(super) fn crash() -> Difference {
        Difference::new("the engine panicked", "an answer", "a panic", What::Else)
    }

    /// Another action comes next than was recorded; empty = none.
    pub(super) fn action(step: &str, expected: &str, got: &str, model: &Model) -> Difference {
        let kind = |action: &str| match action.split_once(':') {
            Some((verb, node)) => format!("{verb} {}", model.kind(node)),
            None => "nothing".to_owned(),
        };
        let shown = |action: &str| if action.is_empty() { "nothing".to_owned() } else { action.to_owned() };
        let cause = format!("action: {} instead of {}", kind(got), kind(expected));
        let what = What::Action { expected: expected.to_owned(), got: got.to_owned() };
        Difference::new(&cause, &format!("{step}: {}", shown(expected)), &shown(got), what)
    }

    /// An incident says more about the cause than what follows from it.
    pub(super) fn with_state(mut self, world: &World) -> Difference {
        let incidents = || world.instances.values().flat_map(|member| member.instance.incidents.values());
        if let Some(first) = incidents().next() {
            self.cause = format!("incident {:?}: {}", first.kind, self.cause);
        }
        self.incidents = incidents().map(|incident| incident.message.clone()).collect();
        for incident in &self.incidents {
            self.got.push_str(&format!("\nincident: {incident}"));
        }
        self.failed = world.instances.values().any(|member| {
            let mut events = member.turns.iter().flat_map(|turn| &turn.events);
            let by_error = |kind: &EventKind| matches!(kind, EventKind::WorkflowFailed { code: Some(_), .. });
            member.instance.status == Status::Failed && events.any(|event| by_error(&event.kind))
        });
        self
    }
}

/// Open activities that were recorded, and ours.
pub(super) fn open(step: &str, expected: &[String], got: &[String], model: &Model) -> Option<Difference> {
    let (missing, extra) = (minus(expected, got), minus(got, expected));
    if missing.is_empty() && extra.is_empty() {
        return None;
    }
    let kinds = |ids: &[String]| unique(ids.iter().map(|id| model.kind(id).to_owned()));
    let cause = format!("open activities: missing {:?}, extra {:?}", kinds(&missing), kinds(&extra));
    let (expected, got) = (format!("{step}: open {expected:?}"), format!("open {got:?}"));
    Some(Difference::new(&cause, &expected, &got, What::Open { missing, extra }))
}

/// The history that was recorded, and ours.
pub(super) fn history(expected: &BTreeMap<String, u32>, got: &BTreeMap<String, u32>) -> Option<Difference> {
    let lines = |history: &BTreeMap<String, u32>| -> Vec<String> {
        let counted = history.iter().filter(|(line, _)| !line.contains("multiInstanceBody"));
        counted.flat_map(|(line, count)| std::iter::repeat_n(line.clone(), *count as usize)).collect()
    };
    let (expected, got) = (lines(expected), lines(got));
    let (missing, extra) = (minus(&expected, &got), minus(&got, &expected));
    if missing.is_empty() && extra.is_empty() {
        return None;
    }
    let kind = |line: &String| line.split_once('#').map_or("", |(_, kind)| kind).to_owned();
    let kinds = |lines: &[String]| unique(lines.iter().map(kind));
    let cause = format!("history: missing {:?}, extra {:?}", kinds(&missing), kinds(&extra));
    let (expected, got) = (format!("also {missing:?}"), format!("also {extra:?}"));
    Some(Difference::new(&cause, &expected, &got, What::History { missing, extra }))
}

fn unique(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    words.sort();
    words.dedup();
    words
}

/// What is in the first and not in the second, as often.
fn minus(first: &[String], second: &[String]) -> Vec<String> {
    let mut rest = second.to_vec();
    let mut is_left = |item: &&String| match rest.iter().position(|other| other == *item) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    };
    first.iter().filter(|item| is_left(item)).cloned().collect()
}

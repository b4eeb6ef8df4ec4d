//! Differences that a user would accept. Each is a rule about what differs, not a list of models, and has a heading in
//! `docs/differences.md` that says why.
//!
//! **Invariant:** a rule looks at the first difference alone, and at nothing but that difference and the model.

use super::compare::{Difference, What};
use super::model::Model;

type Rule = fn(&Difference, &Model) -> bool;

/// Name of the heading → does it explain the difference?
const RULES: &[(&str, Rule)] = &[
    ("Steps are undone one at a time", is_undone_later),
    ("An error that nobody catches ends the instance as failed", is_uncaught),
    ("A timer that repeats three times fires three times", has_fired_enough),
    ("What a compensation handler waits for is armed", waits_in_handler),
    ("Parallel branches begin together", was_begun_and_ended),
    ("A text that is no duration is an incident", is_no_duration),
];

/// The heading that explains the difference.
pub(super) fn reason(difference: &Difference, model: &Model) -> Option<&'static str> {
    RULES.iter().find(|(_, explains)| explains(difference, model)).map(|(heading, _)| *heading)
}

/// The recorder has begun more handlers than ours, and nothing else.
fn is_undone_later(difference: &Difference, model: &Model) -> bool {
    let What::Open { missing, extra } = &difference.what else { return false };
    extra.is_empty() && !missing.is_empty() && missing.iter().all(|id| model.undoes(id))
}

/// Ours has ended by an error where the recorder went on as if there were none.
fn is_uncaught(difference: &Difference, _model: &Model) -> bool {
    difference.failed
}

/// The recorder fires a timer that has used up its repetitions: it never moves its clock, and counts by the clock.
fn has_fired_enough(difference: &Difference, model: &Model) -> bool {
    let What::Action { expected, .. } = &difference.what else { return false };
    expected.strip_prefix("timer:").is_some_and(|id| model.is_counted(id))
}

/// Ours offers an event inside of a handler that the recorder does not arm.
fn waits_in_handler(difference: &Difference, model: &Model) -> bool {
    let What::Action { got, .. } = &difference.what else { return false };
    got.strip_prefix("message:").or_else(|| got.strip_prefix("signal:")).is_some_and(|id| model.undoes(id))
}

/// Both end alike, but ours had begun more when the rest was cancelled.
fn was_begun_and_ended(difference: &Difference, _model: &Model) -> bool {
    let What::History { missing, extra } = &difference.what else { return false };
    let is_over = extra.iter().all(|line| !line.ends_with("#active"));
    missing.is_empty() && is_over && extra.iter().any(|line| line.ends_with("#canceled"))
}

fn is_no_duration(difference: &Difference, _model: &Model) -> bool {
    difference.incidents.iter().any(|sentence| sentence.contains("is not a duration"))
}

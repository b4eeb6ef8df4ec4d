//! Where a run first differs from what was recorded, and in which way.

use std::collections::BTreeMap;

use super::model::Model;
use crate::world::World;

/// The first difference of a run.
pub(super) struct Difference {
    /// What runs with the same cause have in common.
    pub(super) cause: String,
    pub(super) expected: String,
    pub(super) got: String,
}

impl Difference {
    pub(super) fn crash() -> Difference {
        Difference::new("the engine panicked", "an answer", "a panic")
    }

    pub(super) fn new(cause: &str, expected: &str, got: &str) -> Difference {
        Difference { cause: cause.to_owned(), expected: expected.to_owned(), got: got.to_owned() }
    }

    /// An incident says more about the cause than what follows from it.
    pub(super) fn with_incidents(mut self, world: &World) -> Difference {
        let incidents = || world.instances.values().flat_map(|member| member.instance.incidents.values());
        for incident in incidents() {
            self.got.push_str(&format!("\nincident: {}", incident.message));
        }
        if let Some(first) = incidents().next() {
            self.cause = format!("incident {:?}: {}", first.kind, self.cause);
        }
        self
    }
}

/// Open activities that were recorded, and ours.
pub(super) fn open(step: &str, expected: &[String], got: &[String], model: &Model) -> Option<Difference> {
    let (missing, extra) = (minus(expected, got), minus(got, expected));
    if missing.is_empty() && extra.is_empty() {
        return None;
    }
    let cause = format!("open activities: {}", kinds(&missing, &extra, model));
    Some(Difference::new(&cause, &format!("{step}: open {expected:?}"), &format!("open {got:?}")))
}

/// The history that was recorded, and ours.
pub(super) fn history(
    expected: &BTreeMap<String, u32>,
    got: &BTreeMap<String, u32>,
) -> Option<Difference> {
    let lines = |history: &BTreeMap<String, u32>| -> Vec<String> {
        let counted = history.iter().filter(|(line, _)| !line.contains("multiInstanceBody"));
        counted.flat_map(|(line, count)| std::iter::repeat_n(line.clone(), *count as usize)).collect()
    };
    let (expected, got) = (lines(expected), lines(got));
    let (missing, extra) = (minus(&expected, &got), minus(&got, &expected));
    if missing.is_empty() && extra.is_empty() {
        return None;
    }
    let plain = |lines: &[String]| -> Vec<String> {
        let mut kinds: Vec<String> =
            lines.iter().map(|line| line.split_once('#').map_or("", |(_, kind)| kind).to_owned()).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    let cause = format!("history: missing {:?}, extra {:?}", plain(&missing), plain(&extra));
    Some(Difference::new(&cause, &format!("also {missing:?}"), &format!("also {extra:?}")))
}

fn kinds(missing: &[String], extra: &[String], model: &Model) -> String {
    let of = |ids: &[String]| {
        let mut kinds: Vec<&str> = ids.iter().map(|id| model.kind(id)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.join("+")
    };
    format!("missing [{}], extra [{}]", of(missing), of(extra))
}

/// What is in the first and not in the second, as often.
fn minus(first: &[String], second: &[String]) -> Vec<String> {
    let mut rest = second.to_vec();
    let taken = |item: &String| match rest.iter().position(|other| other == item) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    };
    let mut left = first.to_vec();
    let mut taken = taken;
    left.retain(|item| taken(item));
    left
}

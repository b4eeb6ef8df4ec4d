//! Who needs whom, and in which order to evaluate.

use tyer_map::Set;

use crate::definitions::label;
use crate::model::Element;
use crate::problem::{Problem, Severity};
use crate::source::Source;

/// The orders of all elements together are kept up to this length; of a larger model each is found when it is asked for.
const MAXIMUM_KEPT: usize = 100_000;

/// Gives every element the order in which to evaluate what it needs. A requirement that leads back to itself is
/// dropped, with a problem.
pub(crate) fn order(elements: &mut [Element], sources: &[Source<'_>], problems: &mut Vec<Problem>) {
    for (from, to) in drop_cycles(elements) {
        // A knowledge model may name itself: recursion needs no requirement.
        if from != to {
            let xml = sources[from].xml;
            problems.push(Problem {
                severity: Severity::Error,
                element: label(xml),
                position: xml.position(),
                message: format!("the requirement of `{}` leads back to where it started", elements[to].name),
            });
        }
    }
    let mut left = MAXIMUM_KEPT;
    for index in 0..elements.len() {
        let Some(order) = post_order(elements, index, left) else { break };
        left -= order.len();
        elements[index].order = Some(order);
    }
}

/// Drops every requirement that closes a circle: from where to where they led.
fn drop_cycles(elements: &mut [Element]) -> Vec<(usize, usize)> {
    let mut dropped = Vec::new();
    let mut finished = vec![false; elements.len()];
    let mut open = vec![false; elements.len()];
    for start in 0..elements.len() {
        if finished[start] {
            continue;
        }
        let mut stack = vec![(start, 0)];
        open[start] = true;
        while let Some((element, next)) = stack.pop() {
            let Some(target) = elements[element].requirements.get(next).map(|needed| needed.element) else {
                open[element] = false;
                finished[element] = true;
                continue;
            };
            if open[target] {
                elements[element].requirements.retain(|requirement| requirement.element != target);
                dropped.push((element, target));
                // What stood after it has moved up.
                stack.push((element, next));
                continue;
            }
            stack.push((element, next + 1));
            if !finished[target] {
                open[target] = true;
                stack.push((target, 0));
            }
        }
    }
    dropped
}

/// What an element needs, in the order to evaluate, itself last; `None` when that is more than `most`.
pub(crate) fn post_order(elements: &[Element], start: usize, most: usize) -> Option<Vec<usize>> {
    let mut order = Vec::new();
    let mut seen = Set::from([start]);
    let mut stack = vec![(start, 0)];
    while let Some((element, next)) = stack.pop() {
        if seen.len() > most {
            return None;
        }
        let Some(requirement) = elements[element].requirements.get(next) else {
            order.push(element);
            continue;
        };
        stack.push((element, next + 1));
        if seen.insert(requirement.element) {
            stack.push((requirement.element, 0));
        }
    }
    Some(order)
}

//! Who needs whom, and in which order to evaluate.

use crate::definitions::label;
use crate::import::Source;
use crate::model::Element;
use crate::problem::{Problem, Severity};

/// Gives every element the order in which to evaluate what it needs. A requirement that leads back to itself is
/// dropped, with a problem.
pub(crate) fn order(elements: &mut [Element], sources: &[Source<'_>], problems: &mut Vec<Problem>) {
    for index in 0..elements.len() {
        while let Some((from, to)) = cycle(elements, index) {
            elements[from].requirements.retain(|requirement| requirement.element != to);
            if from == to {
                // A knowledge model may name itself: recursion needs no requirement.
                continue;
            }
            let xml = sources[from].xml;
            problems.push(Problem {
                severity: Severity::Error,
                element: label(xml),
                position: xml.position(),
                message: format!("the requirement of `{}` leads back to where it started", elements[to].name),
            });
        }
    }
    for index in 0..elements.len() {
        elements[index].order = post_order(elements, index);
    }
}

/// A requirement that closes a circle, found from one element.
fn cycle(elements: &[Element], start: usize) -> Option<(usize, usize)> {
    let mut finished = vec![false; elements.len()];
    let mut open = vec![false; elements.len()];
    let mut stack = vec![(start, 0)];
    open[start] = true;
    while let Some((element, next)) = stack.pop() {
        let Some(requirement) = elements[element].requirements.get(next) else {
            open[element] = false;
            finished[element] = true;
            continue;
        };
        stack.push((element, next + 1));
        let target = requirement.element;
        if open[target] {
            return Some((element, target));
        }
        if !finished[target] {
            open[target] = true;
            stack.push((target, 0));
        }
    }
    None
}

fn post_order(elements: &[Element], start: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; elements.len()];
    let mut stack = vec![(start, 0)];
    seen[start] = true;
    while let Some((element, next)) = stack.pop() {
        let Some(requirement) = elements[element].requirements.get(next) else {
            order.push(element);
            continue;
        };
        stack.push((element, next + 1));
        if !seen[requirement.element] {
            seen[requirement.element] = true;
            stack.push((requirement.element, 0));
        }
    }
    order
}

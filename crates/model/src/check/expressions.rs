//! Expressions: those of executable processes must be formal, and formal ones must say something.

use tyer_xml::Element;

use super::view::View;
use crate::code::Code;
use crate::definitions::is_formal;
use crate::report::{Report, label, shortened};
use crate::schema::Family;
use crate::time;

/// Expressions that decide what happens.
const DECIDING: [&str; 12] = [
    "completionCondition",
    "activationCondition",
    "loopCardinality",
    "conditionExpression",
    "loopCondition",
    "condition",
    "timeDate",
    "timeDuration",
    "timeCycle",
    "from",
    "to",
    "resourceAssignmentExpression",
];

/// Checks an expression.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, _kind: &str, report: &mut Report) {
    if !view.is_a(element, &[Family::Expression]) {
        return;
    }
    let owner = element.parent().unwrap_or(element);
    let text = element.text();
    let is_empty = text.trim().is_empty() && element.children().next().is_none();
    let formal = view.is_a(element, &[Family::FormalExpression]);
    if formal && is_empty {
        let message = || format!("{} of {} is empty", element.local_name(), label(owner));
        report.found(Code::ExpressionEmpty, element, message);
    }
    if !view.is_executable(element) {
        return;
    }
    let natural = DECIDING.contains(&element.local_name()) && !formal && !is_formal(element);
    if natural {
        let message = || format!("{} of {} is not formal", element.local_name(), label(owner));
        report.found(Code::ExpressionNotFormal, element, message);
    } else if is_empty && element.local_name() == "condition" {
        report.found(Code::ExpressionEmpty, element, || format!("condition of {} is empty", label(owner)));
    } else {
        timer(element, text.trim(), owner, report);
    }
}

/// A time that is no expression must be readable.
fn timer(element: Element<'_>, text: &str, owner: Element<'_>, report: &mut Report) {
    let readable = match element.local_name() {
        _ if text.is_empty() || time::is_computed(text) => true,
        "timeDate" => time::moment(text).is_some(),
        "timeDuration" => time::duration(text).is_some(),
        "timeCycle" => time::is_cycle(text),
        _ => true,
    };
    if !readable {
        let message =
            || format!("{} `{}` of {} cannot be read", element.local_name(), shortened(text), label(owner));
        report.found(Code::TimerInvalid, element, message);
    }
}

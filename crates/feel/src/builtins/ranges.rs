//! How ranges and points lie to each other (DMN 1.5 §10.3.4.9), and `range`.

use super::{Builtin, Call, builtin};
use crate::ast::Kind;
use crate::eval::Answer;
use crate::names::Names;
use crate::value::{Range, Value};
use std::cmp::Ordering;
use std::sync::Arc;

const TWO_RANGES: &[&[&str]] = &[&["range1", "range2"]];
const ANY_TWO: &[&[&str]] =
    &[&["point1", "point2"], &["point", "range"], &["range", "point"], &["range1", "range2"]];
const POINT_OR_RANGE: &[&[&str]] = &[&["point", "range"], &["range1", "range2"]];
const RANGE_AND: &[&[&str]] = &[&["range", "point"], &["range1", "range2"]];

pub(super) const TABLE: &[Builtin] = &[
    builtin("before", ANY_TWO, |call| related(call, before)),
    builtin("after", ANY_TWO, |call| related(call, |a, b| before(b, a))),
    builtin("meets", TWO_RANGES, |call| ranges(call, meets)),
    builtin("met by", TWO_RANGES, |call| ranges(call, |a, b| meets(b, a))),
    builtin("overlaps", TWO_RANGES, |call| ranges(call, |a, b| Some(!before(a, b)? && !before(b, a)?))),
    builtin("overlaps before", TWO_RANGES, |call| ranges(call, overlaps_before)),
    builtin("overlaps after", TWO_RANGES, |call| ranges(call, overlaps_after)),
    builtin("finishes", POINT_OR_RANGE, |call| related(call, finishes)),
    builtin("finished by", RANGE_AND, |call| related(call, |a, b| finishes(b, a))),
    builtin("includes", RANGE_AND, |call| related(call, includes)),
    builtin("during", POINT_OR_RANGE, |call| related(call, |a, b| includes(b, a))),
    builtin("starts", POINT_OR_RANGE, |call| related(call, starts)),
    builtin("started by", RANGE_AND, |call| related(call, |a, b| starts(b, a))),
    builtin("coincides", &[&["point1", "point2"], &["range1", "range2"]], |call| related(call, coincides)),
    builtin("range", &[&["from"]], range),
];

/// A range, or a point as the range of itself alone.
struct Span {
    start: Value,
    end: Value,
    start_included: bool,
    end_included: bool,
    point: bool,
}

impl Span {
    fn of(value: &Value) -> Option<Span> {
        match value {
            Value::Range(range) => {
                let Range { start, end, start_included, end_included, comparison } = Range::clone(range);
                // An end that is not known is not the same as one that is not there.
                if comparison.is_none() && (start.is_null() || end.is_null()) {
                    return None;
                }
                Some(Span { start, end, start_included, end_included, point: false })
            }
            value => {
                value.compare(value)?;
                Some(Span {
                    start: value.clone(),
                    end: value.clone(),
                    start_included: true,
                    end_included: true,
                    point: true,
                })
            }
        }
    }

    /// The order of two lower ends; an end that is open starts later than a closed one.
    fn compare_starts(&self, other: &Span) -> Option<Ordering> {
        let order = match (&self.start, &other.start) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => return Some(Ordering::Less),
            (_, Value::Null) => return Some(Ordering::Greater),
            (a, b) => a.compare(b)?,
        };
        Some(order.then(other.start_included.cmp(&self.start_included)))
    }

    /// The order of two upper ends; an end that is open ends earlier than a closed one.
    fn compare_ends(&self, other: &Span) -> Option<Ordering> {
        let order = match (&self.end, &other.end) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => return Some(Ordering::Greater),
            (_, Value::Null) => return Some(Ordering::Less),
            (a, b) => a.compare(b)?,
        };
        Some(order.then(self.end_included.cmp(&other.end_included)))
    }
}

fn related(call: &mut Call<'_, '_>, relation: fn(&Span, &Span) -> Option<bool>) -> Answer {
    let (Some(a), Some(b)) = (Span::of(call.single(0)), Span::of(call.single(1))) else {
        return call.null("takes points and ranges");
    };
    call.or_null(relation(&a, &b), "takes points and ranges of one type")
}

fn ranges(call: &mut Call<'_, '_>, relation: fn(&Span, &Span) -> Option<bool>) -> Answer {
    match (call.single(0), call.single(1)) {
        (Value::Range(_), Value::Range(_)) => related(call, relation),
        _ => call.null("takes two ranges"),
    }
}

fn before(a: &Span, b: &Span) -> Option<bool> {
    if a.end.is_null() || b.start.is_null() {
        return Some(false);
    }
    Some(match a.end.compare(&b.start)? {
        Ordering::Less => true,
        Ordering::Equal => !a.end_included || !b.start_included,
        Ordering::Greater => false,
    })
}

fn meets(a: &Span, b: &Span) -> Option<bool> {
    if a.end.is_null() || b.start.is_null() {
        return Some(false);
    }
    Some(a.end.compare(&b.start)?.is_eq() && a.end_included && b.start_included)
}

fn overlaps_before(a: &Span, b: &Span) -> Option<bool> {
    let together = !before(a, b)? && !before(b, a)?;
    Some(together && a.compare_starts(b)?.is_lt() && a.compare_ends(b)?.is_le())
}

fn overlaps_after(a: &Span, b: &Span) -> Option<bool> {
    let together = !before(a, b)? && !before(b, a)?;
    Some(together && a.compare_starts(b)?.is_gt() && a.compare_ends(b)?.is_ge())
}

fn finishes(a: &Span, b: &Span) -> Option<bool> {
    if b.point && !a.point {
        return None;
    }
    let same_end = a.compare_ends(b)?.is_eq();
    Some(same_end && (a.point || a.compare_starts(b)?.is_ge()))
}

fn starts(a: &Span, b: &Span) -> Option<bool> {
    if b.point && !a.point {
        return None;
    }
    let same_start = a.compare_starts(b)?.is_eq();
    Some(same_start && (a.point || a.compare_ends(b)?.is_le()))
}

fn includes(a: &Span, b: &Span) -> Option<bool> {
    if a.point {
        return None;
    }
    Some(a.compare_starts(b)?.is_le() && a.compare_ends(b)?.is_ge())
}

fn coincides(a: &Span, b: &Span) -> Option<bool> {
    if a.point != b.point {
        return None;
    }
    Some(a.compare_starts(b)?.is_eq() && a.compare_ends(b)?.is_eq())
}

/// `range("[1..10]")`: the text of a range literal whose ends are literals.
fn range(call: &mut Call<'_, '_>) -> Answer {
    let Some(text) = call.string(0) else {
        return call.expected(0, "a string");
    };
    call.burn(text.len())?;
    call.or_null(parse(text), "takes the text of a range whose ends are literals")
}

fn parse(text: &str) -> Option<Value> {
    let text = text.trim();
    let (open, rest) = (text.chars().next()?, text.get(1..)?);
    let start_included = match open {
        '[' => true,
        '(' | ']' => false,
        _ => return None,
    };
    let close = rest.chars().last()?;
    let end_included = match close {
        ']' => true,
        ')' | '[' => false,
        _ => return None,
    };
    let (start, end) = rest.get(..rest.len() - 1)?.split_once("..")?;
    let (start, end) = (end_of(start)?, end_of(end)?);
    let sound = match (&start, &end) {
        (Value::Null, Value::Null) => false,
        (Value::Null, end) => !start_included && end.compare(end).is_some(),
        (start, Value::Null) => !end_included && start.compare(start).is_some(),
        (start, end) => start.compare(end)?.is_le(),
    };
    sound.then(|| Value::Range(Arc::new(Range::new(start, end, start_included, end_included))))
}

/// The literal of an end; nothing is no bound.
fn end_of(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Null);
    }
    let tree = crate::parser::expression(text, &Names::default()).ok()?;
    literal(&tree.kind)
}

fn literal(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Literal(value) => (!value.is_null()).then(|| value.clone()),
        Kind::Call(function, arguments) => {
            let (Kind::Name(name), [argument]) = (&function.kind, arguments.as_slice()) else {
                return None;
            };
            let Kind::Literal(Value::String(text)) = &argument.kind else {
                return None;
            };
            super::temporal::literal(name, text)
        }
        _ => None,
    }
}

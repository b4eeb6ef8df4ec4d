//! Methods of texts, lists and maps that have an equal in FEEL.
//!
//! **Invariant:** a receiver is written twice only if it is a plain path, so that chains of methods stay linear.

use super::call;
use super::primary::indexed;
use crate::ast::{Comparison, Expr, Kind, Operator, Span};
use crate::types::Type;
use crate::value::Value;

/// A call of a method that does not depend on Java, translated; `None` if it does.
pub(super) fn translated(base: &Expr, name: &str, mut arguments: Vec<Expr>, span: Span) -> Option<Expr> {
    let simple = |function: &str, arguments: Vec<Expr>| Some(call(function, arguments, span));
    match (name, arguments.len()) {
        ("startsWith", 1) => simple("starts with", vec![base.clone(), arguments.remove(0)]),
        ("endsWith", 1) => simple("ends with", vec![base.clone(), arguments.remove(0)]),
        ("toLowerCase", 0) => simple("lower case", vec![base.clone()]),
        ("toUpperCase", 0) => simple("upper case", vec![base.clone()]),
        ("toString", 0) => simple("string", vec![base.clone()]),
        ("isEmpty", 0) => simple("is empty", vec![base.clone()]),
        ("trim", 0) => simple("trim", vec![base.clone()]),
        ("concat", 1) => {
            let rest = vec![(Operator::Add, arguments.remove(0))];
            Some(Expr { kind: Kind::Arithmetic(Box::new(base.clone()), rest), span })
        }
        ("equals", 1) => Some(equal(base.clone(), arguments.remove(0), span)),
        ("equalsIgnoreCase", 1) => {
            let lower = |text: Expr| call("lower case", vec![text], span);
            Some(equal(lower(base.clone()), lower(arguments.remove(0)), span))
        }
        ("get", 1) => Some(Expr { kind: indexed(base.clone(), arguments.remove(0)), span }),
        ("contains", 1) => by_type(base, span, ("contains", "list contains"), arguments),
        ("size" | "length", 0) => by_type(base, span, ("string length", "count"), arguments),
        _ => None,
    }
}

fn equal(left: Expr, right: Expr, span: Span) -> Expr {
    Expr { kind: Kind::Compare(Comparison::Equal, Box::new(left), Box::new(right)), span }
}

/// One function for texts, another for lists.
fn by_type(base: &Expr, span: Span, (text, list): (&str, &str), arguments: Vec<Expr>) -> Option<Expr> {
    let with = |name: &str| call(name, [base.clone()].into_iter().chain(arguments.clone()).collect(), span);
    if let Kind::Literal(Value::String(_)) = base.kind {
        return Some(with(text));
    }
    // Arguments are written twice as well.
    if !is_plain(base) || !arguments.iter().all(is_plain) {
        return None;
    }
    let is_text = Expr { kind: Kind::InstanceOf(Box::new(base.clone()), Type::String), span };
    Some(Expr { kind: Kind::If(Box::new([is_text, with(text), with(list)])), span })
}

fn is_plain(expr: &Expr) -> bool {
    let mut part = expr;
    while let Kind::Path(base, _) = &part.kind {
        part = base;
    }
    matches!(part.kind, Kind::Name(_) | Kind::Literal(_))
}

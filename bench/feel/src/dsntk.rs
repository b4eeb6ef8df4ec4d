//! The same condition and the same loop in dsntk, the other FEEL in Rust.

use crate::report;
use dsntk_feel::{FeelScope, values::Value};
use std::hint::black_box;

const VARIABLES: &str = r#"{amount: 1500, customer: {name: "Ada", vip: true, since: "2020-01-01"}}"#;

pub(crate) fn run(condition: &str) {
    let empty = FeelScope::default();
    let context = dsntk_feel_evaluator::evaluate_context(&empty, VARIABLES).expect("it is a context");
    let scope: FeelScope = context.into();
    report("dsntk: parse", 500, || {
        dsntk_feel_parser::parse_expression(&scope, black_box(condition), false).is_ok()
    });
    let node = dsntk_feel_parser::parse_expression(&scope, condition, false).expect("it is an expression");
    let evaluator = dsntk_feel_evaluator::prepare(&node);
    report("dsntk: condition", 2_000, || matches!(evaluator(black_box(&scope)), Value::Boolean(true)));
    for items in [1_000, 10_000] {
        let text = format!("count(for i in 1..{items} return i)");
        let node = dsntk_feel_parser::parse_expression(&empty, &text, false).expect("it is an expression");
        let evaluator = dsntk_feel_evaluator::prepare(&node);
        report(&format!("dsntk: count of {items}"), 1, || matches!(evaluator(&empty), Value::Number(_)));
    }
}

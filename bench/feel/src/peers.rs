//! The same condition and the same loop in dsntk (FEEL) and cel.

use crate::report;
use dsntk_feel::{FeelScope, values::Value};
use std::hint::black_box;

const VARIABLES: &str = r#"{amount: 1500, customer: {name: "Ada", vip: true, since: "2020-01-01"}}"#;

pub(crate) fn run(condition: &str) {
    dsntk(condition);
    cel();
}

fn dsntk(condition: &str) {
    let empty = FeelScope::default();
    let context = dsntk_feel_evaluator::evaluate_context(&empty, VARIABLES).expect("it is a context");
    let scope: FeelScope = context.into();
    report("dsntk: parse", 500, || dsntk_feel_parser::parse_expression(&scope, black_box(condition), false).is_ok());
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

fn cel() {
    let text = "amount > 1000 && customer.vip == true";
    report("cel: parse", 500, || cel::Program::compile(black_box(text)).is_ok());
    let program = cel::Program::compile(text).expect("it is an expression");
    let mut context = cel::Context::default();
    context.add_variable_from_value("amount", 1500);
    let customer: std::collections::HashMap<String, cel::Value> = [
        ("name".to_owned(), cel::Value::from("Ada")),
        ("vip".to_owned(), cel::Value::from(true)),
        ("since".to_owned(), cel::Value::from("2020-01-01")),
    ]
    .into();
    context.add_variable_from_value("customer", customer);
    report("cel: condition", 2_000, || program.execute(black_box(&context)) == Ok(cel::Value::Bool(true)));
}

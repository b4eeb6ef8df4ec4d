//! The same condition in cel.

use crate::report;
use std::hint::black_box;

pub(crate) fn run() {
    let text = "amount > 1000 && customer.vip == true";
    report("cel: parse", 500, || ::cel::Program::compile(black_box(text)).is_ok());
    let program = ::cel::Program::compile(text).expect("it is an expression");
    let mut context = ::cel::Context::default();
    context.add_variable_from_value("amount", 1500);
    let customer: std::collections::HashMap<String, ::cel::Value> = [
        ("name".to_owned(), ::cel::Value::from("Ada")),
        ("vip".to_owned(), ::cel::Value::from(true)),
        ("since".to_owned(), ::cel::Value::from("2020-01-01")),
    ]
    .into();
    context.add_variable_from_value("customer", customer);
    report("cel: condition", 2_000, || program.execute(black_box(&context)) == Ok(::cel::Value::Bool(true)));
}

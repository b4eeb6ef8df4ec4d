//! The same condition in cel.

use ::cel::{Context, Program, Value};
use std::collections::HashMap;
use std::hint::black_box;

const CONDITION: &str = "amount > 1000 && customer.vip == true";

pub(crate) fn parse() -> impl FnMut() -> bool {
    || Program::compile(black_box(CONDITION)).is_ok()
}

pub(crate) fn condition(others: usize) -> impl FnMut() -> bool {
    let program = Program::compile(CONDITION).expect("it is an expression");
    let mut context = Context::default();
    context.add_variable_from_value("amount", 1500);
    let customer: HashMap<String, Value> = [
        ("name".to_owned(), Value::from("Ada")),
        ("vip".to_owned(), Value::from(true)),
        ("since".to_owned(), Value::from("2020-01-01")),
    ]
    .into();
    context.add_variable_from_value("customer", customer);
    for index in 0..others {
        context.add_variable_from_value(format!("variable{index}"), "x".repeat(100));
    }
    move || program.execute(black_box(&context)) == Ok(Value::Bool(true))
}

//! Any expression over any JSON ends within its fuel; the first line is the expression, the rest the variables.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tyer_feel::{Clock, Context, Expression, Limits, Names, Value};

fuzz_target!(|text: &str| {
    let (text, json) = text.split_once('\n').unwrap_or((text, "{}"));
    let Ok(expression) = Expression::parse(text, &Names::default()) else { return };
    let variables = match Value::from_json(json) {
        Ok(Value::Context(variables)) => variables,
        _ => Context::default(),
    };
    let limits = Limits { fuel: 20_000, ..Limits::default() };
    let evaluation = expression.evaluate_with(&variables, &Clock::epoch(), &limits);
    let _ = evaluation.value.to_json();
    let _ = evaluation.value.to_string();
});

//! The same work in dsntk, the other FEEL in Rust. Its variables are values, not JSON: reading them is not measured.

use dsntk_feel::values::Value;
use dsntk_feel::{FeelScope, context::FeelContext};
use dsntk_model_evaluator::ModelEvaluator;
use std::hint::black_box;

const NAMESPACE: &str = "https://tyer.example/bench";

pub(crate) fn parse(condition: &'static str) -> impl FnMut() -> bool + use<> {
    let scope: FeelScope = variables(0).into();
    move || dsntk_feel_parser::parse_expression(&scope, black_box(condition), false).is_ok()
}

pub(crate) fn condition(condition: &str, others: usize) -> impl FnMut() -> bool + use<> {
    let scope: FeelScope = variables(others).into();
    let node = dsntk_feel_parser::parse_expression(&scope, condition, false).expect("it is an expression");
    let evaluator = dsntk_feel_evaluator::prepare(&node);
    move || matches!(evaluator(black_box(&scope)), Value::Boolean(true))
}

pub(crate) fn count(text: &str) -> impl FnMut() -> bool + use<> {
    let empty = FeelScope::default();
    let node = dsntk_feel_parser::parse_expression(&empty, text, false).expect("it is an expression");
    let evaluator = dsntk_feel_evaluator::prepare(&node);
    move || matches!(evaluator(&empty), Value::Number(_))
}

/// A decision called `Rate` of the model `bench`.
pub(crate) fn table(xml: &str, inputs: &str) -> impl FnMut() -> bool + use<> {
    let definitions = dsntk_model::parse(xml).expect("it is a model");
    let evaluator = ModelEvaluator::new(&[definitions]).expect("it can be evaluated");
    let inputs = context(inputs);
    move || {
        matches!(
            evaluator.evaluate_invocable(NAMESPACE, "bench", "Rate", black_box(&inputs)),
            Value::Number(_)
        )
    }
}

fn variables(others: usize) -> FeelContext {
    let mut text = r#"{amount: 1500, customer: {name: "Ada", vip: true, since: "2020-01-01"}"#.to_owned();
    for index in 0..others {
        text += &format!(r#", variable{index}: "{}""#, "x".repeat(100));
    }
    context(&(text + "}"))
}

fn context(text: &str) -> FeelContext {
    dsntk_feel_evaluator::evaluate_context(&FeelScope::default(), text).expect("it is a context")
}

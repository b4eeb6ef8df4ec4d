//! Nanoseconds per evaluation, best and median of many short rounds: on a busy machine the best round is the one that
//! nobody disturbed. With `--features dsntk,cel` these peers run beside in the same rounds; a word picks lines.

#[cfg(feature = "cel")]
mod cel;
#[cfg(feature = "dsntk")]
mod dsntk;
mod line;
mod tables;

use line::{Line, is_asked};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use tyer_feel::{Clock, Expression, Names};

const CONDITION: &str = "amount > 1000 and customer.vip = true";

fn main() {
    parse();
    for others in [0, 100, 10_000] {
        condition(others);
    }
    for items in [1_000, 10_000, 100_000] {
        count(items);
    }
    for (rules, ranges) in [(10, true), (1_000, false), (1_000, true)] {
        tables::run(rules, ranges);
    }
}

fn parse() {
    if !is_asked("parse") {
        return;
    }
    let names = Names::default();
    let line = Line::new("parse", 500, || Expression::parse(black_box(CONDITION), &names).is_ok());
    #[cfg(feature = "dsntk")]
    let line = line.beside("dsntk", 100, dsntk::parse(CONDITION));
    #[cfg(feature = "cel")]
    let line = line.beside("cel", 100, cel::parse());
    line.report();
}

fn condition(others: usize) {
    let name = format!("condition, {others} other variables");
    if !is_asked(&name) {
        return;
    }
    let clock = Clock::epoch();
    let condition = Expression::parse(CONDITION, &Names::default()).expect("it is an expression");
    let variables = variables(others);
    let line = Line::new(name, 2_000, || {
        condition.evaluate(black_box(&variables), &clock).value.as_bool() == Some(true)
    });
    #[cfg(feature = "dsntk")]
    let line = line.beside("dsntk", 2_000, dsntk::condition(CONDITION, others));
    #[cfg(feature = "cel")]
    let line = line.beside("cel", 2_000, cel::condition(others));
    line.report();
}

fn count(items: usize) {
    let name = format!("count of {items}");
    if !is_asked(&name) {
        return;
    }
    let clock = Clock::epoch();
    let text = format!("count(for i in 1..{items} return i)");
    let expression = Expression::parse(&text, &Names::default()).expect("it is an expression");
    let line = Line::new(name, 100_000 / items, || !expression.evaluate(&(), &clock).value.is_null());
    // In the square of the items: a hundred thousand would take minutes.
    #[cfg(feature = "dsntk")]
    let line = if items > 10_000 { line } else { line.beside("dsntk", 1, dsntk::count(&text)) };
    line.report();
}

/// Variables as the engine holds them: unread JSON by name.
fn variables(others: usize) -> BTreeMap<Arc<str>, Arc<RawValue>> {
    let raw = |text: String| Arc::from(RawValue::from_string(text).expect("it is JSON"));
    let mut variables: BTreeMap<Arc<str>, Arc<RawValue>> = BTreeMap::new();
    variables.insert("amount".into(), raw("1500".into()));
    variables.insert("customer".into(), raw(r#"{"name":"Ada","vip":true,"since":"2020-01-01"}"#.into()));
    for index in 0..others {
        let text = format!(r#"{{"index":{index},"text":"{}"}}"#, "x".repeat(100));
        variables.insert(format!("variable{index}").into(), raw(text));
    }
    variables
}

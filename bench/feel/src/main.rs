//! Nanoseconds per evaluation, best and median of several rounds; with `--features dsntk,cel` beside these.

#[cfg(feature = "cel")]
mod cel;
#[cfg(feature = "dsntk")]
mod dsntk;
mod tables;

use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use tyer_feel::{Clock, Expression, Names};

const CONDITION: &str = "amount > 1000 and customer.vip = true";

fn main() {
    let clock = Clock::epoch();
    let names = Names::default();
    report("parse", 500, || Expression::parse(black_box(CONDITION), &names).is_ok());
    let condition = Expression::parse(CONDITION, &names).expect("it is an expression");
    for others in [0, 100, 10_000] {
        let variables = variables(others);
        let expected = condition.evaluate(&variables, &clock).value.as_bool();
        assert_eq!(expected, Some(true));
        report(&format!("condition, {others} other variables"), 2_000, || {
            condition.evaluate(black_box(&variables), &clock).value.as_bool() == Some(true)
        });
    }
    for items in [1_000, 10_000, 100_000] {
        let text = format!("count(for i in 1..{items} return i)");
        let expression = Expression::parse(&text, &names).expect("it is an expression");
        report(&format!("count of {items}"), 100_000 / items, || {
            !expression.evaluate(&(), &clock).value.is_null()
        });
    }
    tables::run();
    #[cfg(feature = "dsntk")]
    dsntk::run(CONDITION);
    #[cfg(feature = "cel")]
    cel::run();
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

/// Runs `work` in many short rounds and prints the best and the median time of one run: on a busy machine the best
/// round is the one that nobody disturbed.
pub(crate) fn report(name: &str, runs: usize, mut work: impl FnMut() -> bool) {
    // A word on the command line picks the lines that hold it.
    if std::env::args().nth(1).is_some_and(|word| !name.contains(&word)) {
        return;
    }
    let mut rounds: Vec<f64> = (0..101)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..runs {
                assert!(black_box(work()), "{name}");
            }
            start.elapsed().as_nanos() as f64 / runs as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!("{name:<44} best {:>10.0} ns   median {:>10.0} ns", rounds[0], rounds[50]);
}

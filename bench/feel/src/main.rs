//! Nanoseconds per evaluation, best and median of several rounds; with `--features peers` beside dsntk and cel.

#[cfg(feature = "peers")]
mod peers;
mod tables;

use serde_json::value::RawValue;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use tyer_feel::{Clock, Expression, Names};

const CONDITION: &str = "amount > 1000 and customer.vip = true";

fn main() {
    let clock = Clock::epoch();
    let names = Names::default();
    report("parse", 20_000, || Expression::parse(black_box(CONDITION), &names).is_ok());
    let condition = Expression::parse(CONDITION, &names).expect("it is an expression");
    for others in [0, 100, 10_000] {
        let variables = variables(others);
        let expected = condition.evaluate(&variables, &clock).value.as_bool();
        assert_eq!(expected, Some(true));
        report(&format!("condition, {others} other variables"), 200_000, || {
            condition.evaluate(black_box(&variables), &clock).value.as_bool() == Some(true)
        });
    }
    for items in [1_000, 10_000, 100_000] {
        let text = format!("count(for i in 1..{items} return i)");
        let expression = Expression::parse(&text, &names).expect("it is an expression");
        report(&format!("count of {items}"), 2_000_000 / items, || {
            !expression.evaluate(&(), &clock).value.is_null()
        });
    }
    tables::run();
    #[cfg(feature = "peers")]
    peers::run(CONDITION);
}

/// Variables as the engine holds them: unread JSON by name.
fn variables(others: usize) -> HashMap<Arc<str>, Arc<RawValue>> {
    let raw = |text: String| Arc::from(RawValue::from_string(text).expect("it is JSON"));
    let mut variables: HashMap<Arc<str>, Arc<RawValue>> = HashMap::new();
    variables.insert("amount".into(), raw("1500".into()));
    variables.insert("customer".into(), raw(r#"{"name":"Ada","vip":true,"since":"2020-01-01"}"#.into()));
    for index in 0..others {
        let text = format!(r#"{{"index":{index},"text":"{}"}}"#, "x".repeat(100));
        variables.insert(format!("variable{index}").into(), raw(text));
    }
    variables
}

/// Runs `work` in rounds and prints the best and the median time of one run.
pub(crate) fn report(name: &str, runs: usize, mut work: impl FnMut() -> bool) {
    let mut rounds: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..runs {
                assert!(black_box(work()), "{name}");
            }
            start.elapsed().as_nanos() as f64 / runs as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!("{name:<40} best {:>12.0} ns   median {:>12.0} ns", rounds[0], rounds[4]);
}

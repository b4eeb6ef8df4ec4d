//! Texts and data that want to hang, crash or fill the process: each ends in bounded time, stack and memory.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "these tests measure time and stack; what they test does neither"
)]

use std::time::{Duration, Instant};
use tyer_feel::{Clock, Evaluation, Exceeded, Expression, Limits, Names, Value};

/// Less than what a worker thread usually has, which is two megabytes.
const STACK_BYTES: usize = if cfg!(debug_assertions) { 3 << 19 } else { 1 << 20 };

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread =
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("a thread can be started");
    thread.join().expect("the work did not panic")
}

fn evaluate(text: String) -> Result<Evaluation, String> {
    on_a_small_stack(move || {
        let start = Instant::now();
        let parsed = Expression::parse(&text, &Names::default()).map_err(|error| error.to_string());
        let evaluation = parsed.map(|expression| expression.evaluate(&(), &Clock::epoch()));
        assert!(start.elapsed() < Duration::from_secs(60), "{}…", &text[..text.len().min(60)]);
        evaluation
    })
}

fn value(text: String) -> String {
    evaluate(text).expect("it is an expression").value.to_json()
}

#[test]
fn a_sum_of_a_hundred_thousand_terms_is_a_sum() {
    assert_eq!(value(format!("1{}", "+1".repeat(99_999))), "100000");
    assert_eq!(value(format!("true{}", " and true".repeat(99_999))), "true");
    assert_eq!(value(format!("2{}", " * 1".repeat(99_999))), "2");
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{a:", "}"), ("-", ""), ("abs(", ")"), ("if ", " then 1 else 2")]
    {
        for depth in [1_000, 100_000] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let error = evaluate(text).expect_err("it nests too deep");
            assert!(error.contains("nested"), "{error}");
        }
    }
    for long in [".a".repeat(100_000), "[1]".repeat(100_000), "(1)".repeat(100_000), " = 1".repeat(100_000)] {
        assert!(evaluate(format!("a{long}")).is_err());
    }
    assert!(evaluate("for a in ".repeat(10_000)).is_err());
    assert!(evaluate("1 instance of list<".repeat(10_000)).is_err());
    assert!(evaluate(format!("1 instance of {}number", "list<".repeat(10_000))).is_err());
}

#[test]
fn nesting_that_people_write_is_read() {
    let text = format!("{}1{}", "(".repeat(60), ")".repeat(60));
    assert_eq!(value(text), "1");
}

#[test]
fn recursion_without_end_stops_at_the_depth() {
    for text in [
        "{f: function(x) f(x), r: f(1)}.r",
        "{f: function(x) f(x) + 1, r: f(1)}.r",
        "{f: function(x) [f(x)], r: f(1)}.r",
        "{f: function(g) g(g), r: f(f)}.r",
        "{f: function(x) sort([1, 2], function(a, b) f(x)), r: f(1)}.r",
        "{f: function(x) for i in [1] return f(i), r: f(1)}.r",
        "{f: function(x) [1][f(item)], r: f(1)}.r",
        "{f: function(x) some i in [1] satisfies f(i), r: f(1)}.r",
        "{f: function(x) {y: {z: if f(x) then 1 else 2}}, r: f(1)}.r",
    ] {
        let evaluation = evaluate(text.to_owned()).expect(text);
        assert!(matches!(evaluation.exceeded, Some(Exceeded::Depth(_))), "{text}: {:?}", evaluation.exceeded);
    }
    assert_eq!(value("{f: function(n) if n = 0 then 0 else 1 + f(n - 1), r: f(40)}.r".to_owned()), "40");
}

#[test]
fn long_loops_run_out_of_fuel() {
    for text in [
        "for i in 1..10000000000 return i",
        "some i in 1..10000000000 satisfies i < 0",
        "for a in 1..100000, b in 1..100000 return a",
        "count(for i in 1..9223372036854775807 return 1)",
        "for i in -9223372036854775808..9223372036854775807 return 1",
        "distinct values(for i in 1..100000 return i)",
    ] {
        let evaluation = evaluate(text.to_owned()).expect(text);
        let stopped = matches!(evaluation.exceeded, Some(Exceeded::Fuel(_) | Exceeded::ListItems(_)));
        assert!(stopped || evaluation.value.is_null(), "{text}");
    }
}

#[test]
fn values_that_grow_and_grow_are_stopped() {
    let doubling = (0..40).fold("\"ab\"".to_owned(), |text, level| {
        if level == 0 { text } else { format!("(function(x) x + x)({text})") }
    });
    let evaluation = evaluate(doubling).expect("it is an expression");
    assert!(matches!(evaluation.exceeded, Some(Exceeded::StringBytes(_) | Exceeded::Fuel(_))));
    for text in [
        "for i in 1..100000 return [partial[-1]]",
        "for i in 1..100000 return {a: partial[-1]}",
        "for i in 1..100000 return function(x) partial[-1]",
    ] {
        let evaluation = evaluate(text.to_owned()).expect(text);
        assert!(matches!(evaluation.exceeded, Some(Exceeded::ValueDepth(_) | Exceeded::Fuel(_))), "{text}");
    }
    let evaluation = evaluate("repeat(\"abc\", 1000000000000)".to_owned()).expect("it is an expression");
    assert!(matches!(evaluation.exceeded, Some(Exceeded::StringBytes(_))));
}

#[test]
fn hostile_patterns_match_in_linear_time_or_are_null() {
    let input = "a".repeat(50_000);
    for pattern in [
        "(a*)*b",
        "(a|aa)+$b",
        "(a+)+b",
        "a{1000}{1000}",
        "(((((a*)*)*)*)*)b",
        "[",
        "(",
        "a{9999999}",
        "\\\\",
    ] {
        let evaluation = evaluate(format!("matches(\"{input}\", \"{pattern}\")")).expect(pattern);
        assert_ne!(evaluation.value.as_bool(), Some(true), "{pattern}");
    }
    assert_eq!(value(format!("string length(replace(\"{input}\", \"(a)\", \"$1$1$1\"))")), "150000");
}

#[test]
fn extreme_numbers_and_dates_are_values_or_null() {
    for text in [
        "10 ** 100000",
        "10 ** -100000",
        "0 ** -1",
        "(-1) ** 0.5",
        "exp(100000)",
        "exp(-100000)",
        "log(0)",
        "sqrt(-1)",
        "9999999999999999999999999999999999 * 9999999999999999999999999999999999",
        "1e6144 * 10",
        "1e-6176 / 10",
        "decimal(1, 99999999999)",
        "decimal(1, -99999999999)",
        "round up(1e6000, 6000)",
        "modulo(1e6000, 3)",
        "date(\"999999999-12-31\") + duration(\"P1Y\")",
        "date(\"999999999-12-31\") + duration(\"P999999999999D\")",
        "duration(\"P9223372036854775807D\") * 9999999",
        "duration(\"P9223372036854775807Y\")",
        "-9223372036854775808 / -1",
        "abs(-9223372036854775808)",
        "-(-9223372036854775808)",
        "modulo(-9223372036854775808, -1)",
        "date and time(\"2026-01-01T00:00:00@Europe/Paris\") + duration(\"P99999999D\")",
        "years and months duration(date(\"-999999999-01-01\"), date(\"999999999-12-31\")) * 1000000000000",
        "sublist([1,2,3], 1, 9223372036854775807)",
        "substring(\"abc\", -9223372036854775808)",
        "[1,2][-9223372036854775808]",
        "insert before([1], 9223372036854775807, 1)",
        "time(24, 0, 0)",
        "week of year(date(\"-999999999-01-01\"))",
        "string(1e6000)",
        "even(1e6000)",
        "median([1e6000, 1e6000])",
        "stddev([1e6000, -1e6000])",
    ] {
        let evaluation = evaluate(text.to_owned());
        assert!(evaluation.is_ok(), "{text}: {evaluation:?}");
    }
}

#[test]
fn deep_json_is_read_as_deep_as_a_value_may_be() {
    let json = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let read = on_a_small_stack(move || Value::from_json(&json).is_ok_and(|value| !value.is_null()));
    assert!(read);
}

#[test]
fn a_context_of_many_entries_is_made_in_time() {
    let entries: Vec<String> = (0..20_000).map(|index| format!("k{index}: {index}")).collect();
    assert_eq!(value(format!("{{{}}}.k19999", entries.join(", "))), "19999");
    let json: Vec<String> = (0..100_000).map(|index| format!("\"k{index}\": {index}")).collect();
    assert!(Value::from_json(&format!("{{{}}}", json.join(", "))).is_ok());
}

#[test]
fn a_loop_over_very_many_variables_stops_at_the_depth() {
    for (begin, end) in [("for", "return 1"), ("some", "satisfies true")] {
        let variables: Vec<String> = (0..50_000).map(|number| format!("a{number} in [1]")).collect();
        let evaluation =
            evaluate(format!("{begin} {} {end}", variables.join(", "))).expect("it is an expression");
        assert!(matches!(evaluation.exceeded, Some(Exceeded::Depth(_))), "{:?}", evaluation.exceeded);
    }
}

#[test]
fn very_many_names_are_read_in_time() {
    let count = 30_000;
    let list = |entry: &dyn Fn(usize) -> String| (0..count).map(entry).collect::<Vec<_>>().join(", ");
    let spaced = list(&|number| format!("key {number}: v"));
    let last = count - 1;
    assert_eq!(value(format!("count([{}])", list(&|number| format!("x{number}")))), count.to_string());
    assert_eq!(value(format!("{{{spaced}, all: [{}]}}.key {last}", list(&|_| "v.w".to_owned()))), "null");
    assert_eq!(
        value(format!("{{{}}}.k{last}", list(&|number| format!("k{number}: {number}")))),
        last.to_string()
    );
    let all = list(&|number| format!("key {number}: key {}", number.saturating_sub(1)));
    assert_eq!(value(format!("{{{}}}.key {last}", all.replacen("key 0: key 0", "key 0: 7", 1))), "7");
}

#[test]
fn limits_can_be_set() {
    let expression = Expression::parse("for i in 1..100 return i", &Names::default()).expect("an expression");
    let limits = Limits { fuel: 50, ..Limits::default() };
    let evaluation = expression.evaluate_with(&(), &Clock::epoch(), &limits);
    assert_eq!(evaluation.exceeded, Some(Exceeded::Fuel(50)));
    assert_eq!(evaluation.reason().as_deref(), Some("the evaluation was stopped after 50 steps"));
}

#[test]
fn chains_of_methods_in_brackets_of_chains_end_soon() {
    let mut text = "x".to_owned();
    for _ in 0..200 {
        text = format!("x.concat({text}){}", ".concat(x)".repeat(200));
    }
    assert!(Expression::parse_juel(&format!("${{{text}}}"), &Names::default()).is_err());
    let doubled = format!("${{x{}}}", ".length()".repeat(60));
    assert!(
        Expression::parse_juel(&doubled, &Names::default()).is_err(),
        "nothing is written twice in a chain"
    );
}

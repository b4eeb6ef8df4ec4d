//! Every example of docs/feel.md is true, and every built-in function has one.

use tyer_feel::{Clock, Context, Expression, Names, ParseError, Value, built_in_functions};

const PAGE: &str = include_str!("../../../docs/feel.md");

/// The lines `expression → value` of the blocks of one language.
fn examples(language: &str) -> Vec<(&'static str, &'static str)> {
    let fence = format!("```{language}\n");
    let blocks = PAGE.split(&fence).skip(1).filter_map(|block| block.split("```").next());
    blocks.flat_map(str::lines).filter_map(|line| line.split_once(" → ")).collect()
}

fn check(language: &str, parse: fn(&str, &Names) -> Result<Expression, ParseError>, variables: &Context) {
    let examples = examples(language);
    assert!(examples.len() > 8, "the page has examples");
    for (text, expected) in examples {
        let expression = parse(text, &Names::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let value = expression.evaluate(variables, &Clock::epoch()).value.read();
        assert_eq!(value.to_string(), expected, "{text}");
    }
}

#[test]
fn every_example_is_true() {
    check("feel", Expression::parse, &Context::default());
}

#[test]
fn every_dollar_example_is_true() {
    let variables =
        Value::from_json(r#"{"amount": 5, "name": "Ada", "list": ["a", "b"], "order": {"total": 21}}"#);
    let Ok(Value::Context(variables)) = variables else { panic!("the variables are an object") };
    check("juel", Expression::parse_juel, &variables);
}

#[test]
fn every_function_has_an_example() {
    let used: Vec<&str> = examples("feel").into_iter().map(|(text, _)| text).collect();
    let missing: Vec<&str> = built_in_functions()
        .filter(|name| !used.iter().any(|text| text.contains(&format!("{name}("))))
        .collect();
    assert!(missing.is_empty(), "docs/feel.md has no example for {missing:?}");
}

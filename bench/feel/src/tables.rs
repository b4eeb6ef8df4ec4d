//! Decision tables of ten and of a thousand rules.

use crate::line::{Line, is_asked};
use std::fmt::Write;
use std::hint::black_box;
use tyer_dmn::{DecisionModel, Severity};
use tyer_feel::{Clock, Context, Limits, Value};

pub(crate) fn run(rules: usize, ranges: bool) {
    let columns = if ranges { "equality and range" } else { "equality" };
    let name = format!("table of {rules} rules, {columns}");
    if !is_asked(&name) {
        return;
    }
    let (clock, limits) = (Clock::epoch(), Limits::default());
    let xml = table(rules, ranges);
    let model = DecisionModel::parse(xml.as_bytes(), &[]).expect("it is a model");
    let errors = model.problems().iter().filter(|problem| problem.severity == Severity::Error).count();
    assert_eq!(errors, 0, "{:?}", model.problems());
    let (country, amount) = (format!("C{}", rules - 1), rules as i64 * 10 - 5);
    let inputs = Context::new(vec![
        ("country".into(), Value::from(country.as_str())),
        ("amount".into(), Value::from(amount)),
    ]);
    let outcome = model.evaluate("Rate", &inputs, &clock, &limits).expect("there is a decision");
    assert_eq!(outcome.value.to_json(), (rules - 1).to_string());
    let line = Line::new(name, 1_000, || {
        let outcome = model.evaluate("Rate", black_box(&inputs), &clock, &limits);
        outcome.is_some_and(|outcome| !outcome.value.is_null())
    });
    #[cfg(feature = "dsntk")]
    let line = {
        let inputs = format!(r#"{{country: "{country}", amount: {amount}}}"#);
        line.beside("dsntk", 1_000 / rules, crate::dsntk::table(&xml, &inputs))
    };
    line.report();
}

fn table(rules: usize, ranges: bool) -> String {
    let mut xml = String::from(
        r##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" namespace="https://tyer.example/bench" name="bench">
        <inputData id="i1" name="country"><variable name="country" typeRef="string"/></inputData>
        <inputData id="i2" name="amount"><variable name="amount" typeRef="number"/></inputData>
        <decision id="d" name="Rate"><variable name="Rate"/>
        <informationRequirement><requiredInput href="#i1"/></informationRequirement>
        <informationRequirement><requiredInput href="#i2"/></informationRequirement>
        <decisionTable hitPolicy="UNIQUE">
        <input><inputExpression><text>country</text></inputExpression></input>
        <input><inputExpression><text>amount</text></inputExpression></input>
        <output name="Rate"/>"##,
    );
    for rule in 0..rules {
        let amount =
            if ranges { format!("[{}..{})", rule * 10, rule * 10 + 10) } else { (rule * 10 + 5).to_string() };
        let _ = write!(
            xml,
            r#"<rule><inputEntry><text>"C{rule}"</text></inputEntry><inputEntry><text>{amount}</text></inputEntry>
            <outputEntry><text>{rule}</text></outputEntry></rule>"#
        );
    }
    xml + "</decisionTable></decision></definitions>"
}

//! Decision tables: hit policies, indexes, lint.

use tyer_dmn::DecisionModel;
use tyer_feel::{Clock, Context, Limits, Value};

/// A table over `x` and `y` from lines `test | test | output`.
fn table(attributes: &str, output: &str, rules: &[&str]) -> String {
    let entry = |name: &str, text: &str| {
        format!("<{name}><text>{}</text></{name}>", text.trim().replace('<', "&lt;"))
    };
    let rules: String = rules
        .iter()
        .map(|rule| {
            let cells: Vec<&str> = rule.split('|').collect();
            let inputs: String = cells[..2].iter().map(|cell| entry("inputEntry", cell)).collect();
            format!("<rule>{inputs}{}</rule>\n", entry("outputEntry", cells[2]))
        })
        .collect();
    format!(
        r##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" name="m" namespace="n">
        <inputData id="x" name="x"/><inputData id="y" name="y"/>
        <decision id="d" name="d"><informationRequirement><requiredInput href="#x"/></informationRequirement>
        <informationRequirement><requiredInput href="#y"/></informationRequirement>
        <decisionTable {attributes}><input><inputExpression><text>x</text></inputExpression></input>
        <input><inputExpression><text>y</text></inputExpression></input>
        <output name="o">{output}</output>{rules}</decisionTable></decision></definitions>"##
    )
}

fn model(xml: &str) -> DecisionModel {
    DecisionModel::parse(xml.as_bytes(), &[]).expect("it is XML")
}

fn evaluate(model: &DecisionModel, x: Value, y: Value) -> (String, Vec<u32>) {
    let inputs = Context::new(vec![("x".into(), x), ("y".into(), y)]);
    let outcome =
        model.evaluate("d", &inputs, &Clock::epoch(), &Limits::default()).expect("there is a decision");
    let rules = outcome.audit.last().and_then(|audit| audit.rules.last()).map(|trace| trace.rules.clone());
    (outcome.value.to_json(), rules.unwrap_or_default())
}

#[test]
fn each_hit_policy_answers_in_its_way() {
    let rules = ["< 10 | - | 1", "[5..20] | - | 3", "> 15 | \"a\" | 2"];
    let ranked = "<outputValues><text>2, 3, 1</text></outputValues>";
    for (attributes, x, expected) in [
        ("hitPolicy=\"UNIQUE\"", 3, "1"),
        ("hitPolicy=\"UNIQUE\"", 7, "null"),
        ("hitPolicy=\"ANY\"", 7, "null"),
        ("hitPolicy=\"FIRST\"", 7, "1"),
        ("hitPolicy=\"PRIORITY\"", 7, "3"),
        ("hitPolicy=\"PRIORITY\"", 17, "2"),
        ("hitPolicy=\"RULE ORDER\"", 7, "[1,3]"),
        ("hitPolicy=\"OUTPUT ORDER\"", 7, "[3,1]"),
        ("hitPolicy=\"COLLECT\"", 17, "[3,2]"),
        ("hitPolicy=\"COLLECT\" aggregation=\"SUM\"", 17, "5"),
        ("hitPolicy=\"COLLECT\" aggregation=\"MIN\"", 17, "2"),
        ("hitPolicy=\"COLLECT\" aggregation=\"MAX\"", 17, "3"),
        ("hitPolicy=\"COLLECT\" aggregation=\"COUNT\"", 17, "2"),
    ] {
        let model = model(&table(attributes, ranked, &rules));
        let (value, _) = evaluate(&model, Value::from(x), Value::from("a"));
        assert_eq!(value, expected, "{attributes} {x}");
    }
}

#[test]
fn no_match_is_the_default_or_null() {
    let rules = ["1 | - | 1"];
    let without = model(&table("", "", &rules));
    assert_eq!(evaluate(&without, Value::from(2), Value::Null).0, "null");
    let with = model(&table("", "<defaultOutputEntry><text>9</text></defaultOutputEntry>", &rules));
    assert_eq!(evaluate(&with, Value::from(2), Value::Null).0, "9");
}

#[test]
fn the_audit_names_the_rules_that_matched() {
    let model = model(&table("hitPolicy=\"COLLECT\"", "", &["< 10 | - | 1", "> 100 | - | 2", "> 5 | - | 3"]));
    assert_eq!(evaluate(&model, Value::from(7), Value::Null), ("[1,3]".to_owned(), vec![1, 3]));
}

#[test]
fn an_any_table_looks_no_further_than_it_has_to() {
    let any = |rules: &[&str]| {
        let model = model(&table("hitPolicy=\"ANY\"", "", rules));
        evaluate(&model, Value::from(7), Value::Null)
    };
    // Rules that answer the same cannot change the answer.
    assert_eq!(any(&["> 1 | - | 5", "> 2 | - | 5.0", "> 9 | - | 6"]), ("5".to_owned(), vec![1]));
    // Two answers are one too many.
    assert_eq!(any(&["> 1 | - | 5", "> 2 | - | 6", "> 3 | - | 7"]), ("null".to_owned(), vec![1, 2]));
    // What is not written in the rule has to be looked at.
    assert_eq!(any(&["> 1 | - | 2 + 3", "> 2 | - | 5", "> 3 | - | x - 2"]), ("5".to_owned(), vec![1, 2, 3]));
    assert_eq!(any(&["> 1 | - | 5", "> 2 | - | x", "> 3 | - | 5"]), ("null".to_owned(), vec![1, 2]));
}

#[test]
fn a_table_of_many_rules_takes_little_time_and_memory() {
    let count = 20_000;
    let tables: [fn(usize) -> String; 4] = [
        |rule| format!("\"C{rule}\" | {} | {rule}", rule * 10),
        |rule| format!("\"C{rule}\" | [{}..{}) | {rule}", rule * 10, rule * 10 + 10),
        |rule| format!("\"C{rule}\" | < {} | {rule}", rule * 10 + 1),
        |rule| format!("\"C{rule}\", \"D{}\" | - | {rule}", rule % 3),
    ];
    for rule in tables {
        let rules: Vec<String> = (0..count).map(rule).collect();
        let lines: Vec<&str> = rules.iter().map(String::as_str).collect();
        let model = model(&table("hitPolicy=\"FIRST\"", "", &lines));
        for asked in [0, 77, count - 1] {
            let (value, _) = evaluate(&model, format!("C{asked}").into(), Value::from(asked as i64 * 10));
            assert_eq!(value, asked.to_string(), "{}", lines[asked]);
        }
        assert_eq!(evaluate(&model, "C".into(), Value::from(1)).0, "null");
    }
}

#[test]
fn an_index_finds_what_a_walk_finds() {
    let cells = [
        "-",
        "1",
        "2, 3",
        "< 2",
        ">= 2",
        "[1..3)",
        "(1..3]",
        "\"a\"",
        "\"a\", \"b\"",
        "true",
        "not(2)",
        "? = 2",
        "null",
    ];
    let mut rules = Vec::new();
    for (row, x) in cells.iter().enumerate() {
        for (column, y) in cells.iter().enumerate() {
            rules.push(format!("{x} | {y} | {}", row * cells.len() + column));
        }
    }
    let lines: Vec<&str> = rules.iter().map(String::as_str).collect();
    let whole = model(&table("hitPolicy=\"COLLECT\"", "", &lines));
    let inputs = ["1", "2", "3", "1.5", "4", "\"a\"", "\"b\"", "\"c\"", "true", "false", "null", "[1]"];
    let inputs: Vec<Value> = inputs.iter().map(|json| Value::from_json(json).expect("it is JSON")).collect();
    // One rule alone is below the size from which on tables are indexed.
    let alone: Vec<(String, DecisionModel)> = (0..rules.len())
        .step_by(7)
        .map(|number| (number.to_string(), model(&table("hitPolicy=\"FIRST\"", "", &[lines[number]]))))
        .collect();
    for x in &inputs {
        for y in &inputs {
            let (found, _) = evaluate(&whole, x.clone(), y.clone());
            let found: Vec<&str> = found.trim_matches(['[', ']']).split(',').collect();
            for (number, rule) in &alone {
                let matches = evaluate(rule, x.clone(), y.clone()).0 != "null";
                assert_eq!(found.contains(&number.as_str()), matches, "{x} {y}: rule {number}");
            }
        }
    }
}

#[test]
fn overlaps_of_a_unique_table_are_told() {
    let model = model(&table(
        "",
        "<defaultOutputEntry><text>0</text></defaultOutputEntry>",
        &["< 10 | - | 1", "[5..8] | \"a\" | 2", "> 20 | - | 3"],
    ));
    let messages: Vec<&str> = model.problems().iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["the rules 1 and 2 match the same input, but the hit policy is unique"]);
}

#[test]
fn gaps_of_a_table_without_default_are_told() {
    let told = |rules: &[&str]| -> Vec<String> {
        model(&table("", "", rules)).problems().iter().map(|problem| problem.message.clone()).collect()
    };
    assert_eq!(told(&["< 10 | - | 1", "> 10 | - | 2"]), ["no rule matches the input 10, -"]);
    assert_eq!(told(&["< 10 | true | 1", ">= 10 | - | 2"]), ["no rule matches the input < 10, false"]);
    assert_eq!(told(&["\"a\" | - | 1", "\"b\" | - | 2"]), ["no rule matches the input any other text, -"]);
    assert_eq!(told(&["< 10 | - | 1", ">= 10 | - | 2"]), [""; 0]);
    assert_eq!(told(&["x > 3 | - | 1"]), [""; 0]);
}

//! Variables that stay JSON text answer as variables that were read.

use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use tyer_feel::{Clock, Expression, Lookup, Names, Value};

const DOCUMENT: &str = r#" { "a\"b" : 1 , "list":[{"x":"}"},{"x":2}], "deep" : {"er":{"est":[1,"\\",null]}} ,"s":"a,\"b","n":-1.5e3,"a":1,"a":2,"e":{},"t":true,"w":"a word","long":"twenty characters and more \u00e4","null":null, "plus":1e+2} "#;

type Unread = BTreeMap<Arc<str>, Arc<RawValue>>;

/// The document as `v` and each of its members by name, unread and read.
fn variables() -> (Unread, BTreeMap<String, Value>) {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(DOCUMENT).expect("it is an object");
    let raw: Box<RawValue> = serde_json::from_str(DOCUMENT).expect("it is JSON");
    let unread: Unread = members
        .into_iter()
        .chain([("v".to_owned(), raw)])
        .map(|(name, raw)| (name.into(), raw.into()))
        .collect();
    let value = |raw: &RawValue| Value::from_json(raw.get()).expect("it is JSON");
    let read = unread.iter().map(|(name, raw)| (name.to_string(), value(raw))).collect();
    (unread, read)
}

fn answer(text: &str, variables: &dyn Lookup) -> String {
    let expression = Expression::parse(text, &Names::default()).expect(text);
    let evaluation = expression.evaluate(variables, &Clock::epoch());
    let warnings: Vec<&str> = evaluation.warnings.iter().map(|warning| &*warning.message).collect();
    format!("{} {warnings:?}", evaluation.value.to_json())
}

/// Kept as JSON by the caller, handed out as JSON, and read.
fn check(text: &str) {
    let (unread, read) = variables();
    let handed: BTreeMap<Arc<str>, Value> =
        unread.iter().map(|(name, raw)| (name.clone(), Value::raw(raw.clone()))).collect();
    assert_eq!(answer(text, &unread), answer(text, &read), "{text}");
    assert_eq!(answer(text, &handed), answer(text, &read), "{text}");
}

#[test]
fn a_path_is_read_from_unread_json_as_from_read_json() {
    for text in [
        "v.list.x",
        "v.deep.er.est",
        "v.deep.er",
        "v.s",
        "v.n",
        "v.a",
        "v.e",
        "v.t",
        "v.missing",
        "v.t.missing",
        "v.`a\"b`",
        "v.list[1].x",
        "[v.a, v.a, v.s]",
        "v.e.missing",
        "count(v.list) + v.a",
        "[v.w, v.long, v.plus, v.w, v.long, v.plus, v]",
        "is defined(v.w) and is defined(a) and not(is defined(b))",
    ] {
        check(text);
    }
    let (unread, _) = variables();
    let whole = Expression::parse("v", &Names::default()).expect("a name");
    assert_eq!(whole.evaluate(&unread, &Clock::epoch()).value.to_json(), DOCUMENT.trim());
}

#[test]
fn a_comparison_of_unread_json_answers_and_warns_as_one_of_read_json() {
    let places =
        ["a", "n", "s", "t", "w", "e", "null", "list", "long", "plus", "nobody", "v.a", "v.n", "v.s"];
    let more = [
        "v.t",
        "v.w",
        "v.e",
        "v.null",
        "v.list",
        "v.long",
        "v.plus",
        "v.nobody",
        "v.list.x",
        "v.deep.er.est",
    ];
    let literals =
        ["1", "2", "-1500", "1.5", "100", "true", "false", "null", "\"a word\"", "\"a,\\\"b\"", "\"\""];
    for place in places.into_iter().chain(more) {
        for operator in ["=", "!=", "<", "<=", ">", ">="] {
            for literal in literals {
                check(&format!("{place} {operator} {literal}"));
                check(&format!("{place} {operator} {literal} and v.a = 2"));
            }
        }
    }
    check("v.a = 2 and v.t = true and v.w = \"a word\" and v.plus = 100 and v.a = 2 and v.nobody = 1");
}

//! What is unparsed reads as the same tree again.

use tyer_feel::{Clock, Names, parser, unparse};

fn canonical(text: &str) -> String {
    let tree = parser::expression(text, &Names::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    unparse(&tree)
}

#[test]
fn the_canonical_text_has_only_the_brackets_it_needs() {
    for (text, expected) in [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("(1-2)-3", "(1 - 2) - 3"),
        ("-(2)**2", "-2 ** 2"),
        ("(a or b) and c", "(a or b) and c"),
        ("a.b[c>1].d(1,x:2)", "error"),
        ("a.b[c>1].d(1,2)", "a.b[c > 1].d(1, 2)"),
        ("f(x:1,  y: [1,2])", "f(x: 1, y: [1, 2])"),
        ("if a then b else c", "if a then b else c"),
        ("x in (1,2,<5,[1..2))", "x in (1, 2, < 5, [1..2))"),
        ("for i in 1..3,j in [1] return i", "for i in 1..3, j in [1] return i"),
        ("@\"2026-01-31\"", "@\"2026-01-31\""),
        ("\"a\\\"b\\n\"", "\"a\\\"b\\n\""),
        ("`my name` + 1", "`my name` + 1"),
        ("{\"a b\": 1, c: `a b`}", "{\"a b\": 1, c: `a b`}"),
        ("x instance of list<number>", "x instance of list<number>"),
        ("x instance of list < 5", "error"),
        ("x instance of list<Any> < 5", "x instance of list<Any> < 5"),
        ("(x instance of context) < 5", "(x instance of context) < 5"),
        ("function(a:number,b) a+b", "function(a: number, b) a + b"),
        ("some x in l satisfies x between 1 and 2", "some x in l satisfies x between 1 and 2"),
        (
            "date and time(\"2026-01-31T00:00:00\").time offset",
            "date and time(\"2026-01-31T00:00:00\").time offset",
        ),
    ] {
        if expected == "error" {
            assert!(parser::expression(text, &Names::default()).is_err());
            continue;
        }
        assert_eq!(canonical(text), expected, "{text}");
        assert_eq!(canonical(&canonical(text)), expected, "{text}");
    }
}

#[test]
fn unary_tests_are_unparsed_too() {
    for text in ["-", "1, 2", "< 5, > 10", "not(\"a\", \"b\")", "[1..5], (7..8)", "? > 5 and ? < 7"] {
        let tree = parser::unary_tests(text, &Names::default()).expect(text);
        assert_eq!(unparse(&tree), text);
    }
}

#[test]
fn what_is_unparsed_has_the_same_value() {
    for text in [
        "2 ** 3 ** 2",
        "-3 ** 2",
        "10 - (4 - 3)",
        "100 / (10 / 2)",
        "{a: 1, b: {c: a + 1}}.b.c",
        "[1, 2, 3][item > 1][1]",
        "if 1 < 2 and not(false) then \"x\" else \"y\"",
        "sort([3, 1, 2], function(a, b) a < b)",
        "5 in [1..10)",
        "every x in [1, 2] satisfies x > 0 or false",
        "(function(x) x * 2)(21)",
        "count(for i in 1..3 return i)",
        "duration(\"P1D\") + @\"PT2H\"",
        "(1 = 1) = true",
        "1 = 1 and 2 in (1, 2)",
    ] {
        let value = |text: &str| {
            let expression = tyer_feel::Expression::parse(text, &Names::default()).expect(text);
            expression.evaluate(&(), &Clock::epoch()).value.to_json()
        };
        assert_eq!(value(&canonical(text)), value(text), "{text} → {}", canonical(text));
    }
}

//! Patterns in the notation of XPath.

use tyer_feel::{Clock, Context, Exceeded, Expression, Names};

fn check(text: &str, expected: &str) {
    let expression =
        Expression::parse(text, &Names::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let value = expression.evaluate(&Context::default(), &Clock::epoch()).value.to_json();
    assert_eq!(value, expected, "{text}");
}

#[test]
fn classes_are_sets_of_characters() {
    check(r#"matches("b", "[a-z-[aeiou]]")"#, "true");
    check(r#"matches("e", "[a-z-[aeiou]]")"#, "false");
    check(r#"matches("É", "^\\p{Lu}$")"#, "true");
    check(r#"matches("é", "^\\P{Lu}$")"#, "true");
    check(r#"matches("Ω", "\\p{IsGreek}")"#, "true");
    check(r#"matches("٣", "^\\d$")"#, "true");
    check(r#"matches("naïve_1", "^\\w+$")"#, "true");
    check(r#"matches("a-b", "^[\\w-]+$")"#, "true");
    check(r#"matches("]", "[]]")"#, "true");
    check(r#"matches("a", "[^\\s\\S]")"#, "false");
    check(r#"matches("line\nnext", "^line.next$")"#, "false");
    check(r#"matches("line\nnext", "^line.next$", "s")"#, "true");
    check(r#"matches("line\nnext", "^next$", "m")"#, "true");
}

#[test]
fn either_case_fits_where_it_is_asked_for() {
    check(r#"matches("ÉCOLE", "école", "i")"#, "true");
    check(r#"matches("K", "[^k]", "i")"#, "false");
    check(r#"matches("a.B", "A.b", "qi")"#, "true");
    check(r#"matches("axB", "a.b", "qi")"#, "false");
    check(r#"replace("a b  c", "[ ] +", "_", "x")"#, r#""a_b_c""#);
}

#[test]
fn groups_come_again_in_a_replacement() {
    check(r#"replace("2026-11-16", "(\\d{4})-(\\d{2})-(\\d{2})", "$3.$2.$1")"#, r#""16.11.2026""#);
    check(r#"split("a;b,c", "[;,]")"#, r#"["a","b","c"]"#);
    check(r#"extract("a1b22", "\\d+")"#, r#"["1","22"]"#);
}

#[test]
fn what_is_no_pattern_is_null() {
    for pattern in [
        "(",
        ")",
        "[a",
        "a{2",
        "a{x}",
        "\\\\1",
        "\\\\b",
        "(?=a)",
        "[z-a]",
        "\\\\p{Xx}",
        "a]",
        "\\\\p{IsNowhere}",
    ] {
        check(&format!("matches(\"a\", \"{pattern}\")"), "null");
    }
    check(r#"matches("a", "((a{18446744073709551615})a{2})a")"#, "null");
    check(r#"matches("a", "a", "g")"#, "null");
    check(r#"replace("a", "b*", "c")"#, "null");
}

#[test]
fn a_pattern_with_many_places_on_a_long_text_is_paid_for() {
    let text = format!("matches(\"{}\", \"(a?){{500}}x\")", "a".repeat(100_000));
    let expression = Expression::parse(&text, &Names::default()).expect("it is an expression");
    let evaluation = expression.evaluate(&Context::default(), &Clock::epoch());
    assert!(matches!(evaluation.exceeded, Some(Exceeded::Fuel(_))), "{:?}", evaluation.exceeded);
}

/// Whatever is asked, there is an answer: no pattern makes it panic.
#[test]
fn every_text_is_a_pattern_or_none() {
    let letters: Vec<char> = r"ab[](){}|^$*+?.\-,019pPdwsIc:iLu&~é".chars().collect();
    let mut seed = 7_u64;
    let mut dice = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    };
    for _ in 0..20_000 {
        let pattern: String = (0..dice(12)).map(|_| letters[dice(letters.len())]).collect();
        let pattern = pattern.replace('\\', "\\\\");
        let flags = ["", "i", "x", "s", "q", "im"][dice(6)];
        let text = format!("matches(\"abé-1\", \"{pattern}\", \"{flags}\")");
        let expression = Expression::parse(&text, &Names::default()).expect(&text);
        expression.evaluate(&Context::default(), &Clock::epoch());
    }
}

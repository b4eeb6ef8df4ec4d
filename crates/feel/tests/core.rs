//! The language itself: operators, names, contexts, filters, loops.

use tyer_feel::{Clock, Context, Expression, Names, Value};

fn evaluate(text: &str) -> String {
    let variables =
        Value::from_json(r#"{"amount": 1500, "customer": {"vip": true, "name": "Ada"}, "items": [1, 2, 3]}"#);
    let Ok(Value::Context(variables)) = variables else { panic!("the variables are an object") };
    evaluate_in(text, &variables)
}

fn evaluate_in(text: &str, variables: &Context) -> String {
    match Expression::parse(text, &Names::default()) {
        Ok(expression) => expression.evaluate(variables, &Clock::epoch()).value.to_json(),
        Err(error) => format!("error: {error}"),
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(evaluate(text), expected, "{text}");
}

#[test]
fn a_condition_reads_variables_and_paths() {
    check("amount > 1000 and customer.vip = true", "true");
    check("amount > 2000 or customer.vip", "true");
    check("customer.name", "\"Ada\"");
    check("nobody.name", "null");
}

#[test]
fn a_variable_hides_the_function_of_the_same_name_unless_it_is_called() {
    let Ok(Value::Context(variables)) = Value::from_json(r#"{"duration": "PT1H", "count": 4}"#) else {
        panic!("the variables are an object")
    };
    assert_eq!(evaluate_in("duration", &variables), "\"PT1H\"");
    assert_eq!(evaluate_in("count > 3", &variables), "true");
    assert_eq!(evaluate_in("count([1, 2])", &variables), "2");
    assert_eq!(evaluate_in("(for f in [sum] return f([1, 2]))[1]", &variables), "3");
}

#[test]
fn arithmetic_is_exact_and_associates_to_the_left() {
    check("0.1 + 0.2", "0.3");
    check("10 - 2 - 3", "5");
    check("2 + 3 * 4", "14");
    check("-2 ** 2", "4");
    check("1 / 3", "0.3333333333333333333333333333333333");
    check("9223372036854775807 + 1", "9223372036854775808");
    check("1 / 0", "null");
}

#[test]
fn logic_has_three_values() {
    check("true and null", "null");
    check("false and null", "false");
    check("true or null", "true");
    check("null = null", "true");
    check("1 = \"1\"", "null");
}

#[test]
fn contexts_lists_and_loops() {
    check("{a: 1, b: a + 1}.b", "2");
    check("{full name: \"x\", y: full name}.full name", "\"x\"");
    check("[1,2,3][item > 1]", "[2,3]");
    check("[{a: 1}, {a: 2}][a = 2].a", "[2]");
    check("items[2]", "2");
    check("items[-1]", "3");
    check("for x in 1..3 return x * 2", "[2,4,6]");
    check("for i in 1..3 return if i = 1 then 1 else i * partial[-1]", "[1,2,6]");
    check("some x in items satisfies x > 2", "true");
    check("every x in items satisfies x > 2", "false");
    check("5 in [1..5]", "true");
    check("5 in (< 5, > 7)", "false");
}

#[test]
fn functions_close_over_what_they_use() {
    check("{base: 10, add: function(x) x + base + amount, r: add(1)}.r", "1511");
    check("{fact: function(n) if n < 2 then 1 else n * fact(n - 1), r: fact(20)}.r", "2432902008176640000");
    check("(function(a, b) a - b)(b: 1, a: 3)", "2");
}

#[test]
fn dollar_expressions_become_the_same_tree() {
    let variables = Value::from_json(r#"{"amount": 5, "name": "Ada", "list": ["a", "b"]}"#);
    let Ok(Value::Context(variables)) = variables else { panic!("the variables are an object") };
    for (text, expected) in [
        ("${amount > 3 && name == 'Ada'}", "true"),
        ("${amount > 3 ? 'big' : 'small'}", "\"big\""),
        ("${list[0]}", "\"a\""),
        ("${execution.getVariable('amount') + 1}", "6"),
        ("${!(amount lt 3)}", "true"),
        ("${!name.contains('x') && list.contains('a')}", "true"),
        ("${name.startsWith('A') && name.equals('Ada')}", "true"),
        ("${name.concat('-').concat('x').toUpperCase()}", "\"ADA-X\""),
        ("${list.size() + name.length()}", "5"),
        ("${list.get(0).isEmpty}", "null"),
        ("${name.isEmpty() || list.isEmpty()}", "false"),
    ] {
        let expression = Expression::parse_juel(text, &Names::default()).expect(text);
        assert_eq!(expression.evaluate(&variables, &Clock::epoch()).value.to_json(), expected, "{text}");
    }
    let refused = Expression::parse_juel("${order.getTotal()}", &Names::default()).expect_err("a method");
    assert!(refused.to_string().contains("getTotal"), "{refused}");
}

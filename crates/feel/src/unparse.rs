//! Tree to canonical text: one space around operators, only the brackets that are needed, odd names in backticks.
//!
//! **Invariant:** what is written reads as the same tree again, for every tree that the parser can build.

use crate::ast::{Expr, Iteration, Kind, Operator, Parameter, RangeExpr, Test, Unary};
use crate::types::Type;
use crate::value::{Value, is_plain_name, write_string_literal};
use std::fmt::Write;

/// How tightly an expression binds, from `if` to a primary.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Whole,
    Or,
    And,
    Comparison,
    Additive,
    Multiplicative,
    Power,
    Negation,
    Postfix,
    Primary,
}

/// The canonical text of a tree.
pub fn unparse(expr: &Expr) -> String {
    let mut out = Unparser { text: String::new() };
    out.expr(expr, Level::Whole);
    out.text
}

struct Unparser {
    text: String,
}

impl Unparser {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// In brackets when it binds less tightly than its place asks for.
    fn expr(&mut self, expr: &Expr, place: Level) {
        if level(&expr.kind) < place {
            self.put("(");
            self.kind(&expr.kind);
            self.put(")");
        } else {
            self.kind(&expr.kind);
        }
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Literal(value) => self.literal(value),
            Kind::Name(name) => self.name(name),
            Kind::List(items) => self.separated("[", items, "]", |out, item| out.expr(item, Level::Whole)),
            Kind::Context(entries) => self.separated("{", entries, "}", |out, (name, value)| {
                out.key(name);
                out.put(": ");
                out.expr(value, Level::Whole);
            }),
            Kind::Range(range) => self.range(range),
            Kind::HalfRange(operator, end) => {
                self.put("(");
                self.put(operator.symbol());
                self.put(" ");
                self.expr(end, Level::Additive);
                self.put(")");
            }
            Kind::Path(base, name) => {
                self.expr(base, Level::Postfix);
                self.put(".");
                self.name(name);
            }
            Kind::Filter(base, condition) => {
                self.expr(base, Level::Postfix);
                self.put("[");
                self.expr(condition, Level::Whole);
                self.put("]");
            }
            Kind::Call(function, arguments) => {
                self.expr(function, Level::Postfix);
                self.separated("(", arguments, ")", |out, argument| out.expr(argument, Level::Whole));
            }
            Kind::NamedCall(function, arguments) => {
                self.expr(function, Level::Postfix);
                self.separated("(", arguments, ")", |out, (name, value)| {
                    out.key(name);
                    out.put(": ");
                    out.expr(value, Level::Whole);
                });
            }
            Kind::InstanceOf(value, kind) => {
                self.expr(value, Level::Postfix);
                self.put(" instance of ");
                self.type_name(kind);
            }
            Kind::Negate(value) => {
                self.put("-");
                self.expr(value, Level::Negation);
            }
            _ => self.compound(kind),
        }
    }

    fn compound(&mut self, kind: &Kind) {
        match kind {
            Kind::Arithmetic(first, rest) => self.arithmetic(first, rest),
            Kind::Compare(operator, left, right) => {
                self.expr(left, Level::Comparison);
                let _ = write!(self.text, " {} ", operator.symbol());
                self.expr(right, Level::Additive);
            }
            Kind::And(parts) => self.joined(parts, " and ", Level::Comparison),
            Kind::Or(parts) => self.joined(parts, " or ", Level::And),
            Kind::Between(parts) => {
                let [value, low, high] = &**parts;
                self.expr(value, Level::Comparison);
                self.put(" between ");
                self.expr(low, Level::Additive);
                self.put(" and ");
                self.expr(high, Level::Additive);
            }
            Kind::In(value, tests) => {
                self.expr(value, Level::Comparison);
                self.put(" in ");
                self.separated("(", tests, ")", Unparser::test);
            }
            Kind::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.put("if ");
                self.expr(condition, Level::Whole);
                self.put(" then ");
                self.expr(then, Level::Whole);
                self.put(" else ");
                self.expr(otherwise, Level::Whole);
            }
            Kind::For(iterations, body) => self.iterate("for ", iterations, " return ", body),
            Kind::Quantified { every, iterations, condition } => {
                let word = if *every { "every " } else { "some " };
                self.iterate(word, iterations, " satisfies ", condition);
            }
            Kind::Function(parameters, body) => self.function(parameters, "", body),
            Kind::External(parameters, body) => self.function(parameters, "external ", body),
            Kind::Unary(unary) => self.unary(unary),
            Kind::Coerce(value, _) => self.expr(value, Level::Whole),
            Kind::Extension(extension, _) => {
                let _ = write!(self.text, "/* {extension:?} */ null");
            }
            _ => {}
        }
    }

    fn literal(&mut self, value: &Value) {
        match value {
            Value::Date(_)
            | Value::Time(_)
            | Value::DateTime(_)
            | Value::YearsAndMonths(_)
            | Value::DaysAndTime(_) => {
                let _ = write!(self.text, "@\"{value}\"");
            }
            Value::String(text) => {
                let _ = write_string_literal(&mut self.text, text);
            }
            value => {
                let _ = write!(self.text, "{value}");
            }
        }
    }

    fn name(&mut self, name: &str) {
        let known = is_plain_name(name) || name == "?" || crate::builtins::find(name).is_some();
        if known && !is_keyword(name) || crate::builtins::is_property(name) {
            self.put(name);
        } else {
            let _ = write!(self.text, "`{name}`");
        }
    }

    fn key(&mut self, name: &str) {
        if is_plain_name(name) {
            self.put(name);
        } else {
            let _ = write_string_literal(&mut self.text, name);
        }
    }

    fn separated<T>(&mut self, open: &str, items: &[T], close: &str, each: impl Fn(&mut Unparser, &T)) {
        self.put(open);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            each(self, item);
        }
        self.put(close);
    }

    fn joined(&mut self, parts: &[Expr], word: &str, place: Level) {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.put(word);
            }
            self.expr(part, place);
        }
    }

    fn arithmetic(&mut self, first: &Expr, rest: &[(Operator, Expr)]) {
        let own = rest.first().map_or(Level::Additive, |(operator, _)| level_of(*operator));
        let tighter = match own {
            Level::Additive => Level::Multiplicative,
            Level::Multiplicative => Level::Power,
            _ => Level::Negation,
        };
        self.expr(first, tighter);
        for (operator, operand) in rest {
            let _ = write!(self.text, " {} ", operator.symbol());
            self.expr(operand, tighter);
        }
    }

    fn range(&mut self, range: &RangeExpr) {
        self.put(if range.start_included { "[" } else { "(" });
        self.expr(&range.start, Level::Additive);
        self.put("..");
        self.expr(&range.end, Level::Additive);
        self.put(if range.end_included { "]" } else { ")" });
    }

    fn iterate(&mut self, word: &str, iterations: &[Iteration], end: &str, body: &Expr) {
        self.separated(word, iterations, end, |out, iteration| {
            out.name(&iteration.name);
            out.put(" in ");
            out.expr(&iteration.from, Level::Or);
            if let Some(to) = &iteration.to {
                out.put("..");
                out.expr(to, Level::Or);
            }
        });
        self.expr(body, Level::Whole);
    }

    fn function(&mut self, parameters: &[Parameter], external: &str, body: &Expr) {
        self.separated("function(", parameters, ") ", |out, parameter| {
            out.name(&parameter.name);
            if let Some(kind) = &parameter.kind {
                out.put(": ");
                out.type_name(kind);
            }
        });
        self.put(external);
        self.expr(body, Level::Whole);
    }

    fn unary(&mut self, unary: &Unary) {
        match unary {
            Unary::Any => self.put("-"),
            Unary::Tests(tests) => self.separated("", tests, "", Unparser::test),
            Unary::Not(tests) => self.separated("not(", tests, ")", Unparser::test),
        }
    }

    fn test(&mut self, test: &Test) {
        match test {
            Test::Compare(operator, end) => {
                self.put(operator.symbol());
                self.put(" ");
                self.expr(end, Level::Additive);
            }
            Test::Value(value) => self.expr(value, Level::Whole),
        }
    }

    fn type_name(&mut self, kind: &Type) {
        let simple = Type::BUILT_IN
            .iter()
            .find(|(_, known)| std::mem::discriminant(known) == std::mem::discriminant(kind));
        match (simple, kind) {
            (Some((name, _)), _) => self.put(name),
            (None, Type::List(item)) => self.parameterised("list", item),
            (None, Type::Range(item)) => self.parameterised("range", item),
            (None, Type::Context(fields)) if fields.is_empty() => self.put("context"),
            (None, Type::Context(fields)) => self.separated("context<", fields, ">", |out, (name, kind)| {
                out.name(name);
                out.put(": ");
                out.type_name(kind);
            }),
            (None, Type::Function(Some(signature))) => {
                self.separated("function<", &signature.0, ">->", Unparser::type_name);
                self.type_name(&signature.1);
            }
            (None, Type::Constrained(constrained)) => self.type_name(&constrained.base),
            _ => self.put("function"),
        }
    }

    fn parameterised(&mut self, name: &str, item: &Type) {
        self.put(name);
        self.put("<");
        self.type_name(item);
        self.put(">");
    }
}

fn level(kind: &Kind) -> Level {
    match kind {
        Kind::Literal(Value::Number(number)) if number.is_negative() => Level::Negation,
        Kind::If(_) | Kind::For(..) | Kind::Quantified { .. } | Kind::Function(..) | Kind::External(..) => {
            Level::Whole
        }
        Kind::Unary(_) => Level::Whole,
        Kind::Or(_) => Level::Or,
        Kind::And(_) => Level::And,
        Kind::Compare(..) | Kind::Between(_) | Kind::In(..) => Level::Comparison,
        Kind::Arithmetic(_, rest) => {
            rest.first().map_or(Level::Additive, |(operator, _)| level_of(*operator))
        }
        Kind::Negate(_) => Level::Negation,
        // `context < 5` would read as the beginning of `context<a: number>`.
        Kind::InstanceOf(_, Type::Function(None)) => Level::And,
        Kind::InstanceOf(_, Type::Context(fields)) if fields.is_empty() => Level::And,
        Kind::Path(..) | Kind::Filter(..) | Kind::Call(..) | Kind::NamedCall(..) | Kind::InstanceOf(..) => {
            Level::Postfix
        }
        Kind::Coerce(value, _) => level(&value.kind),
        _ => Level::Primary,
    }
}

fn level_of(operator: Operator) -> Level {
    match operator {
        Operator::Add | Operator::Subtract => Level::Additive,
        Operator::Multiply | Operator::Divide => Level::Multiplicative,
        Operator::Power => Level::Power,
    }
}

fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 18] = [
        "true",
        "false",
        "null",
        "if",
        "then",
        "else",
        "for",
        "in",
        "return",
        "some",
        "every",
        "satisfies",
        "instance",
        "function",
        "and",
        "or",
        "between",
        "external",
    ];
    KEYWORDS.contains(&name)
}

//! Decision tables from XML.

use super::index::Index;
use super::lint::Lint;
use super::policy::Policy;
use super::{Output, Table};
use crate::boxed::Reader;
use crate::definitions::{child, children, text_of, variable_name};
use crate::problem::Severity;
use std::sync::Arc;
use tyer_feel::Value;
use tyer_feel::ast::{Expr, Kind, Test, Unary};
use tyer_xml::Element;

/// Reads a `decisionTable`.
pub(crate) fn read(reader: &mut Reader<'_>, element: Element<'_>) -> Expr {
    let policy = element.attribute("hitPolicy").unwrap_or("UNIQUE");
    let Some(policy) = Policy::read(policy, element.attribute("aggregation")) else {
        return reader.broken(element, &format!("there is no hit policy `{policy}` with this aggregation"));
    };
    let inputs: Vec<Element<'_>> = children(element, "input").collect();
    let outputs: Vec<Element<'_>> = children(element, "output").collect();
    if outputs.is_empty() {
        return reader.broken(element, "a decision table needs an output");
    }
    let mut parts = Vec::new();
    for input in &inputs {
        parts.push(input_expression(reader, *input));
    }
    let mut has_allowed = Vec::with_capacity(inputs.len());
    for input in &inputs {
        let allowed = child(*input, "inputValues").map(text_of).unwrap_or_default();
        has_allowed.push(!allowed.is_empty());
        parts.push(reader.unary_tests(*input, &allowed));
    }
    let rules = rules(reader, element, inputs.len(), &outputs, &mut parts);
    let has_default = defaults(reader, &outputs, &mut parts);
    let width = inputs.len() + outputs.len();
    let cells: Vec<Vec<&Expr>> = (0..rules)
        .map(|rule| parts[2 * inputs.len() + rule * width..][..inputs.len()].iter().collect())
        .collect();
    let index = Index::build(inputs.len(), &cells);
    let answers = match policy {
        Policy::Any => {
            answers(parts[2 * inputs.len()..].chunks(width).take(rules).map(|rule| &rule[inputs.len()..]))
        }
        _ => Vec::new(),
    };
    let allowed: Vec<&Expr> = parts[inputs.len()..2 * inputs.len()].iter().collect();
    if let Some(lint) = Lint::new(&cells, &allowed) {
        report(reader, element, &lint, policy, has_default);
    }
    let single = outputs.len() == 1;
    let outputs = outputs.into_iter().map(|output| output_clause(reader, output, single)).collect();
    let name = table_name(element).into();
    let inputs = inputs.len();
    let table = Table { name, policy, inputs, outputs, rules, has_allowed, has_default, index, answers };
    Expr::new(Kind::Extension(Arc::new(table), parts))
}

/// Rules of a unique table must not overlap; a table without defaults that answers with one rule should know every input.
fn report(reader: &mut Reader<'_>, element: Element<'_>, lint: &Lint, policy: Policy, has_default: bool) {
    if policy == Policy::Unique {
        for (one, other) in lint.overlaps() {
            let message =
                format!("the rules {one} and {other} match the same input, but the hit policy is unique");
            reader.problem(element, Severity::Warning, &message);
        }
    }
    if policy.takes_one() && !has_default {
        for gap in lint.gaps() {
            reader.problem(element, Severity::Warning, &format!("no rule matches the input {gap}"));
        }
    }
}

fn table_name(element: Element<'_>) -> String {
    let own = element.attribute("outputLabel").or_else(|| element.attribute("id")).map(str::to_owned);
    let around = std::iter::successors(element.parent(), |element| element.parent());
    let named = around.map(variable_name).find(|name| !name.is_empty());
    named.or(own).unwrap_or_default()
}

fn input_expression(reader: &mut Reader<'_>, input: Element<'_>) -> Expr {
    match child(input, "inputExpression") {
        Some(expression) => {
            let value = reader.feel(expression, &text_of(expression));
            reader.typed(expression, value)
        }
        None => reader.feel(input, input.attribute("label").unwrap_or_default()),
    }
}

fn rules(
    reader: &mut Reader<'_>,
    element: Element<'_>,
    inputs: usize,
    outputs: &[Element<'_>],
    parts: &mut Vec<Expr>,
) -> usize {
    let mut count = 0;
    for rule in children(element, "rule") {
        let tests: Vec<Element<'_>> = children(rule, "inputEntry").collect();
        let values: Vec<Element<'_>> = children(rule, "outputEntry").collect();
        if tests.len() != inputs || values.len() != outputs.len() {
            let message = format!(
                "a rule of this table needs {inputs} input entries and {} output entries",
                outputs.len()
            );
            reader.broken(rule, &message);
            continue;
        }
        for test in tests {
            let test = reader.unary_tests(test, &text_of(test));
            parts.push(test);
        }
        for (value, output) in values.iter().zip(outputs) {
            let value = reader.feel(*value, &text_of(*value));
            parts.push(reader.typed(*output, value));
        }
        count += 1;
    }
    count
}

/// Numbers rules by what they answer, where that is written in them; `None` for the others, and after very many answers.
fn answers<'p>(rules: impl Iterator<Item = &'p [Expr]>) -> Vec<Option<u8>> {
    let mut different: Vec<Vec<Value>> = Vec::new();
    let is_same = |one: &[Value], other: &[Value]| {
        one.iter().zip(other).all(|(one, other)| one.equals(other) == Some(true))
    };
    rules
        .map(|outputs| {
            let values = outputs.iter().map(written).collect::<Option<Vec<Value>>>()?;
            let known = different.iter().position(|other| is_same(other, &values));
            let number = u8::try_from(known.unwrap_or(different.len())).ok()?;
            if known.is_none() {
                different.push(values);
            }
            Some(number)
        })
        .collect()
}

/// The value of an output that is a literal, as the type of the output has it.
fn written(output: &Expr) -> Option<Value> {
    match &output.kind {
        Kind::Literal(value) => Some(value.clone()),
        Kind::Coerce(inner, kind) => match &inner.kind {
            Kind::Literal(value) => kind.coerce(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether there are defaults; an output without one is null.
fn defaults(reader: &mut Reader<'_>, outputs: &[Element<'_>], parts: &mut Vec<Expr>) -> bool {
    let any = outputs.iter().any(|output| child(*output, "defaultOutputEntry").is_some());
    if any {
        for output in outputs {
            let text = child(*output, "defaultOutputEntry").map(text_of).unwrap_or_default();
            parts.push(reader.feel(*output, &text));
        }
    }
    any
}

fn output_clause(reader: &mut Reader<'_>, output: Element<'_>, single: bool) -> Output {
    let name = output.attribute("name").unwrap_or_default().trim();
    if name.is_empty() && !single {
        reader.broken(output, "an output needs a name where there are several");
    }
    let allowed = child(output, "outputValues").map(text_of).unwrap_or_default();
    let tests = if allowed.is_empty() { None } else { Some(reader.unary_tests(output, &allowed)) };
    let ranked = match tests.map(|tests| tests.kind) {
        Some(Kind::Unary(Unary::Tests(tests))) => tests.into_iter().filter_map(literal).collect(),
        _ => Vec::new(),
    };
    Output { name: name.into(), ranked }
}

fn literal(test: Test) -> Option<Value> {
    match test {
        Test::Value(Expr { kind: Kind::Literal(value), .. }) => Some(value),
        Test::Value(_) | Test::Compare(..) => None,
    }
}

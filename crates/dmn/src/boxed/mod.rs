//! Boxed expressions to FEEL trees.
//!
//! **Invariant:** what cannot be read becomes a null that says why when it is evaluated; the rest of the model works.

mod compound;
mod function;

use crate::definitions::{child, label, text_of};
use crate::item::Types;
use crate::problem::{Problem, Severity};
use crate::table;
use std::sync::Arc;
use tyer_feel::ast::{Expr, Kind, Span};
use tyer_feel::{Answer, Evaluator, Extension, Names, Node, Value};
use tyer_xml::Element;

/// Reads the boxed expressions of one document.
pub(crate) struct Reader<'a> {
    pub(crate) types: &'a Types<'a>,
    pub(crate) document: usize,
    pub(crate) names: &'a Names,
    pub(crate) problems: &'a mut Vec<Problem>,
    pub(crate) depth: u32,
}

/// Boxed expressions nest less than this.
const MAXIMUM_DEPTH: u32 = 32;

const BOXED: [&str; 12] = [
    "literalExpression",
    "context",
    "decisionTable",
    "invocation",
    "functionDefinition",
    "relation",
    "list",
    "conditional",
    "filter",
    "for",
    "some",
    "every",
];

impl Reader<'_> {
    /// The boxed expression inside of an element, if there is one.
    pub(crate) fn inside(&mut self, element: Element<'_>) -> Option<Expr> {
        let boxed = element.children().find(|child| BOXED.contains(&child.local_name()))?;
        Some(self.expression(boxed))
    }

    /// The boxed expression inside of a required child; null when it is missing.
    fn part(&mut self, element: Element<'_>, name: &'static str) -> Expr {
        match child(element, name).and_then(|part| self.inside(part)) {
            Some(expr) => expr,
            None => self
                .broken(element, &format!("a {} needs a `{name}` with an expression", element.local_name())),
        }
    }

    /// Reads a boxed expression and brings it to its declared type.
    pub(crate) fn expression(&mut self, element: Element<'_>) -> Expr {
        if self.depth >= MAXIMUM_DEPTH {
            return self.broken(element, &format!("at most {MAXIMUM_DEPTH} boxed expressions may nest"));
        }
        self.depth += 1;
        let expr = match element.local_name() {
            "literalExpression" => self.literal(element),
            "context" => self.context(element),
            "decisionTable" => table::read(self, element),
            "invocation" => self.invocation(element),
            "functionDefinition" => self.function(element),
            "relation" => self.relation(element),
            "list" => Expr::new(Kind::List(self.all_inside(element))),
            "conditional" => self.conditional(element),
            "filter" => self.filter(element),
            "for" | "some" | "every" => self.iteration(element),
            other => self.broken(element, &format!("`{other}` is not an expression")),
        };
        self.depth -= 1;
        // The type of a function definition is that of its result, which the function itself sees to.
        if element.local_name() == "functionDefinition" { expr } else { self.typed(element, expr) }
    }

    /// Brings an expression to the type that an element declares.
    pub(crate) fn typed(&mut self, element: Element<'_>, expr: Expr) -> Expr {
        match self.types.of_attribute(self.document, element) {
            Ok(None) => expr,
            Ok(Some(kind)) => Expr { span: expr.span, kind: Kind::Coerce(Box::new(expr), kind) },
            Err(message) => {
                self.problem(element, Severity::Error, &message);
                expr
            }
        }
    }

    fn all_inside(&mut self, element: Element<'_>) -> Vec<Expr> {
        element
            .children()
            .filter(|child| BOXED.contains(&child.local_name()))
            .map(|child| self.expression(child))
            .collect()
    }

    fn literal(&mut self, element: Element<'_>) -> Expr {
        let language = element.attribute("expressionLanguage").unwrap_or_default();
        if !language.is_empty() && !language.to_ascii_lowercase().contains("feel") {
            return self.broken(element, &format!("the expression language `{language}` is not FEEL"));
        }
        self.feel(element, &text_of(element))
    }

    /// A FEEL expression; an empty one is null.
    pub(crate) fn feel(&mut self, element: Element<'_>, text: &str) -> Expr {
        if text.is_empty() {
            return Expr::new(Kind::Literal(Value::Null));
        }
        match tyer_feel::parser::expression(text, self.names) {
            Ok(expr) => expr,
            Err(error) => self.broken(element, &format!("{error} in `{text}`")),
        }
    }

    /// FEEL unary tests; empty ones are `-`.
    pub(crate) fn unary_tests(&mut self, element: Element<'_>, text: &str) -> Expr {
        let text = if text.is_empty() { "-" } else { text };
        match tyer_feel::parser::unary_tests(text, self.names) {
            Ok(expr) => expr,
            Err(error) => self.broken(element, &format!("{error} in `{text}`")),
        }
    }

    pub(crate) fn broken(&mut self, element: Element<'_>, message: &str) -> Expr {
        self.problem(element, Severity::Error, message);
        Expr::new(Kind::Extension(Arc::new(Broken(message.into())), Vec::new()))
    }

    pub(crate) fn problem(&mut self, element: Element<'_>, severity: Severity, message: &str) {
        let problem = Problem {
            severity,
            element: label(element),
            position: element.position(),
            message: message.into(),
        };
        self.problems.push(problem);
    }
}

/// What could not be read.
#[derive(Debug)]
struct Broken(Box<str>);

impl Extension for Broken {
    fn evaluate(&self, _parts: &[Node], evaluator: &mut Evaluator<'_>) -> Answer {
        evaluator.warn(Span::default(), &*self.0);
        Ok(Value::Null)
    }
}

//! Contexts, relations, invocations, conditionals, filters and iterations.

use super::{BOXED, Reader};
use crate::definitions::{child, children, variable_name};
use std::sync::Arc;
use tyer_feel::Value;
use tyer_feel::ast::{Expr, Iteration, Kind};
use tyer_xml::Element;

/// The key of a context's result; no name in a text can be this.
const RESULT: &str = "<result>";

impl Reader<'_> {
    pub(super) fn context(&mut self, element: Element<'_>) -> Expr {
        let mut entries: Vec<(Arc<str>, Expr)> = Vec::new();
        let mut has_result = false;
        for entry in children(element, "contextEntry") {
            let value = self.inside(entry).unwrap_or_else(|| Expr::new(Kind::Literal(Value::Null)));
            match child(entry, "variable") {
                Some(variable) => {
                    let value = match value.kind {
                        Kind::Function(..) | Kind::External(..) => value,
                        _ => self.typed(variable, value),
                    };
                    entries.push((variable_name(entry).into(), value));
                }
                None => {
                    has_result = true;
                    entries.push((RESULT.into(), value));
                }
            }
        }
        let context = Expr::new(Kind::Context(entries));
        if has_result { Expr::new(Kind::Path(Box::new(context), RESULT.into())) } else { context }
    }

    pub(super) fn relation(&mut self, element: Element<'_>) -> Expr {
        let columns: Vec<Element<'_>> = children(element, "column").collect();
        let mut rows = Vec::new();
        for row in children(element, "row") {
            let cells = row.children().filter(|child| BOXED.contains(&child.local_name()));
            let mut entries = Vec::with_capacity(columns.len());
            for (column, cell) in columns.iter().zip(cells) {
                let value = self.expression(cell);
                let name = column.attribute("name").unwrap_or_default().trim();
                entries.push((Arc::from(name), self.typed(*column, value)));
            }
            rows.push(Expr::new(Kind::Context(entries)));
        }
        Expr::new(Kind::List(rows))
    }

    pub(super) fn invocation(&mut self, element: Element<'_>) -> Expr {
        let Some(function) = self.inside(element) else {
            return self.broken(element, "an invocation needs the expression that names its function");
        };
        let mut arguments = Vec::new();
        for binding in children(element, "binding") {
            let Some(parameter) = child(binding, "parameter") else {
                continue;
            };
            let value = self.inside(binding).unwrap_or_else(|| Expr::new(Kind::Literal(Value::Null)));
            let name = parameter.attribute("name").unwrap_or_default().trim();
            arguments.push((Arc::from(name), self.typed(parameter, value)));
        }
        if arguments.is_empty() {
            return Expr::new(Kind::Call(Box::new(function), Vec::new()));
        }
        Expr::new(Kind::NamedCall(Box::new(function), arguments))
    }

    pub(super) fn conditional(&mut self, element: Element<'_>) -> Expr {
        let parts = [self.part(element, "if"), self.part(element, "then"), self.part(element, "else")];
        Expr::new(Kind::If(Box::new(parts)))
    }

    pub(super) fn filter(&mut self, element: Element<'_>) -> Expr {
        let list = self.part(element, "in");
        let condition = self.part(element, "match");
        Expr::new(Kind::Filter(Box::new(list), Box::new(condition)))
    }

    pub(super) fn iteration(&mut self, element: Element<'_>) -> Expr {
        let name = element.attribute("iteratorVariable").unwrap_or_default().trim();
        let from = self.part(element, "in");
        let iterations = vec![Iteration { name: name.into(), from, to: None }];
        match element.local_name() {
            "for" => {
                let body = self.part(element, "return");
                Expr::new(Kind::For(iterations, Box::new(body)))
            }
            quantifier => {
                let condition = Box::new(self.part(element, "satisfies"));
                Expr::new(Kind::Quantified { every: quantifier == "every", iterations, condition })
            }
        }
    }
}

//! Decision services: functions whose parameters are inputs and decisions, and whose body is the decisions inside.

use crate::definitions::children;
use crate::import::{Source, coerced, find};
use crate::model::{Element, ElementKind, Requirement};
use std::sync::Arc;
use tyer_feel::ast::{Expr, Kind, Parameter};
use tyer_feel::{Expression, Names};

/// The key of the service's result; no name in a text can be this.
const RESULT: &str = "<result>";

/// What a service takes and gives.
#[derive(Debug)]
pub(crate) struct Service {
    /// Inputs and decisions, in the order of the parameters.
    pub(crate) parameters: Vec<usize>,
}

/// Gives every service its function.
pub(crate) fn compile(elements: &mut [Element], sources: &[Source<'_>]) {
    for index in 0..elements.len() {
        if elements[index].kind == ElementKind::Service {
            let (service, logic, requirements) = function(elements, sources, index);
            elements[index].service = Some(service);
            elements[index].logic = Some(logic);
            elements[index].requirements = requirements;
        }
    }
}

fn function(
    elements: &[Element],
    sources: &[Source<'_>],
    index: usize,
) -> (Service, Expression, Vec<Requirement>) {
    let source = &sources[index];
    let referred = |name: &'static str| -> Vec<usize> {
        children(source.xml, name)
            .filter_map(|reference| find(source, reference.attribute("href")?, sources))
            .collect()
    };
    let mut parameters = referred("inputData");
    parameters.extend(referred("inputDecision"));
    let outputs = referred("outputDecision");
    let (inner, requirements) = inner_decisions(elements, &outputs, &parameters);
    let mut entries: Vec<(Arc<str>, Expr)> = inner
        .iter()
        .filter_map(|decision| {
            Some((elements[*decision].name.clone(), elements[*decision].logic.as_ref()?.tree().clone()))
        })
        .collect();
    entries.push((RESULT.into(), coerced(result(elements, &outputs), elements[index].value_type.as_ref())));
    let body = Expr::new(Kind::Path(Box::new(Expr::new(Kind::Context(entries))), RESULT.into()));
    let formal = parameters.iter().map(|parameter| {
        let element = &elements[*parameter];
        Parameter { name: element.name.clone(), kind: element.value_type.clone() }
    });
    let tree = Expr::new(Kind::Function(formal.collect(), Box::new(body)));
    let names: Names = requirements.iter().map(|requirement| &*elements[requirement.element].name).collect();
    let logic = Expression::from_tree(&elements[index].name, tree, &names);
    (Service { parameters }, logic, requirements)
}

fn result(elements: &[Element], outputs: &[usize]) -> Expr {
    let name = |output: &usize| Expr::new(Kind::Name(elements[*output].name.clone()));
    match outputs {
        [only] => name(only),
        several => {
            let entries = several.iter().map(|output| (elements[*output].name.clone(), name(output)));
            Expr::new(Kind::Context(entries.collect()))
        }
    }
}

/// The decisions to evaluate inside, in order, and the knowledge they need from outside.
fn inner_decisions(
    elements: &[Element],
    outputs: &[usize],
    parameters: &[usize],
) -> (Vec<usize>, Vec<Requirement>) {
    let mut order = Vec::new();
    let mut knowledge: Vec<Requirement> = Vec::new();
    let mut seen = vec![false; elements.len()];
    parameters.iter().for_each(|parameter| seen[*parameter] = true);
    for output in outputs {
        let mut stack = vec![(*output, 0)];
        if std::mem::replace(&mut seen[*output], true) {
            continue;
        }
        while let Some((element, next)) = stack.pop() {
            let Some(requirement) = elements[element].requirements.get(next) else {
                order.push(element);
                continue;
            };
            stack.push((element, next + 1));
            let target = requirement.element;
            if std::mem::replace(&mut seen[target], true) {
                continue;
            }
            match elements[target].kind {
                ElementKind::Decision => stack.push((target, 0)),
                ElementKind::Knowledge | ElementKind::Service => knowledge.push(requirement.clone()),
                // An input that is no parameter is not known inside.
                ElementKind::Input => {}
            }
        }
    }
    (order, knowledge)
}

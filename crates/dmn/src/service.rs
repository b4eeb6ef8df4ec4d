//! Decision services: functions whose parameters are inputs and decisions, and whose body is the decisions inside.

use crate::definitions::{children, label};
use crate::import::coerced;
use crate::model::{Element, ElementKind, Requirement};
use crate::problem::{Problem, Severity};
use crate::source::Sources;
use std::sync::Arc;
use tyer_feel::ast::{Expr, Kind, Parameter};
use tyer_feel::{Expression, Names};
use tyer_map::Set;

/// The key of the service's result; no name in a text can be this.
const RESULT: &str = "<result>";

/// What a service takes and gives.
#[derive(Debug)]
pub(crate) struct Service {
    /// Inputs and decisions, in the order of the parameters.
    pub(crate) parameters: Vec<usize>,
}

/// Every service has the decisions inside of it as its own: of all services together no more than so many.
const MAXIMUM_INNER: usize = 100_000;

/// Gives every service its function.
pub(crate) fn compile(elements: &mut [Element], sources: &Sources<'_>, problems: &mut Vec<Problem>) {
    let mut left = MAXIMUM_INNER;
    for index in 0..elements.len() {
        if elements[index].kind == ElementKind::Service {
            let Some((service, logic, requirements)) = function(elements, sources, index, &mut left) else {
                let (element, position) = (label(sources[index].xml), sources[index].xml.position());
                let message =
                    format!("the services hold more than {MAXIMUM_INNER} decisions; split the model");
                return problems.push(Problem { severity: Severity::Error, element, position, message });
            };
            elements[index].service = Some(service);
            elements[index].logic = Some(logic);
            elements[index].requirements = requirements;
        }
    }
}

fn function(
    elements: &[Element],
    sources: &Sources<'_>,
    index: usize,
    left: &mut usize,
) -> Option<(Service, Expression, Vec<Requirement>)> {
    let source = &sources[index];
    let referred = |name: &'static str| -> Vec<usize> {
        children(source.xml, name)
            .filter_map(|reference| sources.find(source, reference.attribute("href")?))
            .collect()
    };
    let mut parameters = referred("inputData");
    parameters.extend(referred("inputDecision"));
    let outputs = referred("outputDecision");
    let (inner, requirements) = inner_decisions(elements, &outputs, &parameters, *left)?;
    *left -= inner.len();
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
    Some((Service { parameters }, logic, requirements))
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

/// The decisions to evaluate inside, in order, and the knowledge they need from outside; `None` if there are too many.
fn inner_decisions(
    elements: &[Element],
    outputs: &[usize],
    parameters: &[usize],
    most: usize,
) -> Option<(Vec<usize>, Vec<Requirement>)> {
    let mut order = Vec::new();
    let mut knowledge: Vec<Requirement> = Vec::new();
    let mut seen: Set<usize> = parameters.iter().copied().collect();
    for output in outputs {
        let mut stack = vec![(*output, 0)];
        if !seen.insert(*output) {
            continue;
        }
        while let Some((element, next)) = stack.pop() {
            if order.len() >= most {
                return None;
            }
            let Some(requirement) = elements[element].requirements.get(next) else {
                order.push(element);
                continue;
            };
            stack.push((element, next + 1));
            let target = requirement.element;
            if !seen.insert(target) {
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
    Some((order, knowledge))
}

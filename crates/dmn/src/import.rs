//! Documents to a model: elements, what they require, and their logic compiled.

use crate::boxed::Reader;
use crate::definitions::{Definitions, child, children, label, variable_name};
use crate::graph;
use crate::item::Types;
use crate::model::{DecisionModel, Element, ElementKind, Requirement};
use crate::problem::{Problem, Severity};
use crate::service;
use crate::source::{Source, Sources};
use std::sync::Arc;
use tyer_feel::ast::{Expr, Kind};
use tyer_feel::{Expression, Names, Type, Value};
use tyer_map::Map;

/// Compiles the first document, with all the others to import from.
pub(crate) fn model(all: &[Definitions]) -> DecisionModel {
    let types = Types::new(all);
    let names = (0..all.len()).map(|document| Arc::new(item_names(all, document, &types))).collect();
    Import { all, types, names, problems: Vec::new() }.model()
}

/// The import of one model.
struct Import<'a> {
    all: &'a [Definitions],
    types: Types<'a>,
    /// Per document, the names that all of its elements may use.
    names: Vec<Arc<Names>>,
    problems: Vec<Problem>,
}

impl<'a> Import<'a> {
    fn model(mut self) -> DecisionModel {
        let sources = Sources::of(self.all);
        let mut elements: Vec<Element> = Vec::with_capacity(sources.len());
        for source in sources.iter() {
            elements.push(self.shell(source));
        }
        let required: Vec<Vec<Requirement>> =
            sources.iter().map(|source| self.requirements(source, &sources)).collect();
        for (element, requirements) in elements.iter_mut().zip(required) {
            element.requirements = requirements;
        }
        for index in 0..elements.len() {
            let names = self.names(&sources[index], &elements, &elements[index].requirements);
            elements[index].logic = self.logic(&sources[index], &elements[index], names);
        }
        service::compile(&mut elements, &sources, &mut self.problems);
        graph::order(&mut elements, &sources, &mut self.problems);
        name_requirements(&mut elements);
        let root = self.all[0].document.root();
        DecisionModel {
            elements,
            name: root.attribute("name").unwrap_or_default().to_owned(),
            namespace: self.all[0].namespace.clone(),
            problems: self.problems,
        }
    }

    fn shell(&mut self, source: &Source<'_>) -> Element {
        let declaring = child(source.xml, "variable").unwrap_or(source.xml);
        let value_type = match self.types.of_attribute(source.document, declaring) {
            Ok(kind) => kind,
            Err(message) => {
                self.problem(source, Severity::Error, message);
                None
            }
        };
        Element {
            id: source.xml.attribute("id").unwrap_or_default().into(),
            name: variable_name(source.xml).into(),
            kind: source.kind,
            document: source.document,
            value_type,
            logic: None,
            requirements: Vec::new(),
            by_name: Map::new(),
            order: None,
            service: None,
        }
    }

    fn requirements(&mut self, source: &Source<'_>, sources: &Sources<'_>) -> Vec<Requirement> {
        let mut requirements = Vec::new();
        for requirement in source.xml.children() {
            if !matches!(requirement.local_name(), "informationRequirement" | "knowledgeRequirement") {
                continue;
            }
            for reference in requirement.children() {
                let Some(href) = reference.attribute("href") else {
                    continue;
                };
                match sources.find(source, href) {
                    Some(element) => requirements.push(self.requirement(source, element, &sources[element])),
                    None => self.problem(
                        source,
                        Severity::Error,
                        format!("there is no element `{href}` to require"),
                    ),
                }
            }
        }
        requirements
    }

    fn requirement(&self, source: &Source<'_>, element: usize, target: &Source<'_>) -> Requirement {
        let import = if target.document == source.document {
            None
        } else {
            self.all[source.document].import_of(target.namespace).filter(|name| !name.is_empty())
        };
        Requirement { element, import: import.map(Arc::from) }
    }

    /// The names that the texts of an element may use.
    fn names(&self, source: &Source<'_>, elements: &[Element], requirements: &[Requirement]) -> Names {
        let mut names = Names::over(self.names[source.document].clone());
        for requirement in requirements {
            match &requirement.import {
                Some(import) => {
                    names.declare(import);
                    names.declare_property(&elements[requirement.element].name);
                }
                None => names.declare(&elements[requirement.element].name),
            }
        }
        // The parameter of a binding is a name of the function called, not one to be used here.
        for part in source.xml.subtree().filter(|part| part.local_name() != "parameter") {
            let own = [part.attribute("name"), part.attribute("iteratorVariable")];
            own.into_iter().flatten().for_each(|name| names.declare_property(name.trim()));
        }
        names
    }

    fn logic(&mut self, source: &Source<'_>, element: &Element, names: Names) -> Option<Expression> {
        let mut reader = Reader {
            types: &self.types,
            document: source.document,
            names: &names,
            problems: &mut self.problems,
            depth: 0,
        };
        let tree = match source.kind {
            ElementKind::Input | ElementKind::Service => return None,
            ElementKind::Decision => match reader.inside(source.xml) {
                Some(logic) => coerced(logic, element.value_type.as_ref()),
                None => {
                    reader.problem(source.xml, Severity::Warning, "the decision has no logic; it is null");
                    Expr::new(Kind::Literal(Value::Null))
                }
            },
            ElementKind::Knowledge => {
                let function = child(source.xml, "encapsulatedLogic").map(|logic| reader.function(logic));
                let function =
                    function.unwrap_or_else(|| reader.broken(source.xml, "the knowledge model has no logic"));
                knowledge(&element.name, function, element.value_type.as_ref())
            }
        };
        Some(Expression::from_tree(&element.name, tree, &names))
    }

    fn problem(&mut self, source: &Source<'_>, severity: Severity, message: String) {
        let (element, position) = (label(source.xml), source.xml.position());
        self.problems.push(Problem { severity, element, position, message });
    }
}

/// Makes what an element requires findable by name; the first of a name counts.
fn name_requirements(elements: &mut [Element]) {
    for index in 0..elements.len() {
        let mut by_name = Map::new();
        for requirement in elements[index].requirements.iter().filter(|needed| needed.import.is_none()) {
            by_name.entry(elements[requirement.element].name.clone()).or_insert(requirement.element);
        }
        elements[index].by_name = by_name;
    }
}

/// The names of types and of what they hold.
fn item_names(all: &[Definitions], document: usize, types: &Types<'_>) -> Names {
    let mut names = Names::new();
    for definitions in all {
        for item in children(definitions.document.root(), "itemDefinition") {
            let parts = item.subtree().filter_map(|part| part.attribute("name"));
            parts.for_each(|name| names.declare_property(name.trim()));
        }
    }
    for item in children(all[document].document.root(), "itemDefinition") {
        if let Some(name) = item.attribute("name") {
            names.declare_type(name.trim(), types.of_item(document, item));
        }
    }
    names
}

pub(crate) fn coerced(tree: Expr, kind: Option<&Type>) -> Expr {
    match kind {
        Some(kind) => Expr::new(Kind::Coerce(Box::new(tree), kind.clone())),
        None => tree,
    }
}

/// A function that knows itself by its name, with its result brought to the declared type.
fn knowledge(name: &Arc<str>, function: Expr, kind: Option<&Type>) -> Expr {
    let function = match function.kind {
        Kind::Function(parameters, body) => {
            let result = match kind {
                Some(Type::Function(Some(signature))) => Some(&signature.1),
                Some(Type::Function(None)) | None => None,
                Some(kind) => Some(kind),
            };
            Expr::new(Kind::Function(parameters, Box::new(coerced(*body, result))))
        }
        _ => function,
    };
    let context = Expr::new(Kind::Context(vec![(name.clone(), function)]));
    Expr::new(Kind::Path(Box::new(context), name.clone()))
}

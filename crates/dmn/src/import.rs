//! Documents to a model: elements, what they require, and their logic compiled.

use crate::boxed::Reader;
use crate::definitions::{Definitions, child, children, label, variable_name};
use crate::graph;
use crate::item::Types;
use crate::model::{DecisionModel, Element, ElementKind, Requirement};
use crate::problem::{Problem, Severity};
use crate::service;
use std::sync::Arc;
use tyer_feel::ast::{Expr, Kind};
use tyer_feel::{Expression, Names, Type, Value};

/// Compiles the first document, with all the others to import from.
pub(crate) fn model(all: &[Definitions]) -> DecisionModel {
    Import { all, problems: Vec::new() }.model()
}

/// The import of one model.
struct Import<'a> {
    all: &'a [Definitions],
    problems: Vec<Problem>,
}

impl<'a> Import<'a> {
    fn model(mut self) -> DecisionModel {
        let sources = self.sources();
        let mut elements: Vec<Element> = Vec::with_capacity(sources.len());
        for source in &sources {
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
        service::compile(&mut elements, &sources);
        graph::order(&mut elements, &sources, &mut self.problems);
        let root = self.all[0].document.root();
        DecisionModel {
            elements,
            name: root.attribute("name").unwrap_or_default().to_owned(),
            namespace: self.all[0].namespace.clone(),
            problems: self.problems,
        }
    }

    fn sources(&self) -> Vec<Source<'a>> {
        let kinds = [
            ("inputData", ElementKind::Input),
            ("decision", ElementKind::Decision),
            ("businessKnowledgeModel", ElementKind::Knowledge),
            ("decisionService", ElementKind::Service),
        ];
        let mut sources = Vec::new();
        for (document, definitions) in self.all.iter().enumerate() {
            for xml in definitions.document.root().children() {
                if let Some((_, kind)) = kinds.iter().find(|(name, _)| *name == xml.local_name()) {
                    sources.push(Source { document, namespace: &definitions.namespace, kind: *kind, xml });
                }
            }
        }
        sources
    }

    fn shell(&mut self, source: &Source<'_>) -> Element {
        let declaring = child(source.xml, "variable").unwrap_or(source.xml);
        let value_type = match (Types { all: self.all }).of_attribute(source.document, declaring) {
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
            order: Vec::new(),
            service: None,
        }
    }

    fn requirements(&mut self, source: &Source<'_>, sources: &[Source<'_>]) -> Vec<Requirement> {
        let mut requirements = Vec::new();
        for requirement in source.xml.children() {
            if !matches!(requirement.local_name(), "informationRequirement" | "knowledgeRequirement") {
                continue;
            }
            for reference in requirement.children() {
                let Some(href) = reference.attribute("href") else {
                    continue;
                };
                match find(source, href, sources) {
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
        let mut names = Names::new();
        for requirement in requirements {
            match &requirement.import {
                Some(import) => {
                    names.declare(import);
                    names.declare_property(&elements[requirement.element].name);
                }
                None => names.declare(&elements[requirement.element].name),
            }
        }
        for definitions in self.all {
            for item in
                definitions.document.root().children().filter(|child| child.local_name() == "itemDefinition")
            {
                item.subtree()
                    .filter_map(|part| part.attribute("name"))
                    .for_each(|name| names.declare_property(name.trim()));
            }
        }
        // The parameter of a binding is a name of the function called, not one to be used here.
        for part in source.xml.subtree().filter(|part| part.local_name() != "parameter") {
            let own = [part.attribute("name"), part.attribute("iteratorVariable")];
            own.into_iter().flatten().for_each(|name| names.declare_property(name.trim()));
        }
        self.declare_types(source.document, &mut names);
        names
    }

    fn declare_types(&self, document: usize, names: &mut Names) {
        let types = Types { all: self.all };
        for item in children(self.all[document].document.root(), "itemDefinition") {
            if let Some(name) = item.attribute("name") {
                names.declare_type(name.trim(), types.item(document, item, 0));
            }
        }
    }

    fn logic(&mut self, source: &Source<'_>, element: &Element, names: Names) -> Option<Expression> {
        let types = Types { all: self.all };
        let kept = names.clone();
        let mut reader = Reader {
            types: &types,
            document: source.document,
            names,
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
        Some(Expression::from_tree(&element.name, tree, &kept))
    }

    fn problem(&mut self, source: &Source<'_>, severity: Severity, message: String) {
        let (element, position) = (label(source.xml), source.xml.position());
        self.problems.push(Problem { severity, element, position, message });
    }
}

/// Where an element comes from.
pub(crate) struct Source<'a> {
    pub(crate) document: usize,
    pub(crate) namespace: &'a str,
    pub(crate) kind: ElementKind,
    pub(crate) xml: tyer_xml::Element<'a>,
}

/// The element that a reference means: `#id`, or `namespace#id`.
pub(crate) fn find(from: &Source<'_>, href: &str, sources: &[Source<'_>]) -> Option<usize> {
    let (namespace, id) = href.split_once('#').unwrap_or(("", href));
    let namespace = if namespace.is_empty() { from.namespace } else { namespace };
    sources.iter().position(|source| {
        let here = namespace == from.namespace && source.document == from.document;
        (here || (source.namespace == namespace && namespace != from.namespace))
            && source.xml.attribute("id") == Some(id)
    })
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

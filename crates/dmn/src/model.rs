//! A decision model: all its elements compiled, and who needs whom.
//!
//! **Invariant:** immutable after import; cheap to share.

use crate::definitions::Definitions;
use crate::import;
use crate::problem::Problem;
use crate::service;
use std::sync::Arc;
use tyer_feel::{Expression, Type, Value};
use tyer_map::Map;
use tyer_xml::{Document, Limits};

/// A DMN model and everything it imports, ready to evaluate.
#[derive(Debug)]
pub struct DecisionModel {
    pub(crate) elements: Vec<Element>,
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) problems: Vec<Problem>,
}

/// An input, a decision, a knowledge model or a decision service.
#[derive(Debug)]
pub struct Element {
    /// Its id.
    pub id: Arc<str>,
    /// The name of its variable.
    pub name: Arc<str>,
    /// What it is.
    pub kind: ElementKind,
    /// Which document it stands in; the model itself is 0.
    pub(crate) document: usize,
    pub(crate) value_type: Option<Type>,
    /// The logic; an input has none.
    pub(crate) logic: Option<Expression>,
    pub(crate) requirements: Vec<Requirement>,
    /// By name, those of its requirements that are not imported.
    pub(crate) by_name: Map<Arc<str>, usize>,
    /// Everything it needs, in the order to evaluate, itself last; not kept if that is very much.
    pub(crate) order: Option<Vec<usize>>,
    pub(crate) service: Option<service::Service>,
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// Input data.
    Input,
    /// A decision.
    Decision,
    /// A business knowledge model.
    Knowledge,
    /// A decision service.
    Service,
}

/// Something that an element needs, and the name it has there.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    pub(crate) element: usize,
    /// The name of the import it comes from.
    pub(crate) import: Option<Arc<str>>,
}

impl DecisionModel {
    /// Reads a model. `imports` are the documents that it may import, in any order; unused ones are ignored.
    pub fn parse(xml: &[u8], imports: &[&[u8]]) -> Result<DecisionModel, tyer_xml::Error> {
        let mut all = Vec::with_capacity(1 + imports.len());
        for bytes in std::iter::once(&xml).chain(imports) {
            all.push(Definitions::new(Document::parse(bytes, &Limits::default())?));
        }
        Ok(import::model(&all))
    }

    /// The name of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The namespace of the model.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What is wrong with it. A model with errors can be evaluated: what is wrong is null.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The elements of the model itself, without those it imports.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(|element| element.document == 0)
    }

    /// An element of the model by its id or its name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let own = |wanted: fn(&Element) -> &str| {
            self.elements.iter().position(|element| element.document == 0 && wanted(element) == name)
        };
        own(|element| &element.name).or_else(|| own(|element| &element.id))
    }
}

impl Element {
    /// Its declared type; anything when it declares none.
    pub fn value_type(&self) -> Option<&Type> {
        self.value_type.as_ref()
    }

    /// Brings a value from outside to the declared type; null when it cannot be.
    pub(crate) fn accept(&self, value: Value) -> Option<Value> {
        match &self.value_type {
            Some(kind) => kind.coerce(value),
            None => Some(value),
        }
    }
}

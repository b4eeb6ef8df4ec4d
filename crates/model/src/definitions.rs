//! A whole BPMN file: every element with what it is, findable by its id.
//!
//! **Invariant:** immutable; the file is kept byte for byte, and every element knows its place in it.

mod attributes;
mod ids;
mod roles;

use std::collections::HashSet;

use tyer_xml::{Document, Element, Limits};

use crate::code::Code;
use crate::namespace::BPMN;
use crate::problem::{Problem, Problems, Severity};
use crate::schema::{Attribute, Family, Kind, Schema, Value};
use attributes::Attributes;
use ids::Ids;
pub(crate) use roles::{Role, is_formal};

/// A BPMN 2.0 file, read but not yet judged.
#[derive(Debug)]
pub struct Definitions {
    document: Document,
    roles: Vec<Role>,
    /// The elements of BPMN, by their order.
    elements: Vec<(u32, Kind)>,
    attributes: Attributes,
    ids: Ids,
    /// The prefixes that mean the file's own namespace.
    own_prefixes: HashSet<Box<str>>,
}

/// Something that names an element.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'d> {
    /// The element that refers.
    pub owner: Element<'d>,
    /// The attribute or child that does so.
    pub name: &'d str,
    /// Whether it is a child.
    pub is_element: bool,
    /// What it names, if that is in the file.
    pub target: Option<Element<'d>>,
}

impl Definitions {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is not XML, or not BPMN 2.0.
    pub fn read(xml: &[u8]) -> Result<Definitions, Problems> {
        let document = Document::parse(xml, &Limits::default()).map_err(malformed)?;
        let root = document.root();
        if !root.is(BPMN, "definitions") {
            return Err(not_bpmn(root));
        }
        let (roles, elements) = roles::of(&document);
        let ids = Ids::of(&document, elements.iter().map(|(order, _)| *order));
        let own = root.attribute("targetNamespace");
        let is_own = |(_, namespace): &(&str, &str)| Some(*namespace) == own;
        let own_prefixes = root.declarations().filter(is_own).map(|(prefix, _)| prefix.into()).collect();
        let attributes = Attributes::default();
        let mut definitions = Definitions { document, roles, elements, attributes, ids, own_prefixes };
        definitions.find_targets();
        Ok(definitions)
    }

    /// The outermost element.
    pub fn root(&self) -> Element<'_> {
        self.document.root()
    }

    /// The BPMN element with this id.
    pub fn find(&self, id: &str) -> Option<Element<'_>> {
        self.ids.find(&self.document, id)
    }

    /// The element a reference names. References are qualified names, but most files do not qualify
    /// them, and some ids look qualified: the plain id wins.
    pub fn resolve(&self, reference: &str) -> Option<Element<'_>> {
        let reference = reference.trim();
        self.find(reference).or_else(|| {
            let (prefix, local) = reference.split_once(':')?;
            self.find(local).filter(|_| self.own_prefixes.contains(prefix))
        })
    }

    /// All elements of BPMN, in document order, with the names of what they are.
    pub fn elements(&self) -> impl Iterator<Item = (Element<'_>, &'static str)> {
        let named = |(order, kind): &(u32, Kind)| {
            Some((self.document.element(*order as usize)?, Schema::get().of(*kind).name))
        };
        self.elements.iter().filter_map(named)
    }

    /// Everything in the file that names another element, in document order.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.root().subtree().flat_map(move |element| self.references_of(element))
    }

    fn references_of<'d>(&'d self, element: Element<'d>) -> Vec<Reference<'d>> {
        let attribute = |attribute: &'static Attribute| match attribute.value {
            Value::Reference(_) => {
                let target = self.resolve(element.attribute(attribute.name)?);
                Some(Reference { owner: element, name: attribute.name, is_element: false, target })
            }
            Value::Text | Value::Id | Value::Boolean | Value::Integer | Value::OneOf(_) => None,
        };
        match self.role(element) {
            Role::Is(kind) => Schema::get().of(kind).attributes.iter().filter_map(attribute).collect(),
            Role::Reference(_) => {
                let (owner, target) = (element.parent().unwrap_or(element), self.resolve(&element.text()));
                vec![Reference { owner, name: element.local_name(), is_element: true, target }]
            }
            Role::Foreign | Role::Unknown => Vec::new(),
        }
    }

    /// Pairs of elements with the same id, each with the first one that has it.
    pub(crate) fn duplicates(&self) -> impl Iterator<Item = (Element<'_>, Element<'_>)> {
        self.ids.duplicates(&self.document)
    }

    #[inline]
    pub(crate) fn role(&self, element: Element<'_>) -> Role {
        self.roles[element.order()]
    }

    #[inline]
    pub(crate) fn kind(&self, element: Element<'_>) -> Option<Kind> {
        if let Role::Is(kind) = self.role(element) { Some(kind) } else { None }
    }

    /// Whether an element belongs to one of these families.
    #[inline]
    pub(crate) fn is_a(&self, element: Element<'_>, families: &[Family]) -> bool {
        self.kind(element).is_some_and(|kind| Schema::get().is_a(kind, families))
    }

    /// The file as text.
    pub fn source(&self) -> &str {
        self.document.source()
    }
}

fn malformed(error: tyer_xml::Error) -> Problems {
    let tyer_xml::Error { line, column, message } = error;
    let hint = Code::XmlMalformed.hint().to_owned();
    let (severity, code) = (Severity::Error, Code::XmlMalformed);
    Problems(vec![Problem { severity, code, element: None, line, column, message, hint }])
}

fn not_bpmn(root: Element<'_>) -> Problems {
    let (name, position) = (root.name(), root.position());
    let message = format!("outermost element is `{}` of namespace {:?}", name.local, name.namespace);
    let hint = Code::NotBpmn.hint().to_owned();
    let (line, column) = (position.line, position.column);
    let (severity, code) = (Severity::Error, Code::NotBpmn);
    Problems(vec![Problem { severity, code, element: None, line, column, message, hint }])
}

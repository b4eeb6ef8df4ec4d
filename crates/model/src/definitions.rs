//! A whole BPMN file: every element with what it is, findable by its id.
//!
//! **Invariant:** immutable; the file is kept byte for byte, and every element knows its place in it.

use std::collections::HashSet;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use tyer_xml::{Document, Element, Limits};

use crate::code::Code;
use crate::namespace::BPMN;
use crate::problem::{Problem, Problems, Severity};
use crate::schema::{Attribute, Content, Family, Kind, Schema, Targets, Value};

/// The namespace of `xsi:type`.
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A BPMN 2.0 file, read but not yet judged.
#[derive(Debug)]
pub struct Definitions {
    document: Document,
    roles: Vec<Role>,
    /// The elements of BPMN, by their order.
    elements: Vec<(u32, Kind)>,
    ids: Ids,
    /// The prefixes that mean the file's own namespace.
    own_prefixes: HashSet<Box<str>>,
}

/// What an element of the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Of another namespace, or inside such an element.
    Foreign,
    /// Of BPMN's namespace, but BPMN does not have it there.
    Unknown,
    /// Names an element of one of these types.
    Reference(&'static Targets),
    /// An element of BPMN.
    Is(Kind),
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
        let roles = roles(&document);
        let elements = elements(&roles);
        let ids = Ids::of(&document, &elements);
        let own = root.attribute("targetNamespace");
        let is_own = |(_, namespace): &(&str, &str)| Some(*namespace) == own;
        let own_prefixes = root.declarations().filter(is_own).map(|(prefix, _)| prefix.into()).collect();
        Ok(Definitions { document, roles, elements, ids, own_prefixes })
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

    pub(crate) fn role(&self, element: Element<'_>) -> Role {
        self.roles[element.order()]
    }

    pub(crate) fn kind(&self, element: Element<'_>) -> Option<Kind> {
        if let Role::Is(kind) = self.role(element) { Some(kind) } else { None }
    }

    /// Whether an element belongs to one of these families.
    pub(crate) fn is_a(&self, element: Element<'_>, families: &[Family]) -> bool {
        self.kind(element).is_some_and(|kind| Schema::get().is_a(kind, families))
    }

    /// The file as text.
    pub fn source(&self) -> &str {
        self.document.source()
    }
}

/// The elements by their ids, without a copy of them.
#[derive(Debug)]
struct Ids {
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Ids {
    fn of(document: &Document, elements: &[(u32, Kind)]) -> Ids {
        let mut ids = Ids { table: HashTable::new(), hasher: DefaultHashBuilder::default() };
        for (order, _) in elements {
            let Some(id) = document.element(*order as usize).and_then(id_of) else { continue };
            let hash_of = |order: &u32| ids.hasher.hash_one(by_order(document, *order));
            let hash = ids.hasher.hash_one(id);
            // The first element with an id is the one that is found; the second is reported.
            ids.table.entry(hash, |known| by_order(document, *known) == id, hash_of).or_insert(*order);
        }
        ids
    }

    fn find<'d>(&self, document: &'d Document, id: &str) -> Option<Element<'d>> {
        let found = self.table.find(self.hasher.hash_one(id), |known| by_order(document, *known) == id)?;
        document.element(*found as usize)
    }
}

fn id_of<'d>(element: Element<'d>) -> Option<&'d str> {
    element.attribute("id").map(str::trim)
}

fn by_order(document: &Document, order: u32) -> &str {
    document.element(order as usize).and_then(id_of).unwrap_or_default()
}

fn elements(roles: &[Role]) -> Vec<(u32, Kind)> {
    let is_element =
        |(order, role): (u32, &Role)| if let Role::Is(kind) = role { Some((order, *kind)) } else { None };
    (0..).zip(roles).filter_map(is_element).collect()
}

fn roles(document: &Document) -> Vec<Role> {
    let schema = Schema::get();
    let root = document.root();
    let mut roles = vec![Role::Foreign; root.subtree().map(|element| element.order() + 1).max().unwrap_or(1)];
    for element in root.subtree() {
        let role = match element.parent() {
            None => schema.find("definitions").map_or(Role::Unknown, Role::Is),
            Some(parent) => role_in(parent, roles[parent.order()], element, schema),
        };
        roles[element.order()] = role;
    }
    roles
}

fn role_in(parent: Element<'_>, parent_role: Role, element: Element<'_>, schema: &'static Schema) -> Role {
    let Role::Is(parent_kind) = parent_role else {
        return if parent_role == Role::Unknown && element.name().namespace == BPMN {
            Role::Unknown
        } else {
            Role::Foreign
        };
    };
    debug_assert!(parent.order() < element.order(), "parents stand before their children");
    if element.name().namespace != BPMN {
        return Role::Foreign;
    }
    match schema.place(parent_kind, element.local_name()) {
        Some((_, place, None)) => match &place.content {
            Content::Reference(targets) => Role::Reference(targets),
            Content::Named | Content::Of(_) => Role::Unknown,
        },
        Some((_, _, Some(kind))) => Role::Is(refined(kind, element, schema)),
        None if schema.of(parent_kind).open => Role::Foreign,
        None => Role::Unknown,
    }
}

/// An expression may say by `xsi:type` that it is a formal one.
fn refined(kind: Kind, element: Element<'_>, schema: &Schema) -> Kind {
    let formal = schema.find("formalExpression").filter(|_| is_formal(element));
    formal.filter(|_| schema.of(kind).name == "expression").unwrap_or(kind)
}

/// Whether an expression says that it is one for machines.
pub(crate) fn is_formal(element: Element<'_>) -> bool {
    let says = element.attribute_ns(XSI, "type").map(|name| name.rsplit(':').next().unwrap_or(name).trim());
    says == Some("tFormalExpression") || element.local_name() == "formalExpression"
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

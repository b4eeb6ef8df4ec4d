//! What every element of a file is, by the schema of BPMN.

use tyer_xml::{Document, Element};

use crate::namespace::BPMN;
use crate::schema::{Content, Kind, Schema};

/// The namespace of `xsi:type`.
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What an element of the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Of another namespace, or inside such an element.
    Foreign,
    /// Of BPMN's namespace, but BPMN does not have it there.
    Unknown,
    /// Names an element of the targets with this number.
    Reference(u16),
    /// An element of BPMN.
    Is(Kind),
}

/// The roles of all nodes by their order, and the elements of BPMN among them.
pub(super) fn of(document: &Document) -> (Vec<Role>, Vec<(u32, Kind)>) {
    let schema = Schema::get();
    let mut roles = vec![Role::Foreign; document.length()];
    let mut elements = Vec::with_capacity(document.length() / 4);
    let mut recent = Recent::new(schema);
    for element in document.root().subtree() {
        let role = match element.parent() {
            None => schema.find("definitions").map_or(Role::Unknown, Role::Is),
            Some(parent) => recent.role_in(roles[parent.order()], element),
        };
        roles[element.order()] = role;
        if let Role::Is(kind) = role {
            let order = u32::try_from(element.order()).expect("documents are limited to 2^30 bytes");
            elements.push((order, kind));
        }
    }
    (roles, elements)
}

/// Roles that were looked up before: files use few names in few places, many times.
struct Recent {
    schema: &'static Schema,
    slots: Vec<Option<(Role, usize, Role)>>,
    expression: Option<Kind>,
    formal: Option<Kind>,
}

impl Recent {
    const SLOTS: usize = 512;

    fn new(schema: &'static Schema) -> Recent {
        let (expression, formal) = (schema.find("expression"), schema.find("formalExpression"));
        Recent { schema, slots: vec![None; Recent::SLOTS], expression, formal }
    }

    fn role_in(&mut self, parent: Role, element: Element<'_>) -> Role {
        let role = self.role_by_name(parent, element);
        match (role, self.expression, self.formal) {
            // An expression may say by `xsi:type` that it is a formal one.
            (Role::Is(kind), Some(expression), Some(formal)) if kind == expression && is_formal(element) => {
                Role::Is(formal)
            }
            _ => role,
        }
    }

    fn role_by_name(&mut self, parent: Role, element: Element<'_>) -> Role {
        let name = element.name_number();
        let parent_number = if let Role::Is(kind) = parent { kind.number() } else { 0 };
        let slot = &mut self.slots[(name * 31 + parent_number * 7) % Recent::SLOTS];
        match slot {
            Some((known_parent, known_name, role)) if (*known_parent, *known_name) == (parent, name) => *role,
            _ => {
                let role = role_in(parent, element, self.schema);
                *slot = Some((parent, name, role));
                role
            }
        }
    }
}

fn role_in(parent: Role, element: Element<'_>, schema: &Schema) -> Role {
    let is_bpmn = element.name().namespace == BPMN;
    match parent {
        Role::Is(_) if !is_bpmn => Role::Foreign,
        Role::Is(parent) => match schema.place(parent, element.local_name()) {
            Some((_, _, Some(kind))) => Role::Is(kind),
            Some((_, place, None)) => match &place.content {
                Content::Reference(targets) => Role::Reference(targets.number),
                Content::Named | Content::Of(_) => Role::Unknown,
            },
            None if schema.of(parent).open => Role::Foreign,
            None => Role::Unknown,
        },
        Role::Unknown if is_bpmn => Role::Unknown,
        Role::Unknown | Role::Foreign | Role::Reference(_) => Role::Foreign,
    }
}

/// Whether an expression says that it is one for machines.
pub(crate) fn is_formal(element: Element<'_>) -> bool {
    let says = element.attribute_ns(XSI, "type").map(|name| name.rsplit(':').next().unwrap_or(name).trim());
    says == Some("tFormalExpression") || element.local_name() == "formalExpression"
}

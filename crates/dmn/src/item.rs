//! Item definitions to types.

use crate::definitions::{Definitions, child, children, text_of};
use std::sync::Arc;
use tyer_feel::{Constrained, Expression, Names, Type};
use tyer_xml::Element;

/// Definitions that refer to each other deeper than this are cut off as anything.
const MAXIMUM_DEPTH: u32 = 32;

/// Looks types up across documents.
pub(crate) struct Types<'a> {
    pub(crate) all: &'a [Definitions],
}

impl Types<'_> {
    /// The type that a reference names; `None` when there is none of that name.
    pub(crate) fn resolve(&self, document: usize, element: Element<'_>, reference: &str) -> Option<Type> {
        self.named(document, element, reference.trim(), 0)
    }

    /// The declared type of an element; anything when it declares none.
    pub(crate) fn of_attribute(&self, document: usize, element: Element<'_>) -> Result<Option<Type>, String> {
        let Some(reference) = element.attribute("typeRef") else {
            return Ok(None);
        };
        match self.resolve(document, element, reference) {
            Some(Type::Any) => Ok(None),
            Some(kind) => Ok(Some(kind)),
            None => Err(format!("there is no type `{reference}`; define it or use a FEEL type")),
        }
    }

    fn named(&self, document: usize, element: Element<'_>, reference: &str, depth: u32) -> Option<Type> {
        if depth > MAXIMUM_DEPTH {
            return Some(Type::Any);
        }
        if let Some(found) = self.defined(document, reference, depth) {
            return Some(found);
        }
        if let Some((prefix, local)) = reference.split_once(':') {
            // DMN 1.1 wrote types as qualified names.
            let namespace = element.namespace_of(prefix).unwrap_or_default();
            let other = self.all.iter().position(|definitions| definitions.namespace == namespace);
            return match other {
                Some(other) => self.defined(other, local, depth),
                None => Type::built_in(local),
            };
        }
        if let Some(kind) = Type::built_in(reference) {
            return Some(kind);
        }
        let (import, local) = reference.split_once('.')?;
        let (_, namespace) = self.all[document].imports.iter().find(|(name, _)| name == import)?;
        let other = self.all.iter().position(|definitions| definitions.namespace == *namespace)?;
        self.defined(other, local, depth)
    }

    fn defined(&self, document: usize, name: &str, depth: u32) -> Option<Type> {
        let root = self.all[document].document.root();
        let mut items = children(root, "itemDefinition");
        let item = items.find(|item| item.attribute("name").map(str::trim) == Some(name))?;
        Some(self.item(document, item, depth + 1))
    }

    /// The type of an item definition or an item component.
    pub(crate) fn item(&self, document: usize, item: Element<'_>, depth: u32) -> Type {
        let base = self.base(document, item, depth);
        let tests = |name: &'static str| {
            let text = text_of(child(item, name)?);
            Expression::parse_unary_tests(&text, &Names::default()).ok()
        };
        let constrained = |base: Type, allowed: Option<Expression>, whole: bool| match allowed {
            Some(allowed) => Type::Constrained(Arc::new(Constrained { base, allowed, whole })),
            None => base,
        };
        let item_type = constrained(base, tests("allowedValues"), false);
        if item.attribute("isCollection") != Some("true") {
            return constrained(item_type, tests("typeConstraint"), true);
        }
        constrained(Type::List(Arc::new(item_type)), tests("typeConstraint"), true)
    }

    fn base(&self, document: usize, item: Element<'_>, depth: u32) -> Type {
        if let Some(reference) = child(item, "typeRef") {
            return self.named(document, reference, reference.text().trim(), depth).unwrap_or(Type::Any);
        }
        if let Some(function) = child(item, "functionItem") {
            let named = |element: Element<'_>, attribute: &str| {
                let reference = element.attribute(attribute)?;
                self.named(document, element, reference, depth)
            };
            let parameters = children(function, "parameters")
                .map(|parameter| named(parameter, "typeRef").unwrap_or(Type::Any));
            let result = named(function, "outputTypeRef").unwrap_or(Type::Any);
            return Type::Function(Some(Arc::new((parameters.collect(), result))));
        }
        let fields: Vec<(Arc<str>, Type)> = children(item, "itemComponent")
            .map(|component| {
                let name = component.attribute("name").unwrap_or_default().trim();
                let kind =
                    if depth > MAXIMUM_DEPTH { Type::Any } else { self.item(document, component, depth + 1) };
                (Arc::from(name), kind)
            })
            .collect();
        if fields.is_empty() { Type::Any } else { Type::Context(fields.into()) }
    }
}

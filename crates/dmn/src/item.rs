//! Item definitions to types.

use crate::definitions::{Definitions, child, children, text_of};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use tyer_feel::{Constrained, Expression, Names, Type};
use tyer_map::Map;
use tyer_xml::Element;

/// Definitions that refer to each other deeper than this are cut off as anything.
const MAXIMUM_DEPTH: u32 = 32;

/// A type that had to be cut off depends on the depth at which it was met; no more than so many are made.
const MAXIMUM_CUT: usize = 50_000;

/// The types of all documents.
pub(crate) struct Types<'a> {
    all: &'a [Definitions],
    /// By document and name.
    items: Map<(usize, &'a str), Element<'a>>,
    /// Types by document and place of their definition.
    made: RefCell<Map<(usize, usize), Type>>,
    /// The same for types that were cut off, by the depth too.
    cut: RefCell<Map<(usize, usize, u32), Type>>,
    /// Whether something was cut off in what is being made.
    is_cut: Cell<bool>,
}

impl<'a> Types<'a> {
    pub(crate) fn new(all: &'a [Definitions]) -> Types<'a> {
        let mut items = Map::new();
        for (document, definitions) in all.iter().enumerate() {
            for item in children(definitions.document.root(), "itemDefinition") {
                if let Some(name) = item.attribute("name") {
                    items.entry((document, name.trim())).or_insert(item);
                }
            }
        }
        let (made, cut) = (RefCell::default(), RefCell::default());
        Types { all, items, made, cut, is_cut: Cell::new(false) }
    }

    /// The type that a reference names; `None` when there is none of that name.
    pub(crate) fn resolve(&self, document: usize, element: Element<'_>, reference: &str) -> Option<Type> {
        self.named(document, element, reference.trim(), 0)
    }

    /// The type of an item definition.
    pub(crate) fn of_item(&self, document: usize, item: Element<'_>) -> Type {
        self.made(document, item, 0)
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
            return Some(self.cut_off());
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
        let item = self.items.get(&(document, name))?;
        Some(self.made(document, *item, depth + 1))
    }

    /// A definition is made once, however many refer to it.
    fn made(&self, document: usize, item: Element<'_>, depth: u32) -> Type {
        let (place, at_depth) = ((document, item.order()), (document, item.order(), depth));
        if let Some(made) = self.made.borrow().get(&place) {
            return made.clone();
        }
        if let Some(made) = self.cut.borrow().get(&at_depth) {
            self.is_cut.set(true);
            return made.clone();
        }
        if self.cut.borrow().len() >= MAXIMUM_CUT {
            return self.cut_off();
        }
        let was_cut = self.is_cut.replace(false);
        let made = self.item(document, item, depth);
        if self.is_cut.get() {
            self.cut.borrow_mut().insert(at_depth, made.clone());
        } else {
            self.made.borrow_mut().insert(place, made.clone());
        }
        self.is_cut.set(self.is_cut.get() || was_cut);
        made
    }

    fn cut_off(&self) -> Type {
        self.is_cut.set(true);
        Type::Any
    }

    /// The type of an item definition or an item component.
    fn item(&self, document: usize, item: Element<'_>, depth: u32) -> Type {
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
                let kind = match depth > MAXIMUM_DEPTH {
                    true => self.cut_off(),
                    false => self.item(document, component, depth + 1),
                };
                (Arc::from(name), kind)
            })
            .collect();
        if fields.is_empty() { Type::Any } else { Type::Context(fields.into()) }
    }
}

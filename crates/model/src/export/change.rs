//! Changes to a file, and what follows from them.
//!
//! **Invariant:** a removed element leaves no reference behind that would make the file invalid.

use std::collections::{HashMap, HashSet};

use tyer_map::Map;
use tyer_xml::Element;

use crate::definitions::{Definitions, Role};
use crate::schema::{Schema, Value};

/// One change to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets an attribute of a BPMN element, or removes it.
    Set {
        /// The element's id.
        id: String,
        /// The attribute as it is written, with its prefix if it has one.
        attribute: String,
        /// Its new value; `None` removes it.
        value: Option<String>,
    },
    /// Removes an element and what hangs on it.
    Remove {
        /// The element's id.
        id: String,
    },
    /// Adds an element.
    Add {
        /// The id of the element to add to.
        to: String,
        /// The element, as XML with the prefixes of the file.
        xml: String,
    },
}

/// Changes by the element they concern.
#[derive(Debug, Default)]
pub(super) struct Plan<'c> {
    attributes: HashMap<usize, Map<&'c str, Option<&'c str>>>,
    removed: HashSet<usize>,
    additions: HashMap<usize, Vec<&'c str>>,
}

impl<'c> Plan<'c> {
    pub(super) fn of(definitions: &Definitions, changes: &'c [Change]) -> Plan<'c> {
        let mut plan = Plan::default();
        for change in changes {
            match change {
                Change::Set { id, attribute, value } => {
                    let Some(element) = definitions.find(id) else {
                        continue;
                    };
                    plan.attributes.entry(element.order()).or_default().insert(attribute, value.as_deref());
                }
                Change::Remove { id } => plan.removed.extend(definitions.find(id).map(Element::order)),
                Change::Add { to, xml } => {
                    let Some(element) = definitions.find(to) else {
                        continue;
                    };
                    plan.additions.entry(element.order()).or_default().push(xml);
                }
            }
        }
        if !plan.removed.is_empty() {
            while plan.spread(definitions) {}
        }
        plan
    }

    /// Removes what names something removed; says whether it found more. Each round removes at least one element.
    fn spread(&mut self, definitions: &Definitions) -> bool {
        let gone: HashSet<&str> = definitions
            .root()
            .subtree()
            .filter(|element| self.is_inside_removed(*element))
            .filter_map(|element| element.attribute("id"))
            .collect();
        let before = self.removed.len();
        for element in definitions
            .root()
            .subtree()
            .filter(|element| !self.is_inside_removed(*element))
            .collect::<Vec<_>>()
        {
            if names_gone(definitions, element, &gone) {
                self.removed.insert(element.order());
            }
        }
        self.removed.len() > before
    }

    fn is_inside_removed(&self, element: Element<'_>) -> bool {
        std::iter::successors(Some(element), |element| element.parent())
            .any(|around| self.removed.contains(&around.order()))
    }

    pub(super) fn removes(&self, element: Element<'_>) -> bool {
        self.removed.contains(&element.order())
    }

    /// Whether something in or at the element changes.
    pub(super) fn touches(&self, element: Element<'_>) -> bool {
        let nothing = self.attributes.is_empty() && self.removed.is_empty() && self.additions.is_empty();
        let changes = |inner: Element<'_>| {
            let order = inner.order();
            self.removed.contains(&order)
                || self.attributes.contains_key(&order)
                || self.additions.contains_key(&order)
        };
        !nothing && element.subtree().any(changes)
    }

    /// The new value of an attribute: `None` if it stays, `Some(None)` if it goes.
    pub(super) fn attribute(&self, element: Element<'_>, name: &str) -> Option<Option<&'c str>> {
        self.attributes.get(&element.order())?.get(name).copied()
    }

    /// Attributes that the element did not have.
    pub(super) fn new_attributes(&self, element: Element<'_>) -> Vec<(&'c str, &'c str)> {
        let Some(changes) = self.attributes.get(&element.order()) else {
            return Vec::new();
        };
        let written = |name: &str| {
            element.attributes().any(|attribute| match attribute.prefix {
                "" => attribute.name.local == name,
                prefix => name.split_once(':') == Some((prefix, attribute.name.local)),
            })
        };
        changes
            .iter()
            .filter_map(|(name, value)| Some((*name, (*value)?)))
            .filter(|(name, _)| !written(name))
            .collect()
    }

    pub(super) fn additions(&self, element: Element<'_>) -> &[&'c str] {
        self.additions.get(&element.order()).map_or(&[], Vec::as_slice)
    }
}

/// Whether an element cannot stay because what it names is gone: flows, boundary events, lists, pictures.
fn names_gone(definitions: &Definitions, element: Element<'_>, gone: &HashSet<&str>) -> bool {
    let is_gone = |name: &str| gone.contains(name.rsplit(':').next().unwrap_or(name).trim());
    match definitions.role(element) {
        Role::Reference(_) => is_gone(&element.text()),
        Role::Is(kind) => Schema::get().of(kind).attributes.iter().any(|attribute| {
            let required = attribute.required && matches!(attribute.value, Value::Reference(_));
            required && element.attribute(attribute.name).is_some_and(is_gone)
        }),
        Role::Foreign => element.attribute("bpmnElement").is_some_and(is_gone),
        Role::Unknown => false,
    }
}

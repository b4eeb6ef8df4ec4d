//! What BPMN 2.0 allows where: every element with its children in order, its attributes and what they may name.
//!
//! The tables beside this file are written so, one element after the other:
//!
//! ```text
//! name < base ^ group          it has all that `base` has, and may stand wherever `group` may
//!     child child? child* child+   in this order; `=type` if it is not named like its type, `>target` if it only names
//!     @ attribute !required    `=boolean`, `=integer`, `=A|B`, `=id`; `>target` if it names an element, `>` any thing
//! ```
//!
//! **Invariant:** every name in the tables is defined in them; a test reads them all.

mod collaboration;
mod data;
mod event;
mod family;
mod foundation;
mod process;
mod read;

use std::collections::HashMap;
use std::sync::OnceLock;

pub(crate) use family::{Family, Kinds};

/// An element of BPMN, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Kind(u16);

impl Kind {
    /// Its position.
    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }
}

/// All of BPMN.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    types: Vec<Type>,
    by_name: HashMap<&'static str, Kind>,
    families: Vec<Kinds>,
    /// What the references of BPMN may name, by number.
    targets: Vec<Targets>,
}

/// One element of BPMN.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    /// Its name.
    pub(crate) name: &'static str,
    base: Option<Kind>,
    group: Option<&'static str>,
    /// What may stand in it, in order, inherited first.
    pub(crate) children: Vec<Child>,
    /// Its attributes, inherited first.
    pub(crate) attributes: Vec<Attribute>,
    /// Whether anything may stand in it.
    pub(crate) open: bool,
    /// Every element that may stand in it by name, sorted: the place it takes and what it is.
    names: Vec<(&'static str, usize, Option<Kind>)>,
}

/// A place for elements in another one.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// The name of the element or of the group it belongs to.
    pub(crate) name: &'static str,
    /// What stands there.
    pub(crate) content: Content,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// Whether it may be there more than once.
    pub(crate) many: bool,
}

/// What a reference may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Targets {
    /// The names of the types, separated by `|`; of anything if there are none.
    pub(crate) names: &'static str,
    /// All elements of these types.
    pub(crate) kinds: Kinds,
    /// Under which the schema finds them.
    pub(crate) number: u16,
}

impl Targets {
    fn named(names: &'static str) -> Targets {
        Targets { names, kinds: Kinds::default(), number: 0 }
    }
}

/// What stands in a place.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// An element of this name or group.
    Named,
    /// An element of another type.
    Of(&'static str),
    /// The id of an element.
    Reference(Targets),
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What it may say.
    pub(crate) value: Value,
}

/// What an attribute may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Anything.
    Text,
    /// The element's own name.
    Id,
    /// `true`, `false`, `1` or `0`.
    Boolean,
    /// A whole number.
    Integer,
    /// One of these words, separated by `|`.
    OneOf(&'static str),
    /// The id of an element.
    Reference(Targets),
}

impl Schema {
    /// The one schema.
    pub(crate) fn get() -> &'static Schema {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        SCHEMA.get_or_init(|| {
            let tables = [foundation::TEXT, process::TEXT, event::TEXT, data::TEXT, collaboration::TEXT];
            let mut schema = Schema::default();
            tables.iter().flat_map(|table| table.lines()).for_each(|line| schema.read(line));
            schema.inherit();
            schema.sort();
            schema
        })
    }

    /// The element with this name.
    pub(crate) fn find(&self, name: &str) -> Option<Kind> {
        self.by_name.get(name).copied()
    }

    /// What is known of an element.
    #[inline]
    pub(crate) fn of(&self, kind: Kind) -> &Type {
        &self.types[usize::from(kind.0)]
    }

    /// What a reference with this number may name.
    pub(crate) fn targets(&self, number: u16) -> &Targets {
        &self.targets[usize::from(number)]
    }

    /// Whether an element belongs to one of these families.
    #[inline]
    pub(crate) fn is_a(&self, kind: Kind, families: &[Family]) -> bool {
        families.iter().any(|family| self.families[*family as usize].contains(kind))
    }

    /// All elements of these types, separated by `|`, and those that inherit from them.
    fn kinds(&self, names: &str) -> Kinds {
        let mut kinds = Kinds::default();
        for position in 0..self.types.len() {
            let kind = Kind(u16::try_from(position).expect("BPMN has few elements"));
            let mut bases = std::iter::successors(Some(kind), |kind| self.of(*kind).base);
            if bases.any(|base| names.split('|').any(|name| self.is_named(base, name))) {
                kinds.insert(kind);
            }
        }
        kinds
    }

    fn is_named(&self, kind: Kind, name: &str) -> bool {
        let own = self.of(kind).name;
        match name {
            "interactionNode" => matches!(own, "participant" | "activity" | "event" | "conversationNode"),
            "itemAware" => matches!(
                own,
                "dataObject"
                    | "dataObjectReference"
                    | "dataStore"
                    | "dataStoreReference"
                    | "dataInput"
                    | "dataOutput"
                    | "property"
            ),
            _ => own == name,
        }
    }

    /// The place of a child in an element, with what it is.
    pub(crate) fn place(&self, parent: Kind, child: &str) -> Option<(usize, &Child, Option<Kind>)> {
        let parent = self.of(parent);
        let found = parent.names.binary_search_by(|(name, ..)| name.cmp(&child)).ok()?;
        let (_, rank, kind) = parent.names[found];
        Some((rank, &parent.children[rank], kind))
    }

    /// Whether an element may stand where a group may.
    fn may_replace(&self, child: &str, group: &str) -> bool {
        let up = |kind: Kind| self.of(kind).group.and_then(|group| self.find(group));
        std::iter::successors(self.find(child).and_then(up), |kind| up(*kind))
            .any(|kind| self.of(kind).name == group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_tables_is_defined_in_them() {
        let schema = Schema::get();
        let known = |names: &str| {
            let special = ["", "interactionNode", "itemAware"];
            names.split('|').all(|name| special.contains(&name) || schema.find(name).is_some())
        };
        for kind in &schema.types {
            for place in &kind.children {
                let named = match place.content {
                    Content::Named => place.name == "BPMNDiagram" || known(place.name),
                    Content::Of(name) => known(name),
                    Content::Reference(targets) => known(targets.names),
                };
                assert!(named, "{} of {}", place.name, kind.name);
            }
            for attribute in &kind.attributes {
                let Value::Reference(targets) = attribute.value else {
                    continue;
                };
                assert!(known(targets.names), "{} of {}", attribute.name, kind.name);
            }
            assert!(kind.group.is_none_or(known), "group of {}", kind.name);
        }
    }

    #[test]
    fn heirs_have_what_their_bases_have_first() {
        let schema = Schema::get();
        let find = |name| schema.find(name).expect("it is in the tables");
        let (rank_of_incoming, ..) =
            schema.place(find("startEvent"), "incoming").expect("events are flow nodes");
        let (rank_of_trigger, ..) =
            schema.place(find("startEvent"), "timerEventDefinition").expect("starts have triggers");
        assert!(rank_of_incoming < rank_of_trigger);
        assert!(
            schema.is_a(find("userTask"), &[Family::Activity])
                && !schema.is_a(find("userTask"), &[Family::Event])
        );
        assert!(schema.place(find("process"), "globalConversation").is_none());
        assert!(schema.place(find("definitions"), "globalConversation").is_some());
    }
}

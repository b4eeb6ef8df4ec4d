//! What every attribute of an element of BPMN is, and which element it names.

use tyer_xml::Element;

use super::Definitions;
use crate::schema::{self, Kind, Schema, Value};

/// By the number of the attribute. Numbers alone, so that the memory for pictures, which have none, is never touched.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// 0 if BPMN does not know it, else one more than its position among the attributes that its element may have.
    known: Vec<u8>,
    /// The element that it names: 0 if that was not looked for, 1 if there is none, else two more than its order.
    targets: Vec<u32>,
}

impl Definitions {
    /// Looks up every attribute once, when the elements can be found by their ids.
    pub(super) fn find_targets(&mut self) {
        let count = self.document.attribute_count();
        let mut attributes = Attributes { known: vec![0; count], targets: vec![0; count] };
        let mut recent = Recent::new();
        for &(order, kind) in &self.elements {
            let Some(element) = self.document.element(order as usize) else { continue };
            for attribute in element.plain_attributes() {
                let (known, is_reference) = recent.find(kind, attribute.name_number, attribute.local);
                attributes.known[attribute.number] = known;
                if is_reference {
                    let order = self.resolve(attribute.value).map(Element::order);
                    attributes.targets[attribute.number] = order.map_or(1, two_more);
                }
            }
        }
        self.attributes = attributes;
    }

    /// The element that an attribute names.
    pub(crate) fn target(&self, element: Element<'_>, attribute: &str) -> Option<Element<'_>> {
        let number = element.attribute_number(attribute)?;
        match self.attributes.targets[number] {
            0 => self.resolve(element.attribute(attribute)?),
            _ => self.target_of(number),
        }
    }

    /// The element that the attribute with this number names, if it is a reference.
    pub(crate) fn target_of(&self, number: usize) -> Option<Element<'_>> {
        let order = self.attributes.targets[number].checked_sub(2)?;
        self.document.element(order as usize)
    }

    /// The position of the attribute with this number among those that its element may have.
    pub(crate) fn known_attribute(&self, number: usize) -> Option<usize> {
        usize::from(self.attributes.known[number]).checked_sub(1)
    }
}

fn two_more(order: usize) -> u32 {
    u32::try_from(order + 2).expect("documents are limited to 2^30 bytes")
}

/// Attributes that were looked up before: files use few names, many times.
struct Recent {
    schema: &'static Schema,
    slots: Vec<Option<Known>>,
}

#[derive(Clone, Copy)]
struct Known {
    kind: Kind,
    name: usize,
    found: (u8, bool),
}

impl Recent {
    const SLOTS: usize = 512;

    fn new() -> Recent {
        Recent { schema: Schema::get(), slots: vec![None; Recent::SLOTS] }
    }

    /// One more than the position of an attribute among those of the element, and whether it names an element.
    fn find(&mut self, kind: Kind, name: usize, local: &str) -> (u8, bool) {
        let slot = &mut self.slots[(name * 31 + kind.number() * 7) % Recent::SLOTS];
        match slot {
            Some(known) if (known.kind, known.name) == (kind, name) => known.found,
            _ => {
                let found = find(&self.schema.of(kind).attributes, local);
                *slot = Some(Known { kind, name, found });
                found
            }
        }
    }
}

fn find(attributes: &[schema::Attribute], local: &str) -> (u8, bool) {
    let Some(position) = attributes.iter().position(|known| known.name == local) else { return (0, false) };
    let names_something =
        matches!(&attributes[position].value, Value::Reference(targets) if !targets.names.is_empty());
    (u8::try_from(position + 1).expect("no element of BPMN has so many attributes"), names_something)
}

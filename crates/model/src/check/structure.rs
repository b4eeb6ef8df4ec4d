//! The shape of elements: which children and attributes, in which order, with which values, naming what.

use tyer_xml::Element;

use super::references::{Imports, Reference};
use super::view::View;
use crate::code::Code;
use crate::definitions::Role;
use crate::namespace::BPMN;
use crate::report::{Report, Strictness, label, shortened};
use crate::schema::{Kind, Schema, Value};

/// Checks one element against the schema of BPMN, and everything it names.
pub(super) fn check(view: &View<'_>, element: Element<'_>, imports: &Imports, report: &mut Report) {
    let Some(kind) = view.definitions.kind(element) else {
        return;
    };
    attributes(view, element, kind, imports, report);
    if !Schema::get().of(kind).open {
        children(view, element, kind, imports, report);
    }
}

fn attributes(view: &View<'_>, element: Element<'_>, kind: Kind, imports: &Imports, report: &mut Report) {
    let known = &Schema::get().of(kind).attributes;
    // No element of BPMN has more attributes than bits.
    let mut seen = 0_u64;
    for written in element.plain_attributes() {
        let name = written.local;
        let Some(position) = view.definitions.known_attribute(written.number) else {
            let message = || {
                format!("{} has an attribute `{}` that BPMN does not know", label(element), shortened(name))
            };
            report.found(Code::AttributeUnknown, element, message);
            continue;
        };
        seen |= 1 << position;
        let value = &known[position].value;
        if let Value::Reference(targets) = value {
            let target = view.definitions.target_of(written.number);
            Reference { owner: element, name, targets, written: written.value, target }
                .check(view, imports, report);
        } else if !is_valid(value, written.value.trim()) {
            let message = || format!("{name} of {} cannot be `{}`", label(element), shortened(written.value));
            let code = if *value == Value::Id { Code::IdInvalid } else { Code::ValueInvalid };
            report.found(code, element, message);
        }
    }
    for (position, missing) in known.iter().enumerate().filter(|(_, known)| known.required) {
        if seen & 1 << position == 0 {
            let message = || format!("{} has no {}", label(element), missing.name);
            report.found(Code::AttributeMissing, element, message);
        }
    }
}

fn is_valid(value: &Value, written: &str) -> bool {
    match value {
        Value::Text | Value::Reference(_) => true,
        Value::Id => {
            let mut characters = written.chars();
            let begins = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_');
            begins && characters.all(|next| next.is_alphanumeric() || "-._·".contains(next))
        }
        Value::Boolean => matches!(written, "true" | "false" | "1" | "0"),
        Value::Integer => written.parse::<i64>().is_ok(),
        Value::OneOf(words) => words.split('|').any(|word| word == written),
    }
}

fn children(view: &View<'_>, element: Element<'_>, kind: Kind, imports: &Imports, report: &mut Report) {
    let schema = Schema::get();
    let places = &schema.of(kind).children;
    // No element of BPMN has more places than bits.
    let (mut once, mut furthest) = (0_u64, 0);
    for child in element.children() {
        match view.definitions.role(child) {
            Role::Unknown => {
                let message = || format!("{} cannot stand in {}", label(child), label(element));
                report.found(Code::ElementUnknown, child, message);
            }
            Role::Reference(targets) => {
                let (written, targets) = (child.text(), schema.targets(targets));
                let target = view.definitions.resolve(&written);
                Reference { owner: element, name: child.local_name(), targets, written: &written, target }
                    .check(view, imports, report);
            }
            Role::Foreign | Role::Is(_) => {}
        }
        if report.strictness() == Strictness::Deployment {
            continue;
        }
        let local = child.local_name();
        let is_known = child.name().namespace == BPMN || local == "BPMNDiagram";
        let Some((rank, place, _)) = schema.place(kind, local).filter(|_| is_known) else {
            continue;
        };
        if rank < furthest {
            let message = || format!("{} stands too late in {}", label(child), label(element));
            report.found(Code::ChildOrder, child, message);
        } else if once & 1 << rank != 0 && !place.many {
            report.found(Code::ChildRepeated, child, || format!("{} has several {local}", label(element)));
        }
        once |= 1 << rank;
        furthest = furthest.max(rank);
    }
    for (rank, place) in places.iter().enumerate().filter(|(_, place)| place.required) {
        if once & 1 << rank == 0 {
            report.found(Code::ChildMissing, element, || format!("{} has no {}", label(element), place.name));
        }
    }
}

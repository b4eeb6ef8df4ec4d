//! The shape of elements: which children and attributes, in which order, with which values, naming what.

use tyer_xml::Element;

use super::references::{self, Imports};
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
    for written in element.attributes().filter(|attribute| attribute.name.namespace.is_empty()) {
        let name = written.name.local;
        match known.iter().find(|known| known.name == name).map(|known| &known.value) {
            None => {
                let message = || {
                    format!(
                        "{} has an attribute `{}` that BPMN does not know",
                        label(element),
                        shortened(name)
                    )
                };
                report.found(Code::AttributeUnknown, element, message);
            }
            Some(Value::Reference(targets)) => {
                references::check(view, element, (name, targets), written.value, imports, report);
            }
            Some(value) if !is_valid(value, written.value.trim()) => {
                let message =
                    || format!("{name} of {} cannot be `{}`", label(element), shortened(written.value));
                let code = if *value == Value::Id { Code::IdInvalid } else { Code::ValueInvalid };
                report.found(code, element, message);
            }
            Some(_) => {}
        }
    }
    for missing in known.iter().filter(|known| known.required && element.attribute(known.name).is_none()) {
        report
            .found(Code::AttributeMissing, element, || format!("{} has no {}", label(element), missing.name));
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
                references::check(
                    view,
                    element,
                    (child.local_name(), schema.targets(targets)),
                    &child.text(),
                    imports,
                    report,
                );
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

//! The shape of elements: which children and attributes, in which order, with which values.

use tyer_xml::Element;

use super::view::View;
use crate::code::Code;
use crate::definitions::Role;
use crate::namespace::BPMN;
use crate::report::{Report, label, shortened};
use crate::schema::{Kind, Schema, Value};

/// Checks one element against the schema of BPMN.
pub(super) fn check(view: &View<'_>, element: Element<'_>, report: &mut Report) {
    let Some(kind) = view.definitions.kind(element) else {
        return;
    };
    attributes(element, kind, report);
    if !Schema::get().of(kind).open {
        children(view, element, kind, report);
    }
}

fn attributes(element: Element<'_>, kind: Kind, report: &mut Report) {
    let known = &Schema::get().of(kind).attributes;
    for attribute in known {
        match element.attribute(attribute.name) {
            Some(written) if !is_valid(&attribute.value, written.trim()) => {
                let (name, written) = (attribute.name, shortened(written));
                let message = format!("{name} of {} cannot be `{written}`", label(element));
                let code = if attribute.value == Value::Id {
                    Code::IdInvalid
                } else {
                    Code::ValueInvalid
                };
                report.found(code, element, message);
            }
            None if attribute.required => {
                report.found(
                    Code::AttributeMissing,
                    element,
                    format!("{} has no {}", label(element), attribute.name),
                );
            }
            _ => {}
        }
    }
    let own = element
        .attributes()
        .filter(|attribute| attribute.name.namespace.is_empty());
    for unknown in own.filter(|attribute| known.iter().all(|known| known.name != attribute.name.local)) {
        let message = format!(
            "{} has an attribute `{}` that BPMN does not know",
            label(element),
            unknown.name.local
        );
        report.found(Code::AttributeUnknown, element, message);
    }
}

fn is_valid(value: &Value, written: &str) -> bool {
    match value {
        Value::Text | Value::Reference(_) => true,
        Value::Id => {
            let mut characters = written.chars();
            let begins = characters
                .next()
                .is_some_and(|first| first.is_alphabetic() || first == '_');
            begins && characters.all(|next| next.is_alphanumeric() || "-._·".contains(next))
        }
        Value::Boolean => matches!(written, "true" | "false" | "1" | "0"),
        Value::Integer => written.parse::<i64>().is_ok(),
        Value::OneOf(words) => words.split('|').any(|word| word == written),
    }
}

fn children(view: &View<'_>, element: Element<'_>, kind: Kind, report: &mut Report) {
    let schema = Schema::get();
    let places = &schema.of(kind).children;
    let mut counts = vec![0_u32; places.len()];
    let mut furthest = 0;
    for child in element.children() {
        if view.definitions.role(child) == Role::Unknown {
            let message = format!("{} cannot stand in {}", label(child), label(element));
            report.found(Code::ElementUnknown, child, message);
        }
        let local = child.local_name();
        let is_diagram = local == "BPMNDiagram";
        let place = schema
            .place(kind, local)
            .filter(|_| child.name().namespace == BPMN || is_diagram);
        let Some((rank, place, _)) = place else { continue };
        counts[rank] += 1;
        if rank < furthest {
            let message = format!("{} stands too late in {}", label(child), label(element));
            report.found(Code::ChildOrder, child, message);
        } else if counts[rank] == 2 && !place.many {
            report.found(
                Code::ChildRepeated,
                child,
                format!("{} has several {local}", label(element)),
            );
        }
        furthest = furthest.max(rank);
    }
    for (place, _) in places
        .iter()
        .zip(counts)
        .filter(|(place, count)| place.required && *count == 0)
    {
        report.found(
            Code::ChildMissing,
            element,
            format!("{} has no {}", label(element), place.name),
        );
    }
}

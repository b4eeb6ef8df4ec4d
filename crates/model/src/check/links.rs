//! Link events: both ends in one scope, each with flows on one side only.

use tyer_xml::Element;

use super::view::{View, count};
use crate::code::Code;
use crate::namespace::bpmn_children;
use crate::report::{Report, label};
use crate::schema::Family;

/// Checks a link event definition in its event.
pub(super) fn check<'d>(view: &View<'d>, link: Element<'d>, kind: &str, report: &mut Report) {
    let Some(event) = link.parent().filter(|_| kind == "linkEventDefinition") else {
        return;
    };
    if view.is_a(event, &[Family::IntermediateThrowEvent]) {
        throwing(view, link, event, report);
    } else if view.is_a(event, &[Family::IntermediateCatchEvent]) {
        catching(view, link, event, report);
    }
}

fn throwing<'d>(view: &View<'d>, link: Element<'d>, event: Element<'d>, report: &mut Report) {
    if !view.flows_from(event).is_empty() {
        report
            .found(Code::LinkFlow, event, || format!("throwing link {} has an outgoing flow", label(event)));
    }
    if count(link, "target") != 1 {
        report.found(Code::LinkPair, link, || format!("link of {} names no target", label(event)));
    }
    for other in ends(view, link, "target") {
        let names_back = view.lists(other, "source", link);
        let other_event = other.parent();
        if !names_back {
            report.found(Code::LinkPair, link, || {
                format!("target of {} does not name it as source", label(event))
            });
        } else if other_event.and_then(Element::parent) != event.parent() {
            report.found(Code::LinkScope, link, || format!("target of {} is in another scope", label(event)));
        }
    }
}

fn catching<'d>(view: &View<'d>, link: Element<'d>, event: Element<'d>, report: &mut Report) {
    if !view.flows_to(event).is_empty() {
        report
            .found(Code::LinkFlow, event, || format!("catching link {} has an incoming flow", label(event)));
    }
    if count(link, "source") == 0 {
        report.found(Code::LinkPair, link, || format!("link of {} names no source", label(event)));
    }
}

fn ends<'v, 'd>(
    view: &'v View<'d>,
    link: Element<'d>,
    name: &'static str,
) -> impl Iterator<Item = Element<'d>> + 'v {
    let named = bpmn_children(link, name).filter_map(|end| view.named(end));
    named.filter(|other| view.is_a(*other, &[Family::LinkEventDefinition]))
}

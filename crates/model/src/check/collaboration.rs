//! Collaborations, conversations and choreographies: kept, not executed, but they must make sense.

use tyer_xml::Element;

use super::view::{View, around, child};
use crate::code::Code;
use crate::report::{Report, label};
use crate::schema::Family;

/// Checks what stands between processes.
pub(super) fn check<'d>(view: &View<'d>, element: Element<'d>, kind: &str, report: &mut Report) {
    match kind {
        "messageFlow" => message_flow(view, element, report),
        "participantMultiplicity" => multiplicity(element, report),
        "globalConversation" => global_conversation(view, element, report),
        "choreography" | "globalChoreographyTask" => refers_to_choreography(element, report),
        "collaboration" => closed(view, element, report),
        _ => {}
    }
}

/// Message flows connect different pools.
fn message_flow<'d>(view: &View<'d>, flow: Element<'d>, report: &mut Report) {
    let (Some(source), Some(target)) = (view.target(flow, "sourceRef"), view.target(flow, "targetRef"))
    else {
        return;
    };
    let pool = |end: Element<'d>| {
        if view.is_a(end, &[Family::Participant]) {
            view.target(end, "processRef")
        } else {
            view.process(end)
        }
    };
    let same_process = pool(source).is_some() && pool(source) == pool(target);
    if source == target || same_process {
        let message =
            || format!("{} connects {} with {}, of the same pool", label(flow), label(source), label(target));
        report.found(Code::MessageFlowInOnePool, flow, message);
    }
}

fn multiplicity(multiplicity: Element<'_>, report: &mut Report) {
    let number =
        |name| multiplicity.attribute(name).and_then(|written: &str| written.trim().parse::<i64>().ok());
    let (minimum, maximum) = (number("minimum").unwrap_or(0), number("maximum").unwrap_or(1));
    if minimum < 0 || maximum < 1 || maximum < minimum {
        let message = || format!("between {minimum} and {maximum} participants is not possible");
        report.found(Code::MultiplicityInvalid, multiplicity, message);
    }
}

fn global_conversation(view: &View<'_>, conversation: Element<'_>, report: &mut Report) {
    refers_to_choreography(conversation, report);
    let other = [
        Family::ConversationNode,
        Family::ParticipantAssociation,
        Family::MessageFlowAssociation,
        Family::ConversationAssociation,
        Family::Artifact,
    ];
    for child in conversation.children().filter(|child| view.is_a(*child, &other)) {
        let message = || format!("{} stands in {}", label(child), label(conversation));
        report.found(Code::GlobalConversationContent, child, message);
    }
}

fn refers_to_choreography(element: Element<'_>, report: &mut Report) {
    if child(element, "choreographyRef").is_some() {
        report.found(Code::ChoreographyReference, element, || {
            format!("{} refers to a choreography", label(element))
        });
    }
}

fn closed<'d>(view: &View<'d>, collaboration: Element<'d>, report: &mut Report) {
    let choreography = child(collaboration, "choreographyRef").and_then(|reference| view.named(reference));
    let says = |element: Element<'_>| matches!(element.attribute("isClosed"), Some("true" | "1"));
    if let Some(choreography) = choreography.filter(|choreography| says(*choreography) != says(collaboration))
    {
        let message = || format!("{} and {} disagree on isClosed", label(collaboration), label(choreography));
        report.found(Code::ChoreographyClosedDiffers, collaboration, message);
    }
    debug_assert!(around(collaboration).count() <= 1, "collaborations are root elements");
}

//! What went wrong in an instance, in the words of the suite.

use tyer_engine::{EventKind, IncidentKind, Thrown};

use crate::world::Member;

/// What the trace says of an error that nobody catches.
const THROWN: &str = "ERROR_thrownErrorEvent";
/// What the trace says of an escalation that nobody catches.
pub(super) const ESCALATED: &str = "ERROR_thrownEscalationEvent";

/// What the suite calls the errors of an instance.
pub(super) fn errors(member: &Member) -> impl Iterator<Item = &'static str> {
    let incidents = member.instance.incidents.values().filter_map(|incident| match incident.kind {
        IncidentKind::JoinStarved => None,
        IncidentKind::UnhandledError => Some(THROWN),
        _ => Some("ERROR_runtime"),
    });
    ended_by_error(member).then_some(THROWN).into_iter().chain(incidents)
}

/// Did an error end it that nobody caught, not even a caller?
fn ended_by_error(member: &Member) -> bool {
    let failed = |kind: &EventKind| matches!(kind, EventKind::WorkflowFailed { code: Some(_), .. });
    member.instance.parent.is_none() && happened(member, failed)
}

/// Has it called for help, and nobody heard it?
pub(super) fn has_escalated(member: &Member) -> bool {
    let is_unheard = |kind: &EventKind| {
        matches!(kind, EventKind::EventThrown { thrown: Thrown::Escalation, caught: false, .. })
    };
    member.instance.parent.is_none() && happened(member, is_unheard)
}

fn happened(member: &Member, what: impl Fn(&EventKind) -> bool) -> bool {
    member.turns.iter().flat_map(|turn| &turn.events).any(|event| what(&event.kind))
}

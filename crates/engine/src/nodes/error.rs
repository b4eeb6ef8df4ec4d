//! Errors and escalations: they walk the scopes outwards to the nearest catcher.
//!
//! **Invariant:** an exact code is caught before a catcher of every code stands in the way at the same place.

use tyer_model::{Boundary, Caught, NodeIx, NodeKind, SubProcessKind, Trigger};

use crate::nodes::{boundary, compensation, event_sub_process};
use crate::words::*;

/// Where something was caught.
pub(super) enum Catcher {
    /// On the border of this token's activity.
    Boundary(Number, NodeIx),
    /// By an event sub-process of this scope.
    SubProcess(Number, NodeIx),
}

/// An error is thrown by what this token does.
pub(crate) fn throw(
    turn: &mut Turn<'_>,
    token: Number,
    code: Option<&str>,
    message: Option<String>,
    variables: Variables,
) {
    let catcher =
        find(turn, token, |it| if let Trigger::Error(caught) = it { Some(caught) } else { None }, code);
    let (told, caught) = (code.map(str::to_owned), catcher.is_some());
    let thrown =
        EventKind::EventThrown { thrown: Thrown::Error, code: told, message: message.clone(), caught };
    turn.emit_at(token, thrown);
    match catcher {
        Some((catcher, caught)) => catch(turn, catcher, caught, code, message, variables),
        None => unhandled(turn, token, code, message),
    }
}

/// An escalation is thrown by what this token does; the token goes on unless the catcher ends it.
pub(crate) fn escalate(turn: &mut Turn<'_>, token: Number, code: Option<&str>) {
    let catcher =
        find(turn, token, |it| if let Trigger::Escalation(caught) = it { Some(caught) } else { None }, code);
    let (told, caught) = (code.map(str::to_owned), catcher.is_some());
    let thrown = EventKind::EventThrown { thrown: Thrown::Escalation, code: told, message: None, caught };
    turn.emit_at(token, thrown);
    match (catcher, turn.instance.parent) {
        (Some((catcher, caught)), _) => catch(turn, catcher, caught, code, None, Variables::default()),
        (None, Some(parent)) => {
            let answer = Answer::Escalated { code: code.unwrap_or_default().to_owned() };
            turn.emit(EventKind::CallAnswered { instance: parent.instance, call: parent.number, answer });
        }
        (None, None) => {}
    }
}

fn catch(
    turn: &mut Turn<'_>,
    catcher: Catcher,
    caught: &Caught,
    code: Option<&str>,
    message: Option<String>,
    mut variables: Variables,
) {
    let texts = [(&caught.code_variable, code.map(str::to_owned)), (&caught.message_variable, message)];
    for (variable, value) in texts {
        if let Some(variable) = variable {
            let json = serde_json::to_string(&value).expect("a text is always JSON");
            variables.merge(&Variables::of(variable, json));
        }
    }
    match catcher {
        Catcher::Boundary(host, node) => boundary::happen(turn, host, node, variables),
        Catcher::SubProcess(scope, node) => event_sub_process::begin(turn, scope, node, variables),
    }
}

/// Nobody catches it. An error that the diagram throws ends the instance: BPMN 2.0.2 §10.5.3 leaves it open, and there
/// is nothing to repair. So it is in a called instance, whose caller may catch it. Else a person looks at the work.
fn unhandled(turn: &mut Turn<'_>, token: Number, code: Option<&str>, message: Option<String>) {
    let said = message.as_ref().map_or_else(String::new, |message| format!(": {message}"));
    let what = code.map_or_else(|| "an error without code".to_owned(), |code| format!("error `{code}`"));
    let sentence = format!("nobody catches {what}{said}");
    if turn.token(token).mode == Mode::Compensation {
        return compensation::step_failed(turn, token, sentence);
    }
    let is_end = matches!(turn.node_of(token).kind, NodeKind::End(_));
    if is_end {
        turn.emit_at(token, EventKind::NodeCompleted);
        turn.end_token(token);
    }
    if is_end || turn.instance.parent.is_some() {
        turn.thrown_message = message;
        let code = Some(code.unwrap_or_default().to_owned());
        return turn.end_instance(EventKind::WorkflowFailed { message: sentence, code, compensated: false });
    }
    turn.open_incident(Some(token), IncidentKind::UnhandledError, sentence);
}

/// The nearest catcher, from the token's activity outwards.
pub(super) fn find<'a>(
    turn: &Turn<'a>,
    token: Number,
    of_kind: impl Fn(&'a Trigger) -> Option<&'a Caught>,
    code: Option<&str>,
) -> Option<(Catcher, &'a Caught)> {
    let mut at = token;
    loop {
        let here = turn.token(at);
        if !turn.is_inner(at)
            && let Some((node, caught)) = best(turn, &turn.process.node(here.node).boundary, &of_kind, code)
        {
            return Some((Catcher::Boundary(at, node), caught));
        }
        if let Some((node, caught)) = best(turn, &listening(turn, here), &of_kind, code) {
            return Some((Catcher::SubProcess(here.scope, node), caught));
        }
        if here.scope == ROOT {
            return None;
        }
        at = turn.instance.scopes[&here.scope].owner.expect("every scope but the root has an owner");
    }
}

/// Event sub-processes that can catch what this token throws. One never catches its own; one that interrupts has
/// taken the place of everything else in the scope, its siblings too.
fn listening(turn: &Turn<'_>, token: &Token) -> Vec<NodeIx> {
    let scope = token.scope;
    if turn.flow_scope(scope) != scope || interrupts(turn, token.node) {
        return Vec::new();
    }
    let events = &turn.process.body(turn.body_of(scope)).events;
    events.iter().copied().filter(|event| *event != token.node).collect()
}

/// Is the node an event sub-process that ends what else goes on in its scope?
pub(super) fn interrupts(turn: &Turn<'_>, node: NodeIx) -> bool {
    matches!(&turn.process.node(node).kind,
        NodeKind::SubProcess(sub) if matches!(sub.kind, SubProcessKind::Event { interrupting: true, .. }))
}

pub(super) fn is_event_sub_process(turn: &Turn<'_>, node: NodeIx) -> bool {
    matches!(&turn.process.node(node).kind,
        NodeKind::SubProcess(sub) if matches!(sub.kind, SubProcessKind::Event { .. }))
}

/// Of these events the one with this very code, else one that takes any.
fn best<'a>(
    turn: &Turn<'a>,
    events: &[NodeIx],
    of_kind: &impl Fn(&'a Trigger) -> Option<&'a Caught>,
    code: Option<&str>,
) -> Option<(NodeIx, &'a Caught)> {
    let process = turn.process;
    let catchers = || {
        events.iter().flat_map(|node| {
            let triggers = triggers_of(&process.node(*node).kind, process);
            let any = triggers.map_or(&[][..], |triggers| &triggers.any);
            any.iter().filter_map(of_kind).map(|caught| (*node, caught))
        })
    };
    let exact = code.and_then(|code| catchers().find(|(_, caught)| caught.code.as_deref() == Some(code)));
    exact.or_else(|| catchers().find(|(_, caught)| caught.code.is_none()))
}

/// A boundary event of the token's node that fits.
pub(super) fn boundary_that<'a>(
    turn: &Turn<'a>,
    token: Number,
    fits: impl Fn(&Boundary) -> bool,
) -> Option<NodeIx> {
    if turn.is_inner(token) {
        return None;
    }
    let process = turn.process;
    turn.node_of(token)
        .boundary
        .iter()
        .copied()
        .find(|node| matches!(&process.node(*node).kind, NodeKind::Boundary(boundary) if fits(boundary)))
}

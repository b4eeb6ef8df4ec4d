//! How an instance begins: at its start events, at one that was triggered, or at any node.

use tyer_model::{NodeIx, NodeKind, Process};

use crate::nodes::{activity, condition, event_based, sub_process};
use crate::words::*;

pub(crate) fn begin(turn: &mut Turn<'_>, start: Start) {
    let Start { definition, version, business_key, started_by, priority, variables, at, parent } = start;
    let process = turn.process.id.clone();
    let started = Started { definition, process, version, business_key, started_by, priority, parent };
    turn.emit(EventKind::WorkflowStarted(Box::new(started)));
    sub_process::declare_data(turn, ROOT, None);
    // What a message brings belongs to its event, if the event says what becomes of it.
    let is_mapped = |id: &String| {
        let node = turn.process.find_node(id).expect("accept has found the node");
        is_event(turn.process, node) && !turn.process.node(node).outputs.is_empty()
    };
    let (own, brought) = if at.iter().any(is_mapped) {
        (Variables::default(), variables)
    } else {
        (variables, Variables::default())
    };
    turn.write_local(ROOT, own);
    if !sub_process::arm_events(turn, ROOT, None) || condition::check_opened(turn, ROOT) {
        return;
    }
    if at.is_empty() {
        for &start in &turn.process.body(None).starts {
            turn.spawn_in(ROOT, start, Mode::Forward);
        }
        return;
    }
    for id in &at {
        let node = turn.process.find_node(id).expect("accept has found the node");
        begin_at(turn, node, brought.clone());
    }
}

/// Does an event begin the process at this node?
pub(crate) fn is_event(process: &Process, node: NodeIx) -> bool {
    matches!(process.node(node).kind, NodeKind::Start(_) | NodeKind::Receive { instantiate: true, .. })
        || event_based::that_begins_with(process, node).is_some()
}

/// An event that begins the process has happened: it passes. Any other node is entered.
fn begin_at(turn: &mut Turn<'_>, node: NodeIx, brought: Variables) {
    if !is_event(turn.process, node) {
        turn.spawn_in(ROOT, node, Mode::Forward);
        return;
    }
    let token = turn.create_in(ROOT, node, Mode::Forward);
    turn.emit_on(token, node, None, EventKind::NodeStarted);
    if let Some(gateway) = event_based::that_begins_with(turn.process, node) {
        event_based::wait_for_the_others(turn, gateway, node);
    }
    activity::complete(turn, token, brought);
    turn.disarm(Owner::Token(token));
}

//! How an instance begins: at its start events, at one that was triggered, or at any node.

use tyer_model::{NodeIx, NodeKind};

use crate::command::Start;
use crate::event::{EventKind, Started};
use crate::instance::{Mode, Owner, ROOT};
use crate::nodes::{activity, condition, event_based, sub_process};
use crate::turn::Turn;
use crate::variables::Variables;

pub(crate) fn begin(turn: &mut Turn<'_>, start: Start) {
    let Start { definition, version, business_key, started_by, priority, variables, at, parent } = start;
    let process = turn.process.id.clone();
    let started = Started { definition, process, version, business_key, started_by, priority, parent };
    turn.emit(EventKind::WorkflowStarted(Box::new(started)));
    sub_process::declare_data(turn, ROOT, None);
    turn.write_local(ROOT, variables);
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
        begin_at(turn, node);
    }
}

/// An event that begins the process has happened: it passes. Any other node is entered.
fn begin_at(turn: &mut Turn<'_>, node: NodeIx) {
    let kind = &turn.process.node(node).kind;
    let gateway = event_based::that_begins_with(turn.process, node);
    let is_trigger = matches!(kind, NodeKind::Start(_) | NodeKind::Receive { instantiate: true, .. });
    if !is_trigger && gateway.is_none() {
        turn.spawn_in(ROOT, node, Mode::Forward);
        return;
    }
    let token = turn.create_in(ROOT, node, Mode::Forward);
    turn.emit_on(token, node, None, EventKind::NodeStarted);
    if let Some(gateway) = gateway {
        event_based::wait_for_the_others(turn, gateway, node);
    }
    activity::complete(turn, token, Variables::default());
    turn.disarm(Owner::Token(token));
}

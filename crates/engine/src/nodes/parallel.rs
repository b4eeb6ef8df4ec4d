//! Parallel gateway: one token per incoming flow joins, one token per outgoing flow forks.
//!
//! **Invariant:** a firing takes exactly one token per incoming flow, the oldest; two tokens on the same flow
//! belong to two firings.

use tyer_model::{FlowIx, NodeIx};

use crate::event::EventKind;
use crate::ids::Number;
use crate::instance::{IncidentKind, Wait};
use crate::nodes::deadlock;
use crate::step::Turn;

pub(super) fn arrive(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) {
    let process = turn.process;
    let incoming = &process.node(node).incoming;
    if incoming.len() <= 1 {
        turn.emit_on(token, node, flow, EventKind::NodeStarted);
        return turn.leave(token);
    }
    turn.emit_on(token, node, flow, EventKind::TokenWaiting);
    let arrived: Vec<Number> = arrived(turn, node);
    if arrived.len() == incoming.len() {
        fire(turn, node, &arrived);
    }
}

/// Fires the join at which this token waits, although flows are missing: a person has said so.
pub(crate) fn fire_with_what_has_arrived(turn: &mut Turn<'_>, token: Number) {
    let (node, flow) = {
        let token = &turn.instance.tokens[&token];
        (token.node, token.flow)
    };
    turn.emit_on(token, node, flow, EventKind::TokenWaiting);
    let arrived = arrived(turn, node);
    fire(turn, node, &arrived);
}

/// A join that no live token can complete any more does not wait in silence.
pub(crate) fn report_starved(turn: &mut Turn<'_>) {
    while let Some((token, message)) = find_starved(turn).or_else(|| deadlock::find(turn)) {
        turn.open_incident(Some(token), IncidentKind::JoinStarved, message);
    }
}

/// The oldest waiting token of each flow that has one.
fn arrived(turn: &Turn<'_>, node: NodeIx) -> Vec<Number> {
    let incoming = &turn.process.node(node).incoming;
    incoming.iter().filter_map(|flow| turn.instance.first_arrival(node, *flow)).collect()
}

fn fire(turn: &mut Turn<'_>, node: NodeIx, arrived: &[Number]) {
    for &token in arrived {
        turn.emit_at(token, EventKind::TokenCompleted);
    }
    let joined = turn.next_number();
    let parent = arrived.first().copied();
    turn.emit_on(joined, node, None, EventKind::TokenCreated { scope: 0, parent, group: None });
    turn.emit_on(joined, node, None, EventKind::NodeStarted);
    turn.leave(joined);
}

fn find_starved(turn: &Turn<'_>) -> Option<(Number, String)> {
    let mut joins: Vec<NodeIx> = turn.instance.arrivals().map(|(join, _)| join).collect();
    joins.dedup();
    joins.into_iter().find_map(|join| {
        let node = turn.process.node(join);
        let arrival = |flow: &FlowIx| turn.instance.first_arrival(join, *flow);
        let lost = *node
            .incoming
            .iter()
            .find(|flow| arrival(flow).is_none() && !can_still_come(turn, join, **flow))?;
        let token = node.incoming.iter().find_map(arrival)?;
        let flow = &turn.process.flow(lost).id;
        Some((
            token,
            format!("join `{}` waits for flow `{flow}`, which no token can reach any more", node.id),
        ))
    })
}

/// Is a token upstream of the flow, or stands one before the join that came by it?
fn can_still_come(turn: &Turn<'_>, join: NodeIx, flow: FlowIx) -> bool {
    turn.instance.occupied().any(|node| node != join && turn.process.reaches(node, flow))
        || stands_before(turn, join, flow)
}

/// Stands a token before the join that came by this flow? A join with an open incident has been reported already.
pub(super) fn stands_before(turn: &Turn<'_>, join: NodeIx, flow: FlowIx) -> bool {
    turn.instance.tokens.values().filter(|token| token.node == join).any(|token| match token.wait {
        Wait::Incident(_) => true,
        Wait::Join => false,
        Wait::Nothing | Wait::Timer(_) | Wait::Job(_) | Wait::Task(_) => token.flow == Some(flow),
    })
}

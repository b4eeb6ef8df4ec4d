//! Where several flows come together: who waits, who fires, who is absorbed.
//!
//! **Invariant:** merge state lives on tokens: waiting ones, and marks that a wave carries; none outlives its tokens.

use tyer_model::{FlowIx, MergeMode, NodeIx, NodeKind};

use crate::nodes::{self, branch, complex};
use crate::words::*;

/// What has to happen before a node begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gathering {
    /// A token on each of the flows that lead forward.
    EachForward,
    /// A token on every flow.
    Each,
    /// So many tokens.
    Quantity(u32),
    /// Every token that can still come: BPMN's inclusive join.
    Inclusive,
    /// Every token that can still come.
    AllThatCome,
    /// Its activation condition.
    Activation,
    /// After a firing by activation: every token that can still come on a flow that had none.
    Reset,
}

/// What a node gathers; none = it begins with each token.
pub(crate) fn gathering(turn: &Turn<'_>, node: NodeIx) -> Option<Gathering> {
    let node = turn.process.node(node);
    if node.incoming.len() > 1 {
        match node.merge {
            Some(MergeMode::Converge) => return Some(Gathering::EachForward),
            Some(MergeMode::Merge) => return Some(Gathering::AllThatCome),
            Some(MergeMode::Stream | MergeMode::Race | MergeMode::Cascade) => return None,
            None => {}
        }
        if let NodeKind::Parallel = node.kind {
            return Some(Gathering::Each);
        } else if let NodeKind::Inclusive = node.kind {
            return Some(Gathering::Inclusive);
        } else if let NodeKind::Complex { .. } = node.kind {
            return Some(Gathering::Activation);
        }
    }
    (node.start_quantity > 1).then_some(Gathering::Quantity(node.start_quantity))
}

/// A token has come to a node. True if it does not begin there: it waits, or is absorbed, or others went in its place.
pub(super) fn holds_back(turn: &mut Turn<'_>, token: Number, node: NodeIx, flow: Option<FlowIx>) -> bool {
    let target = turn.process.node(node);
    if (target.incoming.len() <= 1 && target.start_quantity <= 1) || turn.is_inner(token) {
        return false;
    }
    let came_by = flow.or(turn.token(token).flow).filter(|flow| turn.process.flow(*flow).target == node);
    if turn.token(token).marks.contains(&node) {
        turn.emit_on(token, node, came_by, EventKind::TokenMoved);
        turn.gone(token, EventKind::TokenAbsorbed);
        return true;
    }
    if let (Some(MergeMode::Stream | MergeMode::Race), true) = (target.merge, target.incoming.len() > 1) {
        // One that has begun here before, and does so again, belongs to an earlier wave.
        if came_by.is_some() {
            first_of_wave(turn, token, node);
        }
        return false;
    }
    let Some(gathering) = gathering(turn, node) else { return false };
    // A token that was put here by hand, or made of those that had arrived, belongs to no flow: it does not wait.
    let is_joined = turn.token(token).parent.is_some();
    if came_by.is_none() && (is_joined || !matches!(gathering, Gathering::Quantity(_))) {
        return false;
    }
    gather(turn, token, node, came_by, gathering)
}

fn gather(
    turn: &mut Turn<'_>,
    token: Number,
    node: NodeIx,
    flow: Option<FlowIx>,
    gathering: Gathering,
) -> bool {
    let scope = turn.token(token).scope;
    match gathering {
        Gathering::Activation | Gathering::Reset => {
            complex::arrive(turn, token, node, flow);
            return true;
        }
        Gathering::EachForward if flow.is_some_and(|flow| turn.process.is_back(flow)) => return false,
        Gathering::Each | Gathering::EachForward => {}
        Gathering::Quantity(quantity) => {
            turn.emit_on(token, node, flow, EventKind::TokenWaiting);
            let arrived: Vec<Number> =
                turn.instance.arrivals(scope, node).map(|(_, token)| token).take(quantity as usize).collect();
            if arrived.len() == quantity as usize {
                fire(turn, scope, node, &arrived);
            }
            return true;
        }
        Gathering::Inclusive | Gathering::AllThatCome => {
            turn.emit_on(token, node, flow, EventKind::TokenWaiting);
            return true;
        }
    }
    turn.emit_on(token, node, flow, EventKind::TokenWaiting);
    let needed = || needed_flows(turn, node, gathering);
    let count = needed().count();
    if turn.instance.arrivals(scope, node).take(count).count() < count {
        return true;
    }
    let arrived = needed().map(|flow| turn.instance.first_arrival(scope, node, flow));
    if let Some(arrived) = arrived.collect::<Option<Vec<Number>>>() {
        fire(turn, scope, node, &arrived);
    }
    true
}

/// The flows on which a join needs a token.
pub(crate) fn needed_flows<'a>(
    turn: &Turn<'a>,
    node: NodeIx,
    gathering: Gathering,
) -> impl Iterator<Item = FlowIx> + use<'a> {
    let process = turn.process;
    let incoming = process.node(node).incoming.iter().copied();
    incoming.filter(move |flow| gathering != Gathering::EachForward || !process.is_back(*flow))
}

/// The arrived tokens become one, and it begins.
pub(crate) fn fire(turn: &mut Turn<'_>, scope: Number, node: NodeIx, arrived: &[Number]) {
    let (joined, agree) = become_one(turn, scope, node, arrived);
    for &token in arrived {
        turn.gone(token, EventKind::TokenCompleted);
    }
    // Somebody may have said so during a pause: then it begins afterwards.
    if agree && turn.instance.status != Status::Paused {
        nodes::begin(turn, joined, node, None);
    }
}

/// A token for all that have arrived, that does not go by itself; and whether their branches agree on its variables.
pub(super) fn become_one(
    turn: &mut Turn<'_>,
    scope: Number,
    node: NodeIx,
    arrived: &[Number],
) -> (Number, bool) {
    let joined = turn.next_number();
    let (branch, endings) = branch::ending(turn, arrived);
    let (parent, mode) = (Some(arrived[0]), turn.token(arrived[0]).mode);
    let born = Born { scope, parent, group: None, joins: arrived.to_vec(), mode, branch };
    turn.emit_on(joined, node, None, EventKind::TokenCreated(born));
    (joined, branch::merge(turn, joined, &endings))
}

/// What waits at the join goes on, although flows are missing: a person has said so.
pub(crate) fn fire_with_what_has_arrived(turn: &mut Turn<'_>, token: Number) {
    let (scope, node, flow) = (turn.token(token).scope, turn.token(token).node, turn.token(token).flow);
    turn.emit_on(token, node, flow, EventKind::TokenWaiting);
    let mut arrived: Vec<(Option<FlowIx>, Number)> = turn.instance.arrivals(scope, node).collect();
    if !matches!(gathering(turn, node), Some(Gathering::Quantity(_))) {
        arrived.dedup_by_key(|(flow, _)| *flow);
    }
    let arrived: Vec<Number> = arrived.into_iter().map(|(_, token)| token).collect();
    fire(turn, scope, node, &arrived);
}

/// The first token of a wave runs the node: the others are marked, or taken away.
fn first_of_wave(turn: &mut Turn<'_>, token: Number, node: NodeIx) {
    let scope = turn.token(token).scope;
    if turn.process.node(node).merge == Some(MergeMode::Race) {
        for other in upstream(turn, scope, node, token) {
            if turn.lives(other) {
                turn.terminate(other);
            }
        }
    } else {
        for other in upstream(turn, scope, node, token) {
            turn.emit_on(other, node, None, EventKind::TokenMarked);
        }
    }
}

/// Live tokens of the scope that can come to the node along forward flows without passing it.
fn upstream(turn: &Turn<'_>, scope: Number, node: NodeIx, first: Number) -> Vec<Number> {
    let on_the_way: Vec<(Number, NodeIx, Option<FlowIx>)> = turn.on_the_way().collect();
    let heads_for = |token: Number| on_the_way.iter().find(|(moving, _, _)| *moving == token);
    let can_come = |token: &Number| {
        let is_used = turn.token(*token).is_used();
        if *token == first || is_used || turn.token(*token).mode != Mode::Forward {
            return false;
        }
        match heads_for(*token) {
            Some((_, target, flow)) if *target == node => {
                !flow.or(turn.token(*token).flow).is_some_and(|flow| turn.process.is_back(flow))
            }
            Some((_, target, _)) => turn.process.reaches_forward(*target, node),
            None if turn.token(*token).node == node => {
                turn.token(*token).stands_before_its_node(turn.instance)
            }
            None => turn.process.reaches_forward(turn.token(*token).node, node),
        }
    };
    turn.instance.members(scope).filter(can_come).collect()
}

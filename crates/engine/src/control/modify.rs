//! Modification: tokens are added and taken away, all or nothing.

use tyer_model::{NodeIx, Process};

use crate::nodes::{activity, compensation, repeat, sub_process};
use crate::words::*;

/// Every node and token must be there, and it must be clear where a token goes.
pub(crate) fn accept(
    process: &Process,
    instance: &Instance,
    modification: &Modification,
) -> Result<(), Rejection> {
    for placement in &modification.add {
        let node = process
            .find_node(&placement.node)
            .ok_or_else(|| Rejection::NodeUnknown { node: placement.node.clone() })?;
        let refused = |reason: &str| Rejection::ModificationRefused {
            node: placement.node.clone(),
            reason: reason.to_owned(),
        };
        use tyer_model::NodeKind::{Boundary, Start};
        if matches!(process.node(node).kind, Start(_) | Boundary(_)) {
            return Err(refused(
                "a token cannot be put before a start or boundary event: name the node behind it",
            ));
        }
        let mut around = process.node(node).parent;
        while let Some(parent) = around {
            if bodies(instance, parent).count() > 1 {
                let reason = format!(
                    "`{}` is under way more than once: it is not clear in which",
                    process.node(parent).id
                );
                return Err(refused(&reason));
            }
            if process.node(parent).repeat.is_some() && bodies(instance, parent).next().is_none() {
                return Err(refused("a repeated sub-process is begun as a whole"));
            }
            around = process.node(parent).parent;
        }
    }
    let tokens =
        modification.cancel.iter().copied().chain(modification.add.iter().filter_map(|add| add.instead_of));
    for token in tokens {
        if !instance.tokens.contains_key(&token) {
            return Err(Rejection::TokenUnknown { instance: instance.id, token });
        }
    }
    Ok(())
}

pub(crate) fn apply(turn: &mut Turn<'_>, modification: Modification) {
    let mut taken = modification.cancel;
    for placement in modification.add {
        let node = turn.process.find_node(&placement.node).expect("accept has found the node");
        let scope = scope_for(turn, turn.process.node(node).parent);
        turn.write(scope, placement.variables);
        turn.spawn_in(scope, node, Mode::Forward);
        taken.extend(placement.instead_of);
    }
    for token in taken {
        if turn.lives(token) {
            let scope = turn.token(token).scope;
            turn.terminate(token);
            take_away_if_empty(turn, scope);
        }
    }
    if turn.instance.members(ROOT).next().is_none() {
        turn.end_instance(EventKind::WorkflowCancelled {
            reason: Some("its last token was taken away".to_owned()),
        });
    }
}

/// A scope whose last token was taken away goes with the token that opened it, and so on outwards: it is not completed.
fn take_away_if_empty(turn: &mut Turn<'_>, mut scope: Number) {
    while scope != ROOT && turn.instance.members(scope).next().is_none() {
        let Scope { owner, kind, .. } = turn.instance.scopes[&scope];
        let owner = owner.expect("every scope but the root has an owner");
        if let ScopeKind::Undo { record } = kind {
            return compensation::leave_as_it_is(turn, owner, record);
        }
        if repeat::round_taken_away(turn, owner, scope) {
            return;
        }
        scope = turn.token(owner).scope;
        turn.terminate(owner);
    }
}

/// The scope of a sub-process that is under way, or of one that is opened for this.
fn scope_for(turn: &mut Turn<'_>, around: Option<NodeIx>) -> Number {
    let Some(node) = around else { return ROOT };
    if let Some(scope) = bodies(turn.instance, node).next() {
        return scope;
    }
    let outer = scope_for(turn, turn.process.node(node).parent);
    let token = turn.create_in(outer, node, Mode::Forward);
    turn.emit_on(token, node, None, EventKind::NodeStarted);
    activity::arm_boundary(turn, token);
    sub_process::open(turn, token).unwrap_or(outer)
}

fn bodies(instance: &Instance, node: NodeIx) -> impl Iterator<Item = Number> {
    let is_body = move |scope: &Scope| scope.node == Some(node) && scope.kind == ScopeKind::Body;
    instance.scopes.iter().filter(move |(_, scope)| is_body(scope)).map(|(number, _)| *number)
}

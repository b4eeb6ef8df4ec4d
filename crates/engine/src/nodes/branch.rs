//! Branches of a fork that have variables of their own (`tyer:branchScope`), until they join.
//!
//! **Invariant:** the variables of a branch live exactly as long as a token, or a branch inside, is in it.

use std::sync::Arc;

use serde_json::value::RawValue;
use tyer_map::Map;
use tyer_model::{BranchMerge, NodeIx};

use crate::variables;
use crate::words::*;

/// The token that came out of this fork gets variables of its own.
pub(crate) fn open(turn: &mut Turn<'_>, token: Number, fork: NodeIx) {
    let (scope, born) = (turn.next_number(), turn.token(token));
    let parent = born.branch.unwrap_or(born.scope);
    turn.emit_of(Some(token), fork, EventKind::ScopeOpened { scope, parent, kind: ScopeKind::Branch });
}

/// A token of this branch has ended: it may have been the last.
pub(crate) fn close(turn: &mut Turn<'_>, mut branch: Option<Number>) {
    while let Some(scope) = branch.filter(|scope| !turn.instance.is_inhabited(*scope)) {
        let here = &turn.instance.scopes[&scope];
        let (parent, node) = (here.parent, here.node.expect("a branch comes out of a node"));
        turn.emit_of(None, node, EventKind::ScopeClosed { scope, records: None });
        branch = Some(parent).filter(|parent| is_branch(turn, *parent));
    }
}

/// Tokens come together: the branch in which they go on as one, and what the branches that end here have.
pub(super) fn ending(turn: &Turn<'_>, arrived: &[Number]) -> (Option<Number>, Vec<Ending>) {
    let chains: Vec<Vec<Number>> = arrived.iter().map(|token| chain(turn, *token)).collect();
    let [first, others @ ..] = &chains[..] else { return (None, Vec::new()) };
    let goes_on = |branch: &Number| match others {
        [] => !is_born_in(turn, arrived[0], *branch),
        others => others.iter().all(|chain| chain.contains(branch)),
    };
    let stays = first.iter().copied().find(goes_on);
    let mut endings: Map<Number, Ending> = Map::new();
    for chain in &chains {
        let own: Vec<Number> = chain.iter().copied().take_while(|branch| Some(*branch) != stays).collect();
        let Some(outermost) = own.last() else { continue };
        let ending = endings.entry(*outermost);
        let has = &mut ending.or_insert(Ending { branch: *outermost, has: Variables::default() }).has;
        for branch in own.iter().rev() {
            has.merge(&turn.instance.scopes[branch].variables);
        }
    }
    (stays, endings.into_values().collect())
}

/// A branch that ends at a join. They are in the order of their fork's flows.
pub(super) struct Ending {
    branch: Number,
    has: Variables,
}

/// The token made of those that came together takes on what their branches have. False if they contradict each other.
pub(super) fn merge(turn: &mut Turn<'_>, joined: Number, endings: &[Ending]) -> bool {
    let Some(first) = endings.first() else { return true };
    let fork = turn.instance.scopes[&first.branch].node.expect("a branch comes out of a node");
    let how = turn.process.node(fork).branch_scope.unwrap_or(BranchMerge::Overwrite);
    let (mut merged, mut twice) = (Variables::default(), Vec::new());
    for (name, values) in by_name(endings) {
        match (how, &values[..]) {
            (BranchMerge::Collect, [_, _, ..]) => {
                let all: Vec<&str> = values.iter().map(|value| value.get()).collect();
                merged.insert(name, variables::raw(format!("[{}]", all.join(","))));
            }
            (BranchMerge::Strict, [_, _, ..]) => twice.push(format!("`{name}`")),
            (_, [.., last]) => merged.insert(name, Arc::clone(last)),
            (_, []) => {}
        }
    }
    let outside = turn.token(joined).branch.unwrap_or(turn.token(joined).scope);
    turn.write(outside, merged);
    if twice.is_empty() {
        return true;
    }
    let message = format!(
        "several branches of `{}` have set {}: set what is right, and resolve",
        turn.process.node(fork).id,
        twice.join(", ")
    );
    turn.open_incident(Some(joined), IncidentKind::Validation, message);
    false
}

/// For each name the values that branches have given it.
fn by_name(endings: &[Ending]) -> Map<Arc<str>, Vec<Arc<RawValue>>> {
    let mut names: Map<Arc<str>, Vec<Arc<RawValue>>> = Map::new();
    for (name, value) in endings.iter().flat_map(|ending| ending.has.entries()) {
        names.entry(Arc::clone(name)).or_default().push(Arc::clone(value));
    }
    names
}

/// Is it the token that the fork of this branch has made, or one that others of the branch have joined to?
fn is_born_in(turn: &Turn<'_>, token: Number, branch: Number) -> bool {
    let here = turn.token(token);
    here.branch == Some(branch)
        && (here.group.is_none() || turn.instance.scopes[&branch].owner == Some(token))
}

/// The branches around a token, the nearest first.
fn chain(turn: &Turn<'_>, token: Number) -> Vec<Number> {
    let next =
        |scope: &Number| Some(turn.instance.scopes[scope].parent).filter(|parent| is_branch(turn, *parent));
    std::iter::successors(turn.token(token).branch, next).collect()
}

fn is_branch(turn: &Turn<'_>, scope: Number) -> bool {
    turn.instance.scopes[&scope].kind == ScopeKind::Branch
}

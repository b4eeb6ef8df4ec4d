//! The engine's events as the recorder tells them: activities that begin, and are completed or canceled.
//!
//! **Invariant:** every arrival at a join is an activity of its own there, and the token that comes of them is none.

use std::collections::{BTreeMap, BTreeSet};

use tyer_engine::{Event, EventKind, Number, ScopeKind};
use tyer_model::{NodeIx, Process};

use super::model::Model;

/// What has begun in one instance, and how it ended.
#[derive(Default)]
pub(super) struct Activities {
    open: BTreeMap<Number, Open>,
    joined: BTreeSet<Number>,
    ended: BTreeMap<String, u32>,
}

struct Open {
    node: NodeIx,
    /// It stands for all rounds of a repeated activity.
    is_rounds: bool,
}

impl Activities {
    pub(super) fn apply(&mut self, process: &Process, model: &Model, event: &Event) {
        let Some(token) = event.token else { return };
        match &event.kind {
            EventKind::TokenCreated(born) if !born.joins.is_empty() => {
                self.joined.insert(token);
            }
            EventKind::NodeStarted if self.joined.remove(&token) => {}
            EventKind::NodeStarted | EventKind::TokenWaiting => {
                let node = event.node.expect("a token is at a node");
                self.open.insert(token, Open { node, is_rounds: false });
            }
            EventKind::ScopeOpened { kind: ScopeKind::Rounds { .. }, .. } => {
                if let Some(open) = self.open.get_mut(&token) {
                    open.is_rounds = true;
                }
            }
            EventKind::NodeCompleted | EventKind::TokenCompleted => {
                self.end(token, process, model, "completed");
            }
            EventKind::TokenTerminated => self.end(token, process, model, "canceled"),
            _ => {}
        }
    }

    fn end(&mut self, token: Number, process: &Process, model: &Model, outcome: &str) {
        let Some(open) = self.open.remove(&token).filter(|open| !open.is_rounds) else { return };
        let id = &process.node(open.node).id;
        let kind = model.kind(id);
        // The recorder tells these as canceled whatever became of them.
        let always = matches!(kind, "eventBasedGateway" | "cancelEndEvent");
        let outcome = if always { "canceled" } else { outcome };
        *self.ended.entry(format!("{id}#{kind}#{outcome}")).or_default() += 1;
    }

    /// `id#type#outcome` and how often.
    pub(super) fn history(&self, process: &Process, model: &Model) -> BTreeMap<String, u32> {
        let mut history = self.ended.clone();
        for open in self.open.values().filter(|open| !open.is_rounds) {
            let id = &process.node(open.node).id;
            *history.entry(format!("{id}#{}#active", model.kind(id))).or_default() += 1;
        }
        history
    }
}

/// Nodes at which an instance stands, with no other activity inside of them: a token that carries a compensation stands
/// there beside what it undoes.
pub(super) fn leaves(process: &Process, instance: &tyer_engine::Instance) -> Vec<String> {
    let has_inner = |scope: Number| {
        let holds = instance.scopes.values().any(|inner| inner.parent == scope && inner.holds_tokens());
        holds || instance.members(scope).next().is_some()
    };
    let is_leaf = |owns: Option<Number>| {
        owns.is_none_or(|scope| match instance.scopes[&scope].kind {
            ScopeKind::Undo { .. } | ScopeKind::Local | ScopeKind::Branch => true,
            ScopeKind::Body | ScopeKind::Rounds { .. } | ScopeKind::Round { .. } => !has_inner(scope),
        })
    };
    let tokens = instance.tokens.values().filter(|token| is_leaf(token.owns));
    let mut ids: Vec<String> = tokens.map(|token| process.node(token.node).id.clone()).collect();
    ids.sort();
    ids
}

//! The drawing hand: where it is, what it may still spend, and the names it gives.
//!
//! **Invariant:** a block spends at most the budget that it was given.

use super::palette::{Feature, Options};
use crate::blueprint::{Blueprint, Condition, FlowId, Kind, Node, NodeId, Outcome, Value};
use crate::random::Random;

/// A part with one way in and one way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) entry: NodeId,
    pub(super) exit: NodeId,
}

impl Piece {
    pub(super) fn of(node: NodeId) -> Piece {
        Piece { entry: node, exit: node }
    }
}

pub(super) struct Builder<'options> {
    pub(super) blueprint: Blueprint,
    pub(super) random: Random,
    pub(super) options: &'options Options,
    /// The container that is being drawn in.
    pub(super) within: Option<NodeId>,
    /// Other tokens of this scope wait for the one whose path is being drawn: it may not end early.
    pub(super) is_forked: bool,
    /// Nothing drawn here is thrown outward: who would catch it is nobody's business but its own.
    pub(super) keeps_quiet: bool,
}

impl<'options> Builder<'options> {
    pub(super) fn new(id: &str, random: Random, options: &'options Options) -> Builder<'options> {
        let blueprint = Blueprint::new(id);
        Builder { blueprint, random, options, within: None, is_forked: false, keeps_quiet: false }
    }

    pub(super) fn finish(self) -> Blueprint {
        self.blueprint
    }

    /// The feature is on the palette, and chance wants it now.
    pub(super) fn chance_of(&mut self, feature: Feature, percent: usize) -> bool {
        self.options.has(feature) && self.random.chance(percent)
    }

    /// A node in the current container, named after what it is.
    pub(super) fn node(&mut self, name: &str, kind: Kind) -> NodeId {
        let id = format!("{name}_{}", self.blueprint.nodes.len() + 1);
        self.blueprint.add(Node { within: self.within, ..Node::new(id, kind) })
    }

    pub(super) fn connect(&mut self, from: NodeId, to: NodeId) -> FlowId {
        self.blueprint.connect(from, to)
    }

    pub(super) fn connect_if(&mut self, from: NodeId, to: NodeId, condition: Condition) {
        let flow = self.connect(from, to);
        self.blueprint[flow].condition = Some(condition);
    }

    pub(super) fn connect_else(&mut self, from: NodeId, to: NodeId) {
        let flow = self.connect(from, to);
        self.blueprint[flow].is_default = true;
    }

    /// Draws inside the container, and comes back.
    pub(super) fn inside<T>(&mut self, container: NodeId, draw: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.within, self.is_forked);
        (self.within, self.is_forked) = (Some(container), false);
        let drawn = draw(self);
        (self.within, self.is_forked) = outer;
        drawn
    }

    /// Draws a branch of a fork, and comes back.
    pub(super) fn forked<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_forked, true);
        let drawn = draw(self);
        self.is_forked = outer;
        drawn
    }

    /// A variable of its own, with this value at the start.
    pub(super) fn own_variable(&mut self, name: &str, value: Value) -> String {
        let name = format!("{name}_{}", self.blueprint.variables.len() + 1);
        self.blueprint.variables.insert(name.clone(), value);
        name
    }

    /// A condition on a variable that jobs write too.
    pub(super) fn condition(&mut self) -> Condition {
        if self.random.chance(60) {
            let name = self.shared_variable(true);
            if self.random.chance(70) { Condition::Holds(name) } else { Condition::Fails(name) }
        } else {
            let name = self.shared_variable(false);
            let limit = self.random.between(1, 3) as i64;
            if self.random.chance(50) {
                Condition::AtLeast(name, limit)
            } else {
                Condition::Below(name, limit)
            }
        }
    }

    /// What a job may write: some of what conditions read.
    pub(super) fn outcomes(&mut self) -> Vec<Outcome> {
        let count = self.random.below(3);
        (0..count).map(|_| self.outcome()).collect()
    }

    /// An outcome that leaves a loop when the driver wants it to.
    pub(super) fn deciding_outcome(&mut self, name: &str, before: bool, exit: bool) -> (String, Outcome) {
        let variable = self.own_variable(name, Value::Flag(before));
        let values = vec![Value::Flag(true), Value::Flag(false)];
        (variable.clone(), Outcome { variable, values, exit: Some(Value::Flag(exit)) })
    }

    fn outcome(&mut self) -> Outcome {
        let is_flag = self.random.chance(60);
        let variable = self.shared_variable(is_flag);
        let values = if is_flag {
            vec![Value::Flag(true), Value::Flag(false)]
        } else {
            (0..4).map(Value::Number).collect()
        };
        Outcome { variable, values, exit: None }
    }

    fn shared_variable(&mut self, is_flag: bool) -> String {
        let prefix = if is_flag { "flag" } else { "number" };
        let known: Vec<String> =
            self.blueprint.variables.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
        if known.len() >= 4 || (!known.is_empty() && self.random.chance(60)) {
            return self.random.pick(&known).clone();
        }
        let value = if is_flag {
            Value::Flag(self.random.chance(50))
        } else {
            Value::Number(self.random.below(4) as i64)
        };
        self.own_variable(prefix, value)
    }

    /// Divides a budget into parts of at least one each.
    pub(super) fn parts(&mut self, budget: usize, count: usize) -> Vec<usize> {
        let mut parts = vec![1; count];
        for _ in count..budget.max(count) {
            let part = self.random.below(count);
            parts[part] += 1;
        }
        parts
    }
}

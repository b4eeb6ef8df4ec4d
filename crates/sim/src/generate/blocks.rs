//! Blocks of gateways: choices, forks, loops, races for an event.
//!
//! **Invariant:** every branch of a block ends at its closing node, in its end event, or its whole scope ends.

use super::builder::{Builder, Piece};
use super::palette::Feature;
use crate::blueprint::{Condition, Gateway, Kind, MergeMode, NodeId, Outcome, Task, Throw, Trigger};

impl Builder<'_> {
    /// Blocks one after the other.
    pub(super) fn sequence(&mut self, budget: usize, depth: usize) -> Piece {
        let budget = budget.max(1);
        let most = budget.min(if depth == self.options.most_depth { 6 } else { 3 });
        let count = self.random.between(1, most);
        let parts = self.parts(budget, count);
        let mut whole: Option<Piece> = None;
        for part in parts {
            let next = self.block(part, depth);
            whole = Some(match whole {
                None => next,
                Some(before) => {
                    self.connect(before.exit, next.entry);
                    Piece { entry: before.entry, exit: next.exit }
                }
            });
        }
        whole.expect("a sequence has at least one block")
    }

    fn block(&mut self, budget: usize, depth: usize) -> Piece {
        if depth == 0 || budget < 4 || self.random.chance(15) {
            return self.step(budget);
        }
        let mut choices: Vec<(Feature, usize)> = vec![
            (Feature::Exclusive, 4),
            (Feature::Parallel, 4),
            (Feature::Inclusive, 4),
            (Feature::Complex, 5),
            (Feature::EventBased, 6),
            (Feature::Loops, 4),
            (Feature::Embedded, 4),
            (Feature::Embedded, 4),
            (Feature::Transaction, 9),
            (Feature::AdHoc, 4),
            (Feature::Compensation, 4),
            (Feature::Link, 4),
            (Feature::Error, 6),
            (Feature::Escalation, 6),
            (Feature::Terminate, 4),
        ];
        choices.retain(|(feature, least)| self.options.has(*feature) && budget >= *least);
        if choices.is_empty() {
            return self.step(budget);
        }
        let chosen = self.random.pick(&choices).0;
        self.composite(chosen, budget, depth - 1)
    }

    fn composite(&mut self, chosen: Feature, budget: usize, depth: usize) -> Piece {
        if chosen == Feature::Exclusive {
            self.exclusive(budget, depth)
        } else if chosen == Feature::Parallel {
            self.parallel(budget, depth)
        } else if chosen == Feature::Inclusive {
            self.inclusive(budget, depth)
        } else if chosen == Feature::Complex {
            self.complex(budget, depth)
        } else if chosen == Feature::EventBased {
            self.event_based(budget, depth)
        } else if chosen == Feature::Loops {
            self.repeated(budget, depth)
        } else if chosen == Feature::Transaction {
            self.transaction(budget, depth)
        } else if chosen == Feature::AdHoc {
            self.ad_hoc(budget)
        } else if chosen == Feature::Compensation {
            self.undone(budget)
        } else if chosen == Feature::Link {
            self.linked(budget, depth)
        } else if chosen == Feature::Error || chosen == Feature::Escalation {
            self.thrown_outward(chosen, budget, depth)
        } else if chosen == Feature::Terminate {
            self.cut_short(budget, depth)
        } else {
            self.embedded(budget, depth)
        }
    }

    fn exclusive(&mut self, budget: usize, depth: usize) -> Piece {
        let split = self.splitting_node(Gateway::Exclusive);
        let branches = self.branches(budget - 2, depth);
        let join = self.closing_node();
        let is_open = self.options.may_be_unsound && self.random.chance(3);
        self.blueprint.is_sound &= !is_open;
        let default = if is_open { usize::MAX } else { self.random.below(branches.len()) };
        self.wire_choice(split, &branches, join, default);
        Piece { entry: split, exit: join }
    }

    fn inclusive(&mut self, budget: usize, depth: usize) -> Piece {
        let may_split_itself = self.chance_of(Feature::ConditionalActivity, 20);
        let split = if may_split_itself {
            self.node("choose", Kind::Task(Task::None))
        } else {
            self.node("any", Kind::Gateway(Gateway::Inclusive))
        };
        let branches = self.forked(|builder| builder.branches(budget - 2, depth));
        let join = if self.chance_of(Feature::MergeModes, 25) {
            let mode = *self.random.pick(&[MergeMode::Merge, MergeMode::Stream, MergeMode::Race]);
            self.merging_node(mode)
        } else {
            self.node("any_join", Kind::Gateway(Gateway::Inclusive))
        };
        let default = self.random.below(branches.len());
        self.wire_choice(split, &branches, join, default);
        Piece { entry: split, exit: join }
    }

    fn parallel(&mut self, budget: usize, depth: usize) -> Piece {
        let fork = if self.random.chance(25) {
            self.node("spread", Kind::Task(Task::None))
        } else {
            self.node("fork", Kind::Gateway(Gateway::Parallel))
        };
        let branches = self.forked(|builder| builder.branches(budget - 2, depth));
        let modes = [MergeMode::Converge, MergeMode::Merge, MergeMode::Stream, MergeMode::Race];
        let join = if self.chance_of(Feature::MergeModes, 35) {
            let mode = *self.random.pick(&modes);
            self.merging_node(mode)
        } else {
            self.node("join", Kind::Gateway(Gateway::Parallel))
        };
        for branch in branches {
            self.wire(fork, branch, join);
        }
        Piece { entry: fork, exit: join }
    }

    fn complex(&mut self, budget: usize, depth: usize) -> Piece {
        let fork = self.node("fork", Kind::Gateway(Gateway::Parallel));
        let branches = self.forked(|builder| builder.branches(budget - 2, depth));
        let needed = self.random.between(1, branches.len()) as u32;
        let join = self.node("some_join", Kind::Gateway(Gateway::Complex(needed)));
        for branch in branches {
            self.wire(fork, branch, join);
        }
        Piece { entry: fork, exit: join }
    }

    /// A gateway that waits, two or three events after it, and what follows each of them.
    fn event_based(&mut self, budget: usize, depth: usize) -> Piece {
        let gateway = self.node("wait", Kind::Gateway(Gateway::EventBased { instantiates: false }));
        let count = self.random.between(2, 3.min((budget - 2) / 2).max(2));
        let parts = self.parts(budget - 2 - count, count);
        let mut exits = Vec::new();
        for part in parts {
            let event = self.waiting_event();
            self.connect(gateway, event);
            let has_more = budget >= 2 + 2 * count && self.random.chance(60);
            exits.push(if has_more {
                let after = self.sequence(part, depth);
                self.connect(event, after.entry);
                after.exit
            } else {
                event
            });
        }
        self.receive_by_events(gateway);
        let join = self.closing_node();
        for exit in exits {
            self.connect(exit, join);
        }
        Piece { entry: gateway, exit: join }
    }

    /// BPMN 2.0.2 §10.6.6: message events and receive tasks do not stand after the same gateway.
    fn receive_by_events(&mut self, gateway: NodeId) {
        let after: Vec<NodeId> =
            self.blueprint.outgoing(gateway).map(|flow| self.blueprint[flow].to).collect();
        if after.iter().all(|node| matches!(self.blueprint[*node].kind, Kind::Task(_))) {
            return;
        }
        for node in after {
            if matches!(self.blueprint[node].kind, Kind::Task(_)) {
                let name = self.blueprint[node].id.clone();
                self.blueprint[node].kind = Kind::Catch(Trigger::Message(name));
            }
        }
    }

    /// A loop that is left when a job says so.
    fn repeated(&mut self, budget: usize, depth: usize) -> Piece {
        let header = self.closing_node();
        let decide = self.worked_task("decide");
        let (variable, outcome) = self.deciding_outcome("again", true, false);
        self.blueprint[decide].results.push(outcome);
        let split = self.node("until", Kind::Gateway(Gateway::Exclusive));
        if budget > 4 && self.random.chance(75) {
            let body = self.sequence(budget - 4, depth);
            self.connect(header, body.entry);
            self.connect(body.exit, decide);
        } else {
            self.connect(header, decide);
        }
        self.connect(decide, split);
        self.connect_if(split, header, Condition::Holds(variable));
        let exit = self.pass_by_default(split);
        Piece { entry: header, exit }
    }

    /// A branch that ends everything in its scope, beside one that goes on.
    fn cut_short(&mut self, budget: usize, depth: usize) -> Piece {
        let split = self.node("stop", Kind::Gateway(Gateway::Exclusive));
        let end = self.node("end_all", Kind::End(Throw::Terminate));
        let rest = self.sequence(budget - 2, depth);
        let condition = self.condition();
        self.connect_if(split, end, condition);
        self.connect_else(split, rest.entry);
        Piece { entry: split, exit: rest.exit }
    }

    fn linked(&mut self, budget: usize, depth: usize) -> Piece {
        let before = self.sequence(budget - 2, depth);
        let name = format!("link_{}", self.blueprint.nodes.len() + 1);
        let throw = self.node("leap", Kind::Throw(Throw::Link(name.clone())));
        let catch = self.node("land", Kind::Catch(Trigger::Link(name)));
        self.connect(before.exit, throw);
        Piece { entry: before.entry, exit: catch }
    }

    /// Two or three ways; `None` is a way without nodes.
    fn branches(&mut self, budget: usize, depth: usize) -> Vec<Option<Piece>> {
        let count = self.random.between(2, 3.min(budget.max(2)));
        let parts = self.parts(budget, count);
        let mut is_empty_taken = false;
        let mut spent = 0;
        let mut branches = Vec::new();
        for part in parts {
            let is_empty = spent + part > budget || (!is_empty_taken && self.random.chance(15));
            is_empty_taken |= is_empty;
            spent += part;
            branches.push(if is_empty { None } else { Some(self.sequence(part, depth)) });
        }
        branches
    }

    fn wire(&mut self, split: NodeId, branch: Option<Piece>, join: NodeId) {
        match branch {
            Some(piece) => {
                self.connect(split, piece.entry);
                self.connect(piece.exit, join);
            }
            None => {
                self.connect(split, join);
            }
        }
    }

    fn wire_choice(&mut self, split: NodeId, branches: &[Option<Piece>], join: NodeId, default: usize) {
        for (index, branch) in branches.iter().enumerate() {
            let first = branch.map_or(join, |piece| piece.entry);
            if index == default {
                self.connect_else(split, first);
            } else {
                let condition = self.condition();
                self.connect_if(split, first, condition);
            }
            if let Some(piece) = branch {
                self.connect(piece.exit, join);
            }
        }
    }

    fn splitting_node(&mut self, gateway: Gateway) -> NodeId {
        self.node("choose", Kind::Gateway(gateway))
    }

    /// Where ways come together and every token passes.
    pub(super) fn closing_node(&mut self) -> NodeId {
        let cascades = self.chance_of(Feature::MergeModes, 5);
        let node = if self.options.has(Feature::Exclusive) && self.random.chance(70) {
            self.node("meet", Kind::Gateway(Gateway::Exclusive))
        } else {
            self.node("meet", Kind::Task(Task::None))
        };
        self.blueprint[node].merge = cascades.then_some(MergeMode::Cascade);
        node
    }

    /// A node that is told what to do with several incoming flows.
    pub(super) fn merging_node(&mut self, mode: MergeMode) -> NodeId {
        let is_gateway = self.options.has(Feature::Exclusive) && self.random.chance(40);
        let node = if is_gateway {
            self.node("merge", Kind::Gateway(Gateway::Exclusive))
        } else if self.random.chance(50) {
            self.worked_task("merge")
        } else {
            self.node("merge", Kind::Task(Task::None))
        };
        self.blueprint[node].merge = Some(mode);
        node
    }

    /// A default flow to a node that passes.
    pub(super) fn pass_by_default(&mut self, split: NodeId) -> NodeId {
        let next = self.node("go_on", Kind::Task(Task::None));
        self.connect_else(split, next);
        next
    }

    /// A task that somebody completes with a result.
    pub(super) fn worked_task(&mut self, name: &str) -> NodeId {
        let is_user = !self.options.has(Feature::Service) || self.chance_of(Feature::User, 25);
        let task = if is_user { Task::User } else { Task::Service };
        let node = self.node(name, Kind::Task(task));
        let results: Vec<Outcome> = self.outcomes();
        self.blueprint[node].results = results;
        node
    }
}

//! Graphs that no grammar would draw: nodes in a row, connected forward at random, with ways back.
//!
//! **Invariant:** a way back begins at a choice that directly follows a deciding task, and leads to a node that every
//! path to it has passed: so any search finds the same back edges, and a driver can leave every cycle.
//! **Invariant:** there are at most three forks, so that tokens stay few.

use super::builder::Builder;
use super::palette::{Feature, Options};
use crate::blueprint::{
    Blueprint, Condition, FlowId, Gateway, Kind, MergeMode, NodeId, SubProcess, Task, Throw, Trigger,
};
use crate::random::Random;

const MOST_FORKS: usize = 3;

pub(super) fn unstructured(seed: u64, options: &Options) -> Blueprint {
    let random = Random::new(seed ^ 0x5EED_0F64_7261_7068);
    let mut builder = Builder::new(&format!("graph_{seed}"), random, options);
    builder.blueprint.is_sound = false;
    let start = builder.node("start", Kind::Start { trigger: Trigger::None, interrupts: true });
    let count = builder.random.between(3, options.most_nodes.saturating_sub(6).clamp(3, 18));
    let mut graph = Graph { builder, row: vec![start], forks: 0 };
    for _ in 0..count {
        graph.draw_next();
    }
    graph.close();
    graph.wire_forward();
    graph.merge_modes();
    graph.quantities();
    if graph.builder.chance_of(Feature::EventSubProcess, 8) {
        graph.builder.event_sub_process(6, 1);
    }
    graph.builder.finish()
}

struct Graph<'options> {
    builder: Builder<'options>,
    /// Flows lead from left to right, but for the ways back.
    row: Vec<NodeId>,
    forks: usize,
}

impl Graph<'_> {
    fn draw_next(&mut self) {
        let builder = &mut self.builder;
        let forks_are_left = self.forks < MOST_FORKS;
        let node = if forks_are_left && builder.chance_of(Feature::Parallel, 22) {
            self.forks += 1;
            builder.node("both", Kind::Gateway(Gateway::Parallel))
        } else if forks_are_left && builder.chance_of(Feature::Inclusive, 18) {
            self.forks += 1;
            builder.node("any", Kind::Gateway(Gateway::Inclusive))
        } else if forks_are_left && builder.chance_of(Feature::Complex, 6) {
            self.forks += 1;
            builder.node("some", Kind::Gateway(Gateway::Complex(1)))
        } else if builder.chance_of(Feature::Exclusive, 25) {
            builder.node("choose", Kind::Gateway(Gateway::Exclusive))
        } else if builder.chance_of(Feature::CatchEvents, 10) {
            builder.waiting_event()
        } else if builder.random.chance(20) {
            builder.node("pass", Kind::Task(Task::None))
        } else if builder.chance_of(Feature::Embedded, 8) {
            let container = builder.node("sub", Kind::SubProcess(SubProcess::Embedded));
            builder.inside(container, |builder| builder.body(2, 1));
            container
        } else if builder.random.chance(15) {
            let activity = builder.activity();
            builder.mark(activity);
            activity
        } else {
            builder.worked_task("work")
        };
        self.row.push(node);
    }

    /// One or two ends, the last of the row.
    fn close(&mut self) {
        for _ in 0..self.builder.random.between(1, 2) {
            let end = self.builder.node("end", Kind::End(Throw::None));
            self.row.push(end);
        }
    }

    fn wire_forward(&mut self) {
        let last = self.row.len() - 1;
        // First every node is reached from one before it; then everything that leads nowhere yet leads on.
        for place in 1..=last {
            let from = self.source_before(place);
            self.flow(from, self.row[place]);
        }
        for place in 0..last {
            let node = self.row[place];
            let is_end = matches!(self.builder.blueprint[node].kind, Kind::End(_));
            let wanted = self.wanted_outgoing(node);
            let has = self.builder.blueprint.outgoing(node).count();
            for _ in has..if is_end { 0 } else { wanted } {
                let reach = (last - place).min(5);
                let to = place + 1 + self.builder.random.below(reach);
                self.flow(node, self.row[to]);
            }
        }
        self.ways_back();
        self.attach_boundaries();
        self.conditions();
    }

    /// A node before this place that may have one more way out.
    fn source_before(&mut self, place: usize) -> NodeId {
        let far = place.min(4);
        let open: Vec<NodeId> = self.row[place - far..place]
            .iter()
            .copied()
            .filter(|node| self.may_take_another(*node))
            .collect();
        if open.is_empty() {
            // The start may always spread; nothing in a row is ever out of reach.
            let any = self.row[..place].iter().rev().copied().find(|node| self.may_take_another(*node));
            return any.unwrap_or(self.row[0]);
        }
        *self.builder.random.pick(&open)
    }

    fn may_take_another(&self, node: NodeId) -> bool {
        let blueprint = &self.builder.blueprint;
        match blueprint[node].kind {
            Kind::End(_) => false,
            Kind::Gateway(_) => blueprint.outgoing(node).count() < 3,
            Kind::Task(_)
            | Kind::Call(_)
            | Kind::Start { .. }
            | Kind::Catch(_)
            | Kind::Throw(_)
            | Kind::Boundary { .. }
            | Kind::SubProcess(_) => blueprint.outgoing(node).next().is_none(),
        }
    }

    fn wanted_outgoing(&mut self, node: NodeId) -> usize {
        let is_gateway = matches!(self.builder.blueprint[node].kind, Kind::Gateway(_));
        if is_gateway { self.builder.random.between(1, 3) } else { 1 }
    }

    fn flow(&mut self, from: NodeId, to: NodeId) {
        self.builder.connect(from, to);
    }

    /// A task that decides and a choice, put into a flow; the choice may go back to a node that dominates it.
    fn ways_back(&mut self) {
        if !self.builder.options.has(Feature::Loops) {
            return;
        }
        for _ in 0..self.builder.random.below(3) {
            let blueprint = &self.builder.blueprint;
            let is_outer = |flow: &FlowId| blueprint[blueprint[*flow].from].within.is_none();
            let flows: Vec<FlowId> = blueprint.flow_ids().filter(is_outer).collect();
            let flow = *self.builder.random.pick(&flows);
            let (from, to) = (self.builder.blueprint[flow].from, self.builder.blueprint[flow].to);
            let targets = self.dominators(from);
            if targets.is_empty() {
                continue;
            }
            let target = *self.builder.random.pick(&targets);
            let decide = self.builder.worked_task("decide");
            let (variable, outcome) = self.builder.deciding_outcome("again", true, false);
            self.builder.blueprint[decide].results.push(outcome);
            let split = self.builder.node("until", Kind::Gateway(Gateway::Exclusive));
            self.builder.blueprint[flow].to = decide;
            self.builder.connect(decide, split);
            self.builder.connect_if(split, target, Condition::Holds(variable));
            self.builder.connect_else(split, to);
        }
    }

    /// Nodes that every path from the start to this one passes; events on activities come later and lead forward.
    fn dominators(&self, node: NodeId) -> Vec<NodeId> {
        let blueprint = &self.builder.blueprint;
        let is_target = |other: &NodeId| !matches!(blueprint[*other].kind, Kind::Start { .. } | Kind::End(_));
        let all = blueprint.node_ids().filter(is_target);
        all.filter(|other| *other == node || !self.reaches_without(self.row[0], node, *other)).collect()
    }

    fn reaches_without(&self, from: NodeId, to: NodeId, avoided: NodeId) -> bool {
        let mut seen = vec![from];
        let mut next = 0;
        while let Some(node) = seen.get(next).copied() {
            next += 1;
            if node == to {
                return true;
            }
            for step in self.builder.blueprint.next_nodes(node) {
                if step != avoided && !seen.contains(&step) {
                    seen.push(step);
                }
            }
        }
        false
    }

    /// Events on some tasks; each leads to an end of its own or to a node that its task dominates anyway.
    fn attach_boundaries(&mut self) {
        if !self.builder.options.has(Feature::Boundary) {
            return;
        }
        for node in self.builder.blueprint.node_ids() {
            // A way round a deciding task would be a cycle that nobody can leave.
            let decides = self.builder.blueprint[node].results.iter().any(|outcome| outcome.exit.is_some());
            let is_activity = self.builder.blueprint[node].kind.is_activity();
            let is_inner = self.builder.blueprint[node].within.is_some();
            if decides || is_inner || !is_activity || !self.builder.random.chance(12) {
                continue;
            }
            if let Some((event, interrupts)) = self.builder.boundary_event(node) {
                let next = self.builder.blueprint.outgoing(node).next();
                let next = next.map(|flow| self.builder.blueprint[flow].to);
                match next.filter(|_| interrupts && self.builder.random.chance(60)) {
                    Some(next) => self.flow(event, next),
                    None => {
                        let end = self.builder.node("end", Kind::End(Throw::None));
                        self.flow(event, end);
                    }
                }
            }
        }
    }

    fn conditions(&mut self) {
        for node in self.builder.blueprint.node_ids() {
            let kind = self.builder.blueprint[node].kind.clone();
            let chooses = matches!(kind, Kind::Gateway(Gateway::Exclusive | Gateway::Inclusive));
            let flows: Vec<_> = self.builder.blueprint.outgoing(node).collect();
            let is_decided = flows.iter().any(|flow| self.builder.blueprint[*flow].is_default);
            if !chooses || flows.len() < 2 || is_decided {
                continue;
            }
            let default = self.builder.random.below(flows.len());
            for (place, flow) in flows.into_iter().enumerate() {
                if place == default {
                    self.builder.blueprint[flow].is_default = true;
                } else {
                    self.builder.blueprint[flow].condition = Some(self.builder.condition());
                }
            }
        }
    }

    /// Nodes that take more than one token to start.
    fn quantities(&mut self) {
        for node in self.builder.blueprint.node_ids() {
            let incoming = self.builder.blueprint.incoming(node).count();
            let element = &self.builder.blueprint[node];
            let is_plain = element.merge.is_none() && element.kind.is_activity() && element.within.is_none();
            if element.kind == Kind::Gateway(Gateway::Complex(1)) {
                let needed = self.builder.random.between(1, incoming.max(1)) as u32;
                self.builder.blueprint[node].kind = Kind::Gateway(Gateway::Complex(needed));
            } else if is_plain && incoming > 1 && self.builder.chance_of(Feature::Quantities, 6) {
                self.builder.blueprint[node].start_quantity = 2;
            }
        }
    }

    fn merge_modes(&mut self) {
        let modes =
            [MergeMode::Converge, MergeMode::Merge, MergeMode::Stream, MergeMode::Race, MergeMode::Cascade];
        for node in self.builder.blueprint.node_ids() {
            let is_merging = self.builder.blueprint.incoming(node).count() > 1;
            if is_merging && self.builder.chance_of(Feature::MergeModes, 40) {
                let mode = *self.builder.random.pick(&modes);
                self.builder.blueprint[node].merge = Some(mode);
            }
        }
    }
}

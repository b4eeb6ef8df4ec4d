//! What could be observed next: every transition of the net that is enabled.
//!
//! **Invariant:** everything listed here would be accepted.

use super::marking::{Doom, Marking, Place, ROOT, Scope, Token, Work};
use super::observation::{Observation, Status};
use super::{Game, Oracle};
use crate::blueprint::{FlowId, Gateway, Kind, Marker, MergeMode, NodeId, SubProcess, Task, Throw, Trigger};

/// Who makes it happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// The engine, in the same turn.
    Automatic,
    /// A worker, a person, a message, a clock.
    Outside,
}

impl Oracle {
    /// What may be observed next, as the first of the possible markings sees it.
    pub fn enabled(&self) -> Vec<(Observation, Urgency)> {
        let Some(marking) = self.markings.first() else { return Vec::new() };
        if self.has_ended {
            return Vec::new();
        }
        let mut listed = List { game: self.game(), marking, found: Vec::new() };
        for (number, scope) in &marking.scopes {
            listed.of_scope(*number, scope);
        }
        let is_allowed = |observation: &Observation| {
            let ends = matches!(observation, Observation::Ended { .. });
            if ends { self.can_end().is_ok() } else { matches!(self.after(observation), Some(Ok(_))) }
        };
        let mut found = listed.found;
        found.retain(|(observation, _)| is_allowed(observation));
        found
    }
}

struct List<'oracle> {
    game: Game<'oracle>,
    marking: &'oracle Marking,
    found: Vec<(Observation, Urgency)>,
}

impl List<'_> {
    fn add(&mut self, observation: Observation, urgency: Urgency) {
        if !self.found.iter().any(|(other, _)| *other == observation) {
            self.found.push((observation, urgency));
        }
    }

    fn of_scope(&mut self, number: u32, scope: &Scope) {
        for token in &scope.tokens {
            self.of_token(number, scope, token);
        }
        if !scope.is_stale {
            let inside: Vec<NodeId> = self.game.net.blueprint.event_sub_processes(scope.owner).collect();
            for node in inside {
                let is_owed = scope.owed.iter().any(|owed| owed.catcher == node);
                let urgency = if is_owed { Urgency::Automatic } else { Urgency::Outside };
                self.add(Observation::Triggered { node, scope: number }, urgency);
            }
        }
        let end = match number {
            ROOT => Observation::Ended { status: Status::Completed },
            _ => Observation::ScopeClosed { scope: number },
        };
        if scope.is_finished() {
            self.add(end, Urgency::Automatic);
        }
    }

    fn of_token(&mut self, number: u32, scope: &Scope, token: &Token) {
        if token.doom == Doom::Must
            && let Some((node, _)) = token.work()
        {
            self.add(Observation::Cancelled { node, scope: number }, Urgency::Automatic);
        }
        if !token.lives() {
            return;
        }
        match &token.place {
            Place::Entry(node) => self.start(*node, number, None),
            Place::Flow { flow, has_arrived } => self.of_flow(number, scope, *flow, *has_arrived),
            Place::Active(node, work) => self.of_work(number, scope, *node, work),
        }
    }

    fn of_flow(&mut self, number: u32, scope: &Scope, flow: FlowId, has_arrived: bool) {
        let node = self.game.net.blueprint[flow].to;
        if self.game.net.merge(node) == Some(MergeMode::Stream) {
            self.add(Observation::Absorbed { node, scope: number }, Urgency::Automatic);
        }
        if !has_arrived {
            self.start(node, number, Some(flow));
        }
        if self.game.net.is_join(node) {
            let is_starved = scope.starved.contains(&node);
            let urgency = if is_starved { Urgency::Outside } else { Urgency::Automatic };
            if self.game.net.is_gateway_join(node) {
                self.complete(node, number, urgency);
            } else {
                self.add(Observation::Started { node, scope: number, flow: None }, urgency);
            }
            let fires = self.game.firings(self.marking, number, node).is_ok();
            let is_stuck = self.game.is_starved(scope, node) || (fires && !self.game.can_split(node));
            if !is_starved && is_stuck {
                self.add(Observation::Incident { node, scope: number, is_before: true }, Urgency::Automatic);
            }
        }
    }

    fn of_work(&mut self, number: u32, scope: &Scope, node: NodeId, work: &Work) {
        if work.is_round && work.is_unannounced {
            return self.start(node, number, None);
        }
        let boundaries = self.game.net.blueprint.boundaries(node).filter(|_| !work.is_round);
        for event in boundaries.collect::<Vec<_>>() {
            let trigger = self.game.net.kind(event).trigger();
            if trigger == Some(&Trigger::Compensation) {
                continue;
            }
            let is_owed = scope.owed.iter().any(|owed| owed.catcher == event) || work.is_cancelled;
            let urgency = if is_owed { Urgency::Automatic } else { Urgency::Outside };
            self.add(Observation::Triggered { node: event, scope: number }, urgency);
        }
        if let Some(next) = work.run.as_ref().and_then(|run| run.queue.first()) {
            self.start(*next, number, None);
        }
        let is_container = matches!(self.game.net.kind(node), Kind::SubProcess(_));
        let has_rounds = self.game.net.blueprint[node].marker != Marker::Once && !work.is_round;
        if (is_container || has_rounds) && self.game.may_open(node, work) {
            let scope = self.marking.scopes.keys().max().map_or(1, |last| last + 1);
            self.add(Observation::ScopeOpened { scope, parent: number, node }, Urgency::Automatic);
        }
        self.of_completion(number, scope, node, work);
    }

    fn of_completion(&mut self, number: u32, scope: &Scope, node: NodeId, work: &Work) {
        let kind = self.game.net.kind(node);
        let catches_itself = matches!(kind.throws(), Some(Throw::Error(_))) && !scope.owed.is_empty();
        if kind == &Kind::SubProcess(SubProcess::Event) || catches_itself {
            return;
        }
        let is_plain = self.game.net.blueprint[node].marker == Marker::Once || work.is_round;
        let waits = match kind {
            Kind::Task(Task::None | Task::Manual) => false,
            Kind::Task(_) | Kind::Call(_) | Kind::Catch(_) => is_plain && !work.has_fired,
            Kind::Gateway(Gateway::EventBased { .. }) => true,
            Kind::SubProcess(_)
            | Kind::Gateway(_)
            | Kind::Start { .. }
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::Boundary { .. } => false,
        };
        let waits =
            waits && kind != &Kind::Catch(Trigger::None) && !matches!(kind, Kind::Catch(Trigger::Link(_)));
        if waits && kind.is_job() {
            let code = "error".to_owned();
            if self.game.catcher(self.marking, number, Some(node), &code, false, false).is_some() {
                let thrown = Observation::Thrown { node, scope: number, code, is_escalation: false };
                self.add(thrown, Urgency::Outside);
            }
        }
        self.complete(
            node,
            number,
            if waits || work.is_stuck { Urgency::Outside } else { Urgency::Automatic },
        );
        if matches!(kind, Kind::Gateway(_)) && !self.game.can_split(node) && !work.is_stuck {
            self.add(Observation::Incident { node, scope: number, is_before: false }, Urgency::Automatic);
        }
    }

    fn start(&mut self, node: NodeId, scope: u32, flow: Option<FlowId>) {
        self.add(Observation::Started { node, scope, flow }, Urgency::Automatic);
    }

    /// Every set of flows that the node could choose; a process has at most three ways out of a node.
    fn complete(&mut self, node: NodeId, scope: u32, urgency: Urgency) {
        let is_round = self.marking.scopes[&scope].owner == Some(node);
        let outgoing = if is_round { Vec::new() } else { self.game.net.outgoing(node).to_vec() };
        let quantity = self.game.net.blueprint[node].completion_quantity as usize;
        for choice in 0..1_u32 << outgoing.len().min(8) {
            let chosen = outgoing.iter().enumerate().filter(|(place, _)| choice & (1 << place) != 0);
            let flows: Vec<FlowId> =
                chosen.flat_map(|(_, flow)| std::iter::repeat_n(*flow, quantity)).collect();
            if is_round || self.game.check_flows(node, &flows).is_ok() {
                self.add(Observation::Completed { node, scope, flows }, urgency);
            }
        }
    }
}

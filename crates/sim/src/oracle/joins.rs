//! When a node that waits for others may fire, must fire, or waits in vain.
//!
//! **Invariant:** what must fire may fire, and what is surely starved may be called so.

use super::game::Game;
use super::marking::{Marking, Place, Scope, Token};
use super::net::Along;
use crate::blueprint::{FlowId, Gateway, Kind, MergeMode, NodeId};

/// How a join decides.
enum Rule {
    /// One token from each of these; a token from the others passes alone.
    All { needed: Vec<FlowId>, alone: Vec<FlowId> },
    /// What waits, when nothing else is coming.
    Coming(Coming),
    /// One token from each that has one, when so many have.
    Some(usize),
    /// So many tokens, from whatever flow.
    Quantity(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coming {
    /// BPMN's inclusive gateway: one token from each flow; who can also reach a flow that has one does not count.
    Inclusive,
    /// The merge mode: everybody counts, and everybody who waits is taken.
    Merge,
}

impl Game<'_> {
    /// The sets of tokens that a firing may consume now, by their places.
    pub(super) fn firings(
        &self,
        marking: &Marking,
        number: u32,
        node: NodeId,
    ) -> Result<Vec<Vec<usize>>, String> {
        let scope = marking.scope(number)?;
        let full = self.full(scope, node);
        if full.is_empty() {
            return Err(format!("no token waits at `{}` in scope {number}", self.net.id(node)));
        }
        let regular = self.regular_firings(scope, node, &full);
        if !scope.starved.contains(&node) {
            return regular;
        }
        let mut firings = self.with_what_has_arrived(scope, node, &full);
        match regular {
            Err(why) if firings.is_empty() => return Err(why),
            regular => firings.extend(regular.unwrap_or_default()),
        }
        Ok(firings)
    }

    /// Somebody says that the join need not wait any longer. A token that passes alone is no part of it.
    fn with_what_has_arrived(&self, scope: &Scope, node: NodeId, full: &[FlowId]) -> Vec<Vec<usize>> {
        let counted: Vec<FlowId> = match self.rule(node) {
            Rule::Quantity(_) => return vec![self.all_of(scope, full)],
            Rule::All { needed, .. } => needed.into_iter().filter(|flow| full.contains(flow)).collect(),
            Rule::Coming(_) | Rule::Some(_) => full.to_vec(),
        };
        // In a pause, a token may stand on its flow that has not arrived; and one may have arrived since: the firing is
        // told by what follows the pause.
        let taken = subsets(&counted).into_iter().filter(|flows| !flows.is_empty());
        self.few(taken.flat_map(|flows| self.one_of_each(scope, &flows)).collect())
    }

    fn regular_firings(
        &self,
        scope: &Scope,
        node: NodeId,
        full: &[FlowId],
    ) -> Result<Vec<Vec<usize>>, String> {
        match self.rule(node) {
            Rule::All { needed, alone } => {
                let mut firings = Vec::new();
                for flow in alone {
                    firings.extend(self.one_of_each(scope, &[flow]));
                }
                if needed.iter().all(|flow| full.contains(flow)) {
                    firings.extend(self.one_of_each(scope, &needed));
                }
                firings.retain(|places| !places.is_empty());
                if firings.is_empty() { Err(self.missing(node, &needed, full)) } else { Ok(firings) }
            }
            Rule::Coming(coming) => {
                let may = self.blockers(scope, node, coming, Certainty::Surely).is_empty()
                    || self.waiting_for_each_other(scope).contains(&node)
                    || self.stuck_together(scope).contains(&node);
                let error = || format!("a token is still coming to `{}`", self.net.id(node));
                let taken = || match coming {
                    Coming::Inclusive => self.one_of_each(scope, full),
                    Coming::Merge => vec![self.all_of(scope, full)],
                };
                may.then(taken).ok_or_else(error)
            }
            Rule::Quantity(needed) => {
                let waiting = self.all_of(scope, full);
                let error = || format!("`{}` has {} of {needed} tokens", self.net.id(node), waiting.len());
                if waiting.len() < needed { Err(error()) } else { Ok(self.few(choices(&waiting, needed))) }
            }
            Rule::Some(_) if self.waits_for_reset(scope, node) => {
                Err(format!("`{}` has fired and is not reset yet", self.net.id(node)))
            }
            Rule::Some(needed) => {
                let error = || format!("`{}` has {} of {needed} tokens", self.net.id(node), full.len());
                let enough = self.with_arrived(scope, full).into_iter().filter(|flows| flows.len() >= needed);
                let firings: Vec<_> = enough.flat_map(|flows| self.one_of_each(scope, &flows)).collect();
                if firings.is_empty() { Err(error()) } else { Ok(firings) }
            }
        }
    }

    /// Nothing is left to wait for: an engine that lets it wait is wrong.
    pub(super) fn must_fire(&self, marking: &Marking, number: u32, node: NodeId) -> bool {
        let Some(scope) = marking.scopes.get(&number) else { return false };
        if scope.starved.contains(&node) || self.full(scope, node).is_empty() {
            return false;
        }
        if let Rule::Coming(coming) = self.rule(node) {
            return self.blockers(scope, node, coming, Certainty::Perhaps).is_empty()
                || self.waiting_for_each_other(scope).contains(&node);
        }
        self.firings(marking, number, node).is_ok()
    }

    /// A flow is needed that no live token can come to.
    pub(super) fn is_starved(&self, scope: &Scope, node: NodeId) -> bool {
        self.lacks_flows(scope, node) && !self.is_fed(scope, node, &[])
    }

    /// What it needs is on its way, by others than those that wait at the given joins.
    pub(super) fn is_fed(&self, scope: &Scope, node: NodeId, dead: &[NodeId]) -> bool {
        let missing = self.missing_flows(scope, node);
        let reached = |flow: &FlowId| self.somebody_reaches(scope, *flow, node, dead);
        match self.rule(node) {
            Rule::Quantity(_) => missing.iter().any(reached),
            Rule::All { .. } | Rule::Coming(_) | Rule::Some(_) => missing.iter().all(reached),
        }
    }

    /// An incident on the join is right: starved, or fed only by joins that are themselves starved, or without a way out.
    pub(super) fn may_be_starved(&self, marking: &Marking, number: u32, node: NodeId) -> bool {
        let Ok(scope) = marking.scope(number) else { return false };
        let has_no_way_out = self.firings(marking, number, node).is_ok() && !self.surely_splits(node);
        // What becomes of joins of different kinds that wait for each other is left open: also to say so is right.
        has_no_way_out
            || self.starved_together(scope).contains(&node)
            || self.stuck_together(scope).contains(&node)
    }

    fn starved_together(&self, scope: &Scope) -> Vec<NodeId> {
        let mut starved: Vec<NodeId> =
            self.joins_with_tokens(scope).into_iter().filter(|node| self.lacks_flows(scope, *node)).collect();
        loop {
            match starved.iter().position(|node| self.is_fed(scope, *node, &starved)) {
                Some(place) => _ = starved.remove(place),
                None => return starved,
            }
        }
    }

    pub(super) fn lacks_flows(&self, scope: &Scope, node: NodeId) -> bool {
        !self.missing_flows(scope, node).is_empty()
    }

    /// Flows that the join needs and that have no token, if any token waits for them.
    fn missing_flows(&self, scope: &Scope, node: NodeId) -> Vec<FlowId> {
        let full = self.full(scope, node);
        match self.rule(node) {
            Rule::All { needed, .. } => {
                let waits = needed.iter().any(|flow| full.contains(flow));
                needed.into_iter().filter(|flow| waits && !full.contains(flow)).collect()
            }
            Rule::Some(needed) if full.len() < needed && !full.is_empty() => {
                self.net.incoming(node).iter().copied().filter(|flow| !full.contains(flow)).collect()
            }
            Rule::Quantity(needed) => {
                let waiting = self.all_of(scope, &full).len();
                let lacks = waiting > 0 && waiting < needed;
                if lacks { self.net.incoming(node).to_vec() } else { Vec::new() }
            }
            Rule::Coming(_) | Rule::Some(_) => Vec::new(),
        }
    }

    /// A live token that does not itself wait at one of the given joins comes to the flow, past all of them.
    fn somebody_reaches(&self, scope: &Scope, flow: FlowId, join: NodeId, dead: &[NodeId]) -> bool {
        let avoided: Vec<NodeId> = dead.iter().copied().chain([join]).collect();
        let waits =
            |token: &Token| token.flow().is_some_and(|at| avoided.contains(&self.net.blueprint[at].to));
        let mut others = scope.living().filter(|token| !waits(token));
        others.any(|token| self.net.reachable(token, &avoided, Along::Every)[flow.0 as usize])
    }

    /// Joins that would fire if the others did not hold a token back, and the other way round.
    pub(super) fn waiting_for_each_other(&self, scope: &Scope) -> Vec<NodeId> {
        let mut circle: Vec<(NodeId, Vec<usize>)> = Vec::new();
        for node in self.joins_with_tokens(scope) {
            if let Rule::Coming(coming) = self.rule(node) {
                circle.push((node, self.blockers(scope, node, coming, Certainty::Perhaps)));
            }
        }
        // One that can fire by itself holds nobody back for long.
        circle.retain(|(_, blockers)| !blockers.is_empty());
        loop {
            let members: Vec<NodeId> = circle.iter().map(|(node, _)| *node).collect();
            let waits = |place: &usize| {
                let at = scope.tokens[*place].flow();
                at.is_some_and(|flow| members.contains(&self.net.blueprint[flow].to))
            };
            match circle.iter().position(|(_, blockers)| !blockers.iter().all(waits)) {
                Some(place) => _ = circle.remove(place),
                None => return members,
            }
        }
    }

    /// Joins of any kind each of which waits only for others of them. The text says what happens only if all of them are
    /// inclusive: among others, one that waits for what is coming may go on, and need not.
    fn stuck_together(&self, scope: &Scope) -> Vec<NodeId> {
        let mut stuck = self.joins_with_tokens(scope);
        loop {
            let is_free = |node: &NodeId| !self.waits_only_for(scope, *node, &stuck);
            match stuck.iter().position(is_free) {
                Some(place) => _ = stuck.remove(place),
                None => return stuck,
            }
        }
    }

    fn waits_only_for(&self, scope: &Scope, node: NodeId, joins: &[NodeId]) -> bool {
        let waits_at_one = |place: &usize| {
            let at = scope.tokens[*place].flow();
            at.is_some_and(|flow| joins.contains(&self.net.blueprint[flow].to))
        };
        if let Rule::Coming(coming) = self.rule(node) {
            let blockers = self.blockers(scope, node, coming, Certainty::Perhaps);
            return !blockers.is_empty() && blockers.iter().all(waits_at_one);
        }
        self.lacks_flows(scope, node) && !self.is_fed(scope, node, joins)
    }

    /// Tokens that the join has to wait for.
    fn blockers(&self, scope: &Scope, node: NodeId, coming: Coming, certainty: Certainty) -> Vec<usize> {
        let full = self.full(scope, node);
        let incoming = self.net.incoming(node);
        // Whether a merge also waits for what can come round by a back edge is left open: it may, and need not.
        let along = match (coming, certainty) {
            (Coming::Merge, Certainty::Surely) => Along::Forward,
            (Coming::Merge, Certainty::Perhaps) | (Coming::Inclusive, _) => Along::Every,
        };
        let blocks = |token: &Token| {
            if !token.lives() || token.flow().is_some_and(|flow| incoming.contains(&flow)) {
                return false;
            }
            let reached = self.net.reachable(token, &[node], along);
            let reaches = |flow: &FlowId| reached[flow.0 as usize];
            let to_empty = incoming.iter().any(|flow| !full.contains(flow) && reaches(flow));
            to_empty && (coming == Coming::Merge || !full.iter().any(reaches))
        };
        (0..scope.tokens.len()).filter(|place| blocks(&scope.tokens[*place])).collect()
    }

    fn joins_with_tokens(&self, scope: &Scope) -> Vec<NodeId> {
        let mut joins: Vec<NodeId> = scope
            .living()
            .filter_map(|token| token.flow().map(|flow| self.net.blueprint[flow].to))
            .filter(|node| self.net.is_join(*node))
            .collect();
        joins.sort();
        joins.dedup();
        joins
    }

    /// Incoming flows that have a token.
    fn full(&self, scope: &Scope, node: NodeId) -> Vec<FlowId> {
        let has = |flow: &&FlowId| scope.living().any(|token| token.flow() == Some(**flow));
        self.net.incoming(node).iter().filter(has).copied().collect()
    }

    fn rule(&self, node: NodeId) -> Rule {
        let incoming = self.net.incoming(node);
        if self.net.quantity(node) > 1 {
            return Rule::Quantity(self.net.quantity(node));
        }
        match (self.net.merge(node), self.net.kind(node)) {
            (Some(MergeMode::Converge), _) => {
                let (alone, needed) = incoming.iter().copied().partition(|flow| self.net.is_back(*flow));
                Rule::All { needed, alone }
            }
            (Some(MergeMode::Merge), _) => Rule::Coming(Coming::Merge),
            (None, Kind::Gateway(Gateway::Inclusive)) => Rule::Coming(Coming::Inclusive),
            (None, Kind::Gateway(Gateway::Complex(needed))) => Rule::Some(*needed as usize),
            (None | Some(MergeMode::Stream | MergeMode::Race | MergeMode::Cascade), _) => {
                Rule::All { needed: incoming.to_vec(), alone: Vec::new() }
            }
        }
    }

    /// The flows whose token has arrived, with any of those whose token may have or not: arrivals need not be told.
    fn with_arrived(&self, scope: &Scope, full: &[FlowId]) -> Vec<Vec<FlowId>> {
        let has_arrived = |flow: &FlowId| {
            let place = Place::Flow { flow: *flow, has_arrived: true };
            scope.living().any(|token| token.place == place)
        };
        let (arrived, open): (Vec<FlowId>, Vec<FlowId>) = full.iter().copied().partition(has_arrived);
        let mut all = vec![arrived];
        for flow in open {
            let with: Vec<Vec<FlowId>> =
                all.iter().map(|flows| flows.iter().copied().chain([flow]).collect()).collect();
            all.extend(with);
            all = self.few(all);
        }
        all
    }

    /// Every token on these flows.
    fn all_of(&self, scope: &Scope, flows: &[FlowId]) -> Vec<usize> {
        let waits = |token: &Token| token.lives() && token.flow().is_some_and(|flow| flows.contains(&flow));
        (0..scope.tokens.len()).filter(|place| waits(&scope.tokens[*place])).collect()
    }

    /// Every way to take one token from each flow.
    fn one_of_each(&self, scope: &Scope, flows: &[FlowId]) -> Vec<Vec<usize>> {
        let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
        for flow in flows {
            // One that has arrived and one that has not are two choices: what is left of them is not the same.
            let choices = scope.find(|token| token.lives() && token.flow() == Some(*flow));
            let with = |way: &Vec<usize>, place: usize| way.iter().copied().chain([place]).collect();
            let next = ways.iter().flat_map(|way| choices.iter().map(move |place| with(way, *place)));
            ways = self.few(next.collect());
        }
        ways
    }

    fn missing(&self, node: NodeId, needed: &[FlowId], full: &[FlowId]) -> String {
        let empty = needed.iter().filter(|flow| !full.contains(flow));
        let names: Vec<&str> = empty.map(|flow| self.net.blueprint[*flow].id.as_str()).collect();
        format!("`{}` has no token on {}", self.net.id(node), names.join(", "))
    }
}

/// Every way to take so many of them.
fn choices(of: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in of.iter().enumerate() {
        let rest = choices(&of[at + 1..], count - 1);
        all.extend(rest.into_iter().map(|rest| [vec![*first], rest].concat()));
    }
    all
}

fn subsets(of: &[FlowId]) -> Vec<Vec<FlowId>> {
    let mut all = vec![Vec::new()];
    for flow in of {
        let with: Vec<Vec<FlowId>> = all.iter().map(|flows| [flows.as_slice(), &[*flow]].concat()).collect();
        all.extend(with);
    }
    all.reverse();
    all
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// By any reading of the text.
    Surely,
    /// By some reading of the text.
    Perhaps,
}

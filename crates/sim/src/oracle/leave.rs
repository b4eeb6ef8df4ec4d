//! Nodes that complete, and the tokens that they put on flows.
//!
//! **Invariant:** a node completes once per token, and only when what it waits for is over.

use super::game::{Game, Step};
use super::marking::{Doom, Marking, Place, Record, Token, Work};
use super::net::Along;
use crate::blueprint::{FlowId, Kind, NodeId, SubProcess, Throw};

impl Game<'_> {
    pub(super) fn complete(&self, marking: &Marking, node: NodeId, number: u32, flows: &[FlowId]) -> Step {
        if self.net.blueprint[node].compensates.is_some() {
            return self.finish_handler(marking, node, flows);
        }
        let scope = marking.scope(number)?;
        if scope.owner == Some(node) {
            return self.finish_round(marking, node, number, flows);
        }
        if self.net.kind(node) == &Kind::SubProcess(SubProcess::Event) {
            return self.finish_event_sub_process(marking, node, number);
        }
        if let Some(reset) = self.reset(marking, node, number, flows) {
            return Ok(vec![reset]);
        }
        self.check_flows(node, flows)?;
        if self.net.is_gateway_join(node) {
            return self.fire(marking, node, number, flows);
        }
        let found = scope.find(|token| token.lives() && token.work_at(node).is_some());
        let mut next = Vec::new();
        let mut reason = format!("`{}` is not active in scope {number}", self.net.id(node));
        for place in found {
            for closed in self.with_finished_closed(marking, number, place) {
                match self.check_done(&closed, number, place) {
                    Ok(()) => next.extend(self.leave_with(closed, number, place, node, flows)),
                    Err(why) => reason = why,
                }
            }
        }
        if next.is_empty() { Err(reason) } else { Ok(next) }
    }

    /// A gateway that joins: its completion is the firing.
    fn fire(&self, marking: &Marking, node: NodeId, number: u32, flows: &[FlowId]) -> Step {
        let tokens = &marking.scope(number)?.tokens;
        let mut all = Vec::new();
        for places in self.firings(marking, number, node)? {
            let (next, marks) = self.consume(marking, number, node, &places);
            let is_taken = |flow: &FlowId| places.iter().any(|place| tokens[*place].flow() == Some(*flow));
            let mut fired = vec![next];
            if self.net.needed(node).is_some() {
                for late in self.net.incoming(node).iter().filter(|flow| !is_taken(flow)) {
                    fired =
                        fired.into_iter().flat_map(|next| self.leave_behind(next, number, *late)).collect();
                }
            }
            all.extend(fired.into_iter().flat_map(|next| self.put(next, number, flows, &marks)));
        }
        Ok(all)
    }

    /// A complex gateway fired without this flow: its token comes too late, wherever it is by now.
    fn leave_behind(&self, mut marking: Marking, number: u32, flow: FlowId) -> Vec<Marking> {
        let scope = marking.scope_mut(number);
        match scope.tokens.iter().position(|token| token.lives() && token.flow() == Some(flow)) {
            Some(place) => self.too_late(marking, number, place),
            None => {
                scope.stragglers.push((self.net.blueprint[flow].to, flow));
                vec![marking]
            }
        }
    }

    /// The token may vanish at the complex gateway that it leads to; in a loop it may as well be the first of the next wave.
    fn too_late(&self, mut marking: Marking, number: u32, place: usize) -> Vec<Marking> {
        let mut all = Vec::new();
        let token = &marking.scope_mut(number).tokens[place];
        let to = token.flow().map(|flow| self.net.blueprint[flow].to).expect("it stands on a flow");
        let round = Token::new(Place::Active(to, Work::default()), Vec::new());
        let reached = self.net.reachable(&round, &[to], Along::Every);
        if self.net.incoming(to).iter().any(|flow| reached[flow.0 as usize]) {
            all.push(marking.clone());
        }
        marking.scope_mut(number).tokens[place].doom = Doom::May;
        all.push(marking);
        all
    }

    /// A complex gateway takes back what came too late, and puts nothing out.
    fn reset(&self, marking: &Marking, node: NodeId, number: u32, flows: &[FlowId]) -> Option<Marking> {
        let is_late = |token: &Token| {
            let here = token.flow().is_some_and(|flow| self.net.blueprint[flow].to == node);
            here && !token.lives()
        };
        let scope = marking.scopes.get(&number)?;
        let is_reset =
            self.net.needed(node).is_some() && flows.is_empty() && scope.tokens.iter().any(is_late);
        is_reset.then(|| {
            let mut next = marking.clone();
            next.scope_mut(number).tokens.retain(|token| !is_late(token));
            next
        })
    }

    fn leave_with(
        &self,
        mut marking: Marking,
        number: u32,
        place: usize,
        node: NodeId,
        flows: &[FlowId],
    ) -> Vec<Marking> {
        let token = marking.scope_mut(number).tokens.remove(place);
        let work = token.work().map(|(_, work)| work.clone()).unwrap_or_default();
        if let Some(Throw::Link(name)) = self.net.kind(node).throws() {
            let target = self.net.blueprint.link_target(self.net.blueprint[node].within, name);
            let landed = target.map(|target| Token::new(Place::Entry(target), token.marks.clone()));
            marking.scope_mut(number).tokens.extend(landed);
        }
        let recorded = self.record(marking, number, node, work);
        let next = recorded.into_iter().flat_map(|marking| self.put(marking, number, flows, &token.marks));
        next.flat_map(|marking| self.after_ad_hoc(marking, number)).collect()
    }

    /// What completed and can be undone: later, or by an undoing of the scope that is under way.
    fn record(&self, mut marking: Marking, number: u32, node: NodeId, work: Work) -> Vec<Marking> {
        let handler = self.net.blueprint.handler(node);
        let inner = if handler.is_some() { Vec::new() } else { work.records };
        let mut all = self.taken_late(&marking, number, &inner);
        if handler.is_some() || !inner.is_empty() {
            let record = Record { at: self.clock, activity: node, handler, inner };
            marking.scope_mut(number).records.push(record);
        }
        all.push(marking);
        all
    }

    /// A token on each flow. What comes too late for a complex gateway may vanish there.
    fn put(&self, marking: Marking, number: u32, flows: &[FlowId], marks: &[NodeId]) -> Vec<Marking> {
        let mut all = vec![marking];
        for flow in flows {
            all = all.into_iter().flat_map(|marking| self.put_one(marking, number, *flow, marks)).collect();
        }
        all
    }

    fn put_one(&self, mut marking: Marking, number: u32, flow: FlowId, marks: &[NodeId]) -> Vec<Marking> {
        let to = self.net.blueprint[flow].to;
        let marks = if self.net.is_back(flow) { Vec::new() } else { marks.to_vec() };
        let token = Token::new(Place::Flow { flow, has_arrived: false }, marks);
        let scope = marking.scope_mut(number);
        scope.tokens.push(token);
        let place = scope.tokens.len() - 1;
        match scope.stragglers.iter().position(|straggler| *straggler == (to, flow)) {
            Some(late) => {
                scope.stragglers.remove(late);
                self.too_late(marking, number, place)
            }
            None => vec![marking],
        }
    }

    /// After an activity of an ad-hoc sub-process: perhaps it was enough.
    fn after_ad_hoc(&self, mut marking: Marking, number: u32) -> Vec<Marking> {
        let Some(owner) = marking.scopes[&number].owner else { return vec![marking] };
        let Kind::SubProcess(SubProcess::AdHoc { until, .. }) = self.net.kind(owner) else {
            return vec![marking];
        };
        marking.scope_mut(number).has_begun = true;
        let mut over = marking.clone();
        over.scope_mut(number).is_over = true;
        self.doom(&mut over, number, &|_| true);
        match until.value(self.variables) {
            Some(true) => vec![over],
            Some(false) => vec![marking],
            None => vec![marking, over],
        }
    }

    fn finish_event_sub_process(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let scope = marking.scope(number)?;
        let found = scope.find(|token| token.doom == Doom::May && token.work_at(node).is_some());
        if found.is_empty() {
            return Err(format!("`{}` has not finished in scope {number}", self.net.id(node)));
        }
        Ok(self.each(marking, number, &found, |next, place| {
            next.scope_mut(number).tokens.remove(place);
        }))
    }
}

//! Tokens that enter nodes, wait before them, or are swallowed.
//!
//! **Invariant:** a token that enters is taken from exactly one place, or as many as a join consumes.

use super::game::{Game, Step};
use super::marking::{Marking, Owed, Place, Run, Scope, Token};
use super::net::Along;
use crate::blueprint::{FlowId, Gateway, Kind, MergeMode, NodeId, SubProcess, Throw};

impl Game<'_> {
    pub(super) fn start(&self, marking: &Marking, node: NodeId, number: u32, flow: Option<FlowId>) -> Step {
        if self.net.blueprint[node].compensates.is_some() {
            return self.start_handler(marking, node);
        }
        let scope = marking.scope(number)?;
        let kind = self.net.kind(node);
        if let Kind::Boundary { .. } = kind {
            return self.start_boundary(marking, node, number);
        } else if kind == &Kind::SubProcess(SubProcess::Event) {
            return self.start_event_sub_process(marking, node, number);
        } else if scope.owner == Some(node) {
            return self.announce_round(marking, node, number);
        }
        // Who tries again is told to start, and so is who comes anew.
        let again = self.announce(marking, node, number).unwrap_or_default();
        let entered = if self.net.is_gateway_join(node) {
            self.arrive(marking, node, number, flow)
        } else if self.net.is_join(node) {
            self.fire_into(marking, node, number)
        } else {
            self.enter(marking, node, number, flow)
        };
        match entered {
            Ok(next) => Ok(next.into_iter().chain(again).collect()),
            Err(_) if !again.is_empty() => Ok(again),
            Err(reason) => Err(reason),
        }
    }

    fn enter(&self, marking: &Marking, node: NodeId, number: u32, flow: Option<FlowId>) -> Step {
        let scope = marking.scope(number)?;
        let found = self.tokens_before(scope, node, flow);
        let mut next = Vec::new();
        let mut reason = format!("no token leads to `{}` in scope {number}", self.net.id(node));
        for place in found {
            match self.enter_with(marking, number, node, place) {
                Ok(markings) => next.extend(markings),
                Err(why) => reason = why,
            }
        }
        if self.may_start_unasked(scope, node) {
            next.extend(self.begin(marking.clone(), number, node, Vec::new(), false));
        }
        if next.is_empty() { Err(reason) } else { Ok(next) }
    }

    /// A token waits before a join.
    pub(super) fn arrive(&self, marking: &Marking, node: NodeId, number: u32, flow: Option<FlowId>) -> Step {
        let scope = marking.scope(number)?;
        if !self.net.is_join(node) {
            return Err(format!("nothing is waited for at `{}`", self.net.id(node)));
        }
        // A complex gateway's latecomers arrive too, although they move nothing.
        let is_new = |token: &Token| matches!(token.place, Place::Flow { has_arrived: false, .. });
        let is_complex = self.net.needed(node).is_some();
        let leads_here = |token: &Token| token.flow().is_some_and(|at| self.leads(at, node, flow));
        let found = scope.find(|token| is_new(token) && leads_here(token) && (token.lives() || is_complex));
        if found.is_empty() {
            return Err(format!("no token leads to `{}` in scope {number}", self.net.id(node)));
        }
        Ok(self.each(marking, number, &found, |next, place| {
            if let Place::Flow { has_arrived, .. } = &mut next.scope_mut(number).tokens[place].place {
                *has_arrived = true;
            }
        }))
    }

    /// A token that a merge or a complex gateway swallows.
    pub(super) fn absorb(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let scope = marking.scope(number)?;
        let may_vanish = |token: &Token| match self.net.merge(node) {
            Some(MergeMode::Stream) => token.lives() && token.marks.contains(&node),
            Some(MergeMode::Race) => !token.lives(),
            Some(MergeMode::Converge | MergeMode::Merge | MergeMode::Cascade) => false,
            None => self.net.needed(node).is_some() && !token.lives(),
        };
        let found = scope
            .find(|token| token.flow().is_some_and(|at| self.leads(at, node, None)) && may_vanish(token));
        if found.is_empty() {
            return Err(format!("no token at `{}` comes too late", self.net.id(node)));
        }
        Ok(self.each(marking, number, &found, |next, place| {
            next.scope_mut(number).tokens.remove(place);
        }))
    }

    /// A node with a joining mode that is no gateway: its start is the firing.
    fn fire_into(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let mut all = Vec::new();
        for places in self.firings(marking, number, node)? {
            let (next, marks) = self.consume(marking, number, node, &places);
            all.extend(self.begin(next, number, node, marks, false));
        }
        Ok(all)
    }

    /// Takes the tokens out; what is left of them is the marks that all of them carry.
    pub(super) fn consume(
        &self,
        marking: &Marking,
        number: u32,
        node: NodeId,
        places: &[usize],
    ) -> (Marking, Vec<NodeId>) {
        let mut next = marking.clone();
        let scope = next.scope_mut(number);
        let tokens = &scope.tokens;
        let mut marks = places.first().map_or(Vec::new(), |place| tokens[*place].marks.clone());
        marks.retain(|mark| places.iter().all(|place| tokens[*place].marks.contains(mark)));
        let mut place = 0;
        scope.tokens.retain(|_| {
            place += 1;
            !places.contains(&(place - 1))
        });
        // The incident may be that of a token that still waits.
        let waits = |token: &Token| token.flow().is_some_and(|flow| self.leads(flow, node, None));
        let is_left = scope.living().any(waits);
        scope.starved.retain(|other| *other != node || is_left);
        (next, marks)
    }

    fn enter_with(&self, marking: &Marking, number: u32, node: NodeId, place: usize) -> Step {
        let token = marking.scope(number)?.tokens[place].clone();
        let mode = self.net.merge(node);
        let is_late = mode == Some(MergeMode::Stream) && token.marks.contains(&node);
        if is_late {
            return Err(format!("the token at `{}` comes too late: it is absorbed", self.net.id(node)));
        }
        let from = token.flow().map(|flow| self.net.blueprint[flow].from);
        let is_event =
            |from: NodeId| matches!(self.net.kind(from), Kind::Gateway(Gateway::EventBased { .. }));
        let has_fired = from.is_some_and(is_event);
        let (mut next, marks) = self.consume(marking, number, node, &[place]);
        match mode {
            Some(MergeMode::Stream) => self.mark_upstream(&mut next, number, node),
            Some(MergeMode::Race) => {
                let upstream = |token: &Token| self.is_upstream(token, node);
                self.doom(&mut next, number, &upstream);
            }
            Some(MergeMode::Converge | MergeMode::Merge | MergeMode::Cascade) | None => {}
        }
        Ok(self.begin(next, number, node, marks, has_fired))
    }

    fn mark_upstream(&self, marking: &mut Marking, number: u32, node: NodeId) {
        for token in &mut marking.scope_mut(number).tokens {
            if token.lives() && self.is_upstream(token, node) && !token.marks.contains(&node) {
                token.marks.push(node);
            }
        }
    }

    /// The token can come to the node along forward flows, without passing it.
    fn is_upstream(&self, token: &Token, node: NodeId) -> bool {
        let reached = self.net.reachable(token, &[node], Along::Forward);
        self.net.incoming(node).iter().any(|flow| !self.net.is_back(*flow) && reached[flow.0 as usize])
    }

    /// The node begins, and what it throws is on its way.
    pub(super) fn begin(
        &self,
        mut marking: Marking,
        number: u32,
        node: NodeId,
        marks: Vec<NodeId>,
        has_fired: bool,
    ) -> Vec<Marking> {
        let mut token = self.begun(node, marks);
        if let Some(work) = token.work_mut() {
            work.has_fired = has_fired;
        }
        match self.net.kind(node).throws() {
            Some(Throw::Terminate) => self.take_over(&mut marking, number),
            Some(Throw::Cancel) => return self.begin_cancel(&marking, number, &token),
            Some(Throw::Compensation(target)) => {
                let runs = self.runs(&marking, number, *target, false).into_iter();
                let runs = runs.chain(self.runs(&marking, number, *target, true));
                return runs.map(|(next, run)| with_run(next, number, &token, run)).collect();
            }
            Some(Throw::Error(code)) => _ = self.owe(&mut marking, number, None, code, false),
            Some(Throw::Escalation(code)) => _ = self.owe(&mut marking, number, None, code, true),
            Some(
                Throw::None | Throw::Message(_) | Throw::Link(_) | Throw::Signal(_) | Throw::Multiple(_),
            )
            | None => {}
        }
        marking.scope_mut(number).tokens.push(token);
        vec![marking]
    }

    /// A transaction is cancelled: everything else in it ends, then what completed is undone.
    fn begin_cancel(&self, marking: &Marking, number: u32, token: &Token) -> Vec<Marking> {
        let runs = self.runs(marking, number, None, true).into_iter();
        let begin = |(mut next, run): (Marking, Run)| {
            self.take_over(&mut next, number);
            self.mark_cancelled(&mut next, number);
            with_run(next, number, token, run)
        };
        runs.map(begin).collect()
    }

    /// Everything else in the scope ends, and nothing else begins there by itself.
    pub(super) fn take_over(&self, marking: &mut Marking, number: u32) {
        self.doom(marking, number, &|_| true);
        let scope = marking.scope_mut(number);
        scope.is_interrupted = true;
        scope.owed.clear();
    }

    fn mark_cancelled(&self, marking: &mut Marking, number: u32) {
        if let Some((parent, place)) = marking.owner_of(number)
            && let Some(work) = marking.scope_mut(parent).tokens[place].work_mut()
        {
            work.is_cancelled = true;
        }
    }

    pub(super) fn owe(
        &self,
        marking: &mut Marking,
        number: u32,
        at: Option<NodeId>,
        code: &str,
        is_escalation: bool,
    ) -> bool {
        match self.catcher(marking, number, at, code, is_escalation, false) {
            Some((scope, catcher, through)) => {
                marking.scope_mut(scope).owed.push(Owed { catcher, through });
                true
            }
            None => false,
        }
    }

    pub(super) fn tokens_before(&self, scope: &Scope, node: NodeId, flow: Option<FlowId>) -> Vec<usize> {
        scope.find(|token| {
            let is_there = match &token.place {
                Place::Flow { flow: at, .. } => self.leads(*at, node, flow),
                Place::Entry(entry) => *entry == node,
                Place::Active(..) => false,
            };
            token.lives() && is_there
        })
    }

    fn leads(&self, flow: FlowId, node: NodeId, wanted: Option<FlowId>) -> bool {
        self.net.blueprint[flow].to == node && wanted.is_none_or(|wanted| wanted == flow)
    }

    /// In an ad-hoc sub-process an activity without incoming flow starts when somebody wants it to.
    fn may_start_unasked(&self, scope: &Scope, node: NodeId) -> bool {
        let Some(owner) = scope.owner else { return false };
        let Kind::SubProcess(SubProcess::AdHoc { is_sequential, .. }) = self.net.kind(owner) else {
            return false;
        };
        let is_free = !is_sequential || scope.living().next().is_none();
        let belongs = self.net.blueprint[node].within == Some(owner) && self.net.incoming(node).is_empty();
        belongs && is_free && !scope.is_over && !scope.is_stale
    }
}

fn with_run(mut marking: Marking, number: u32, token: &Token, run: Run) -> Marking {
    let mut token = token.clone();
    if let Some(work) = token.work_mut() {
        work.run = Some(run);
    }
    marking.scope_mut(number).tokens.push(token);
    marking
}

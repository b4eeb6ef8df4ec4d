//! One step of the game: an observation and a marking give the markings that may follow.
//!
//! **Invariant:** a refusal says which token, flow or event was missing.

use super::marking::{Doom, Marking, Place, ROOT, Scope, Token, Work};
use super::net::Net;
use super::observation::Observation;
use crate::blueprint::{Gateway, Kind, NodeId, SubProcess, Variables};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The markings that may follow, or why there are none.
pub(super) type Step = Result<Vec<Marking>, String>;

/// What a step may look at besides the marking.
pub(super) struct Game<'oracle> {
    pub(super) net: &'oracle Net,
    pub(super) variables: &'oracle Variables,
    pub(super) clock: u32,
    /// There were more ways to go on than anybody can follow.
    pub(super) is_lost: Cell<bool>,
}

/// A join with this many ways to choose its tokens is in a place that has filled up.
const MOST_WAYS: usize = 256;

impl Game<'_> {
    /// Before anything has happened: one marking per way to start.
    pub(super) fn initial(net: &Net) -> BTreeSet<Marking> {
        let blueprint = &net.blueprint;
        let mut starts: Vec<NodeId> = blueprint.starts(None).collect();
        for node in blueprint.children(None).filter(|node| blueprint.is_instantiating(*node)) {
            starts.push(node);
            if matches!(net.kind(node), Kind::Gateway(Gateway::EventBased { .. })) {
                starts.extend(net.outgoing(node).iter().map(|flow| blueprint[*flow].to));
            }
        }
        let at = |start: NodeId| {
            let tokens = vec![Token::new(Place::Entry(start), Vec::new())];
            let root = Scope { tokens, ..Scope::default() };
            Marking { scopes: [(ROOT, root)].into(), ..Marking::default() }
        };
        starts.into_iter().map(at).collect()
    }

    pub(super) fn step(&self, marking: &Marking, observation: &Observation) -> Step {
        match observation {
            Observation::Started { node, scope, flow } => self.start(marking, *node, *scope, *flow),
            Observation::Arrived { node, scope, flow } => self.arrive(marking, *node, *scope, *flow),
            Observation::Completed { node, scope, flows } => self.complete(marking, *node, *scope, flows),
            Observation::Cancelled { node, scope } => self.cancel(marking, *node, *scope),
            Observation::Triggered { node, scope } => self.trigger(marking, *node, *scope),
            Observation::Absorbed { node, scope } => self.absorb(marking, *node, *scope),
            Observation::Thrown { node, scope, code, is_escalation } => {
                self.throw(marking, *node, *scope, code, *is_escalation)
            }
            Observation::Incident { node, scope, is_before } => {
                self.incident(marking, *node, *scope, *is_before)
            }
            Observation::Resolved { node, scope, is_before } => {
                self.resolve(marking, *node, *scope, *is_before)
            }
            Observation::ScopeOpened { scope, parent, node } => self.open(marking, *scope, *parent, *node),
            Observation::ScopeClosed { scope } => self.close(marking, *scope),
            Observation::Set { .. } | Observation::Forgotten { .. } | Observation::Ended { .. } => {
                Ok(vec![marking.clone()])
            }
        }
    }

    /// Ends tokens of a scope that satisfy the condition, and everything inside them.
    pub(super) fn doom(&self, marking: &mut Marking, scope: u32, wanted: &dyn Fn(&Token) -> bool) {
        for place in 0..marking.scope_mut(scope).tokens.len() {
            let token = &marking.scope_mut(scope).tokens[place];
            if token.lives() && wanted(token) {
                self.doom_one(marking, scope, place);
            }
        }
    }

    /// Ends the token and everything inside it.
    pub(super) fn doom_one(&self, marking: &mut Marking, scope: u32, place: usize) {
        let token = &mut marking.scope_mut(scope).tokens[place];
        token.doom = self.doom_of(token);
        let inner = token.work().map_or(Vec::new(), |(_, work)| work.scopes.clone());
        let run = token.work().and_then(|(_, work)| work.run.as_ref());
        let handler = run.and_then(|run| run.running);
        if run.is_some_and(|run| !run.queue.is_empty()) {
            // Whether what it had still to undo can be undone by another is left open.
            self.is_lost.set(true);
        }
        for number in inner {
            self.doom_scope(marking, number);
        }
        // Who undoes works for the one who asked for it.
        let serves =
            |token: &Token| token.work().is_some_and(|(node, work)| work.is_handler && Some(node) == handler);
        let found = marking.scope_mut(scope).tokens.iter().position(|token| token.lives() && serves(token));
        if let Some(place) = found {
            self.doom_one(marking, scope, place);
        }
    }

    /// The whole scope ends.
    pub(super) fn doom_scope(&self, marking: &mut Marking, number: u32) {
        if let Some(scope) = marking.scopes.get_mut(&number) {
            scope.is_stale = true;
            scope.owed.clear();
            self.doom(marking, number, &|_| true);
        }
    }

    /// Work that was under way is seen to be cancelled; what only passes through may vanish unseen.
    fn doom_of(&self, token: &Token) -> Doom {
        let Some((node, work)) = token.work() else { return Doom::May };
        let waits = match self.net.kind(node) {
            Kind::Task(_) | Kind::Call(_) | Kind::Catch(_) => true,
            Kind::SubProcess(sub_process) => *sub_process != SubProcess::Event,
            Kind::Gateway(_) | Kind::Start { .. } | Kind::Throw(_) | Kind::End(_) | Kind::Boundary { .. } => {
                false
            }
        };
        if waits && !work.is_unannounced { Doom::Must } else { Doom::May }
    }

    fn cancel(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        // A compensation handler may be told to run elsewhere than it does here.
        let is_handler = self.net.blueprint[node].compensates.is_some();
        let mut all = Vec::new();
        for (number, scope) in marking.scopes.iter().filter(|(other, _)| is_handler || **other == number) {
            let found = scope.find(|token| !token.lives() && token.work_at(node).is_some());
            all.extend(self.each(marking, *number, &found, |next, place| {
                next.scope_mut(*number).tokens.remove(place);
            }));
        }
        let error = || format!("nothing ends `{}` in scope {number}", self.net.id(node));
        if all.is_empty() { Err(error()) } else { Ok(all) }
    }

    fn incident(&self, marking: &Marking, node: NodeId, number: u32, is_before: bool) -> Step {
        let scope = marking.scope(number)?;
        let found =
            scope.find(|token| token.lives() && token.work_at(node).is_some_and(|work| !work.is_stuck));
        let found = if is_before { Vec::new() } else { found };
        let is_choice = matches!(self.net.kind(node), Kind::Gateway(Gateway::Exclusive));
        if is_choice && !self.net.is_join(node) && self.surely_splits(node) {
            return Err(format!("one of the flows of `{}` can be taken", self.net.id(node)));
        }
        let mut next = self.each(marking, number, &found, |next, place| {
            if let Some(work) = next.scope_mut(number).tokens[place].work_mut() {
                work.is_stuck = true;
            }
        });
        if self.net.is_join(node) && self.may_be_starved(marking, number, node) {
            let mut starved = marking.clone();
            starved.scope_mut(number).starved.push(node);
            next.push(starved);
        }
        if next.is_empty() {
            return Err(format!("`{}` is not stuck in scope {number}", self.net.id(node)));
        }
        Ok(next)
    }

    /// What was stuck tries again, and may be told to start again. A join goes on with what has arrived.
    fn resolve(&self, marking: &Marking, node: NodeId, number: u32, is_before: bool) -> Step {
        let scope = marking.scope(number)?;
        let is_stuck = |work: &Work| work.is_stuck;
        let found = scope.find(|token| token.lives() && token.work_at(node).is_some_and(is_stuck));
        if found.is_empty() || is_before {
            let mut next = marking.clone();
            for token in &mut next.scope_mut(number).tokens {
                if let Place::Flow { flow, has_arrived } = &mut token.place {
                    *has_arrived &= self.net.blueprint[*flow].to != node;
                }
            }
            // What has arrived may go on, even if the join has fired with others meanwhile.
            next.scope_mut(number).starved.extend(self.net.is_join(node).then_some(node));
            return Ok(vec![next]);
        }
        Ok(self.each(marking, number, &found, |next, place| {
            if let Some(work) = next.scope_mut(number).tokens[place].work_mut() {
                (work.is_stuck, work.tries_again) = (false, true);
            }
        }))
    }

    /// So many that they can be followed; else the oracle is lost.
    pub(super) fn few<T>(&self, mut ways: Vec<T>) -> Vec<T> {
        if ways.len() > MOST_WAYS {
            self.is_lost.set(true);
            ways.truncate(MOST_WAYS);
        }
        ways
    }

    /// One marking per place, each changed in its own way.
    pub(super) fn each(
        &self,
        marking: &Marking,
        number: u32,
        places: &[usize],
        change: impl Fn(&mut Marking, usize),
    ) -> Vec<Marking> {
        debug_assert!(marking.scopes.contains_key(&number), "the caller has seen the scope");
        let changed = places.iter().map(|place| {
            let mut next = marking.clone();
            change(&mut next, *place);
            next
        });
        changed.collect()
    }

    /// A node that begins, with the marks of what it consumed.
    pub(super) fn begun(&self, node: NodeId, marks: Vec<NodeId>) -> Token {
        let goes_on = self.goes_on_at_first(node);
        Token::new(Place::Active(node, Work { goes_on, ..Work::default() }), marks)
    }
}

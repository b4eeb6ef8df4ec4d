//! Events on activities and in event sub-processes, and the way of what is thrown to its catcher.
//!
//! **Invariant:** an error, escalation or cancel event fires only if something was thrown, and then it must.

use super::game::{Game, Step};
use super::marking::{Marking, Owed, Place, Scope, Token, Work};
use crate::blueprint::{Gateway, Kind, NodeId, SubProcess, Trigger};

impl Game<'_> {
    pub(super) fn trigger(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        match self.net.kind(node) {
            Kind::Boundary { trigger: Trigger::Compensation, .. } => Ok(vec![marking.clone()]),
            Kind::Boundary { .. } => self.trigger_boundary(marking, node, number),
            Kind::SubProcess(SubProcess::Event) => self.trigger_event_sub_process(marking, node, number),
            Kind::Start { .. } => self.trigger_start(marking, node, number),
            Kind::Task(_)
            | Kind::Call(_)
            | Kind::Gateway(_)
            | Kind::Catch(_)
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::SubProcess(_) => self.remark(marking, node, number),
        }
    }

    /// A boundary event that is told to start: it was triggered, or that is how it is told.
    pub(super) fn start_boundary(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        self.announce(marking, node, number).or_else(|_| {
            let triggered = self.trigger_boundary(marking, node, number)?;
            Ok(triggered.iter().flat_map(|next| self.announce(next, node, number)).flatten().collect())
        })
    }

    pub(super) fn start_event_sub_process(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        self.announce(marking, node, number).or_else(|_| {
            let triggered = self.trigger_event_sub_process(marking, node, number)?;
            Ok(triggered.iter().flat_map(|next| self.announce(next, node, number)).flatten().collect())
        })
    }

    pub(super) fn announce(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let scope = marking.scope(number)?;
        let may_start = |work: &Work| work.is_unannounced || work.tries_again;
        let found = scope.find(|token| token.lives() && token.work_at(node).is_some_and(may_start));
        if found.is_empty() {
            return Err(format!("`{}` was not triggered in scope {number}", self.net.id(node)));
        }
        Ok(self.each(marking, number, &found, |next, place| {
            if let Some(work) = next.scope_mut(number).tokens[place].work_mut() {
                if work.tries_again && work.scopes.is_empty() {
                    // It begins anew, with its first round.
                    let goes_on = self.goes_on_at_first(node);
                    (work.opened, work.closed, work.goes_on) = (0, 0, goes_on);
                    work.spent.clear();
                }
                (work.is_unannounced, work.tries_again) = (false, false);
            }
        }))
    }

    fn trigger_boundary(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let Kind::Boundary { host, trigger, interrupts } = self.net.kind(node) else {
            return Err(format!("`{}` is no boundary event", self.net.id(node)));
        };
        let scope = marking.scope(number)?;
        let mut reason = format!("`{}` is not active in scope {number}", self.net.id(*host));
        let mut next = Vec::new();
        // The events on an activity that runs several times stand outside its rounds.
        let is_host = |work: &Work| !work.is_round;
        for place in scope.find(|token| token.lives() && token.work_at(*host).is_some_and(is_host)) {
            match self.check_boundary(marking, number, node, trigger, place) {
                Ok(()) => next.push(self.hit(marking, number, node, place, *interrupts)),
                Err(why) => reason = why,
            }
        }
        if next.is_empty() { Err(reason) } else { Ok(next) }
    }

    fn check_boundary(
        &self,
        marking: &Marking,
        number: u32,
        node: NodeId,
        trigger: &Trigger,
        place: usize,
    ) -> Result<(), String> {
        let scope = marking.scope(number)?;
        let (_, work) = scope.tokens[place].work().ok_or("nobody is there")?;
        let error = || format!("nothing was thrown that `{}` catches", self.net.id(node));
        match trigger {
            Trigger::Error(_) | Trigger::Escalation(_) => {
                self.debt(scope, node, work).map(|_| ()).ok_or_else(error)
            }
            Trigger::Cancel => self.can_cancel(marking, work).then_some(()).ok_or_else(error),
            Trigger::None
            | Trigger::Message(_)
            | Trigger::Timer { .. }
            | Trigger::Compensation
            | Trigger::Conditional(_)
            | Trigger::Link(_)
            | Trigger::Signal(_)
            | Trigger::Multiple(_)
            | Trigger::ParallelMultiple(_) => self.check_times(node, trigger, &work.spent),
        }
    }

    /// A timer fires as often as it says; other events as often as they come.
    fn check_times(&self, node: NodeId, trigger: &Trigger, spent: &[NodeId]) -> Result<(), String> {
        let Trigger::Timer { times, .. } = trigger else { return Ok(()) };
        let fired = spent.iter().filter(|other| **other == node).count();
        let error = || format!("the timer `{}` has fired {fired} times", self.net.id(node));
        (fired < *times as usize).then_some(()).ok_or_else(error)
    }

    /// The throw that this event has to catch on this activity.
    fn debt(&self, scope: &Scope, node: NodeId, work: &Work) -> Option<usize> {
        scope.owed.iter().position(|owed| {
            owed.catcher == node && owed.through.is_none_or(|through| work.scopes.contains(&through))
        })
    }

    /// The transaction has been cancelled, and everything in it is undone.
    pub(super) fn can_cancel(&self, marking: &Marking, work: &Work) -> bool {
        let is_undone = |number: &u32| {
            let tokens = marking.scopes.get(number).map_or(&[][..], |scope| &scope.tokens);
            tokens
                .iter()
                .filter_map(|token| token.work())
                .all(|(_, work)| work.run.as_ref().is_none_or(super::marking::Run::is_done))
        };
        work.is_cancelled && work.scopes.iter().all(is_undone)
    }

    /// The event fires on this activity.
    fn hit(&self, marking: &Marking, number: u32, node: NodeId, place: usize, interrupts: bool) -> Marking {
        let mut next = marking.clone();
        let scope = next.scope_mut(number);
        let host = scope.tokens[place].clone();
        if let Some((_, work)) = host.work()
            && let Some(debt) = self.debt(scope, node, work)
        {
            scope.owed.remove(debt);
        }
        if interrupts {
            self.doom_one(&mut next, number, place);
            let is_cancelled = host.work().is_some_and(|(_, work)| work.is_cancelled);
            if is_cancelled {
                // A cancelled transaction may be told as cancelled or as closed.
                next.scope_mut(number).tokens[place].doom = super::marking::Doom::May;
            }
        } else if let Some(work) = next.scope_mut(number).tokens[place].work_mut() {
            work.spent.push(node);
        }
        let work = Work { has_fired: true, is_unannounced: true, ..Work::default() };
        next.scope_mut(number).tokens.push(Token::new(Place::Active(node, work), host.marks));
        next
    }

    /// The start event of an event sub-process stands for it.
    fn trigger_start(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let outer = self.net.blueprint[node].within;
        match outer.filter(|outer| self.net.kind(*outer) == &Kind::SubProcess(SubProcess::Event)) {
            Some(container) if marking.scope(number)?.owner != Some(container) => {
                self.trigger_event_sub_process(marking, container, number)
            }
            Some(_) | None => self.remark(marking, node, number),
        }
    }

    pub(super) fn trigger_event_sub_process(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let scope = marking.scope(number)?;
        let (trigger, interrupts) = self.start_of(node)?;
        let error = |why: &str| Err(format!("`{}` cannot start in scope {number}: {why}", self.net.id(node)));
        if scope.owner != self.net.blueprint[node].within || scope.is_stale {
            return error("its scope is another one");
        }
        if trigger == &Trigger::Compensation {
            return error("nobody undoes its scope");
        }
        if scope.is_interrupted {
            return error("its scope was interrupted");
        }
        let is_owed = scope.owed.iter().any(|owed| owed.catcher == node);
        // In a pause, one that comes too late still stands before its gateway.
        let runs = |token: &Token| token.lives() || token.flow().is_some();
        if !scope.tokens.iter().any(runs) && !is_owed {
            return error("nothing runs in its scope");
        }
        let mut next = marking.clone();
        if matches!(trigger, Trigger::Error(_) | Trigger::Escalation(_)) {
            let debt = scope.owed.iter().position(|owed| owed.catcher == node);
            match debt {
                Some(debt) => _ = next.scope_mut(number).owed.remove(debt),
                None => return error("nothing was thrown that it catches"),
            }
        }
        self.check_times(node, trigger, &scope.spent)?;
        next.scope_mut(number).spent.push(node);
        if interrupts {
            self.take_over(&mut next, number);
        }
        let work = Work { is_unannounced: true, ..Work::default() };
        next.scope_mut(number).tokens.push(Token::new(Place::Active(node, work), Vec::new()));
        Ok(vec![next])
    }

    fn start_of(&self, event_sub_process: NodeId) -> Result<(&Trigger, bool), String> {
        let start = self.net.blueprint.starts(Some(event_sub_process)).next();
        match start.map(|start| self.net.kind(start)) {
            Some(Kind::Start { trigger, interrupts }) => Ok((trigger, *interrupts)),
            _ => Err(format!("`{}` has no start event", self.net.id(event_sub_process))),
        }
    }

    /// An event that fired where a token waits for it: nothing changes until it completes.
    fn remark(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let scope = marking.scope(number)?;
        let waits = |token: &Token| match &token.place {
            Place::Active(at, _) => *at == node || self.is_event_of(*at, node),
            Place::Entry(at) => *at == node,
            Place::Flow { flow, .. } => self.net.blueprint[*flow].to == node,
        };
        let is_there = scope.living().any(waits);
        let error = || format!("nothing waits for `{}` in scope {number}", self.net.id(node));
        is_there.then(|| vec![marking.clone()]).ok_or_else(error)
    }

    fn is_event_of(&self, gateway: NodeId, event: NodeId) -> bool {
        matches!(self.net.kind(gateway), Kind::Gateway(Gateway::EventBased { .. }))
            && self.net.outgoing(gateway).iter().any(|flow| self.net.blueprint[*flow].to == event)
    }

    pub(super) fn throw(
        &self,
        marking: &Marking,
        node: NodeId,
        number: u32,
        code: &str,
        is_escalation: bool,
    ) -> Step {
        let scope = marking.scope(number)?;
        if !scope.living().any(|token| token.work_at(node).is_some()) {
            return Err(format!("`{}` is not active in scope {number}", self.net.id(node)));
        }
        // Thrown in a round, it meets the events on the whole.
        let at = (scope.owner != Some(node)).then_some(node);
        let mut next = marking.clone();
        self.owe(&mut next, number, at, code, is_escalation);
        // Whether an event sub-process that goes on beside its scope catches what is thrown in itself is left open.
        let mut past_its_own = marking.clone();
        let outward = self.catcher(marking, number, at, code, is_escalation, true);
        if let Some((scope, catcher, through)) = outward {
            past_its_own.scope_mut(scope).owed.push(Owed { catcher, through });
        }
        Ok(if past_its_own == next { vec![next] } else { vec![next, past_its_own] })
    }

    /// The nearest catcher: on the activity, in its scope, on the scope's activity, and so on outward.
    pub(super) fn catcher(
        &self,
        marking: &Marking,
        number: u32,
        at: Option<NodeId>,
        code: &str,
        is_escalation: bool,
        skips_own: bool,
    ) -> Option<(u32, NodeId, Option<u32>)> {
        let best = |nodes: Vec<NodeId>, start: bool| {
            let rank = |node: &NodeId| self.rank(*node, code, is_escalation, start);
            nodes.into_iter().filter(|node| rank(node) > 0).max_by_key(|node| rank(node))
        };
        if let Some(node) = at.and_then(|at| best(self.net.blueprint.boundaries(at).collect(), false)) {
            return Some((number, node, None));
        }
        let mut number = number;
        let mut own = None;
        loop {
            let scope = marking.scopes.get(&number)?;
            if !scope.is_interrupted {
                let all = self.net.blueprint.event_sub_processes(scope.owner);
                let inside = all.filter(|node| !skips_own || own != Some(*node)).collect();
                if let Some(node) = best(inside, true) {
                    return Some((number, node, None));
                }
            }
            let (parent, owner) = (scope.parent?, scope.owner?);
            own = Some(owner);
            if let Some(node) = best(self.net.blueprint.boundaries(owner).collect(), false) {
                return Some((parent, node, Some(number)));
            }
            number = parent;
        }
    }

    /// 2: catches this code; 1: catches every code; 0: does not catch it.
    fn rank(&self, node: NodeId, code: &str, is_escalation: bool, is_event_sub_process: bool) -> u32 {
        let trigger = if is_event_sub_process {
            self.start_of(node).ok().map(|(trigger, _)| trigger)
        } else {
            self.net.kind(node).trigger()
        };
        let caught = match trigger {
            Some(Trigger::Error(caught)) if !is_escalation => caught,
            Some(Trigger::Escalation(caught)) if is_escalation => caught,
            Some(_) | None => return 0,
        };
        match caught {
            Some(caught) if caught == code => 2,
            Some(_) => 0,
            None => 1,
        }
    }
}

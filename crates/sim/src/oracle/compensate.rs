//! Undoing: handlers run one at a time, in reverse order of completion.
//!
//! What completed inside a sub-process may be undone with it as a whole, or each step at its own place in the order:
//! the text leaves both open, so both are followed.
//!
//! **Invariant:** a record is undone once.

use super::game::{Game, Step};
use super::marking::{Marking, Place, Record, Run, Token, Work};
use crate::blueprint::{FlowId, NodeId};

impl Game<'_> {
    /// The orders in which a throw in this scope may undo, each with what is left to undo afterwards.
    pub(super) fn runs(
        &self,
        marking: &Marking,
        number: u32,
        target: Option<NodeId>,
        with_active: bool,
    ) -> Vec<(Marking, Run)> {
        let mut next = marking.clone();
        let scope = next.scope_mut(number);
        let (taken, left) = scope
            .records
            .drain(..)
            .partition(|record: &Record| target.is_none_or(|target| record.activity == target));
        scope.records = left;
        let mut taken: Vec<Record> = taken;
        if with_active && target.is_none() {
            taken.extend(self.records_of_active(&mut next, number));
        }
        let nested = nested_order(&taken);
        let flat = flat_order(&taken);
        let mut queues = vec![nested];
        if queues[0] != flat {
            queues.push(flat);
        }
        let run = |queue| (next.clone(), Run { queue, running: None });
        queues.into_iter().map(run).collect()
    }

    /// Records of scopes that are still running inside this one.
    fn records_of_active(&self, marking: &mut Marking, number: u32) -> Vec<Record> {
        let mut all = Vec::new();
        let owners: Vec<(NodeId, Vec<u32>)> = marking.scopes[&number]
            .living()
            .filter_map(|token| token.work().map(|(node, work)| (node, work.scopes.clone())))
            .collect();
        for (activity, scopes) in owners {
            let mut inner = Vec::new();
            for scope in
                scopes.into_iter().filter(|scope| marking.scopes.contains_key(scope)).collect::<Vec<_>>()
            {
                inner.append(&mut marking.scope_mut(scope).records);
                inner.extend(self.records_of_active(marking, scope));
            }
            if !inner.is_empty() {
                all.push(Record { at: self.clock, activity, handler: None, inner });
            }
        }
        all
    }

    /// An inner scope ends while its outer one is being undone: its steps may still be taken, at any place in the order.
    pub(super) fn taken_late(&self, marking: &Marking, number: u32, inner: &[Record]) -> Vec<Marking> {
        let steps = flat_order(inner);
        if steps.is_empty() {
            return Vec::new();
        }
        let runs =
            |token: &Token| token.work().and_then(|(_, work)| work.run.as_ref()).map(|run| run.queue.len());
        let scope = &marking.scopes[&number];
        let queues = scope.tokens.iter().enumerate().filter_map(|(place, token)| Some((place, runs(token)?)));
        let ways = queues.flat_map(|(place, length)| (0..=length).map(move |at| (place, at)));
        ways.map(|(place, at)| {
            let mut next = marking.clone();
            let work = next.scope_mut(number).tokens[place].work_mut();
            if let Some(run) = work.and_then(|work| work.run.as_mut()) {
                run.queue.splice(at..at, steps.iter().copied());
            }
            next
        })
        .collect()
    }

    /// The next handler of a compensation begins, wherever its scope is told to be.
    pub(super) fn start_handler(&self, marking: &Marking, node: NodeId) -> Step {
        let mut all = Vec::new();
        for (number, scope) in &marking.scopes {
            let is_next = |run: &Run| run.running.is_none() && run.queue.first() == Some(&node);
            let found = scope.find(|token| {
                let run = token.work().and_then(|(_, work)| work.run.as_ref());
                token.lives() && run.is_some_and(is_next)
            });
            all.extend(self.each(marking, *number, &found, |next, place| {
                let tokens = &mut next.scope_mut(*number).tokens;
                if let Some(run) = tokens[place].work_mut().and_then(|work| work.run.as_mut()) {
                    run.running = Some(run.queue.remove(0));
                }
                let goes_on = self.goes_on_at_first(node);
                let work = Work { is_handler: true, goes_on, ..Work::default() };
                tokens.push(Token::new(Place::Active(node, work), Vec::new()));
            }));
        }
        let error = || format!("`{}` is not the next to run: undoing goes backwards", self.net.id(node));
        if all.is_empty() { Err(error()) } else { Ok(all) }
    }

    pub(super) fn finish_handler(&self, marking: &Marking, node: NodeId, flows: &[FlowId]) -> Step {
        let mut all = Vec::new();
        for (number, scope) in &marking.scopes {
            for place in scope.find(|token| token.lives() && token.work_at(node).is_some()) {
                for mut next in self.with_finished_closed(marking, *number, place) {
                    if self.check_done(&next, *number, place).is_ok() && flows.is_empty() {
                        next.scope_mut(*number).tokens.remove(place);
                        all.extend(self.handed_back(&next, *number, node));
                    }
                }
            }
        }
        let error = || format!("the handler `{}` does not run", self.net.id(node));
        if all.is_empty() { Err(error()) } else { Ok(all) }
    }

    /// The compensation that waited for the handler goes on.
    fn handed_back(&self, marking: &Marking, number: u32, node: NodeId) -> Vec<Marking> {
        let scope = &marking.scopes[&number];
        let found = scope.find(|token| {
            let run = token.work().and_then(|(_, work)| work.run.as_ref());
            run.is_some_and(|run| run.running == Some(node))
        });
        self.each(marking, number, &found, |next, place| {
            let work = next.scope_mut(number).tokens[place].work_mut();
            if let Some(run) = work.and_then(|work| work.run.as_mut()) {
                run.running = None;
            }
        })
    }
}

/// A sub-process is undone as a whole, where it stands in the order.
fn nested_order(records: &[Record]) -> Vec<NodeId> {
    let undo = |record: &Record| match record.handler {
        Some(handler) => vec![handler],
        None => nested_order(&record.inner),
    };
    records.iter().rev().flat_map(undo).collect()
}

/// Every step is undone where it stands in the order.
fn flat_order(records: &[Record]) -> Vec<NodeId> {
    let mut steps = Vec::new();
    collect_steps(records, &mut steps);
    steps.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    steps.into_iter().map(|(_, handler)| handler).collect()
}

fn collect_steps(records: &[Record], steps: &mut Vec<(u32, NodeId)>) {
    for record in records {
        match record.handler {
            Some(handler) => steps.push((record.at, handler)),
            None => collect_steps(&record.inner, steps),
        }
    }
}

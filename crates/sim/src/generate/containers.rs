//! Sub-processes: embedded, event and ad-hoc, and what they throw to the outside.
//!
//! **Invariant:** an error that a drawing throws is caught one level up, unless the process is marked unsound.

use super::builder::{Builder, Piece};
use super::palette::Feature;
use crate::blueprint::{Condition, Gateway, Kind, SubProcess, Task, Throw, Trigger};

impl Builder<'_> {
    /// A sub-process with a start, a body and an end: three nodes and what is inside and on it.
    pub(super) fn embedded(&mut self, budget: usize, depth: usize) -> Piece {
        let container = self.node("sub", Kind::SubProcess(SubProcess::Embedded));
        let inner = self.random.between(1, budget - 3);
        let mut left = budget - 3 - inner;
        self.inside(container, |builder| builder.body(inner, depth));
        if left >= 4 && self.chance_of(Feature::EventSubProcess, 35) {
            let part = self.random.between(4, left.min(8));
            left -= part;
            self.inside(container, |builder| builder.event_sub_process(part, depth));
        }
        let is_undone = left >= 5 && self.chance_of(Feature::Compensation, 12);
        if is_undone {
            left -= 5;
            self.inside(container, Builder::undoes_itself);
        }
        if self.random.chance(25) {
            self.mark(container);
        }
        if left >= 2 && self.is_once(container) && self.chance_of(Feature::Compensation, 12) {
            left -= 2;
            self.make_undoable(container);
        }
        let piece = self.with_boundaries(container, left, depth);
        if is_undone {
            let throw = self.node("undo_it", Kind::Throw(Throw::Compensation(Some(container))));
            self.connect(piece.exit, throw);
            return Piece { entry: piece.entry, exit: throw };
        }
        piece
    }

    /// Start, blocks, end, inside the current container.
    pub(super) fn body(&mut self, budget: usize, depth: usize) {
        let start = self.node("start", Kind::Start { trigger: Trigger::None, interrupts: true });
        let body = self.sequence(budget, depth);
        let end = self.node("end", Kind::End(Throw::None));
        self.connect(start, body.entry);
        self.connect(body.exit, end);
    }

    /// A sub-process that waits for its event while its scope runs: at least four nodes.
    pub(super) fn event_sub_process(&mut self, budget: usize, depth: usize) {
        let interrupts = !self.chance_of(Feature::NonInterrupting, 50);
        let (trigger, interrupts) = if self.chance_of(Feature::Error, 30) {
            (Trigger::Error(self.a_code("error")), true)
        } else if self.chance_of(Feature::Escalation, 30) {
            (Trigger::Escalation(self.a_code("late")), interrupts)
        } else {
            let Some(trigger) = self.external_trigger(!interrupts) else { return };
            (trigger, interrupts)
        };
        let container = self.node("handle", Kind::SubProcess(SubProcess::Event));
        let outer = std::mem::replace(&mut self.keeps_quiet, true);
        self.inside(container, |builder| {
            let start = builder.node("start", Kind::Start { trigger, interrupts });
            let body = builder.sequence(budget - 3, depth.min(1));
            let end = builder.node("end", Kind::End(Throw::None));
            builder.connect(start, body.entry);
            builder.connect(body.exit, end);
        });
        self.keeps_quiet = outer;
    }

    /// A sub-process that undoes the scope it stands in, in its own way: four nodes.
    fn undoes_itself(&mut self) {
        let container = self.node("undo_own", Kind::SubProcess(SubProcess::Event));
        self.inside(container, |builder| {
            let kind = Kind::Start { trigger: Trigger::Compensation, interrupts: true };
            let start = builder.node("start", kind);
            let work = builder.worked_task("undoing");
            let end = builder.node("end", Kind::End(Throw::None));
            builder.connect(start, work);
            builder.connect(work, end);
        });
    }

    /// Activities in no given order, until one of them says that it is enough.
    pub(super) fn ad_hoc(&mut self, budget: usize) -> Piece {
        let (variable, outcome) = self.deciding_outcome("done", false, true);
        let until = Condition::Holds(variable);
        let is_sequential = self.random.chance(50);
        let container = self.node("any_order", Kind::SubProcess(SubProcess::AdHoc { is_sequential, until }));
        let count = self.random.between(1, 3.min(budget - 1));
        self.inside(container, |builder| {
            let mut last = None;
            for _ in 0..count {
                let task = builder.worked_task("part");
                builder.blueprint[task].results.push(outcome.clone());
                if let Some(last) = last.filter(|_| builder.random.chance(25)) {
                    builder.connect(last, task);
                }
                last = Some(task);
            }
        });
        self.with_boundaries(container, budget - 1 - count, 0)
    }

    /// A sub-process in which a branch throws, and the event on it that catches.
    pub(super) fn thrown_outward(&mut self, feature: Feature, budget: usize, depth: usize) -> Piece {
        let is_error = feature == Feature::Error;
        let code = if is_error { "error" } else { "late" };
        if budget < 9 {
            return self.embedded(budget, depth);
        }
        let container = self.node("sub", Kind::SubProcess(SubProcess::Embedded));
        let throw = if is_error { Throw::Error(code.to_owned()) } else { Throw::Escalation(code.to_owned()) };
        self.inside(container, |builder| {
            let start = builder.node("start", Kind::Start { trigger: Trigger::None, interrupts: true });
            let split = builder.node("choose", Kind::Gateway(Gateway::Exclusive));
            let thrown = builder.node("end", Kind::End(throw));
            let body = builder.sequence(budget - 8, depth);
            let end = builder.node("end", Kind::End(Throw::None));
            let condition = builder.condition();
            builder.connect(start, split);
            builder.connect_if(split, thrown, condition);
            builder.connect_else(split, body.entry);
            builder.connect(body.exit, end);
        });
        let is_uncaught = self.options.may_be_unsound && self.random.chance(5);
        if is_uncaught {
            self.blueprint.is_sound &= !is_error;
            return Piece::of(container);
        }
        let interrupts = is_error || !self.chance_of(Feature::NonInterrupting, 50);
        let code = self.a_code(code);
        let trigger = if is_error { Trigger::Error(code) } else { Trigger::Escalation(code) };
        let event = self.node("on", Kind::Boundary { host: container, trigger, interrupts });
        if interrupts {
            let meet = self.closing_node();
            self.connect(container, meet);
            self.connect(event, meet);
            return Piece { entry: container, exit: meet };
        }
        let aside = self.node("end", Kind::End(Throw::None));
        self.connect(event, aside);
        let next = self.node("pass", Kind::Task(Task::None));
        self.connect(container, next);
        Piece { entry: container, exit: next }
    }
}

//! What can be undone: transactions that are cancelled, and scopes that compensate.
//!
//! **Invariant:** a transaction that can be cancelled has an event for it, which leads to where it leads.

use super::builder::{Builder, Piece};
use super::palette::Feature;
use crate::blueprint::{Gateway, Kind, NodeId, SubProcess, Throw, Trigger};

impl Builder<'_> {
    /// A transaction of steps that can be undone: eight nodes and three per step.
    pub(super) fn transaction(&mut self, budget: usize, depth: usize) -> Piece {
        let container = self.node("transaction", Kind::SubProcess(SubProcess::Transaction));
        let left = budget - 7;
        self.inside(container, |builder| {
            let start = builder.node("start", Kind::Start { trigger: Trigger::None, interrupts: true });
            let last = builder.steps_to_undo(start, left, depth);
            let split = builder.node("choose", Kind::Gateway(Gateway::Exclusive));
            let cancel = builder.node("cancel", Kind::End(Throw::Cancel));
            let end = builder.node("end", Kind::End(Throw::None));
            let condition = builder.condition();
            builder.connect(last, split);
            builder.connect_if(split, cancel, condition);
            builder.connect_else(split, end);
        });
        let kind = Kind::Boundary { host: container, trigger: Trigger::Cancel, interrupts: true };
        let event = self.node("cancelled", kind);
        let meet = self.closing_node();
        self.connect(container, meet);
        self.connect(event, meet);
        Piece { entry: container, exit: meet }
    }

    /// Steps that can be undone, then an event that undoes them.
    pub(super) fn undone(&mut self, budget: usize) -> Piece {
        let first = self.undoable_step();
        let mut last = first;
        let mut left = budget - 4;
        while left >= 3 && self.random.chance(60) {
            let next = self.undoable_step();
            self.connect(last, next);
            last = next;
            left -= 3;
        }
        // From an event sub-process, "everything" would be a matter of opinion: whose everything?
        let target = (self.keeps_quiet || self.random.chance(30)).then_some(last);
        let throw = self.node("undo_all", Kind::Throw(Throw::Compensation(target)));
        self.connect(last, throw);
        Piece { entry: first, exit: throw }
    }

    fn steps_to_undo(&mut self, start: NodeId, budget: usize, depth: usize) -> NodeId {
        let mut last = start;
        let mut left = budget;
        while left >= 3 && self.random.chance(70) {
            let next = self.undoable_step();
            self.connect(last, next);
            last = next;
            left -= 3;
        }
        if left >= 1 {
            let rest = self.sequence(left, depth);
            self.connect(last, rest.entry);
            last = rest.exit;
        }
        last
    }

    /// A task, a compensation event and its handler.
    fn undoable_step(&mut self) -> NodeId {
        let task = if self.options.has(Feature::Service) {
            self.worked_task("book")
        } else {
            self.node("book", Kind::Task(crate::blueprint::Task::None))
        };
        self.make_undoable(task);
        task
    }
}

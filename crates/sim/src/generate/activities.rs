//! Single steps: tasks of every kind, their markers, and what is attached to them.
//!
//! **Invariant:** an interrupting event leads back to where its activity leads, so no join waits in vain.

use super::builder::{Builder, Piece};
use super::palette::Feature;
use super::{called_process, events};
use crate::blueprint::{Condition, Kind, Marker, Multiple, NodeId, Outcome, Task, Tells, Trigger, Value};

impl Builder<'_> {
    /// One activity or event with what fits on it.
    pub(super) fn step(&mut self, budget: usize) -> Piece {
        let throws = self.chance_of(Feature::ThrowEvents, 12);
        if throws {
            return self.throwing_event();
        }
        if self.chance_of(Feature::CatchEvents, 15) {
            return Piece::of(self.waiting_event());
        }
        let activity = self.activity();
        self.mark(activity);
        if budget >= 3 && self.chance_of(Feature::Compensation, 15) && self.is_once(activity) {
            self.make_undoable(activity);
            return Piece::of(activity);
        }
        if budget >= 2 && self.blueprint[activity].completion_quantity == 2 && self.random.chance(50) {
            return self.gathered(activity);
        }
        self.with_boundaries(activity, budget - 1, 0)
    }

    /// Two tokens come out, and the next one takes both to start.
    fn gathered(&mut self, activity: NodeId) -> Piece {
        let gather = self.node("gather", Kind::Task(Task::None));
        self.blueprint[gather].start_quantity = 2;
        self.connect(activity, gather);
        Piece { entry: activity, exit: gather }
    }

    pub(super) fn activity(&mut self) -> NodeId {
        let choices = [
            (Feature::Service, Task::Service),
            (Feature::Service, Task::Service),
            (Feature::User, Task::User),
            (Feature::Call, Task::Global),
            (Feature::OtherJobs, Task::Send),
            (Feature::OtherJobs, Task::ScriptJob),
            (Feature::OtherJobs, Task::BusinessRule),
            (Feature::Receive, Task::Receive { instantiates: false }),
            (Feature::Script, Task::Script),
        ];
        if self.chance_of(Feature::Call, 6) {
            return self.call();
        }
        if self.random.chance(12) {
            let task = if self.random.chance(50) { Task::None } else { Task::Manual };
            return self.node("pass", Kind::Task(task));
        }
        let known: Vec<Task> =
            choices.iter().filter(|(feature, _)| self.options.has(*feature)).map(|(_, task)| *task).collect();
        if known.is_empty() {
            return self.node("pass", Kind::Task(Task::None));
        }
        let task = *self.random.pick(&known);
        let node = self.node(events::task_name(task), Kind::Task(task));
        let results: Vec<Outcome> = if task == Task::Script { Vec::new() } else { self.outcomes() };
        self.blueprint[node].results = results;
        node
    }

    fn call(&mut self) -> NodeId {
        let process = format!("{}_called_{}", self.blueprint.id, self.blueprint.called.len() + 1);
        let random = self.random.split();
        let called = called_process(&process, random);
        self.blueprint.is_sound &= called.is_sound;
        self.blueprint.called.push(called);
        self.node("call", Kind::Call(process))
    }

    /// Perhaps a loop, perhaps several instances, perhaps other quantities.
    pub(super) fn mark(&mut self, activity: NodeId) {
        let kind = &self.blueprint[activity].kind;
        let can_decide = kind.is_job() || matches!(kind, Kind::Task(Task::User | Task::Global));
        if self.chance_of(Feature::MultiInstance, 12) {
            let marker = self.multiple(activity, can_decide);
            self.blueprint[activity].marker = Marker::Multiple(marker);
        } else if can_decide && self.chance_of(Feature::StandardLoop, 8) {
            let (variable, outcome) = self.deciding_outcome("again", true, false);
            self.blueprint[activity].results.push(outcome);
            let at_most = self.random.chance(30).then_some(self.random.between(1, 4) as u32);
            let tests_before = self.random.chance(50);
            let while_holds = Condition::Holds(variable);
            self.blueprint[activity].marker = Marker::Loop { while_holds, tests_before, at_most };
        } else if !can_decide && self.chance_of(Feature::StandardLoop, 6) {
            // Nobody decides when it ends, so it ends by itself.
            let (while_holds, tests_before) = (self.condition(), self.random.chance(50));
            let at_most = Some(self.random.between(1, 3) as u32);
            self.blueprint[activity].marker = Marker::Loop { while_holds, tests_before, at_most };
        } else if !self.is_forked && self.chance_of(Feature::Quantities, 3) {
            self.blueprint[activity].completion_quantity = 2;
        }
    }

    fn multiple(&mut self, activity: NodeId, can_decide: bool) -> Multiple {
        let count = if self.random.chance(5) { 0 } else { self.random.between(1, 3) as u32 };
        let has_items = self.random.chance(60);
        let items = has_items.then(|| self.own_variable("items", Value::Items(count)));
        let has_limit = can_decide && self.random.chance(30);
        let until = has_limit.then(|| {
            let (variable, outcome) = self.deciding_outcome("enough", false, true);
            self.blueprint[activity].results.push(outcome);
            Condition::Holds(variable)
        });
        let tells = match self.random.below(10) {
            0 => Some(Tells::First),
            1 => Some(Tells::Every),
            _ => None,
        };
        Multiple { is_sequential: self.random.chance(40), count, items, until, tells }
    }

    pub(super) fn is_once(&self, activity: NodeId) -> bool {
        self.blueprint[activity].marker == Marker::Once && self.blueprint[activity].completion_quantity == 1
    }

    /// A compensation event with its handler: two nodes.
    pub(super) fn make_undoable(&mut self, activity: NodeId) {
        let kind = Kind::Boundary { host: activity, trigger: Trigger::Compensation, interrupts: true };
        let event = self.node("undo", kind);
        let task = if self.options.has(Feature::Service) { Task::Service } else { Task::None };
        let handler = self.node("undoing", Kind::Task(task));
        self.blueprint[handler].compensates = Some(event);
    }

    /// Events on the activity, as many as the budget and chance allow.
    pub(super) fn with_boundaries(&mut self, activity: NodeId, budget: usize, depth: usize) -> Piece {
        let mut left = budget;
        let mut late_exits = Vec::new();
        while left >= 3 && self.chance_of(Feature::Boundary, 30) {
            let Some((event, interrupts)) = self.boundary_event(activity) else { break };
            left -= 1;
            let has_more = left >= 4 && self.random.chance(50);
            let part = if has_more { self.random.between(1, (left - 2).min(4)) } else { 0 };
            // Beside a running activity nothing may be waited for, and what is thrown meets a scope that goes on.
            let exit = if part > 0 {
                let more = self.sequence(part, depth);
                self.connect(event, more.entry);
                left -= part;
                more.exit
            } else {
                event
            };
            if interrupts {
                late_exits.push(exit);
            } else {
                let end = self.node("end", Kind::End(crate::blueprint::Throw::None));
                self.connect(exit, end);
                left -= 1;
            }
        }
        if late_exits.is_empty() {
            return Piece::of(activity);
        }
        let meet = self.closing_node();
        self.connect(activity, meet);
        for exit in late_exits {
            self.connect(exit, meet);
        }
        Piece { entry: activity, exit: meet }
    }
}

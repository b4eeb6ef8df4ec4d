//! Events: what a process starts with, waits for, throws, and what may happen to an activity.
//!
//! **Invariant:** a message, signal or link name belongs to one catching event, so a driver can aim at it.

use super::builder::{Builder, Piece};
use super::palette::Feature;
use crate::blueprint::{ENDLESS, Gateway, Kind, NodeId, SubProcess, Task, Throw, Trigger};

pub(super) fn task_name(task: Task) -> &'static str {
    match task {
        Task::None | Task::Manual => "pass",
        Task::Service => "job",
        Task::Send => "send",
        Task::ScriptJob | Task::Script => "script",
        Task::BusinessRule => "rule",
        Task::User => "user",
        Task::Global => "global",
        Task::Receive { .. } => "receive",
    }
}

impl Builder<'_> {
    /// How the process starts: nearly always plainly.
    pub(super) fn process_start(&mut self) -> NodeId {
        if !self.chance_of(Feature::OtherStarts, 12) {
            return self.node("start", Kind::Start { trigger: Trigger::None, interrupts: true });
        }
        let choice = self.random.below(4);
        if choice == 0 && self.options.has(Feature::Receive) {
            return self.node("receive", Kind::Task(Task::Receive { instantiates: true }));
        }
        if choice == 1 && self.options.has(Feature::EventBased) && self.options.has(Feature::Message) {
            return self.instantiating_gateway();
        }
        match self.external_trigger(false) {
            Some(trigger) => self.node("start", Kind::Start { trigger, interrupts: true }),
            None => self.node("start", Kind::Start { trigger: Trigger::None, interrupts: true }),
        }
    }

    fn instantiating_gateway(&mut self) -> NodeId {
        let gateway = self.node("start", Kind::Gateway(Gateway::EventBased { instantiates: true }));
        let meet = self.node("meet", Kind::Task(Task::None));
        for _ in 0..2 {
            let name = self.own_name("message");
            let event = self.node("catch", Kind::Catch(Trigger::Message(name)));
            self.connect(gateway, event);
            self.connect(event, meet);
        }
        meet
    }

    /// The last node of the process.
    pub(super) fn last_end(&mut self) -> NodeId {
        let choice = self.random.below(20);
        let throw = if choice == 0 && self.options.has(Feature::Message) {
            Throw::Message(self.own_name("sent"))
        } else if choice == 1 && self.options.has(Feature::Signal) {
            Throw::Signal(self.own_name("called"))
        } else if choice == 2 && self.options.has(Feature::Terminate) {
            Throw::Terminate
        } else if choice == 3 && self.options.has(Feature::Escalation) {
            Throw::Escalation("nobody".to_owned())
        } else if choice == 4 && self.options.has(Feature::Compensation) {
            Throw::Compensation(None)
        } else if choice == 5 && self.options.has(Feature::Multiple) {
            self.several_throws()
        } else {
            Throw::None
        };
        self.node("end", Kind::End(throw))
    }

    /// An intermediate event that waits, or the nearest thing to it.
    pub(super) fn waiting_event(&mut self) -> NodeId {
        if self.chance_of(Feature::Receive, 10) {
            return self.node("receive", Kind::Task(Task::Receive { instantiates: false }));
        }
        let trigger = self.external_trigger(false).unwrap_or(Trigger::Timer { seconds: 5, times: 1 });
        self.node("catch", Kind::Catch(trigger))
    }

    /// An intermediate event that acts and passes.
    pub(super) fn throwing_event(&mut self) -> Piece {
        let choice = self.random.below(5);
        let throw = if choice == 4 && self.options.has(Feature::Multiple) {
            self.several_throws()
        } else if choice == 0 && self.options.has(Feature::Message) {
            Throw::Message(self.own_name("sent"))
        } else if choice == 1 && self.options.has(Feature::Signal) {
            Throw::Signal(self.own_name("called"))
        } else if choice == 2 && self.options.has(Feature::Escalation) && !self.keeps_quiet {
            Throw::Escalation(self.random.pick(&["nobody", "late"]).to_string())
        } else {
            Throw::None
        };
        Piece::of(self.node("throw", Kind::Throw(throw)))
    }

    fn several_throws(&mut self) -> Throw {
        Throw::Multiple(vec![Throw::Message(self.own_name("sent")), Throw::Signal(self.own_name("called"))])
    }

    /// An event on the activity that fits it, and whether it interrupts.
    pub(super) fn boundary_event(&mut self, host: NodeId) -> Option<(NodeId, bool)> {
        let interrupts = !self.chance_of(Feature::NonInterrupting, 40);
        let kind = &self.blueprint[host].kind;
        let is_asked = matches!(kind, Kind::Task(Task::User | Task::Global));
        let can_throw_error =
            kind.is_job() || is_asked || matches!(kind, Kind::Call(_) | Kind::SubProcess(_));
        let is_scope = matches!(kind, Kind::SubProcess(SubProcess::Embedded | SubProcess::Transaction));
        let can_escalate = is_scope || is_asked || matches!(kind, Kind::Call(_));
        let passes = matches!(kind, Kind::Task(Task::None | Task::Manual | Task::Script));
        if passes {
            return None;
        }
        let (trigger, interrupts) = if can_throw_error && self.chance_of(Feature::Error, 40) {
            (Trigger::Error(self.a_code("error")), true)
        } else if can_escalate && self.chance_of(Feature::Escalation, 30) {
            (Trigger::Escalation(self.a_code("late")), interrupts)
        } else {
            (self.external_trigger(!interrupts)?, interrupts)
        };
        // Two events for one code on one activity are a fault of the drawing.
        let is_doubled = self.blueprint.boundaries(host).any(|other| {
            let codes = matches!(trigger, Trigger::Error(_) | Trigger::Escalation(_));
            codes && self.blueprint[other].kind.trigger() == Some(&trigger)
        });
        (!is_doubled).then(|| (self.node("on", Kind::Boundary { host, trigger, interrupts }), interrupts))
    }

    /// Something from outside that the palette has.
    pub(super) fn external_trigger(&mut self, may_repeat: bool) -> Option<Trigger> {
        let mut choices = vec![Feature::Message, Feature::Timer, Feature::Conditional, Feature::Signal];
        choices.retain(|feature| self.options.has(*feature));
        if choices.is_empty() {
            return None;
        }
        if choices.len() > 1 && self.chance_of(Feature::Multiple, 10) {
            let parts = vec![self.simple_trigger(choices[0], false), self.simple_trigger(choices[1], false)];
            let is_parallel = self.random.chance(40);
            return Some(if is_parallel {
                Trigger::ParallelMultiple(parts)
            } else {
                Trigger::Multiple(parts)
            });
        }
        let chosen = *self.random.pick(&choices);
        Some(self.simple_trigger(chosen, may_repeat))
    }

    fn simple_trigger(&mut self, chosen: Feature, may_repeat: bool) -> Trigger {
        if chosen == Feature::Message {
            Trigger::Message(self.own_name("message"))
        } else if chosen == Feature::Timer {
            let repeats = may_repeat && self.chance_of(Feature::TimerCycle, 50);
            let times = match self.random.below(5) {
                _ if !repeats => 1,
                0 => ENDLESS,
                other => 2 + other as u32 % 2,
            };
            Trigger::Timer { seconds: self.random.between(1, 9) as u32, times }
        } else if chosen == Feature::Signal {
            Trigger::Signal(self.own_name("signal"))
        } else {
            Trigger::Conditional(self.condition())
        }
    }

    pub(super) fn a_code(&mut self, code: &str) -> Option<String> {
        self.random.chance(60).then(|| code.to_owned())
    }

    fn own_name(&mut self, name: &str) -> String {
        format!("{name}_{}_{}", self.blueprint.nodes.len() + 1, self.random.below(1000))
    }
}

//! Several instances on the bare engine: calls, messages, signals and timers, under a clock that stands still.
//!
//! **Invariant:** what an instance says to another is delivered after its own turn, in the order in which it was said.

mod letters;
mod messages;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tyer_engine::{
    Command, Event, Instance, InstanceId, ItemId, Limits, Number, Rejection, Start, StartTrigger,
    StartWanted, Status, Timestamp, Variables, next_start, start_triggers, step_within,
};
use tyer_model::Process;

use letters::{Letter, for_children, letter};
use messages::Message;

/// Processes, instances and what is between them.
#[derive(Default)]
pub struct World {
    /// What can be started, by BPMN id.
    pub processes: BTreeMap<String, Arc<Process>>,
    /// What was started.
    pub instances: BTreeMap<InstanceId, Member>,
    /// The moment it is.
    pub now: Timestamp,
    /// How long tokens may run on.
    pub limits: Limits,
    starts: Vec<(String, StartTrigger)>,
    messages: Vec<Message>,
    letters: VecDeque<Letter>,
    children: BTreeMap<ItemId, InstanceId>,
    /// Instances that a message with a key began: one at a time.
    keyed: BTreeMap<(String, String), InstanceId>,
    last_id: i64,
    /// How many deliveries one call may cause: beyond it the world is thought to talk to itself for ever.
    deliveries: u32,
}

/// One instance with its past.
pub struct Member {
    /// What it runs.
    pub process: Arc<Process>,
    /// How it is now.
    pub instance: Instance,
    /// What happened, turn by turn.
    pub turns: Vec<Turned>,
}

/// The events of one turn.
pub struct Turned {
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub events: Vec<Event>,
    /// What was run then: a migration changes it.
    pub process: Arc<Process>,
}

/// A called or messaged world that never falls silent is stopped here.
const MOST_DELIVERIES: u32 = 100_000;
/// How long a message thrown by an instance waits for its receiver.
const THROWN_TTL_MS: i64 = 3_600_000;

impl World {
    /// Adds a process; its start events wait from now on.
    pub fn add(&mut self, process: Arc<Process>) {
        let id = process.id.clone();
        self.starts.retain(|(of, _)| *of != id);
        let triggers = start_triggers(&process, self.now).unwrap_or_default();
        self.starts.extend(triggers.into_iter().map(|trigger| (id.clone(), trigger)));
        self.processes.insert(id, process);
    }

    /// Starts an instance and lets the world fall silent.
    ///
    /// # Errors
    /// The engine's own.
    ///
    /// # Panics
    /// If there is no such process.
    pub fn start(&mut self, process: &str, start: Start) -> Result<InstanceId, Rejection> {
        let id = self.begin(process, start)?;
        self.settle();
        Ok(id)
    }

    /// Gives a command to an instance and lets the world fall silent.
    ///
    /// # Errors
    /// The engine's own.
    pub fn command(&mut self, id: InstanceId, command: Command) -> Result<(), Rejection> {
        self.turn(id, command)?;
        self.settle();
        Ok(())
    }

    /// The next moment at which something is due.
    pub fn next_due(&self) -> Option<Timestamp> {
        let timers = self.instances.values().filter(|member| member.instance.status == Status::Running);
        let timers = timers.flat_map(|member| member.instance.timers.values().map(|timer| timer.due));
        let starts = self.starts.iter().filter_map(|(_, trigger)| match trigger.wanted {
            StartWanted::Timer { due, .. } => Some(due),
            StartWanted::Message { .. } | StartWanted::Signal { .. } => None,
        });
        timers.chain(starts).min()
    }

    /// Lets time pass; what becomes due happens in its order.
    pub fn advance_to(&mut self, until: Timestamp) {
        while let Some(due) = self.next_due().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            if !self.fire_start(due) {
                self.fire_timer(due);
            }
        }
        self.now = self.now.max(until);
    }

    /// The child that answers a call.
    pub fn child(&self, caller: InstanceId, call: Number) -> Option<InstanceId> {
        self.children.get(&ItemId { instance: caller, number: call }).copied()
    }

    fn fire_start(&mut self, at: Timestamp) -> bool {
        let is_due =
            |trigger: &StartTrigger| matches!(&trigger.wanted, StartWanted::Timer { due, .. } if *due == at);
        let Some(position) = self.starts.iter().position(|(_, trigger)| is_due(trigger)) else {
            return false;
        };
        let (process, trigger) = self.starts.remove(position);
        if let StartWanted::Timer { due, cycle: Some(cycle) } = &trigger.wanted
            && let Ok(Some((due, cycle))) = next_start(*due, cycle)
        {
            let again = StartTrigger { node: trigger.node, wanted: StartWanted::Timer { due, cycle } };
            self.starts.insert(position, (process.clone(), again));
        }
        self.start_at(&process, &trigger, Variables::default());
        self.settle();
        true
    }

    fn fire_timer(&mut self, at: Timestamp) {
        let due = self.instances.iter().filter(|(_, member)| member.instance.status == Status::Running);
        let mut due = due.flat_map(|(id, member)| {
            member
                .instance
                .timers
                .iter()
                .filter(|(_, timer)| timer.due == at)
                .map(|(number, _)| (*id, *number))
        });
        if let Some((id, timer)) = due.next() {
            self.command(id, Command::TimerDue { timer }).expect("a due timer is armed");
        }
    }

    fn begin(&mut self, process: &str, start: Start) -> Result<InstanceId, Rejection> {
        let process = Arc::clone(self.processes.get(process).expect("the process is known"));
        self.last_id += 1;
        let id = InstanceId(self.last_id);
        let mut instance = Instance::blank(id);
        let parent = start.parent;
        let events =
            step_within(&process, &mut instance, Command::Start(Box::new(start)), self.now, &self.limits)?;
        self.instances.insert(id, Member { process, instance, turns: Vec::new() });
        if let Some(parent) = parent {
            self.children.insert(parent, id);
        }
        self.note(id, events);
        Ok(id)
    }

    fn turn(&mut self, id: InstanceId, command: Command) -> Result<(), Rejection> {
        let member = self.instances.get_mut(&id).ok_or(Rejection::InstanceUnknown { id })?;
        if let Command::Migrate(_) = &command {
            let process = Arc::clone(&self.processes[&member.process.id]);
            let events = step_within(&process, &mut member.instance, command, self.now, &self.limits)?;
            member.process = process;
            self.note(id, events);
            return Ok(());
        }
        let events = step_within(&member.process, &mut member.instance, command, self.now, &self.limits)?;
        self.note(id, events);
        Ok(())
    }

    /// Keeps the events of a turn, and puts what they say to others on the way.
    fn note(&mut self, id: InstanceId, events: Vec<Event>) {
        for event in &events {
            if let Some(letter) = letter(id, &event.kind) {
                self.letters.push_back(letter);
            }
            if let Some(command) = for_children(&event.kind) {
                let children = self.children.iter().filter(|(call, _)| call.instance == id);
                let letters = children.map(|(_, child)| Letter::To(*child, command.clone()));
                self.letters.extend(letters);
            }
        }
        let member = self.instances.get_mut(&id).expect("it has just turned");
        let process = Arc::clone(&member.process);
        member.turns.push(Turned { at: self.now, events, process });
    }

    /// Delivers until nobody has anything to say.
    fn settle(&mut self) {
        self.deliveries = 0;
        loop {
            while let Some(letter) = self.letters.pop_front() {
                self.deliveries += 1;
                assert!(self.deliveries < MOST_DELIVERIES, "instances talk to each other for ever");
                self.deliver(letter);
            }
            if !self.take_waiting_message() {
                return;
            }
        }
    }

    fn start_at(&mut self, process: &str, trigger: &StartTrigger, variables: Variables) -> InstanceId {
        let node = self.processes[process].node(trigger.node).id.clone();
        let start = Start { priority: 50, variables, at: vec![node], ..Start::default() };
        self.begin(process, start).expect("an instance begins at its start event")
    }
}

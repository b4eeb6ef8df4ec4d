//! Several instances on the bare engine: calls, messages, signals and timers, under a clock that stands still.
//!
//! **Invariant:** what an instance says to another is delivered after its own turn, in the order in which it was said.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tyer_engine::{
    Answer, CallStarted, ChildOutcome, Command, Event, EventKind, Instance, InstanceId, ItemId, Limits,
    Number, Rejection, Start, StartTrigger, StartWanted, Status, Timestamp, Variables, Wanted, next_start,
    start_triggers, step_within,
};
use tyer_model::Process;

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

/// A message that nobody has taken yet.
#[derive(Clone, Debug)]
struct Message {
    name: Arc<str>,
    key: Option<String>,
    id: Option<String>,
    variables: Variables,
    until: Timestamp,
    taken_by: Vec<String>,
}

/// Something said by one instance to another.
enum Letter {
    To(InstanceId, Command),
    Call { caller: InstanceId, call: Box<CallStarted> },
    Cancel(ItemId),
    Message { name: Arc<str>, key: Option<String>, variables: Variables },
    Signal { from: Option<InstanceId>, name: Arc<str>, variables: Variables },
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

    /// Publishes a message that waits some time for its receiver. One with an id that still waits is published once.
    pub fn publish(
        &mut self,
        name: &str,
        key: Option<&str>,
        id: Option<&str>,
        variables: Variables,
        ttl_ms: i64,
    ) {
        let (name, key, id) = (Arc::from(name), key.map(str::to_owned), id.map(str::to_owned));
        let until = self.now.plus_ms(ttl_ms);
        let known = |old: &Message| old.id.is_some() && (&old.name, &old.key, &old.id) == (&name, &key, &id);
        if self.messages.iter().any(|old| old.until >= self.now && known(old)) {
            return;
        }
        self.correlate(Message { name, key, id, variables, until, taken_by: Vec::new() });
        self.settle();
        if ttl_ms == 0 {
            // Nobody wanted it at once: it does not wait.
            self.messages.retain(|message| message.until != until || message.until > self.now);
        }
    }

    /// Sends a signal to everybody.
    pub fn signal(&mut self, name: &str, variables: Variables) {
        self.letters.push_back(Letter::Signal { from: None, name: Arc::from(name), variables });
        self.settle();
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
        if let StartWanted::Timer { due, cycle: Some(cycle) } = &trigger.wanted {
            if let Ok(Some((due, cycle))) = next_start(*due, cycle) {
                let again = StartTrigger { node: trigger.node, wanted: StartWanted::Timer { due, cycle } };
                self.starts.insert(position, (process.clone(), again));
            }
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

    fn deliver(&mut self, letter: Letter) {
        match letter {
            // A receiver that no longer waits is no mistake: it has gone on meanwhile.
            Letter::To(id, command) => drop(self.turn(id, command)),
            Letter::Call { caller, call } => self.call(caller, *call),
            Letter::Cancel(call) => {
                if let Some(child) = self.children.get(&call).copied() {
                    let reason = Some("its caller does not wait any more".to_owned());
                    drop(self.turn(child, Command::Cancel { reason }));
                }
            }
            Letter::Message { name, key, variables } => {
                let until = self.now.plus_ms(THROWN_TTL_MS);
                self.correlate(Message { name, key, id: None, variables, until, taken_by: Vec::new() });
            }
            Letter::Signal { from, name, variables } => self.broadcast(from, &name, &variables),
        }
    }

    fn call(&mut self, caller: InstanceId, call: CallStarted) {
        let parent = ItemId { instance: caller, number: call.call };
        let failed =
            |reason: String| Command::ChildEnded { call: call.call, outcome: ChildOutcome::Failed(reason) };
        if !self.processes.contains_key(&*call.process) {
            let reason = format!("there is no process `{}`", call.process);
            return drop(self.turn(caller, failed(reason)));
        }
        let start = Start {
            business_key: call.business_key,
            priority: 50,
            variables: call.variables,
            parent: Some(parent),
            ..Start::default()
        };
        if let Err(rejection) = self.begin(&call.process, start) {
            drop(self.turn(caller, failed(rejection.to_string())));
        }
    }

    /// A message goes to one instance of each process that waits for it, else it waits itself.
    fn correlate(&mut self, message: Message) {
        self.messages.push(message);
        while self.take_waiting_message() {}
    }

    /// Gives one waiting message to one that waits for it.
    fn take_waiting_message(&mut self) -> bool {
        self.messages.retain(|message| message.until >= self.now);
        for position in 0..self.messages.len() {
            let message = self.messages[position].clone();
            if let Some((id, subscription, process)) = self.waiting_for(&message) {
                self.messages[position].taken_by.push(process);
                let (variables, name) = (message.variables, Some(message.name.to_string()));
                drop(self.turn(id, Command::Trigger { subscription, variables, message: name }));
                return true;
            }
            let begins = |(process, trigger): &&(String, StartTrigger)| {
                let wanted =
                    matches!(&trigger.wanted, StartWanted::Message { name } if *name == message.name);
                wanted
                    && !message.taken_by.contains(process)
                    && !self.is_busy(process, message.key.as_deref())
            };
            if let Some((process, trigger)) = self.starts.iter().find(begins).cloned() {
                self.messages[position].taken_by.push(process.clone());
                let begun = self.start_at(&process, &trigger, message.variables);
                self.keyed.extend(message.key.map(|key| ((process, key), begun)));
                return true;
            }
        }
        false
    }

    /// Has a message with this key begun an instance that still goes on?
    fn is_busy(&self, process: &str, key: Option<&str>) -> bool {
        let begun = key.and_then(|key| self.keyed.get(&(process.to_owned(), key.to_owned())));
        begun.is_some_and(|id| !self.instances[id].instance.status.is_ended())
    }

    fn waiting_for(&self, message: &Message) -> Option<(InstanceId, Number, String)> {
        let wants = |wanted: &Wanted| match wanted {
            Wanted::Message { name, key } => *name == message.name && (key.is_none() || *key == message.key),
            Wanted::Signal { .. } | Wanted::Condition { .. } => false,
        };
        let open = |member: &&Member| !message.taken_by.contains(&member.process.id);
        self.instances.values().filter(open).find_map(|member| {
            let mut waiting = member.instance.subscriptions.iter();
            let (number, _) = waiting.find(|(_, subscription)| wants(&subscription.wanted))?;
            Some((member.instance.id, *number, member.process.id.clone()))
        })
    }

    fn broadcast(&mut self, from: Option<InstanceId>, name: &str, variables: &Variables) {
        let wants = |wanted: &Wanted| matches!(wanted, Wanted::Signal { name: waited } if **waited == *name);
        let mut reached = Vec::new();
        for (id, member) in self.instances.iter().filter(|(id, _)| Some(**id) != from) {
            let waiting = member.instance.subscriptions.iter().filter(|(_, waits)| wants(&waits.wanted));
            reached.extend(waiting.map(|(number, _)| (*id, *number)));
        }
        for (id, subscription) in reached {
            let trigger = Command::Trigger { subscription, variables: variables.clone(), message: None };
            drop(self.turn(id, trigger));
        }
        let begins = |trigger: &StartTrigger| matches!(&trigger.wanted, StartWanted::Signal { name: waited } if **waited == *name);
        let starts: Vec<_> = self.starts.iter().filter(|(_, trigger)| begins(trigger)).cloned().collect();
        for (process, trigger) in starts {
            self.start_at(&process, &trigger, variables.clone());
        }
    }

    fn start_at(&mut self, process: &str, trigger: &StartTrigger, variables: Variables) -> InstanceId {
        let node = self.processes[process].node(trigger.node).id.clone();
        let start = Start { priority: 50, variables, at: vec![node], ..Start::default() };
        self.begin(process, start).expect("an instance begins at its start event")
    }
}

/// What happens to the called processes too.
fn for_children(kind: &EventKind) -> Option<Command> {
    match kind {
        EventKind::WorkflowPaused { reason } => Some(Command::Pause { reason: reason.clone() }),
        EventKind::WorkflowResumed => Some(Command::Resume),
        _ => None,
    }
}

/// What an event says to others.
fn letter(id: InstanceId, kind: &EventKind) -> Option<Letter> {
    match kind {
        EventKind::CallStarted(call) => Some(Letter::Call { caller: id, call: call.clone() }),
        EventKind::CallCancelled { call } => Some(Letter::Cancel(ItemId { instance: id, number: *call })),
        EventKind::CallAnswered { instance, call, answer } => {
            Some(Letter::To(*instance, Command::ChildEnded { call: *call, outcome: outcome(answer) }))
        }
        EventKind::MessageSent { name, key, variables } => {
            Some(Letter::Message { name: Arc::clone(name), key: key.clone(), variables: variables.clone() })
        }
        EventKind::SignalSent { name, variables } => {
            Some(Letter::Signal { from: Some(id), name: Arc::clone(name), variables: variables.clone() })
        }
        _ => None,
    }
}

fn outcome(answer: &Answer) -> ChildOutcome {
    match answer.clone() {
        Answer::Completed { variables } => ChildOutcome::Completed(variables),
        Answer::Error { code, message } => ChildOutcome::Error { code, message },
        Answer::Failed { message } => ChildOutcome::Failed(message),
        Answer::Escalated { code } => ChildOutcome::Escalated { code },
    }
}

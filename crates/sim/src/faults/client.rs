//! Clients: they look at what is stored, send what somebody in their place would send, and remember the answers.

use std::collections::{BTreeMap, BTreeSet};

use tyer_engine::{
    Command, IncidentKind, Instance, InstanceId, ItemId, Modification, Placement, StartWanted, Status,
    TaskAction, Timestamp, Variables, Wait, Wanted, start_triggers,
};
use tyer_model::Process;

use super::ledger::{Ledger, Mark};
use super::request::Request;
use super::shelf::Kept;
use crate::blueprint::{self, Blueprint, Value};
use crate::random::Random;

/// Instances that are started one beside the other.
const MOST_STARTS: u32 = 3;

/// What to do next.
pub(super) enum Next {
    /// Send this; the mark says how it shows.
    Send(Request, Option<Mark>),
    /// Let time pass until then.
    Wait(Timestamp),
}

/// A job that a worker outside holds.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) lease: u32,
    pub(super) worker: String,
}

/// All clients of a life.
pub(super) struct Client<'b> {
    blueprint: &'b Blueprint,
    random: Random,
    pub(super) ledger: Ledger,
    pub(super) held: BTreeMap<ItemId, Held>,
    /// Whose answer never came, with their numbers in the ledger.
    pub(super) unanswered: Vec<(Request, Option<usize>)>,
    bookmarks: BTreeMap<InstanceId, String>,
    names: u32,
    starts: u32,
}

impl<'b> Client<'b> {
    pub(super) fn new(blueprint: &'b Blueprint, random: Random) -> Client<'b> {
        Client {
            blueprint,
            random,
            ledger: Ledger::default(),
            held: BTreeMap::new(),
            unanswered: Vec::new(),
            bookmarks: BTreeMap::new(),
            names: 0,
            starts: 0,
        }
    }

    /// A name that nobody has used.
    pub(super) fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}_{}", self.names)
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// Types of jobs that are open.
    pub(super) fn job_types(all: &BTreeMap<InstanceId, Kept>) -> Vec<String> {
        let tokens = all.values().flat_map(|kept| kept.instance.tokens.values());
        let types: BTreeSet<String> =
            tokens.filter_map(|token| Some(token.job()?.job_type.to_string())).collect();
        types.into_iter().collect()
    }

    /// Draws what happens next; none when nothing can. `home` = lives shall come to their ends.
    pub(super) fn next(
        &mut self,
        process: &Process,
        all: &BTreeMap<InstanceId, Kept>,
        now: Timestamp,
        home: bool,
    ) -> Option<Next> {
        let (mut likely, mut rare) = (Vec::new(), Vec::new());
        let mut due = None;
        for kept in all.values().filter(|kept| !kept.instance.status.is_ended()) {
            self.of_instance(kept, home, &mut likely, &mut rare);
            let timers = kept.instance.timers.values().map(|timer| timer.due);
            due = due.into_iter().chain(timers.filter(|_| kept.instance.status == Status::Running)).min();
        }
        if self.starts == 0 || (!home && self.starts < MOST_STARTS && self.random.chance(10)) {
            self.starts += 1;
            return Some(self.begin(process, now));
        }
        likely.extend(due.map(Next::Wait));
        let from = if !rare.is_empty() && !home && self.random.chance(15) { &mut rare } else { &mut likely };
        if from.is_empty() {
            return None;
        }
        let at = self.random.below(from.len());
        Some(from.swap_remove(at))
    }

    /// The process begins: by itself, or by what its start event waits for.
    fn begin(&mut self, process: &Process, now: Timestamp) -> Next {
        let variables = values(&self.blueprint.variables);
        let triggers = start_triggers(process, now).unwrap_or_default();
        let wanted = triggers.into_iter().map(|trigger| trigger.wanted).next();
        if process.body(None).starts.is_empty() {
            match wanted {
                Some(StartWanted::Message { name }) => return self.publish(&name, None, variables),
                Some(StartWanted::Signal { name }) => {
                    return Next::Send(Request::Signal { name: name.to_string() }, None);
                }
                Some(StartWanted::Timer { due, .. }) => return Next::Wait(due),
                None => {}
            }
        }
        let key = self.name("start");
        let start = Request::Start { process: process.id.clone(), key: key.clone(), variables };
        Next::Send(start, Some(Mark::Start(key)))
    }

    fn publish(&mut self, name: &str, key: Option<String>, variables: Variables) -> Next {
        let id = self.name("message");
        let mut variables = variables;
        variables.merge(&Variables::of(&id, "1".to_owned()));
        let request = Request::Publish { name: name.to_owned(), key, id: id.clone(), variables };
        Next::Send(request, Some(Mark::Message(id)))
    }

    fn of_instance(&mut self, kept: &Kept, home: bool, likely: &mut Vec<Next>, rare: &mut Vec<Next>) {
        let (id, instance) = (kept.instance.id, &kept.instance);
        for token in instance.tokens.values() {
            let node = &kept.process.node(token.node).id;
            if let Wait::Job(job) = &token.wait {
                self.of_job(ItemId { instance: id, number: job.number }, node, home, likely, rare);
            } else if let Wait::Task(task) = token.wait {
                self.of_task(ItemId { instance: id, number: task }, node, home, likely, rare);
            }
        }
        for subscription in instance.subscriptions.values() {
            likely.push(match &subscription.wanted {
                Wanted::Message { name, key } => self.publish(name, key.clone(), Variables::default()),
                Wanted::Signal { name } => Next::Send(Request::Signal { name: name.to_string() }, None),
                Wanted::Condition { .. } => self.set(id),
            });
        }
        for (number, incident) in &instance.incidents {
            let undoing = incident.kind == IncidentKind::CompensationFailed;
            let command = if undoing && self.random.chance(50) {
                Command::SkipCompensation { incident: *number }
            } else {
                Command::Resolve { incident: *number, retries: None }
            };
            likely.push(order(id, command));
        }
        if instance.status == Status::Paused {
            likely.push(order(id, Command::Resume));
        }
        if !home {
            self.control(kept, rare);
        }
    }

    fn of_job(&mut self, job: ItemId, node: &str, home: bool, likely: &mut Vec<Next>, rare: &mut Vec<Next>) {
        let Some(Held { lease, worker }) = self.held.get(&job).cloned() else { return };
        let mark = || Some(Mark::Job(job, worker.clone()));
        let variables = self.result(node, home);
        likely.push(Next::Send(Request::Complete { job, lease, variables }, mark()));
        let retries = u32::from(self.random.chance(70));
        rare.push(Next::Send(Request::Fail { job, lease, retries }, mark()));
        let code = format!("error_{}", 1 + self.random.below(3));
        rare.push(Next::Send(Request::Throw { job, lease, code }, mark()));
    }

    fn of_task(
        &mut self,
        task: ItemId,
        node: &str,
        home: bool,
        likely: &mut Vec<Next>,
        rare: &mut Vec<Next>,
    ) {
        let by = self.name("person");
        let act = |by: &str, action| Command::Task { task: task.number, by: Some(by.to_owned()), action };
        let action = TaskAction::Complete { variables: self.result(node, home) };
        let request = Request::Do { instance: task.instance, command: Box::new(act(&by, action)) };
        likely.push(Next::Send(request, Some(Mark::Task(task, by.clone()))));
        rare.push(order(task.instance, act(&by, TaskAction::Assign { to: by.clone() })));
    }

    /// What people do to instances.
    fn control(&mut self, kept: &Kept, rare: &mut Vec<Next>) {
        let (id, instance) = (kept.instance.id, &kept.instance);
        rare.push(self.set(id));
        if instance.status == Status::Running && self.random.chance(50) {
            let reason = self.name("pause");
            let command = Command::Pause { reason: Some(reason.clone()) };
            rare.push(named(id, "workflow.paused", reason, command));
        }
        if self.random.chance(4) {
            let reason = self.name("cancel");
            let command = Command::Cancel { reason: Some(reason.clone()) };
            rare.push(named(id, "workflow.cancelled", reason, command));
        }
        if self.random.chance(6) {
            rare.push(order(id, Command::Compensate { reason: None }));
        }
        if self.random.chance(12) {
            rare.push(Next::Send(Request::Migrate { instance: id }, None));
        }
        if self.random.chance(15) {
            rare.extend(self.modify(&kept.process, instance));
        }
        if self.random.chance(15) {
            let bookmark = self.bookmarks.remove(&id);
            rare.push(match bookmark {
                Some(name) => Next::Send(Request::Rollback { instance: id, name }, None),
                None => {
                    let name = self.name("bookmark");
                    self.bookmarks.insert(id, name.clone());
                    named(id, "snapshot.taken", name.clone(), Command::Snapshot { name })
                }
            });
        }
    }

    fn modify(&mut self, process: &Process, instance: &Instance) -> Option<Next> {
        let token = *instance.tokens.keys().next()?;
        let nodes: Vec<_> = process.nodes().collect();
        let node = self.random.pick(&nodes).1.id.clone();
        let add = vec![Placement { node, instead_of: Some(token), variables: Variables::default() }];
        Some(order(instance.id, Command::Modify(Modification { add, cancel: Vec::new() })))
    }

    /// Other values for variables that conditions read, and one that only this request sets.
    fn set(&mut self, id: InstanceId) -> Next {
        let mut written = blueprint::Variables::new();
        for (name, value) in &self.blueprint.variables {
            let value = match value {
                Value::Flag(_) => Value::Flag(self.random.chance(60)),
                Value::Number(_) => Value::Number(self.random.between(0, 5) as i64),
                Value::Items(_) => continue,
            };
            written.insert(name.clone(), value);
        }
        let name = self.name("set");
        written.insert(name.clone(), Value::Flag(true));
        let command = Command::SetVariables { token: None, local: false, values: values(&written) };
        Next::Send(Request::Do { instance: id, command: Box::new(command) }, Some(Mark::Variable(id, name)))
    }

    /// What the one who completes a node writes.
    pub(super) fn result(&mut self, node: &str, home: bool) -> Variables {
        result_of(self.blueprint, &mut self.random, node, home)
    }
}

/// What the one who completes a node writes.
pub(super) fn result_of(blueprint: &Blueprint, random: &mut Random, node: &str, home: bool) -> Variables {
    let mut written = blueprint::Variables::new();
    let all = std::iter::once(blueprint).chain(&blueprint.called);
    let found = all.flat_map(|blueprint| &blueprint.nodes).find(|known| known.id == node);
    for outcome in found.map_or(&[][..], |node| &node.results) {
        let value = match &outcome.exit {
            Some(exit) if home || random.chance(40) => exit.clone(),
            _ if outcome.values.is_empty() => continue,
            _ => random.pick(&outcome.values).clone(),
        };
        written.insert(outcome.variable.clone(), value);
    }
    values(&written)
}

/// A command that leaves no mark of its own.
fn order(instance: InstanceId, command: Command) -> Next {
    Next::Send(Request::Do { instance, command: Box::new(command) }, None)
}

fn named(instance: InstanceId, kind: &'static str, name: String, command: Command) -> Next {
    let request = Request::Do { instance, command: Box::new(command) };
    Next::Send(request, Some(Mark::Named(instance, kind, name)))
}

fn values(values: &blueprint::Variables) -> Variables {
    let mut variables = Variables::default();
    for (name, value) in values {
        variables.merge(&Variables::of(name, value.to_string()));
    }
    variables
}

//! What happens next: one of everything that could, drawn at random.

use std::fmt;
use std::sync::Arc;

use tyer_engine::{
    Command, Effects, Instance, InstanceId, Migration, Modification, Number, Placement, Rejection, Rollback,
    Status, TaskAction, Timestamp, Variables, Wait, Wanted,
};

use super::{start_of, variables};
use crate::blueprint::{Blueprint, Gateway, Kind, NodeId, Task, Trigger};
use crate::random::Random;
use crate::world::World;

/// Draws actions and takes them.
pub(super) struct Chooser<'b> {
    blueprint: &'b Blueprint,
    random: Random,
    /// Jobs that were open once: late results name them.
    stale: Vec<(InstanceId, Number)>,
    /// How the first instance was at its bookmark.
    bookmark: Option<Instance>,
}

/// One thing to do.
pub(super) enum Action {
    CompleteJob(InstanceId, Number, Variables, bool),
    FailJob(InstanceId, Number, u32),
    ThrowError(InstanceId, Number, String),
    CompleteTask(InstanceId, Number, Variables),
    ClaimTask(InstanceId, Number),
    Late(InstanceId, Number),
    Advance(Timestamp),
    Message(String, Option<String>),
    Signal(String),
    Set(InstanceId, Variables),
    Pause(InstanceId),
    Resume(InstanceId),
    Resolve(InstanceId, Number),
    Skip(InstanceId, Number),
    Cancel(InstanceId),
    Compensate(InstanceId),
    Modify(InstanceId, String, Number),
    Migrate(InstanceId),
    Bookmark(InstanceId),
    Rollback(InstanceId),
}

impl<'b> Chooser<'b> {
    pub(super) fn new(blueprint: &'b Blueprint, random: Random) -> Chooser<'b> {
        Chooser { blueprint, random, stale: Vec::new(), bookmark: None }
    }

    /// The process begins: by itself, or by what its start event waits for.
    pub(super) fn begin(&mut self, world: &mut World) {
        let process = &world.processes[&self.blueprint.id];
        if !process.body(None).starts.is_empty() {
            let begun = world.start(&self.blueprint.id, start_of(self.blueprint));
            begun.expect("a blank instance starts");
            return;
        }
        let named = self.blueprint.children(None).find_map(|node| self.begins_by(node));
        let values = variables(&self.blueprint.variables);
        match named {
            Some(Named::Message(name)) => world.publish(&name, None, None, values, 0),
            Some(Named::Signal(name)) => world.signal(&name, values),
            Some(Named::Timer(seconds)) => {
                let until = world.now.plus_ms(i64::from(seconds) * 1000);
                world.advance_to(until);
            }
            None => {}
        }
    }

    /// What the outer node waits for, if it begins the process.
    fn begins_by(&self, node: NodeId) -> Option<Named> {
        let kind = &self.blueprint[node].kind;
        if let Kind::Start { trigger, .. } = kind {
            return first_name(trigger);
        }
        if let Kind::Task(Task::Receive { instantiates: true }) = kind {
            return Some(Named::Message(self.blueprint[node].id.clone()));
        }
        if !matches!(kind, Kind::Gateway(Gateway::EventBased { instantiates: true })) {
            return None;
        }
        let events = self.blueprint.outgoing(node).map(|flow| self.blueprint[flow].to);
        events.into_iter().find_map(|event| {
            let event = &self.blueprint[event];
            if let Kind::Catch(trigger) = &event.kind {
                return first_name(trigger);
            }
            matches!(event.kind, Kind::Task(Task::Receive { .. })).then(|| Named::Message(event.id.clone()))
        })
    }

    /// Draws what happens next; none when nothing can. `home` = the life shall come to its end.
    pub(super) fn next(&mut self, world: &World, home: bool) -> Option<Action> {
        let mut likely = Vec::new();
        let mut rare = Vec::new();
        for (id, member) in &world.instances {
            if !member.instance.status.is_ended() {
                self.of_instance(*id, world, home, &mut likely, &mut rare);
            }
        }
        if let Some(due) = world.next_due() {
            likely.push(Action::Advance(due));
            if self.random.chance(10) {
                rare.push(Action::Advance(due.plus_ms(10_000)));
            }
        }
        if !home && self.random.chance(4) && !self.stale.is_empty() {
            let (id, job) = *self.random.pick(&self.stale);
            return Some(Action::Late(id, job));
        }
        if !rare.is_empty() && !home && self.random.chance(12) {
            let at = self.random.below(rare.len());
            return Some(rare.swap_remove(at));
        }
        if likely.is_empty() {
            return None;
        }
        let at = self.random.below(likely.len());
        Some(likely.swap_remove(at))
    }

    fn of_instance(
        &mut self,
        id: InstanceId,
        world: &World,
        home: bool,
        likely: &mut Vec<Action>,
        rare: &mut Vec<Action>,
    ) {
        let member = &world.instances[&id];
        let instance = &member.instance;
        for token in instance.tokens.values() {
            let node = &member.process.node(token.node).id;
            if let Wait::Job(job) = &token.wait {
                let twice = self.random.chance(5);
                likely.push(Action::CompleteJob(id, job.number, self.result(node, home), twice));
                rare.push(Action::FailJob(id, job.number, u32::from(self.random.chance(70))));
                let code = format!("error_{}", 1 + self.random.below(3));
                rare.push(Action::ThrowError(id, job.number, code));
            } else if let Wait::Task(task) = token.wait {
                likely.push(Action::CompleteTask(id, task, self.result(node, home)));
                rare.push(Action::ClaimTask(id, task));
            }
        }
        for subscription in instance.subscriptions.values() {
            match &subscription.wanted {
                Wanted::Message { name, key } => likely.push(Action::Message(name.to_string(), key.clone())),
                Wanted::Signal { name } => likely.push(Action::Signal(name.to_string())),
                Wanted::Condition { .. } => likely.push(Action::Set(id, self.any_values())),
            }
        }
        for (number, incident) in &instance.incidents {
            let undoing = incident.kind == tyer_engine::IncidentKind::CompensationFailed;
            likely.push(if undoing && self.random.chance(50) {
                Action::Skip(id, *number)
            } else {
                Action::Resolve(id, *number)
            });
        }
        if instance.status == Status::Paused {
            likely.push(Action::Resume(id));
        } else {
            rare.push(Action::Pause(id));
        }
        if self.random.chance(3) {
            rare.push(Action::Cancel(id));
        }
        if self.random.chance(5) {
            rare.push(Action::Compensate(id));
        }
        if self.random.chance(10) {
            rare.push(Action::Migrate(id));
        }
        if let (true, Some(token)) = (self.random.chance(15), instance.tokens.keys().next()) {
            let nodes: Vec<_> = member.process.nodes().collect();
            let (_, node) = self.random.pick(&nodes);
            rare.push(Action::Modify(id, node.id.clone(), *token));
        }
        if id == InstanceId(1) && self.random.chance(20) {
            rare.push(if self.bookmark.is_some() { Action::Rollback(id) } else { Action::Bookmark(id) });
        }
    }

    /// What the one who completes a node writes.
    fn result(&mut self, node: &str, home: bool) -> Variables {
        let mut written = crate::blueprint::Variables::new();
        let all = std::iter::once(self.blueprint).chain(&self.blueprint.called);
        let found = all.flat_map(|blueprint| &blueprint.nodes).find(|known| known.id == node);
        for outcome in found.map_or(&[][..], |node| &node.results) {
            let value = match &outcome.exit {
                Some(exit) if home || self.random.chance(40) => exit.clone(),
                _ if outcome.values.is_empty() => continue,
                _ => self.random.pick(&outcome.values).clone(),
            };
            written.insert(outcome.variable.clone(), value);
        }
        variables(&written)
    }

    /// Other values for variables that conditions read.
    fn any_values(&mut self) -> Variables {
        use crate::blueprint::Value;
        let mut written = crate::blueprint::Variables::new();
        for (name, value) in &self.blueprint.variables {
            let value = match value {
                Value::Flag(_) => Value::Flag(self.random.chance(60)),
                Value::Number(_) => Value::Number(self.random.between(0, 5) as i64),
                Value::Items(_) => continue,
            };
            written.insert(name.clone(), value);
        }
        variables(&written)
    }

    /// Does it. A refusal is right where the world had gone on, and wrong where it had not.
    pub(super) fn take(&mut self, world: &mut World, action: Action) -> Result<(), String> {
        let must =
            |outcome: Result<(), Rejection>| outcome.map_err(|rejection| format!("refused: {rejection}"));
        match action {
            Action::CompleteJob(id, job, variables, twice) => {
                self.stale.push((id, job));
                let complete = || Command::CompleteJob { job, holder: None, variables: variables.clone() };
                must(world.command(id, complete()))?;
                if twice && world.command(id, complete()).is_ok() {
                    return Err(format!("job {job} was completed twice"));
                }
                Ok(())
            }
            Action::FailJob(id, job, retries) => {
                self.stale.push((id, job));
                let (holder, error, backoff_ms) = (None, "it did not work".to_owned(), Some(1000));
                must(
                    world.command(
                        id,
                        Command::FailJob { job, holder, error, retries: Some(retries), backoff_ms },
                    ),
                )
            }
            Action::ThrowError(id, job, code) => {
                self.stale.push((id, job));
                let (holder, message, variables) = (None, None, Variables::default());
                must(world.command(id, Command::ThrowError { job, holder, code, message, variables }))
            }
            Action::CompleteTask(id, task, variables) => {
                let action = TaskAction::Complete { variables };
                must(world.command(id, Command::Task { task, by: Some("ada".to_owned()), action }))
            }
            Action::ClaimTask(id, task) => {
                let by = Some("ada".to_owned());
                must(world.command(id, Command::Task { task, by, action: TaskAction::Claim }))
            }
            Action::Late(id, job) => {
                let late = Command::CompleteJob { job, holder: None, variables: Variables::default() };
                match world.command(id, late) {
                    Err(Rejection::JobNotOpen { .. }) => Ok(()),
                    Err(other) => Err(format!("a late result was refused as: {other}")),
                    Ok(()) => Err(format!("a late result of job {job} was taken")),
                }
            }
            Action::Advance(until) => {
                world.advance_to(until);
                Ok(())
            }
            Action::Message(name, key) => {
                world.publish(&name, key.as_deref(), None, Variables::default(), 0);
                Ok(())
            }
            Action::Signal(name) => {
                world.signal(&name, Variables::default());
                Ok(())
            }
            Action::Set(id, values) => {
                must(world.command(id, Command::SetVariables { token: None, local: false, values }))
            }
            Action::Pause(id) => must(world.command(id, Command::Pause { reason: None })),
            Action::Resume(id) => must(world.command(id, Command::Resume)),
            Action::Resolve(id, incident) => {
                must(world.command(id, Command::Resolve { incident, retries: None }))
            }
            Action::Skip(id, incident) => must(world.command(id, Command::SkipCompensation { incident })),
            Action::Cancel(id) => must(world.command(id, Command::Cancel { reason: None })),
            Action::Compensate(id) => {
                drop(world.command(id, Command::Compensate { reason: None }));
                Ok(())
            }
            Action::Modify(id, node, token) => {
                let add = vec![Placement { node, instead_of: Some(token), variables: Variables::default() }];
                drop(world.command(id, Command::Modify(Modification { add, cancel: Vec::new() })));
                Ok(())
            }
            Action::Migrate(id) => {
                let from = Arc::clone(&world.instances[&id].process);
                let migration = Migration { definition: 2, version: 2, mapping: Vec::new(), from };
                must(world.command(id, Command::Migrate(Box::new(migration))))
            }
            Action::Bookmark(id) => {
                self.bookmark = Some(world.instances[&id].instance.clone());
                must(world.command(id, Command::Snapshot { name: "here".to_owned() }))
            }
            Action::Rollback(id) => {
                let state = self.bookmark.take().expect("there is a bookmark");
                let rollback = Rollback { name: "here".to_owned(), state, effects: Effects::Force };
                drop(world.command(id, Command::Rollback(Box::new(rollback))));
                Ok(())
            }
        }
    }
}

/// What begins a process.
enum Named {
    Message(String),
    Signal(String),
    Timer(u32),
}

fn first_name(trigger: &Trigger) -> Option<Named> {
    match trigger {
        Trigger::Message(name) => Some(Named::Message(name.clone())),
        Trigger::Signal(name) => Some(Named::Signal(name.clone())),
        Trigger::Timer { seconds, .. } => Some(Named::Timer(*seconds)),
        Trigger::Multiple(several) | Trigger::ParallelMultiple(several) => {
            several.iter().find_map(first_name)
        }
        Trigger::None
        | Trigger::Error(_)
        | Trigger::Escalation(_)
        | Trigger::Cancel
        | Trigger::Compensation
        | Trigger::Conditional(_)
        | Trigger::Link(_) => None,
    }
}

impl Action {
    /// Does it something that BPMN has no word for?
    pub(super) fn is_unknown_to_the_oracle(&self) -> bool {
        matches!(
            self,
            Action::Modify(..)
                | Action::Rollback(_)
                | Action::Compensate(_)
                | Action::Skip(..)
                | Action::Resolve(..)
        )
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::CompleteJob(id, job, variables, twice) => {
                write!(
                    f,
                    "{id} complete job {job} {}{}",
                    variables.to_json(),
                    if *twice { " twice" } else { "" }
                )
            }
            Action::FailJob(id, job, retries) => write!(f, "{id} fail job {job}, {retries} tries left"),
            Action::ThrowError(id, job, code) => write!(f, "{id} throw {code} at job {job}"),
            Action::CompleteTask(id, task, variables) => {
                write!(f, "{id} complete task {task} {}", variables.to_json())
            }
            Action::ClaimTask(id, task) => write!(f, "{id} claim task {task}"),
            Action::Late(id, job) => write!(f, "{id} complete job {job} late"),
            Action::Advance(until) => write!(f, "advance to {until}"),
            Action::Message(name, key) => write!(f, "message {name} {key:?}"),
            Action::Signal(name) => write!(f, "signal {name}"),
            Action::Set(id, values) => write!(f, "{id} set {}", values.to_json()),
            Action::Pause(id) => write!(f, "{id} pause"),
            Action::Resume(id) => write!(f, "{id} resume"),
            Action::Resolve(id, incident) => write!(f, "{id} resolve {incident}"),
            Action::Skip(id, incident) => write!(f, "{id} skip {incident}"),
            Action::Cancel(id) => write!(f, "{id} cancel"),
            Action::Compensate(id) => write!(f, "{id} compensate"),
            Action::Modify(id, node, token) => write!(f, "{id} move token {token} to {node}"),
            Action::Migrate(id) => write!(f, "{id} migrate"),
            Action::Bookmark(id) => write!(f, "{id} bookmark"),
            Action::Rollback(id) => write!(f, "{id} roll back"),
        }
    }
}

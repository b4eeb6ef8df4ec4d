//! What happens next: one of everything that could, drawn at random.
//!
//! **Invariant:** on the way home nothing is drawn that begins anything new, so that most lives come to their end.

use tyer_engine::{
    Command, Effects, IncidentKind, Instance, InstanceId, Modification, Number, Placement, Status,
    TaskAction, Timestamp, Variables, Wait, Wanted,
};

use super::action::{Action, Desk, Expected, on_task};
use super::late::Seen;
use super::variables;
use super::version::Version;
use crate::blueprint::Blueprint;
use crate::random::Random;
use crate::world::{Member, World};

/// Draws actions.
pub(super) struct Chooser<'b> {
    blueprint: &'b Blueprint,
    random: Random,
    seen: Seen,
    /// The life shall come to its end.
    home: bool,
    /// What moves the instance on.
    likely: Vec<Action>,
    /// What disturbs it.
    rare: Vec<Action>,
}

impl<'b> Chooser<'b> {
    pub(super) fn new(blueprint: &'b Blueprint, random: Random) -> Chooser<'b> {
        let (seen, likely, rare) = (Seen::default(), Vec::new(), Vec::new());
        Chooser { blueprint, random, seen, home: false, likely, rare }
    }

    /// Draws what happens next; none when nothing can. `home` = the life shall come to its end.
    pub(super) fn next(&mut self, world: &World, desk: &Desk, home: bool) -> Option<Action> {
        self.home = home;
        self.seen.look(world);
        self.likely.clear();
        self.rare.clear();
        for (id, member) in &world.instances {
            if !member.instance.status.is_ended() {
                self.of_instance(*id, member, desk);
            }
        }
        if let Some(due) = world.next_due() {
            self.likely.push(Action::advance(due));
            if self.random.chance(10) {
                self.rare.push(Action::advance(due.plus_ms(10_000)));
            }
        }
        if !home
            && self.random.chance(5)
            && let Some(late) = self.seen.draw(world, &mut self.random)
        {
            return Some(late);
        }
        let disturbs = !self.rare.is_empty() && !home && self.random.chance(14);
        let from = if disturbs { &mut self.rare } else { &mut self.likely };
        if from.is_empty() {
            return None;
        }
        let at = self.random.below(from.len());
        Some(from.swap_remove(at))
    }

    fn of_instance(&mut self, id: InstanceId, member: &Member, desk: &Desk) {
        let instance = &member.instance;
        for token in instance.tokens.values() {
            let node = &member.process.node(token.node).id;
            if let Wait::Job(job) = &token.wait {
                self.of_job(id, job.number, node, desk);
            } else if let Wait::Task(task) = token.wait {
                self.of_task(id, task, node, desk);
            }
        }
        for subscription in instance.subscriptions.values() {
            let action = match &subscription.wanted {
                Wanted::Message { name, key } => Action::message(name.to_string(), key.clone()),
                Wanted::Signal { name } => Action::signal(name.to_string()),
                Wanted::Condition { .. } => self.set(id, None, false),
            };
            self.likely.push(action);
        }
        for (number, incident) in &instance.incidents {
            let action = self.of_incident(id, *number, incident.kind);
            self.likely.push(action);
        }
        if instance.status == Status::Paused {
            self.likely.push(Action::give(id, "resume".to_owned(), Command::Resume, Expected::Taken));
        } else {
            let pause = Command::Pause { reason: None };
            self.rare.push(Action::give(id, "pause".to_owned(), pause, Expected::Taken));
        }
        self.of_operator(id, member, desk);
    }

    fn of_job(&mut self, id: InstanceId, job: Number, node: &str, desk: &Desk) {
        let result = self.result(node, desk);
        let text = format!("complete job {job} {}", result.to_json());
        let complete = Command::CompleteJob { job, holder: None, variables: result };
        self.likely.push(if self.random.chance(5) {
            Action::twice(id, text, complete)
        } else {
            Action::give(id, text, complete, Expected::Taken)
        });
        let retries = Some(u32::from(self.random.chance(70)));
        let backoff_ms = self.random.chance(70).then_some(1000);
        let error = "it did not work".to_owned();
        let fail = Command::FailJob { job, holder: None, error, retries, backoff_ms };
        self.rare.push(Action::give(id, format!("fail job {job}, {retries:?}"), fail, Expected::Taken));
        let code = self.code();
        let text = format!("throw {code} at job {job}");
        let (message, variables) = (None, Variables::default());
        let throw = Command::ThrowError { job, holder: None, code, message, variables };
        self.rare.push(Action::give(id, text, throw, Expected::Taken));
        if self.random.chance(20) {
            self.rare.push(Action::hold(id, job));
        }
        if self.random.chance(5) {
            let doubt = Command::InDoubt { job };
            self.rare.push(Action::give(id, format!("doubt job {job}"), doubt, Expected::Either));
        }
    }

    fn of_task(&mut self, id: InstanceId, task: Number, node: &str, desk: &Desk) {
        let variables = self.result(node, desk);
        let complete = on_task(id, task, "complete", TaskAction::Complete { variables });
        self.likely.push(complete);
        let code = self.code();
        let (name, action) = match self.random.below(6) {
            0 => ("claim", TaskAction::Claim),
            1 => ("release", TaskAction::Release),
            2 => ("assign", TaskAction::Assign { to: "bob".to_owned() }),
            3 => ("change", TaskAction::Change { priority: Some(70), due: Some(Timestamp(2_000_000)) }),
            4 => ("escalate", TaskAction::Escalate { code: "late".to_owned() }),
            _ => {
                let (message, variables) = (None, Variables::default());
                ("throw at", TaskAction::Error { code, message, variables })
            }
        };
        self.rare.push(on_task(id, task, name, action));
    }

    fn of_incident(&mut self, id: InstanceId, incident: Number, kind: IncidentKind) -> Action {
        let undoing = matches!(kind, IncidentKind::CompensationFailed | IncidentKind::InDoubt);
        if undoing && self.random.chance(40) {
            let skip = Command::SkipCompensation { incident };
            return Action::give(id, format!("skip {incident}"), skip, Expected::Taken);
        }
        if undoing && self.random.chance(30) {
            let abort = Command::AbortCompensation { incident };
            return Action::give(id, format!("abort {incident}"), abort, Expected::Taken);
        }
        let retries = self.random.chance(30).then_some(2);
        let resolve = Command::Resolve { incident, retries };
        Action::give(id, format!("resolve {incident}"), resolve, Expected::Taken)
    }

    /// What people do to a whole instance.
    fn of_operator(&mut self, id: InstanceId, member: &Member, desk: &Desk) {
        let is_child = id != InstanceId(1);
        if self.random.chance(if is_child { 20 } else { 3 }) {
            let cancel = Command::Cancel { reason: None };
            self.rare.push(Action::give(id, "cancel".to_owned(), cancel, Expected::Taken));
        }
        if self.random.chance(6) {
            let undo = Command::Compensate { reason: None };
            self.rare.push(Action::give(id, "compensate".to_owned(), undo, Expected::Either));
        }
        if self.random.chance(10) {
            let check = Command::CheckConditions;
            self.rare.push(Action::give(id, "check conditions".to_owned(), check, Expected::Taken));
        }
        let token = any_token(&member.instance, &mut self.random);
        if self.random.chance(15) {
            let local = self.random.chance(50);
            let set = self.set(id, token, local);
            self.rare.push(set);
        }
        if let (true, Some(token)) = (self.random.chance(15), token) {
            let modify = self.modify(id, member, token);
            self.rare.push(modify);
        }
        if self.random.chance(12) {
            let version = self.version(is_child, desk);
            self.rare.push(Action::migrate(id, version));
        }
        if !is_child && self.random.chance(20) {
            let effects = *self.random.pick(&[Effects::Force, Effects::Refuse, Effects::Compensate]);
            let is_marked = desk.bookmark.is_some();
            self.rare.push(if is_marked { Action::rollback(id, effects) } else { Action::bookmark(id) });
        }
    }

    /// A changed version, or none: to the one that is deployed.
    fn version(&mut self, is_child: bool, desk: &Desk) -> Option<Version> {
        if is_child || self.random.chance(40) {
            return None;
        }
        let current = desk.deployed.as_ref().map_or(self.blueprint, |version| &version.blueprint);
        Version::draw(current, &mut self.random)
    }

    /// A token is moved, added or taken away.
    fn modify(&mut self, id: InstanceId, member: &Member, token: Number) -> Action {
        let nodes: Vec<_> = member.process.nodes().collect();
        let node = self.random.pick(&nodes).1.id.clone();
        let variables = Variables::default();
        let (text, add, cancel) = match self.random.below(4) {
            0 => (
                format!("put a token at {node}"),
                vec![Placement { node, instead_of: None, variables }],
                vec![],
            ),
            1 => (format!("take token {token} away"), vec![], vec![token]),
            2 => {
                let text = format!("put a token at {node}, take token {token} away");
                (text, vec![Placement { node, instead_of: None, variables }], vec![token])
            }
            _ => {
                let text = format!("move token {token} to {node}");
                (text, vec![Placement { node, instead_of: Some(token), variables }], vec![])
            }
        };
        Action::give(id, text, Command::Modify(Modification { add, cancel }), Expected::Either)
    }

    fn code(&mut self) -> String {
        self.random.pick(&["error", "error", "error_1", "error_2"]).to_string()
    }

    fn set(&mut self, id: InstanceId, token: Option<Number>, local: bool) -> Action {
        let values = self.any_values();
        let text = format!("set {} at {token:?}{}", values.to_json(), if local { " local" } else { "" });
        Action::give(id, text, Command::SetVariables { token, local, values }, Expected::Taken)
    }

    /// What the one who completes a node writes.
    fn result(&mut self, node: &str, desk: &Desk) -> Variables {
        let mut written = crate::blueprint::Variables::new();
        let deployed = desk.deployed.iter().map(|version| &version.blueprint);
        let processes = deployed.chain([self.blueprint]);
        let all = processes.flat_map(|process| std::iter::once(process).chain(&process.called));
        let found = all.flat_map(|blueprint| &blueprint.nodes).find(|known| known.id == node);
        for outcome in found.map_or(&[][..], |node| &node.results) {
            let value = match &outcome.exit {
                Some(exit) if self.home || self.random.chance(40) => exit.clone(),
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
}

fn any_token(instance: &Instance, random: &mut Random) -> Option<Number> {
    let tokens: Vec<Number> = instance.tokens.keys().copied().collect();
    if tokens.is_empty() { None } else { Some(*random.pick(&tokens)) }
}

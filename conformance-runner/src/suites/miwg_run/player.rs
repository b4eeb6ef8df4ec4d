//! Mock people and workers: they do what a scenario tells them.

use std::sync::Arc;

use tyer_engine::{Command, EventKind, InstanceId, Start, Status, TaskAction, Timestamp, Variables};
use tyer_model::{NodeKind, Process};

use crate::suites::jobs::open_jobs;
use crate::world::World;

/// When every scenario begins.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000);
const DAY_MS: i64 = 86_400_000;

/// A world with the models of a scenario in it.
pub(super) struct Player {
    world: World,
}

impl Player {
    pub(super) fn on(processes: &[Arc<Process>]) -> Player {
        let mut world = World::default();
        world.now = BEGINNING;
        for process in processes {
            world.add(Arc::clone(process));
        }
        Player { world }
    }

    /// `start process {…}`, `message name key {…}` (`~` for a blank in the name, `-` for no key), `do node {…}`, `error node code`, `days 7`, `resolve`.
    pub(super) fn step(&mut self, step: &str) -> Result<(), String> {
        let (said, variables) = match step.find('{') {
            Some(at) => (&step[..at], Variables::parse(&step[at..]).map_err(|error| error.to_string())?),
            None => (step, Variables::default()),
        };
        let words: Vec<&str> = said.split_whitespace().collect();
        match words[..] {
            ["start", process] => {
                let start = Start { variables, priority: 50, ..Start::default() };
                self.world.start(process, start).map(drop).map_err(|rejection| rejection.to_string())
            }
            ["message", name, key] => {
                let key = Some(key).filter(|key| *key != "-");
                self.world.publish(&name.replace('~', " "), key, None, variables, 0);
                Ok(())
            }
            ["do", node] => self.complete(node, variables),
            ["error", node, code] => self.throw(node, code),
            ["days", days] => {
                let days: i64 = days.parse().map_err(|_| "not a number of days".to_owned())?;
                self.world.advance_to(self.world.now.plus_ms(days * DAY_MS));
                Ok(())
            }
            ["resolve"] => self.resolve(),
            _ => Err("not a step".to_owned()),
        }
    }

    /// The oldest task or job at a node is done.
    fn complete(&mut self, node: &str, variables: Variables) -> Result<(), String> {
        let task = self.world.instances.iter().find_map(|(id, member)| {
            let mut tasks = member.instance.tasks.iter();
            let task = tasks.find(|(_, task)| member.process.node(task.node).id == node)?;
            Some((*id, *task.0))
        });
        let (id, command) = match task {
            Some((id, task)) => {
                let action = TaskAction::Complete { variables };
                (id, Command::Task { task, by: None, action })
            }
            None => {
                let (id, job) = self.job(node)?;
                (id, Command::CompleteJob { job, holder: None, variables })
            }
        };
        self.world.command(id, command).map_err(|rejection| rejection.to_string())
    }

    fn throw(&mut self, node: &str, code: &str) -> Result<(), String> {
        let (id, job) = self.job(node)?;
        let (code, variables) = (code.to_owned(), Variables::default());
        let command = Command::ThrowError { job, holder: None, code, message: None, variables };
        self.world.command(id, command).map_err(|rejection| rejection.to_string())
    }

    fn job(&self, node: &str) -> Result<(InstanceId, u32), String> {
        let is_at = |id: InstanceId, at| self.world.instances[&id].process.node(at).id == node;
        let mut jobs = open_jobs(&self.world).into_iter();
        let job = jobs.find(|job| is_at(job.instance, job.node));
        job.map(|job| (job.instance, job.number)).ok_or_else(|| format!("nothing is to be done at {node}"))
    }

    fn resolve(&mut self) -> Result<(), String> {
        let found = self.world.instances.iter().find_map(|(id, member)| {
            let incident = member.instance.incidents.keys().next()?;
            Some((*id, *incident))
        });
        let (id, incident) = found.ok_or("there is no incident")?;
        let command = Command::Resolve { incident, retries: None };
        self.world.command(id, command).map_err(|rejection| rejection.to_string())
    }

    pub(super) fn is_over(&self) -> bool {
        let mut all = self.world.instances.values();
        !self.world.instances.is_empty() && all.all(|member| member.instance.status.is_ended())
    }

    /// End events of the first instance that were reached, in that order.
    pub(super) fn ends(&self) -> Vec<String> {
        let Some(first) = self.world.instances.values().next() else { return Vec::new() };
        let mut ends = Vec::new();
        for event in first.turns.iter().flat_map(|turn| &turn.events) {
            if let (EventKind::NodeCompleted, Some(node)) = (&event.kind, event.node)
                && matches!(first.process.node(node).kind, NodeKind::End(_))
            {
                ends.push(first.process.node(node).id.clone());
            }
        }
        ends
    }

    /// Where everything stands, for people.
    pub(super) fn standing(&self) -> String {
        let mut told = String::new();
        for member in self.world.instances.values() {
            let ids = member.instance.occupied().map(|node| member.process.node(node).id.as_str());
            let ids: Vec<&str> = ids.collect();
            let incidents: Vec<&str> =
                member.instance.incidents.values().map(|incident| incident.message.as_str()).collect();
            if member.instance.status == Status::Running {
                told.push_str(&format!("\n{} stands at {ids:?}, incidents {incidents:?}", member.process.id));
            } else {
                told.push_str(&format!("\n{} is {:?}", member.process.id, member.instance.status));
            }
        }
        told
    }
}

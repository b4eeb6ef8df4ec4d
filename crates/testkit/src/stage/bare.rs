//! The bare engine: `step`, a world of instances in memory, and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use tyer_engine::{
    Command, Holder, Instance, InstanceId, Migration, Number, Rejection, Start, Status, TimerKind, Timestamp,
    Variables, pack,
};
use tyer_model::Process;

use super::{LEASE_MS, Page, Published, Refusal, Stage, WORKER};
use crate::world::World;

/// When every transcript begins: 2030-01-01T00:00:00Z.
const BEGINNING: Timestamp = Timestamp(1_893_456_000_000);

/// The bare engine as a stage.
pub struct Bare {
    world: World,
    versions: BTreeMap<String, u32>,
    held: BTreeMap<(InstanceId, Number), Holder>,
}

impl Bare {
    /// A stage for instances of these processes.
    pub fn new(processes: &[Arc<Process>]) -> Bare {
        let mut world = World::default();
        world.now = BEGINNING;
        let mut stage = Bare { world, versions: BTreeMap::new(), held: BTreeMap::new() };
        for process in processes {
            stage.add(Arc::clone(process));
        }
        stage
    }

    fn add(&mut self, process: Arc<Process>) {
        *self.versions.entry(process.id.clone()).or_default() += 1;
        self.world.add(process);
    }

    fn has_ended(&self, lease: &Holder) -> bool {
        lease.since.plus_ms(LEASE_MS) <= self.world.now
    }

    fn instance(&self, id: InstanceId) -> Result<&Instance, Refusal> {
        let member = self.world.instances.get(&id);
        member.map(|member| &member.instance).ok_or(Refusal::Rejected(Rejection::InstanceUnknown { id }))
    }

    /// The engine is told which jobs workers hold: a saga lets them finish.
    fn tell_leases(&mut self) {
        let now = self.world.now;
        for (id, member) in &mut self.world.instances {
            let of_instance = self.held.range((*id, 0)..=(*id, Number::MAX));
            let live = of_instance.filter(|(_, lease)| lease.since.plus_ms(LEASE_MS) > now);
            member.instance.executing = live.map(|((_, job), _)| *job).collect();
        }
    }

    /// A step that a saga waits for and whose worker is gone: nobody knows whether it was done.
    fn leave_in_doubt(&mut self) -> Result<(), Refusal> {
        let ended = self.held.iter().filter(|(_, lease)| self.has_ended(lease)).map(|(key, _)| *key);
        for (id, job) in ended.collect::<Vec<_>>() {
            match self.world.command(id, Command::InDoubt { job }) {
                Ok(()) | Err(Rejection::JobNotOpen { .. }) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }

    /// What is due now fires once, in due order.
    fn fire_once(&mut self) -> Result<(), Refusal> {
        let now = self.world.now;
        let mut due: Vec<(Timestamp, InstanceId, Number)> = Vec::new();
        for (id, member) in
            self.world.instances.iter().filter(|(_, member)| member.instance.status == Status::Running)
        {
            let timers = member.instance.timers.iter().filter(|(_, timer)| timer.due <= now);
            due.extend(timers.map(|(number, timer)| (timer.due, *id, *number)));
        }
        due.sort();
        for (_, id, timer) in due {
            self.world.command(id, Command::TimerDue { timer })?;
        }
        Ok(())
    }

    fn someone_yields(&self) -> bool {
        let running =
            self.world.instances.values().filter(|member| member.instance.status == Status::Running);
        let mut timers = running.flat_map(|member| member.instance.timers.values());
        timers.any(|timer| matches!(timer.kind, TimerKind::Yield { .. }))
    }
}

impl Stage for Bare {
    fn deploy(&mut self, bpmn: &[u8]) -> Result<(), Refusal> {
        let imported = tyer_model::import(bpmn).map_err(|problems| Refusal::Broken(problems.to_string()))?;
        imported.processes.into_iter().for_each(|process| self.add(Arc::new(process)));
        Ok(())
    }

    fn start(&mut self, process: &str, start: Start) -> Result<InstanceId, Refusal> {
        let Some(version) = self.versions.get(process).copied() else {
            return Err(Refusal::Broken(format!("there is no process `{process}`")));
        };
        Ok(self
            .world
            .start(process, Start { definition: i64::from(version), version, priority: 50, ..start })?)
    }

    fn offer(&mut self, instance: InstanceId, command: Command) -> Result<(), Refusal> {
        let mut command = command;
        if let Command::CompleteJob { job, holder, .. }
        | Command::FailJob { job, holder, .. }
        | Command::ThrowError { job, holder, .. } = &mut command
        {
            let job = *job;
            *holder = self.held.get(&(instance, job)).cloned();
            let is_open = self.instance(instance)?.token_of_job(job).is_some();
            if is_open && holder.as_ref().is_some_and(|lease| self.has_ended(lease)) {
                return Err(Rejection::LeaseLost { instance, job }.into());
            }
        }
        self.tell_leases();
        Ok(self.world.command(instance, command)?)
    }

    fn migrate(&mut self, instance: InstanceId, mapping: Vec<(String, String)>) -> Result<(), Refusal> {
        let from = match self.world.instances.get(&instance) {
            Some(member) => Arc::clone(&member.process),
            None => return Err(Rejection::InstanceUnknown { id: instance }.into()),
        };
        let version = self.versions[&from.id];
        let migration = Migration { definition: i64::from(version), version, mapping, from };
        Ok(self.world.command(instance, Command::Migrate(Box::new(migration)))?)
    }

    fn claim(&mut self, instance: InstanceId, job: Number) -> Result<bool, Refusal> {
        let key = (instance, job);
        if self.held.get(&key).is_some_and(|lease| !self.has_ended(lease)) {
            return Ok(true);
        }
        let of = self.instance(instance)?;
        let ready = of.token_of_job(job).is_some() && of.status == Status::Running;
        if ready {
            self.held.insert(key, Holder { worker: WORKER.to_owned(), since: self.world.now });
        }
        Ok(ready)
    }

    fn publish(&mut self, message: Published) -> Result<(), Refusal> {
        let Published { name, key, id, ttl_ms, variables } = message;
        self.tell_leases();
        self.world.publish(&name, key.as_deref(), id.as_deref(), variables, ttl_ms);
        Ok(())
    }

    fn signal(&mut self, name: &str, variables: Variables) -> Result<(), Refusal> {
        self.tell_leases();
        self.world.signal(name, variables);
        Ok(())
    }

    fn advance(&mut self, ms: i64) -> Result<(), Refusal> {
        self.world.now = self.world.now.plus_ms(ms);
        self.tell_leases();
        self.leave_in_doubt()?;
        if self.someone_yields() {
            return self.fire_once();
        }
        self.world.advance_to(self.world.now);
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.world.now
    }

    fn instances(&mut self) -> Result<Vec<InstanceId>, Refusal> {
        Ok(self.world.instances.keys().copied().collect())
    }

    fn history(&mut self, instance: InstanceId, after: u64) -> Result<Vec<Page>, Refusal> {
        let Some(member) = self.world.instances.get(&instance) else { return Ok(Vec::new()) };
        let mut first_seq = 1;
        let mut pages = Vec::new();
        for turn in &member.turns {
            if first_seq > after && !turn.events.is_empty() {
                pages.push(Page { first_seq, at: turn.at, events: pack(&turn.process, &turn.events) });
            }
            first_seq += turn.events.len() as u64;
        }
        Ok(pages)
    }

    fn state(&mut self, instance: InstanceId) -> Result<Instance, Refusal> {
        self.instance(instance).cloned()
    }
}

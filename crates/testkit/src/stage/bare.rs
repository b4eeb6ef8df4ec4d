//! The bare engine: `step`, a list of packed turns, and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use tyer_engine::{
    Command, Holder, Instance, Number, Rejection, Start, Status, TimerKind, Timestamp, Variables, pack, step,
};
use tyer_model::Process;
use tyer_runtime::TestClock;

use super::{LEASE_MS, Page, Refusal, Stage, WORKER, nobody};

/// The bare engine as a stage.
#[derive(Debug)]
pub struct Bare {
    process: Arc<Process>,
    instance: Instance,
    history: Vec<Page>,
    clock: TestClock,
    held: BTreeMap<Number, Holder>,
}

impl Bare {
    /// A stage for one instance of this process.
    pub fn new(process: Arc<Process>) -> Bare {
        let (instance, clock) = (Instance::blank(nobody()), TestClock::default());
        Bare { process, instance, history: Vec::new(), clock, held: BTreeMap::new() }
    }

    fn step(&mut self, command: Command) -> Result<(), Refusal> {
        let (first_seq, at) = (self.instance.version + 1, self.clock.now());
        let events = step(&self.process, &mut self.instance, command, at)?;
        self.history.push(Page { first_seq, at, events: pack(&self.process, &events) });
        Ok(())
    }

    /// Timers that are due now, in due order.
    fn due(&self) -> Vec<Number> {
        let now = self.clock.now();
        let timers = self.instance.timers.iter().filter(|(_, timer)| timer.due <= now);
        let mut due: Vec<(Timestamp, Number)> = timers.map(|(number, timer)| (timer.due, *number)).collect();
        due.sort();
        due.into_iter().map(|(_, number)| number).collect()
    }

    fn someone_yields(&self) -> bool {
        self.instance.timers.values().any(|timer| matches!(timer.kind, TimerKind::Yield { .. }))
    }

    fn has_ended(&self, lease: &Holder) -> bool {
        lease.since.plus_ms(LEASE_MS) <= self.clock.now()
    }
}

impl Stage for Bare {
    fn start(&mut self, variables: Variables) -> Result<(), Refusal> {
        let start = Start { version: 1, priority: 50, variables, ..Start::default() };
        self.step(Command::Start(Box::new(start)))
    }

    fn offer(&mut self, command: Command) -> Result<(), Refusal> {
        let mut command = command;
        if let Command::CompleteJob { job, holder, .. } | Command::FailJob { job, holder, .. } = &mut command
        {
            let (job, instance) = (*job, self.instance.id);
            *holder = self.held.get(&job).cloned();
            let is_open = self.instance.token_of_job(job).is_some();
            if is_open && holder.as_ref().is_some_and(|lease| self.has_ended(lease)) {
                return Err(Rejection::LeaseLost { instance, job }.into());
            }
        }
        self.step(command)
    }

    fn claim(&mut self, job: Number) -> Result<bool, Refusal> {
        if self.held.get(&job).is_some_and(|lease| !self.has_ended(lease)) {
            return Ok(true);
        }
        let ready = self.instance.token_of_job(job).is_some() && self.instance.status == Status::Running;
        if ready {
            self.held.insert(job, Holder { worker: WORKER.to_owned(), since: self.clock.now() });
        }
        Ok(ready)
    }

    fn advance(&mut self, ms: i64) -> Result<(), Refusal> {
        self.clock.advance_ms(ms);
        loop {
            let due = if self.instance.status == Status::Paused { Vec::new() } else { self.due() };
            if due.is_empty() {
                return Ok(());
            }
            let once = self.someone_yields();
            for timer in due {
                self.step(Command::TimerDue { timer })?;
            }
            if once {
                return Ok(());
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn history(&mut self, after: u64) -> Result<Vec<Page>, Refusal> {
        Ok(self.history.iter().filter(|page| page.first_seq > after).cloned().collect())
    }

    fn state(&mut self) -> Result<Instance, Refusal> {
        Ok(self.instance.clone())
    }
}

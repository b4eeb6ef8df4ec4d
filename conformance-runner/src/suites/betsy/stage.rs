//! One case under a virtual clock: its scripts are jobs that are done in the order in which they were offered.

use std::sync::Arc;

use tyer_engine::{Command, Start, Status, Timestamp, Variables};
use tyer_feel::Clock;
use tyer_model::{Mapping, NodeIx, NodeKind, Process, Text, Trigger};

use super::Case;
use super::errors::{ESCALATED, errors, has_escalated};
use super::script::{ERROR_CODE, Script, texts};
use crate::suites::jobs::{OpenJob, header, open_jobs, variable};
use crate::world::World;

/// The process that runs beside the one of the case, where the case says so.
const BESIDE: &str = "ParallelProcess";
/// More scripts than any case has: beyond it, something goes on for ever.
const MOST_SCRIPTS: u32 = 10_000;
/// What the trace says of a marker that is there.
const MARKER: &str = "MARKER_exists";
/// What a script writes into the data of a process.
const DATA: &str = "String";
/// When every case begins.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000);

/// A world with a case in it.
pub(super) struct Stage {
    world: World,
    busy: Vec<(Timestamp, OpenJob, Script)>,
    trace: Vec<String>,
    spans: Vec<(Timestamp, Timestamp)>,
    marked: bool,
}

impl Stage {
    /// The trace of a case, and what else people should know if it is wrong.
    pub(super) fn run(name: &str, case: &Case, processes: &[Arc<Process>]) -> (Vec<String>, String) {
        let mut world = World::default();
        world.now = BEGINNING;
        let mut stage =
            Stage { world, busy: Vec::new(), trace: Vec::new(), spans: Vec::new(), marked: false };
        for process in processes {
            stage.world.add(Arc::clone(process));
        }
        let mut notes = String::new();
        for id in [case.parallel.then_some(BESIDE), Some(name)].into_iter().flatten() {
            if let Err(reason) = stage.start(id, case) {
                notes.push_str(&reason);
            }
        }
        if !stage.play(BEGINNING.plus_ms(case.delay_ms)) {
            notes.push_str("\nits scripts go on for ever");
        }
        notes.push_str(&stage.incidents());
        (stage.whole_trace(&case.trace), notes)
    }

    fn start(&mut self, id: &str, case: &Case) -> Result<(), String> {
        let Some(process) = self.world.processes.get(id) else { return Err(format!("\nno process {id}")) };
        let process = Arc::clone(process);
        let mut variables = texts(["test"], case.input.as_deref().unwrap_or_default());
        variables.merge(&Variables::of("integerVariable", case.integer.to_string()));
        let mut at = Vec::new();
        if process.body(None).starts.is_empty() {
            // Somebody else begins it, unless it begins when a condition holds.
            let Some(node) = conditional_start(&process, &variables) else { return Ok(()) };
            at.push(process.node(node).id.clone());
        }
        let start = Start { variables, at, priority: 50, ..Start::default() };
        self.world.start(id, start).map(drop).map_err(|rejection| format!("\n{rejection}"))
    }

    /// Lets scripts and timers happen until the time is up. False if it never falls silent.
    fn play(&mut self, until: Timestamp) -> bool {
        for _ in 0..MOST_SCRIPTS {
            self.take_up();
            let next = (0..self.busy.len()).min_by_key(|at| self.busy[*at].0);
            let ready = next.map(|at| self.busy[at].0);
            let due = self.world.next_due().into_iter().chain(ready).min();
            match (next, due) {
                (_, Some(due)) if due > until => return true,
                (Some(at), _) if ready <= Some(self.world.now) => {
                    let (_, job, script) = self.busy.remove(at);
                    self.finish(job, &script);
                }
                (_, Some(due)) => self.world.advance_to(due),
                (_, None) => return true,
            }
        }
        false
    }

    /// New jobs are begun; those that were taken away are forgotten.
    fn take_up(&mut self) {
        let open = open_jobs(&self.world);
        self.busy.retain(|(_, job, _)| open.contains(job));
        for job in open {
            if self.busy.iter().any(|(_, known, _)| *known == job) {
                continue;
            }
            let member = &self.world.instances[&job.instance];
            let script = Script::of(header(member, job.node, "code").unwrap_or_default());
            let now = self.world.now;
            let until = now.plus_ms(script.duration_ms());
            if script == Script::Span {
                self.spans.push((now, until));
            }
            self.busy.push((until, job, script));
        }
    }

    fn finish(&mut self, job: OpenJob, script: &Script) {
        let mut variables = Variables::default();
        match script {
            Script::Nothing | Script::Wait | Script::Span => {}
            Script::Log(line) => self.trace.push(line.clone()),
            Script::Mark => self.marked = true,
            Script::Increment { log } => {
                let before = self.seen(job, "integerVariable").and_then(|json| json.parse::<i64>().ok());
                variables = Variables::of("integerVariable", (before.unwrap_or_default() + 1).to_string());
                if *log && before.is_some() {
                    self.trace.push("INCREMENT_correct".to_owned());
                }
            }
            Script::SetData => {
                let names = self.mapped(job, |process, node| &process.node(node).outputs, read_names);
                variables = texts(names.iter().map(String::as_str).chain(["data"]), DATA);
            }
            Script::LogData => {
                let names = self.mapped(job, |process, node| &process.node(node).inputs, target_names);
                let mut names = names.iter().map(String::as_str).chain(["data"]);
                if names.any(|name| self.seen(job, name) == Some(&format!("\"{DATA}\""))) {
                    self.trace.push("DATA_correct".to_owned());
                }
            }
            Script::ThrowError => {}
        }
        let command = if *script == Script::ThrowError {
            let code = ERROR_CODE.to_owned();
            Command::ThrowError { job: job.number, holder: None, code, message: None, variables }
        } else {
            Command::CompleteJob { job: job.number, holder: None, variables }
        };
        self.world.command(job.instance, command).expect("an open job can be completed");
    }

    fn seen(&self, job: OpenJob, name: &str) -> Option<&str> {
        variable(&self.world.instances[&job.instance], job.token, name)
    }

    /// The names by which the diagram gives data to a script, or takes them from it.
    fn mapped(
        &self,
        job: OpenJob,
        mappings: fn(&Process, NodeIx) -> &Vec<Mapping>,
        names: fn(&Mapping) -> Vec<String>,
    ) -> Vec<String> {
        let process = &self.world.instances[&job.instance].process;
        mappings(process, job.node).iter().flat_map(names).collect()
    }

    /// The trace with what the suite concludes from marks, spans and errors. A join that waits for ever leaves none. Marks
    /// and escalations are told to those who ask for them: else they are nobody's business.
    fn whole_trace(mut self, asked: &[String]) -> Vec<String> {
        let asks_for = |line: &str| asked.iter().any(|asked| asked == line);
        if self.marked && asks_for(MARKER) {
            self.trace.push(MARKER.to_owned());
        }
        let overlap = |(at, span): (usize, &(Timestamp, Timestamp))| {
            self.spans[at + 1..].iter().any(|later| later.0 < span.1 && span.0 < later.1)
        };
        if self.spans.iter().enumerate().any(overlap) {
            self.trace.push("EXECUTION_parallel".to_owned());
        }
        for member in self.world.instances.values() {
            self.trace.extend(errors(member).map(str::to_owned));
            if asks_for(ESCALATED) && has_escalated(member) {
                self.trace.push(ESCALATED.to_owned());
            }
        }
        self.trace
    }

    fn incidents(&self) -> String {
        let mut told = String::new();
        for member in self.world.instances.values() {
            for incident in member.instance.incidents.values() {
                told.push_str(&format!("\nincident: {}", incident.message));
            }
            if member.instance.status == Status::Running {
                let nodes = member.instance.occupied().map(|node| member.process.node(node).id.as_str());
                told.push_str(&format!("\n{} stands at {:?}", member.process.id, nodes.collect::<Vec<_>>()));
            }
        }
        told
    }
}

/// A start event whose condition holds with these variables.
fn conditional_start(process: &Process, variables: &Variables) -> Option<NodeIx> {
    let holds = |trigger: &Trigger| match trigger {
        Trigger::Condition(spec) => {
            spec.condition.evaluate(variables, &Clock::epoch()).value.as_bool() == Some(true)
        }
        _ => false,
    };
    let mut starts = process.nodes().filter(|(_, node)| node.parent.is_none());
    let found = starts.find(|(_, node)| match &node.kind {
        NodeKind::Start(triggers) => triggers.any.iter().any(holds),
        _ => false,
    });
    found.map(|(node, _)| node)
}

/// The names that a mapping reads.
fn read_names(mapping: &Mapping) -> Vec<String> {
    match &mapping.source {
        Text::Literal(_) => Vec::new(),
        Text::Expression(expression) => expression.variables().iter().map(|name| name.to_string()).collect(),
    }
}

/// The name that a mapping makes.
fn target_names(mapping: &Mapping) -> Vec<String> {
    mapping.target.first().map(|name| name.to_string()).into_iter().collect()
}

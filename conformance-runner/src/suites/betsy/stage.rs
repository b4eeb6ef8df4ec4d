//! One case under a virtual clock: its scripts are jobs that are done in the order in which they were offered.

use std::sync::Arc;

use tyer_engine::{Command, EventKind, IncidentKind, Start, Status, Timestamp, Variables};
use tyer_model::{Mapping, Process, Text};

use super::Case;
use super::script::{ERROR_CODE, Script, texts};
use crate::suites::jobs::{OpenJob, header, open_jobs, variable};
use crate::world::{Member, World};

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
        let asks_for_marker = case.trace.iter().any(|line| line == MARKER);
        (stage.whole_trace(asks_for_marker), notes)
    }

    fn start(&mut self, id: &str, case: &Case) -> Result<(), String> {
        let Some(process) = self.world.processes.get(id) else { return Err(format!("\nno process {id}")) };
        if process.body(None).starts.is_empty() {
            return Ok(());
        }
        let mut variables = texts(["test"], case.input.as_deref().unwrap_or_default());
        variables.merge(&Variables::of("integerVariable", case.integer.to_string()));
        let start = Start { variables, priority: 50, ..Start::default() };
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
        mappings: fn(&Process, tyer_model::NodeIx) -> &Vec<Mapping>,
        names: fn(&Mapping) -> Vec<String>,
    ) -> Vec<String> {
        let process = &self.world.instances[&job.instance].process;
        mappings(process, job.node).iter().flat_map(names).collect()
    }

    /// The trace with what the suite concludes from marks (if it looks for one), spans and errors. A join that waits
    /// for ever leaves none.
    fn whole_trace(mut self, asks_for_marker: bool) -> Vec<String> {
        if self.marked && asks_for_marker {
            self.trace.push(MARKER.to_owned());
        }
        if let [(_, first_end), (second_begin, _)] = self.spans[..]
            && second_begin < first_end
        {
            self.trace.push("EXECUTION_parallel".to_owned());
        }
        for member in self.world.instances.values() {
            if ended_by_error(member) {
                self.trace.push("ERROR_thrownErrorEvent".to_owned());
            }
            for incident in member.instance.incidents.values() {
                match incident.kind {
                    IncidentKind::JoinStarved => {}
                    IncidentKind::UnhandledError => self.trace.push("ERROR_thrownErrorEvent".to_owned()),
                    _ => self.trace.push("ERROR_runtime".to_owned()),
                }
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

/// Did an error end it that nobody caught, not even a caller?
fn ended_by_error(member: &Member) -> bool {
    let mut events = member.turns.iter().flat_map(|turn| &turn.events);
    let failed = events.any(|event| matches!(event.kind, EventKind::WorkflowFailed { code: Some(_), .. }));
    failed && member.instance.parent.is_none()
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

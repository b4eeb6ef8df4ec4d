//! Stands in for the world: does the jobs, completes the tasks, moves the clock.

use std::collections::BTreeSet;

use serde_json::json;
use tyer_engine::{EventKind, InstanceId, ItemId, Status, TaskCreated, Variables, kind_of};
use tyer_model::Process;
use tyer_runtime::{Engine, HistoryEvent, Job, Overview, TestClock};

use super::super::exit::{Exit, Stop};
use super::super::output;
use super::super::say::{Place, Speaker};

/// One instance on its way to the end.
pub(super) struct Drive<'a> {
    engine: &'a Engine,
    instance: InstanceId,
    speaker: Speaker,
    clock: Option<TestClock>,
    interactive: bool,
    /// Types of jobs that the echo worker does.
    answered: BTreeSet<String>,
    incidents: usize,
}

/// Where an event happened, as history writes it.
fn place_of(event: &HistoryEvent) -> Place {
    let read: serde_json::Value = serde_json::from_str(event.event.get()).unwrap_or_default();
    let text = |name: &str| read[name].as_str().map(str::to_owned);
    let token = read["token"].as_u64().and_then(|token| u32::try_from(token).ok());
    Place { token, node: text("node"), flow: text("flow") }
}

impl<'a> Drive<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        instance: InstanceId,
        process: &Process,
        clock: Option<TestClock>,
        interactive: bool,
    ) -> Drive<'a> {
        let (speaker, answered) = (Speaker::new(process), BTreeSet::new());
        Drive { engine, instance, speaker, clock, interactive, answered, incidents: 0 }
    }

    pub(super) async fn finish(mut self) -> Result<(), Stop> {
        eprintln!("{} begins", self.instance);
        let mut events = self.engine.events(self.instance, 0);
        loop {
            let event = events.next().await?;
            let kind = kind_of(event.event.get())
                .map_err(|error| Stop::new(Exit::Failure, format!("event {}: {error}", event.seq)))?;
            let place = place_of(&event);
            output::line(&self.speaker.line(event.seq, event.at, &place, &kind));
            if matches!(
                kind,
                EventKind::WorkflowCompleted
                    | EventKind::WorkflowFailed { .. }
                    | EventKind::WorkflowCancelled { .. }
            ) {
                return self.ended().await;
            }
            self.answer(&place, kind).await?;
            if self.clock.is_some() || self.incidents > 0 {
                self.look().await?;
            }
        }
    }

    /// What the world does when this happens.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "nobody outside has to do anything about the other events"
    )]
    async fn answer(&mut self, place: &Place, kind: EventKind) -> Result<(), Stop> {
        match kind {
            EventKind::JobCreated { job_type, .. } => self.echo(&job_type),
            EventKind::TaskCreated(asked) => self.complete(place, &asked).await?,
            EventKind::IncidentOpened { .. } => self.incidents += 1,
            EventKind::IncidentResolved { .. } => self.incidents = self.incidents.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    /// Every type of job has a worker: it does nothing and says so.
    fn echo(&mut self, job_type: &str) {
        if !self.answered.insert(job_type.to_owned()) {
            return;
        }
        self.engine.worker(job_type, |job: Job| async move {
            let (number, kind) = (job.id.number, &job.job_type);
            output::line(&format!(
                "                the echo worker does job {number} of type {kind}: no variables"
            ));
            Ok(json!({}))
        });
    }

    async fn complete(&self, place: &Place, asked: &TaskCreated) -> Result<(), Stop> {
        let node = place.node.as_deref().unwrap_or("?");
        let name = asked.name.as_deref().unwrap_or(node);
        let variables = if self.interactive {
            ask_person(format!("{name} ({node}): the result as a JSON object, or nothing > ")).await?
        } else {
            output::line(&format!("                task {} is completed with nothing: {name}", asked.task));
            Variables::default()
        };
        let task = ItemId { instance: self.instance, number: asked.task };
        self.engine.complete_task(task, variables, None).await?;
        Ok(())
    }

    /// When only time can move a token, time jumps; when nothing can, this is the end.
    async fn look(&self) -> Result<(), Stop> {
        let seen = self.engine.instance(self.instance).overview().await?;
        if seen.instance.status != Status::Running || waits_for_somebody(&seen) {
            return Ok(());
        }
        match (seen.instance.timers.values().map(|timer| timer.due).min(), &self.clock) {
            (Some(due), Some(clock)) => {
                clock.advance_ms((due.0 - clock.now().0).max(0));
                Ok(self.engine.run_until_idle().await?)
            }
            (Some(_), None) => Ok(()),
            (None, _) => {
                let nodes = seen.current_nodes.join(", ");
                let message = format!("{} cannot go on at {nodes}: see the incidents above", self.instance);
                Err(Stop::new(Exit::Failure, message))
            }
        }
    }

    async fn ended(&self) -> Result<(), Stop> {
        let finished = self.engine.instance(self.instance).finished().await?;
        match finished.status {
            Status::Completed => {
                eprintln!("{} is completed with {}", self.instance, finished.variables.to_json());
                Ok(())
            }
            Status::Running | Status::Paused | Status::Failed | Status::Cancelled => {
                let message = format!("{} did not complete: it is {:?}", self.instance, finished.status);
                Err(Stop::new(Exit::Failure, message.to_lowercase()))
            }
        }
    }
}

fn waits_for_somebody(seen: &Overview) -> bool {
    !seen.instance.tasks.is_empty() || seen.tokens.iter().any(|token| token.job().is_some())
}

/// Asks until the answer is an object.
async fn ask_person(question: String) -> Result<Variables, Stop> {
    loop {
        eprint!("{question}");
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line))
        });
        let gone = || Stop::new(Exit::Failure, "nobody answers: the input has ended");
        let line = read.await.ok().and_then(Result::ok).flatten().ok_or_else(gone)?;
        let text = if line.trim().is_empty() { "{}" } else { line.trim() };
        match Variables::parse(text) {
            Ok(variables) => return Ok(variables),
            Err(error) => eprintln!("{error}"),
        }
    }
}

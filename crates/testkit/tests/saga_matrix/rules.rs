//! What must hold of every history with undoing in it.
//!
//! - every record is undone once, or told as skipped, or left behind by an undoing that somebody broke off;
//! - of one saga, in reverse order of completion;
//! - nothing new starts in a scope that is being undone;
//! - the state is the fold of the history, and every invariant holds, at the end and before.

use std::collections::{BTreeMap, BTreeSet};

use tyer_engine::{Event, EventKind, Instance, InstanceId, Mode, Number, ROOT, SagaCause, unpack};
use tyer_model::Process;
use tyer_store::Views;
use tyer_testkit::{Script, invariants};

use crate::stage::{World, all};

/// Judges every stored instance.
pub(crate) async fn judge(script: &Script, world: &World) -> Result<(), String> {
    for (id, (process, stored)) in all(world, script).await? {
        let mut judge = Judge::new(&process, id);
        for row in world
            .memory
            .history(&tyer_store::DEFAULT_TENANT, id, 0, 100_000)
            .await
            .map_err(|error| error.to_string())?
        {
            let events = unpack(&process, &row.events).map_err(|error| error.to_string())?;
            for event in &events {
                judge.hear(event, row.at)?;
            }
            let broken = invariants(&process, &judge.folded);
            if !broken.is_empty() {
                return Err(format!("{}: {}", process.id, broken.join("; ")));
            }
        }
        judge.end(&stored)?;
    }
    Ok(())
}

/// What is known of one history so far.
struct Judge<'p> {
    process: &'p Process,
    folded: Instance,
    recorded: BTreeSet<Number>,
    /// Undone or skipped.
    settled: BTreeSet<Number>,
    /// Sagas under way: what they undo, and the last step that they began.
    sagas: BTreeMap<Number, Underway>,
    broken_off: bool,
}

struct Underway {
    scope: Number,
    stops_the_scope: bool,
    last: Option<Number>,
    skipped: bool,
}

impl<'p> Judge<'p> {
    fn new(process: &'p Process, id: InstanceId) -> Judge<'p> {
        Judge {
            process,
            folded: Instance::blank(id),
            recorded: BTreeSet::new(),
            settled: BTreeSet::new(),
            sagas: BTreeMap::new(),
            broken_off: false,
        }
    }

    fn hear(&mut self, event: &Event, at: tyer_engine::Timestamp) -> Result<(), String> {
        self.folded.apply(event, at);
        if let EventKind::CompensationRecorded { record, .. } = event.kind {
            self.recorded.insert(record);
        } else if let EventKind::SagaStarted { saga, scope, cause, .. } = event.kind {
            let stops_the_scope = !matches!(cause, SagaCause::Throw | SagaCause::Aside);
            self.sagas.insert(saga, Underway { scope, stops_the_scope, last: None, skipped: false });
        } else if let EventKind::SagaStepStarted { saga, record } = event.kind {
            self.step(saga, record)?;
        } else if let EventKind::SagaStepCompensated { record, .. } = event.kind {
            self.settle(record)?;
        } else if let EventKind::SagaStepSkipped { saga, record } = event.kind {
            self.underway(saga)?.skipped = true;
            self.settle(record)?;
        } else if let EventKind::SagaCompleted { saga } = event.kind {
            self.completed(saga)?;
        } else if event.kind == EventKind::NodeStarted {
            self.started(event)?;
        }
        Ok(())
    }

    fn underway(&mut self, saga: Number) -> Result<&mut Underway, String> {
        self.sagas.get_mut(&saga).ok_or_else(|| format!("saga {saga} goes on, and has not begun or is over"))
    }

    /// The step completed last comes first.
    fn step(&mut self, saga: Number, record: Number) -> Result<(), String> {
        if !self.recorded.contains(&record) || self.settled.contains(&record) {
            return Err(format!("step {record} is undone, and was not completed or is undone already"));
        }
        let underway = self.underway(saga)?;
        if underway.last.is_some_and(|last| last <= record) {
            return Err(format!(
                "step {record} is undone after step {:?}, which was completed before",
                underway.last
            ));
        }
        underway.last = Some(record);
        let (scope, all) = (underway.scope, underway.stops_the_scope);
        let later = self.folded.records.iter().rev().find(|(_, other)| all && other.scope == scope);
        match later {
            Some((later, _)) if *later > record => {
                Err(format!("step {later} was completed after step {record}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn settle(&mut self, record: Number) -> Result<(), String> {
        match self.settled.insert(record) {
            true => Ok(()),
            false => Err(format!("step {record} is undone twice")),
        }
    }

    /// When everything is to be undone, everything is.
    fn completed(&mut self, saga: Number) -> Result<(), String> {
        let underway =
            self.sagas.remove(&saga).ok_or_else(|| format!("saga {saga} is over, and did not go on"))?;
        let left = self.folded.records.iter().find(|(_, record)| record.scope == underway.scope);
        self.broken_off |= underway.skipped;
        match left {
            Some((record, _)) if underway.stops_the_scope && !underway.skipped => {
                Err(format!("saga {saga} is over, and step {record} is not undone"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// In a scope that is being undone only undoing starts.
    fn started(&self, event: &Event) -> Result<(), String> {
        let Some(token) = event.token.and_then(|token| self.folded.tokens.get(&token)) else { return Ok(()) };
        let stopped =
            |scope: Number| self.sagas.values().any(|saga| saga.stops_the_scope && saga.scope == scope);
        if token.mode != Mode::Forward {
            return Ok(());
        }
        let mut scope = token.scope;
        loop {
            if stopped(scope) {
                let node = &self.process.node(token.node).id;
                return Err(format!("`{node}` is entered while its scope is being undone"));
            }
            if scope == ROOT {
                return Ok(());
            }
            scope = self.folded.scopes[&scope].parent;
        }
    }

    fn end(&self, stored: &Instance) -> Result<(), String> {
        if self.folded != *stored {
            return Err("the history does not fold to the stored state".to_owned());
        }
        if !stored.status.is_ended() {
            return Err(format!("it is {:?} at the end", stored.status));
        }
        match self.sagas.keys().next() {
            Some(saga) if !self.broken_off => Err(format!("saga {saga} is never over")),
            Some(_) | None => Ok(()),
        }
    }
}

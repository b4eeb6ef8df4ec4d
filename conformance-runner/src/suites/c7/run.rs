//! One recorded run, played again.

use std::collections::BTreeMap;
use std::sync::Arc;

use tyer_engine::{Start, Timestamp};
use tyer_model::{NodeKind, Process};

use super::activities::{Activities, leaves};
use super::compare::{self, Difference, What};
use super::drive;
use super::model::Model;
use super::trace::Trace;
use crate::world::World;

/// When every run begins.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000);

/// The first difference, if there is one.
pub(super) fn compare(trace: &Trace, model: &Model, others: &[Arc<Process>]) -> Option<Difference> {
    let processes = match &model.processes {
        Ok(processes) => processes,
        Err(refused) => {
            let cause = format!("refused: {}", refused.codes);
            return Some(Difference::new(&cause, "imported", &refused.messages, What::Else));
        }
    };
    let mut world = World::default();
    world.now = BEGINNING;
    for process in others.iter().chain(processes) {
        world.add(Arc::clone(process));
    }
    if let Err(reason) = start(&mut world, trace) {
        return Some(Difference::new("does not start", "started", &reason, What::Else));
    }
    drive::do_jobs(&mut world, model);
    let found = play(&mut world, trace, model).or_else(|| history(&world, trace, model));
    found.map(|difference| difference.with_state(&world))
}

fn start(world: &mut World, trace: &Trace) -> Result<(), String> {
    let variables = trace.variables().map_err(|error| error.to_string())?;
    let process = world.processes.get(&trace.process);
    let process = process.ok_or_else(|| format!("there is no process `{}`", trace.process))?;
    let mut at = Vec::new();
    if process.body(None).starts.is_empty() {
        // Started by its name, the recorder begins at the only start event, whatever it waits for.
        let is_start = |kind: &NodeKind| matches!(kind, NodeKind::Start(_));
        let first = process.nodes().find(|(_, node)| node.parent.is_none() && is_start(&node.kind));
        at.extend(first.map(|(_, node)| node.id.clone()));
    }
    let start = Start { variables, at, priority: 50, ..Start::default() };
    world.start(&trace.process, start).map(drop).map_err(|rejection| rejection.to_string())
}

fn play(world: &mut World, trace: &Trace, model: &Model) -> Option<Difference> {
    for (at, recorded) in trace.actions.iter().enumerate() {
        if recorded.starts_with("async:") {
            continue;
        }
        let found = open_at(world, trace, model, at);
        if found.is_some() {
            return found;
        }
        let next = drive::next(world, model, trace.mode);
        match next {
            Some(action) if action.name == *recorded => {
                if let Err(reason) = drive::act(world, &action) {
                    return Some(Difference::new("an action is refused", recorded, &reason, What::Else));
                }
            }
            other => {
                let got = other.map_or_else(String::new, |action| action.name);
                return Some(Difference::action(&format!("action {}", at + 1), recorded, &got, model));
            }
        }
        drive::do_jobs(world, model);
    }
    let found = open_at(world, trace, model, trace.actions.len());
    if found.is_some() || !trace.is_whole() {
        return found;
    }
    let next = drive::next(world, model, trace.mode)?;
    Some(Difference::action("at the end", "", &next.name, model))
}

/// Compares where the run stands after so many actions.
fn open_at(world: &World, trace: &Trace, model: &Model, at: usize) -> Option<Difference> {
    let standing = world.instances.values();
    let mut got: Vec<String> =
        standing.flat_map(|member| leaves(&member.process, &member.instance)).collect();
    got.sort();
    let step = match at {
        0 => "at first".to_owned(),
        at => format!("after {at} ({})", trace.actions[at - 1]),
    };
    compare::open(&step, &trace.open_after_each[at], &got, model)
}

fn history(world: &World, trace: &Trace, model: &Model) -> Option<Difference> {
    let mut history = BTreeMap::new();
    for member in world.instances.values() {
        let mut activities = Activities::default();
        for event in member.turns.iter().flat_map(|turn| &turn.events) {
            activities.apply(&member.process, model, event);
        }
        for (line, count) in activities.history(&member.process, model) {
            *history.entry(line).or_default() += count;
        }
    }
    compare::history(&trace.history, &history)
}

//! One simulated life: a process from a seed, commands in random order, and everything checked after every one.
//!
//! **Invariant:** the same seed gives the same commands and the same history.

mod action;
mod begin;
mod choose;
mod late;
mod observe;
mod shadow;
mod version;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tyer_engine::{EventKind, InstanceId, Limits, Timestamp, Variables};
use tyer_model::Process;

use crate::blueprint::{Blueprint, NodeId};
use crate::bpmn::to_bpmn;
use crate::random::Random;
use crate::world::World;
use action::Desk;
use choose::Chooser;
use observe::Witness;
use shadow::Shadows;

/// How a life went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// Commands that were given.
    pub commands: u32,
    /// Events that happened, in all instances.
    pub events: u64,
    /// The process ended by itself.
    pub completed: bool,
    /// Turns that the oracle has judged.
    pub judged: u64,
    /// Nodes of the process that a token of its first instance entered.
    pub entered: BTreeSet<NodeId>,
    /// A hash of everything that happened: equal for equal seeds.
    pub fingerprint: u64,
}

/// Something that may not be.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What, in a sentence.
    pub reason: String,
    /// The commands that led there, in order, and the events that followed each.
    pub script: Vec<String>,
}

impl Failure {
    /// What went wrong, without what it went wrong with: equal for failures that are the same fault in two processes.
    pub fn kind(&self) -> String {
        let names = |word: &&str| !word.contains(|letter: char| letter.is_ascii_digit() || letter == '`');
        let first = self.reason.lines().next().unwrap_or_default();
        first.split_whitespace().filter(names).collect::<Vec<_>>().join(" ")
    }
}

/// Lives the life of this process under this seed.
///
/// # Errors
/// What may not be, with the commands that led there.
pub fn live(blueprint: &Blueprint, seed: u64, most_commands: u32) -> Result<Life, Failure> {
    let mut script = Vec::new();
    let lived = catch_unwind(AssertUnwindSafe(|| act(blueprint, seed, most_commands, &mut script)));
    let reason = match lived {
        Ok(Ok(life)) => return Ok(life),
        Ok(Err(reason)) => reason,
        Err(panic) => format!("the engine panicked: {}", said(&*panic)),
    };
    Err(Failure { reason, script })
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

fn act(blueprint: &Blueprint, seed: u64, most: u32, script: &mut Vec<String>) -> Result<Life, String> {
    let xml = to_bpmn(blueprint);
    let imported =
        tyer_model::import(xml.as_bytes()).map_err(|problems| format!("not imported: {problems}"))?;
    let mut world = World::default();
    world.now = Timestamp(1_000_000);
    world.limits = Limits { visits_per_turn: 200, visits_without_wait: 1_000 };
    for process in imported.processes {
        world.add(Arc::new(process));
    }
    let mut chooser = Chooser::new(blueprint, Random::new(seed ^ 0x5eed));
    let mut desk = Desk::default();
    let mut shadows = Shadows::default();
    script.push("start".to_owned());
    begin::begin(blueprint, &mut world);
    script.extend(shadows.news(&world));
    shadows.check(&world)?;
    let mut witness = Witness::new(blueprint);
    let root = InstanceId(1);
    let first = world.instances.get(&root).map(|member| Arc::clone(&member.process));
    testify(&mut witness, &world)?;
    let mut life = Life { commands: 1, ..Life::default() };
    while life.commands < most && !is_crowded(&world) {
        let Some(action) = chooser.next(&world, &desk, life.commands * 2 > most) else { break };
        script.push(action.to_string());
        if action.is_beyond_bpmn {
            witness.leave();
        }
        action.take(&mut world, &mut desk)?;
        if desk.deployed.is_some() && is_migrated(&world, &first) {
            witness.leave();
        }
        script.extend(shadows.news(&world));
        shadows.check(&world)?;
        testify(&mut witness, &world)?;
        life.commands += 1;
    }
    life.events = shadows.events;
    life.fingerprint = shadows.fingerprint;
    life.judged = witness.judged;
    life.entered = entered(blueprint, &world);
    life.completed = world.instances.get(&root).is_some_and(|root| root.instance.status.is_ended());
    Ok(life)
}

/// What was entered, under whatever version: a node that keeps its id is the same node.
fn entered(blueprint: &Blueprint, world: &World) -> BTreeSet<NodeId> {
    let mut names = BTreeSet::new();
    for turn in world.instances.get(&InstanceId(1)).map_or(&[][..], |member| &member.turns) {
        let started = turn.events.iter().filter(|event| matches!(event.kind, EventKind::NodeStarted));
        names.extend(started.filter_map(|event| event.node).map(|node| &*turn.process.node(node).id));
    }
    let is_named = |node: &NodeId| names.contains(&*blueprint[*node].id);
    blueprint.node_ids().filter(is_named).collect()
}

/// In a fork inside a loop, or one that somebody put tokens into, there are twice as many every round.
const MOST_TOKENS: usize = 80;

fn is_crowded(world: &World) -> bool {
    world.instances.values().any(|member| member.instance.tokens.len() > MOST_TOKENS)
}

/// The instance runs another version than at first.
fn is_migrated(world: &World, first: &Option<Arc<Process>>) -> bool {
    let now = world.instances.get(&InstanceId(1)).map(|member| &member.process);
    !matches!((now, first), (Some(now), Some(first)) if Arc::ptr_eq(now, first))
}

fn testify(witness: &mut Witness<'_>, world: &World) -> Result<(), String> {
    world.instances.get(&InstanceId(1)).map_or(Ok(()), |member| witness.tell(member))
}

/// Values as the engine takes them.
fn variables(values: &crate::blueprint::Variables) -> Variables {
    let mut variables = Variables::default();
    for (name, value) in values {
        variables.merge(&Variables::of(name, value.to_string()));
    }
    variables
}

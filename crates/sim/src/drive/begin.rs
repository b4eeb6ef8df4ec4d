//! How an instance of a process comes into being: by itself, or by what its start event waits for.
//!
//! **Invariant:** whatever a process starts with, an instance of it begins.

use tyer_engine::Start;

use super::variables;
use crate::blueprint::{Blueprint, Gateway, Kind, NodeId, Task, Trigger};
use crate::world::World;

/// The process begins.
pub(super) fn begin(blueprint: &Blueprint, world: &mut World) {
    let values = variables(&blueprint.variables);
    if !world.processes[&blueprint.id].body(None).starts.is_empty() {
        let start = Start { priority: 50, variables: values, ..Start::default() };
        world.start(&blueprint.id, start).expect("a blank instance starts");
        return;
    }
    match blueprint.children(None).find_map(|node| begins_by(blueprint, node)) {
        Some(Named::Message(name)) => world.publish(&name, None, None, values, 0),
        Some(Named::Signal(name)) => world.signal(&name, values),
        Some(Named::Timer(seconds)) => {
            let until = world.now.plus_ms(i64::from(seconds) * 1000);
            world.advance_to(until);
        }
        // Nobody here watches conditions of processes that have not begun: it is said to hold.
        None => {
            let at = blueprint.starts(None).map(|start| blueprint[start].id.clone()).take(1).collect();
            let start = Start { priority: 50, variables: values, at, ..Start::default() };
            world.start(&blueprint.id, start).expect("an instance begins at its start event");
        }
    }
}

/// What begins a process.
enum Named {
    Message(String),
    Signal(String),
    Timer(u32),
}

/// What the outer node waits for, if it begins the process.
fn begins_by(blueprint: &Blueprint, node: NodeId) -> Option<Named> {
    let kind = &blueprint[node].kind;
    if let Kind::Start { trigger, .. } = kind {
        return first_name(trigger);
    }
    if let Kind::Task(Task::Receive { instantiates: true }) = kind {
        return Some(Named::Message(blueprint[node].id.clone()));
    }
    if !matches!(kind, Kind::Gateway(Gateway::EventBased { instantiates: true })) {
        return None;
    }
    let mut events = blueprint.outgoing(node).map(|flow| &blueprint[blueprint[flow].to]);
    events.find_map(|event| {
        if let Kind::Catch(trigger) = &event.kind {
            return first_name(trigger);
        }
        matches!(event.kind, Kind::Task(Task::Receive { .. })).then(|| Named::Message(event.id.clone()))
    })
}

fn first_name(trigger: &Trigger) -> Option<Named> {
    match trigger {
        Trigger::Message(name) => Some(Named::Message(name.clone())),
        Trigger::Signal(name) => Some(Named::Signal(name.clone())),
        Trigger::Timer { seconds, .. } => Some(Named::Timer(*seconds)),
        Trigger::Multiple(several) | Trigger::ParallelMultiple(several) => {
            several.iter().find_map(first_name)
        }
        Trigger::None
        | Trigger::Error(_)
        | Trigger::Escalation(_)
        | Trigger::Cancel
        | Trigger::Compensation
        | Trigger::Conditional(_)
        | Trigger::Link(_) => None,
    }
}

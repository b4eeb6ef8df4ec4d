//! Another version of a process, to which its instances migrate.
//!
//! **Invariant:** a version is a process that BPMN allows, and differs from the one before in one thing.

use tyer_model::Process;

use crate::blueprint::{Blueprint, FlowId, Kind, MergeMode, Node, NodeId, Task, Throw, Trigger};
use crate::bpmn::to_bpmn;
use crate::random::Random;
use crate::shrink;

/// The next version of a process.
#[derive(Clone)]
pub(super) struct Version {
    pub(super) blueprint: Blueprint,
    /// Old and new ids of nodes that have another one.
    pub(super) mapping: Vec<(String, String)>,
    /// What is different, in a few words.
    pub(super) change: String,
}

impl Version {
    /// What the importer makes of it.
    pub(super) fn import(&self) -> Result<Vec<Process>, String> {
        let imported = tyer_model::import(to_bpmn(&self.blueprint).as_bytes());
        Ok(imported.map_err(|problems| format!("not imported: {problems}"))?.processes)
    }

    /// A version with one thing changed; none if what was drawn is no process.
    pub(super) fn draw(of: &Blueprint, random: &mut Random) -> Option<Version> {
        let mut next = of.clone();
        let mut mapping = Vec::new();
        let change = match random.below(7) {
            0 | 1 => insert_step(&mut next, random),
            2 => rename(&mut next, random, &mut mapping),
            3 => add_event(&mut next, random),
            4 => change_mode(&mut next, random),
            5 => turn_condition(&mut next, random),
            _ => {
                let smaller = shrink::smaller(of, any_node(of, random, |_| true)?);
                let taken = if smaller.is_empty() { None } else { Some(random.pick(&smaller).clone()) };
                next = taken?;
                Some("less".to_owned())
            }
        }?;
        let is_process = next.check().is_ok() && !shrink::runs_in_circles(&next);
        is_process.then_some(Version { blueprint: next, mapping, change })
    }
}

/// A step between two nodes; the flow stays with the first or with the second of them.
fn insert_step(next: &mut Blueprint, random: &mut Random) -> Option<String> {
    let flows: Vec<FlowId> = next.flow_ids().collect();
    let flow = if flows.is_empty() { return None } else { *random.pick(&flows) };
    let (from, to) = (next[flow].from, next[flow].to);
    let task = if random.chance(50) { Task::None } else { Task::Service };
    let id = fresh(next, "inserted");
    let step = next.add(Node { within: next[from].within, ..Node::new(id, Kind::Task(task)) });
    if random.chance(50) {
        next[flow].to = step;
        connect(next, step, to);
    } else {
        let before = connect(next, from, step);
        next[before].condition = next[flow].condition.take();
        next[before].is_default = std::mem::take(&mut next[flow].is_default);
        next[flow].from = step;
    }
    Some(format!("a step in {}", next[flow].id))
}

fn rename(next: &mut Blueprint, random: &mut Random, mapping: &mut Vec<(String, String)>) -> Option<String> {
    let node = any_node(next, random, |_| true)?;
    let (old, new) = (next[node].id.clone(), fresh(next, "renamed"));
    next[node].id.clone_from(&new);
    mapping.push((old.clone(), new));
    Some(format!("another name for {old}"))
}

/// An event on an activity that has none of its kind there, with an end of its own.
fn add_event(next: &mut Blueprint, random: &mut Random) -> Option<String> {
    let host = any_node(next, random, |node| node.kind.is_activity() && node.compensates.is_none())?;
    let within = next[host].within;
    let seconds = random.between(1, 9) as u32;
    let interrupts = random.chance(50);
    let kind = Kind::Boundary { host, trigger: Trigger::Timer { seconds, times: 1 }, interrupts };
    let id = fresh(next, "added");
    let event = next.add(Node { within, ..Node::new(id, kind) });
    let id = fresh(next, "added");
    let end = next.add(Node { within, ..Node::new(id, Kind::End(Throw::None)) });
    connect(next, event, end);
    Some(format!("an event on {}", next[host].id))
}

fn change_mode(next: &mut Blueprint, random: &mut Random) -> Option<String> {
    let joins: Vec<NodeId> = next.node_ids().filter(|node| next.incoming(*node).count() > 1).collect();
    let node = if joins.is_empty() { return None } else { *random.pick(&joins) };
    let modes = [
        None,
        Some(MergeMode::Converge),
        Some(MergeMode::Merge),
        Some(MergeMode::Stream),
        Some(MergeMode::Race),
        Some(MergeMode::Cascade),
    ];
    next[node].merge = *random.pick(&modes);
    Some(format!("another mode of {}", next[node].id))
}

/// The condition of a flow is about something else, or the default is another flow.
fn turn_condition(next: &mut Blueprint, random: &mut Random) -> Option<String> {
    let flows: Vec<FlowId> = next.flow_ids().filter(|flow| next[*flow].condition.is_some()).collect();
    if flows.len() < 2 {
        return None;
    }
    let (one, other) = (*random.pick(&flows), *random.pick(&flows));
    next[one].condition = next[other].condition.clone();
    Some(format!("another condition of {}", next[one].id))
}

fn any_node(of: &Blueprint, random: &mut Random, wanted: impl Fn(&Node) -> bool) -> Option<NodeId> {
    let nodes: Vec<NodeId> = of.node_ids().filter(|node| wanted(&of[*node])).collect();
    if nodes.is_empty() { None } else { Some(*random.pick(&nodes)) }
}

/// `connect` counts flows, and after a removal the next number may be taken.
fn connect(next: &mut Blueprint, from: NodeId, to: NodeId) -> FlowId {
    let id = fresh(next, "added_flow");
    let flow = next.connect(from, to);
    next[flow].id = id;
    flow
}

fn fresh(of: &Blueprint, name: &str) -> String {
    let is_free = |id: &String| of.node_named(id).is_none() && of.flow_named(id).is_none();
    let mut ids = (1..).map(|number: u32| format!("{name}_{number}"));
    ids.find(is_free).expect("numbers do not end")
}

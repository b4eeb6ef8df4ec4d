//! Everything that could be taken away from a process in one step.
//!
//! **Invariant:** no new names: what is left keeps its id, so a small process can be laid beside the large one.

use crate::blueprint::{
    Blueprint, Condition, FlowId, Kind, Marker, NodeId, SubProcess, Task, Throw, Trigger,
};

/// Processes with one thing less; some of them are none that BPMN allows.
pub(super) fn of(blueprint: &Blueprint) -> Vec<Blueprint> {
    let mut all: Vec<Blueprint> = blueprint.node_ids().flat_map(|node| at(blueprint, node)).collect();
    for flow in blueprint.flow_ids() {
        all.push(blueprint.without_flow(flow));
    }
    all
}

/// Those that have less at this node.
pub(super) fn at(blueprint: &Blueprint, node: NodeId) -> Vec<Blueprint> {
    let mut all = vec![blueprint.without_nodes(&[node])];
    all.extend(jumps(blueprint, node));
    all.extend(bridged(blueprint, node));
    all.extend(unwrapped(blueprint, node));
    all.extend(plainer(blueprint, node));
    all
}

/// Without what nothing leads to, reads or calls.
pub(super) fn pruned(mut blueprint: Blueprint) -> Blueprint {
    loop {
        let reached = reached(&blueprint);
        let gone: Vec<NodeId> = blueprint.node_ids().filter(|node| !reached[node.0 as usize]).collect();
        if gone.is_empty() {
            break;
        }
        blueprint = blueprint.without_nodes(&gone);
    }
    for node in blueprint.node_ids() {
        let outgoing: Vec<FlowId> = blueprint.outgoing(node).collect();
        // One way out needs no reason.
        if let [only] = outgoing[..] {
            blueprint[only].condition = None;
            blueprint[only].is_default = false;
        }
    }
    drop_unread(&mut blueprint);
    blueprint
}

/// Straight from one node to another of its scope, past everything between.
fn jumps(blueprint: &Blueprint, from: NodeId) -> Vec<Blueprint> {
    let outgoing: Vec<FlowId> = blueprint.outgoing(from).collect();
    let Some((first, others)) = outgoing.split_first() else { return Vec::new() };
    let siblings = blueprint.children(blueprint[from].within).filter(|to| *to != from);
    let jump = |to: NodeId| {
        let mut next = blueprint.clone();
        next[*first].to = to;
        for other in others.iter().rev() {
            next = next.without_flow(*other);
        }
        next
    };
    siblings.map(jump).collect()
}

/// Without the node; what led to it leads to where it led.
fn bridged(blueprint: &Blueprint, node: NodeId) -> Option<Blueprint> {
    let next = blueprint.outgoing(node).map(|flow| blueprint[flow].to).find(|to| *to != node)?;
    let mut bridged = blueprint.clone();
    for flow in blueprint.incoming(node).collect::<Vec<_>>() {
        bridged[flow].to = next;
    }
    Some(bridged.without_nodes(&[node]))
}

/// The content of a sub-process in place of it.
fn unwrapped(blueprint: &Blueprint, container: NodeId) -> Option<Blueprint> {
    if !matches!(blueprint[container].kind, Kind::SubProcess(SubProcess::Embedded | SubProcess::Transaction))
    {
        return None;
    }
    let start = blueprint.starts(Some(container)).next()?;
    let next = blueprint.outgoing(container).map(|flow| blueprint[flow].to).next()?;
    let mut flat = blueprint.clone();
    flat[start].kind = Kind::Task(Task::None);
    let mut gone = vec![container];
    for flow in blueprint.flow_ids() {
        let to = blueprint[flow].to;
        let is_plain_end = blueprint[to].kind == Kind::End(Throw::None);
        if to == container {
            flat[flow].to = start;
        } else if is_plain_end && blueprint[to].within == Some(container) {
            flat[flow].to = next;
            gone.push(to);
        }
    }
    for child in blueprint.children(Some(container)) {
        flat[child].within = blueprint[container].within;
    }
    Some(flat.without_nodes(&gone))
}

/// The same node with less to it.
fn plainer(blueprint: &Blueprint, node: NodeId) -> Vec<Blueprint> {
    let with = |change: &dyn Fn(&mut Blueprint)| {
        let mut next = blueprint.clone();
        change(&mut next);
        next
    };
    let mut all = vec![
        with(&|next| next[node].marker = Marker::Once),
        with(&|next| next[node].merge = None),
        with(&|next| next[node].results.clear()),
        with(&|next| next[node].completion_quantity = 1),
    ];
    all.extend(
        (0..blueprint[node].results.len()).map(|place| with(&|next| _ = next[node].results.remove(place))),
    );
    match &blueprint[node].kind {
        Kind::SubProcess(SubProcess::Event) => {}
        Kind::Start { .. } => all.push(with(&|next| {
            next[node].kind = Kind::Start { trigger: Trigger::None, interrupts: true };
        })),
        kind if kind.is_activity() || matches!(kind, Kind::Catch(_) | Kind::Throw(_) | Kind::Gateway(_)) => {
            let inner: Vec<NodeId> = blueprint.children(Some(node)).collect();
            let mut hollow = blueprint.clone();
            hollow[node].kind = Kind::Task(Task::None);
            hollow[node].marker = Marker::Once;
            all.push(hollow.without_nodes(&inner));
        }
        Kind::End(_) => all.push(with(&|next| next[node].kind = Kind::End(Throw::None))),
        Kind::Boundary { .. }
        | Kind::Task(_)
        | Kind::Call(_)
        | Kind::Catch(_)
        | Kind::Throw(_)
        | Kind::Gateway(_)
        | Kind::SubProcess(_) => {}
    }
    all
}

fn reached(blueprint: &Blueprint) -> Vec<bool> {
    let mut reached = vec![false; blueprint.nodes.len()];
    let starts_by_itself = |node: &NodeId| {
        let in_ad_hoc = blueprint[*node]
            .within
            .is_some_and(|outer| matches!(blueprint[outer].kind, Kind::SubProcess(SubProcess::AdHoc { .. })));
        let is_event = blueprint[*node].kind == Kind::SubProcess(SubProcess::Event);
        let is_start = matches!(blueprint[*node].kind, Kind::Start { .. });
        is_start || is_event || in_ad_hoc || blueprint.is_instantiating(*node)
    };
    let mut next: Vec<NodeId> = blueprint.children(None).filter(starts_by_itself).collect();
    while let Some(node) = next.pop() {
        if std::mem::replace(&mut reached[node.0 as usize], true) {
            continue;
        }
        next.extend(blueprint.next_nodes(node));
        next.extend(blueprint.children(Some(node)).filter(starts_by_itself));
        next.extend(blueprint.node_ids().filter(|other| blueprint[*other].compensates == Some(node)));
    }
    reached
}

/// Variables that nothing reads, results that nobody needs then, processes that nobody calls.
fn drop_unread(blueprint: &mut Blueprint) {
    let mut read: Vec<String> = Vec::new();
    let mut add = |condition: &Condition| read.push(condition.variable().to_owned());
    blueprint.flows.iter().filter_map(|flow| flow.condition.as_ref()).for_each(&mut add);
    for node in &blueprint.nodes {
        match &node.marker {
            Marker::Loop { while_holds, .. } => add(while_holds),
            Marker::Multiple(multiple) => {
                multiple.until.iter().for_each(&mut add);
                multiple.items.iter().for_each(|items| add(&Condition::Holds(items.clone())));
            }
            Marker::Once => {}
        }
        if let Kind::SubProcess(SubProcess::AdHoc { until, .. }) = &node.kind {
            add(until);
        }
        if let Some(trigger) = node.kind.trigger() {
            conditions_of(trigger, &mut add);
        }
    }
    blueprint.variables.retain(|name, _| read.contains(name));
    blueprint.nodes.iter_mut().for_each(|node| node.results.retain(|result| read.contains(&result.variable)));
    let calls = |id: &String| blueprint.nodes.iter().any(|node| node.kind == Kind::Call(id.clone()));
    blueprint.called = blueprint.called.iter().filter(|called| calls(&called.id)).cloned().collect();
}

fn conditions_of(trigger: &Trigger, add: &mut impl FnMut(&Condition)) {
    match trigger {
        Trigger::Conditional(condition) => add(condition),
        Trigger::Multiple(parts) | Trigger::ParallelMultiple(parts) => {
            parts.iter().for_each(|part| conditions_of(part, add));
        }
        Trigger::None
        | Trigger::Message(_)
        | Trigger::Timer { .. }
        | Trigger::Error(_)
        | Trigger::Escalation(_)
        | Trigger::Cancel
        | Trigger::Compensation
        | Trigger::Link(_)
        | Trigger::Signal(_) => {}
    }
}

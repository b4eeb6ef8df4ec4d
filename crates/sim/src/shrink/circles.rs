//! Loops in which nobody is waited for.
//!
//! **Invariant:** a process without one comes to rest after every command, whatever its conditions say.

use crate::blueprint::{Blueprint, Kind, NodeId, Task, Trigger};

/// A token could go round for ever without waiting for anybody.
pub fn runs_in_circles(blueprint: &Blueprint) -> bool {
    let mut passing: Vec<bool> = blueprint.node_ids().map(|node| !waits(blueprint, node)).collect();
    // A node that leads to no passing node is on no circle of them; what is left at the end are the circles.
    loop {
        let is_loose = |node: &NodeId| {
            let goes_on = |next: &NodeId| passing[next.0 as usize];
            passing[node.0 as usize] && !blueprint.next_nodes(*node).iter().any(goes_on)
        };
        match blueprint.node_ids().find(is_loose) {
            Some(node) => passing[node.0 as usize] = false,
            None => return passing.contains(&true),
        }
    }
}

/// A condition may hold already, and a date may have gone by: only these are always waited for.
fn is_still_to_come(trigger: &Trigger) -> bool {
    match trigger {
        Trigger::Message(_) | Trigger::Signal(_) => true,
        Trigger::Timer { .. } => !trigger.is_date(),
        Trigger::Multiple(parts) => parts.iter().all(is_still_to_come),
        Trigger::ParallelMultiple(parts) => parts.iter().any(is_still_to_come),
        Trigger::None
        | Trigger::Conditional(_)
        | Trigger::Link(_)
        | Trigger::Error(_)
        | Trigger::Escalation(_)
        | Trigger::Cancel
        | Trigger::Compensation => false,
    }
}

fn waits(blueprint: &Blueprint, node: NodeId) -> bool {
    match &blueprint[node].kind {
        Kind::Task(task) => !matches!(task, Task::None | Task::Manual | Task::Script),
        Kind::Catch(trigger) => is_still_to_come(trigger),
        Kind::Call(_) => true,
        // What waits inside may stand on another way through it.
        Kind::SubProcess(_) => false,
        Kind::Gateway(_) | Kind::Start { .. } | Kind::Throw(_) | Kind::End(_) | Kind::Boundary { .. } => {
            false
        }
    }
}

//! What must hold of every instance between two turns, each rule as a sentence.

mod structure;

use tyer_engine::{Instance, Number, Token, Wait};
use tyer_map::Set;
use tyer_model::{FlowIx, MergeMode, NodeKind, Process};

pub use structure::audit;

/// Everything that should hold of the instance and does not: empty when all is well.
///
/// ```
/// use tyer_engine::{Instance, InstanceId};
/// let xml = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
///   <process id="p" isExecutable="true"><startEvent id="start"/></process></definitions>"#;
/// let process = &tyer_model::import(xml)?.processes[0];
/// assert!(tyer_store::invariants(process, &Instance::blank(InstanceId(1))).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn invariants(process: &Process, instance: &Instance) -> Vec<String> {
    let mut broken = audit(process, instance);
    if instance.version > 0 {
        joins(process, instance, &mut broken);
        marks(process, instance, &mut broken);
        indexes(instance, &mut broken);
        numbers(instance, &mut broken);
    }
    broken
}

/// I5: a join that has a token on every flow that it needs has fired.
fn joins(process: &Process, instance: &Instance, broken: &mut Vec<String>) {
    let scopes: Set<Number> = instance.tokens.values().map(|token| token.scope).collect();
    for (ix, node) in process.nodes().filter(|(_, node)| node.incoming.len() > 1) {
        let needed: Vec<FlowIx> = match (node.merge, &node.kind) {
            (None, NodeKind::Parallel) => node.incoming.clone(),
            (Some(MergeMode::Converge), _) => {
                node.incoming.iter().copied().filter(|flow| !process.is_back(*flow)).collect()
            }
            _ => continue,
        };
        for scope in &scopes {
            let at_join =
                |token: &&Token| (token.node, token.scope) == (ix, *scope) && token.wait == Wait::Join;
            let waiting: Vec<&Token> = instance.tokens.values().filter(at_join).collect();
            if !waiting.is_empty()
                && needed.iter().all(|flow| waiting.iter().any(|token| token.flow == Some(*flow)))
            {
                broken.push(format!("I5: join `{}` has a token on every flow and has not fired", node.id));
            }
        }
    }
}

/// I6: a token is marked only for nodes that stand in its own sub-process.
fn marks(process: &Process, instance: &Instance, broken: &mut Vec<String>) {
    for (number, token) in &instance.tokens {
        let here = process.node(token.node).parent;
        for mark in token.marks.iter().filter(|mark| process.node(**mark).parent != here) {
            let mark = &process.node(*mark).id;
            broken.push(format!("I6: token {number} is marked for `{mark}`, which stands elsewhere"));
        }
    }
}

/// I9: what is looked up is what a scan would give.
fn indexes(instance: &Instance, broken: &mut Vec<String>) {
    let mut scanned = instance.clone();
    scanned.reindex();
    if scanned.index != instance.index {
        broken
            .push(format!("I9: the index is wrong\nindex: {:?}\nscan: {:?}", instance.index, scanned.index));
    }
}

/// I12: nothing is numbered beyond the counter.
fn numbers(instance: &Instance, broken: &mut Vec<String>) {
    let used = [
        ("token", instance.tokens.keys().last()),
        ("scope", instance.scopes.keys().last()),
        ("task", instance.tasks.keys().last()),
        ("timer", instance.timers.keys().last()),
        ("subscription", instance.subscriptions.keys().last()),
        ("record", instance.records.keys().last()),
        ("saga", instance.sagas.keys().last()),
        ("incident", instance.incidents.keys().last()),
    ];
    for (what, number) in used {
        if let Some(number) = number.filter(|number| **number > instance.counter) {
            broken.push(format!("I12: {what} {number} is beyond the counter {}", instance.counter));
        }
    }
}

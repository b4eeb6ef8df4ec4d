//! What must hold of every instance between two turns, each rule as a sentence.
//!
//! **Invariant:** the rules are written from docs and spec, and read the instance only through what it makes public.

use tyer_engine::{Instance, Number, Token, Wait};
use tyer_model::{NodeKind, Process};

/// Everything that should hold of the instance and does not: empty when all is well.
///
/// ```
/// use tyer_engine::{Instance, InstanceId};
/// let xml = tyer_testkit::Diagram::parse("process p\n start -> end")?.to_bpmn();
/// let process = &tyer_model::import(xml.as_bytes())?.processes[0];
/// assert!(tyer_testkit::invariants(process, &Instance::blank(InstanceId(1))).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn invariants(process: &Process, instance: &Instance) -> Vec<String> {
    let mut broken = Vec::new();
    if instance.version > 0 {
        life(instance, &mut broken);
        waits(process, instance, &mut broken);
        sources(instance, &mut broken);
        joins(process, instance, &mut broken);
    }
    broken
}

/// I1: a live instance has a token; an ended one has nothing left.
fn life(instance: &Instance, broken: &mut Vec<String>) {
    let left = [
        ("tokens", instance.tokens.len()),
        ("tasks", instance.tasks.len()),
        ("timers", instance.timers.len()),
        ("incidents", instance.incidents.len()),
    ];
    if instance.status.is_ended() {
        for (what, count) in left.into_iter().filter(|(_, count)| *count > 0) {
            broken.push(format!("I1: the instance is {:?} and still has {what}: {count}", instance.status));
        }
    } else if instance.tokens.is_empty() {
        broken.push(format!("I1: the instance is {:?} and has no token", instance.status));
    }
    if instance.status.is_ended() != instance.ended_at.is_some() {
        broken.push("I1: an instance has an end exactly when it has ended".to_owned());
    }
}

/// I2: what a token waits for is there, and is its own.
fn waits(process: &Process, instance: &Instance, broken: &mut Vec<String>) {
    for (number, token) in &instance.tokens {
        let node = process.node(token.node);
        let has_source = match &token.wait {
            Wait::Nothing => true,
            Wait::Job(job) => {
                matches!(node.kind, NodeKind::Job(_)) && instance.token_of_job(job.number) == Some(*number)
            }
            Wait::Task(task) => {
                instance.tasks.get(task).is_some_and(|task| task.token == *number && task.node == token.node)
            }
            Wait::Timer(timer) => instance.timers.get(timer).is_some_and(|timer| timer.token == *number),
            Wait::Incident(incident) => {
                instance.incidents.get(incident).is_some_and(|incident| incident.token == Some(*number))
            }
            Wait::Join => {
                matches!(node.kind, NodeKind::Parallel)
                    && token.flow.is_some_and(|flow| node.incoming.contains(&flow))
            }
        };
        if !has_source {
            broken.push(format!("I2: nothing can wake token {number} at `{}`: {:?}", node.id, token.wait));
        }
        if !instance.scopes.contains_key(&token.scope) {
            broken.push(format!("I2: token {number} reads scope {}, which is not there", token.scope));
        }
        if *number > instance.counter {
            broken.push(format!("I12: token {number} is beyond the counter {}", instance.counter));
        }
    }
}

/// I2, the other way: everything that can wake a token has one that waits for it.
fn sources(instance: &Instance, broken: &mut Vec<String>) {
    let waits =
        |token: Number, wait: Wait| instance.tokens.get(&token).is_some_and(|token| token.wait == wait);
    let tasks = instance.tasks.iter().filter(|(number, task)| !waits(task.token, Wait::Task(**number)));
    broken.extend(tasks.map(|(number, _)| format!("I2: no token waits for task {number}")));
    let timers = instance.timers.iter().filter(|(number, timer)| !waits(timer.token, Wait::Timer(**number)));
    broken.extend(timers.map(|(number, _)| format!("I2: no token waits for timer {number}")));
    let incidents = instance.incidents.iter().filter(|(number, incident)| {
        incident.token.is_some_and(|token| !waits(token, Wait::Incident(**number)))
    });
    broken.extend(incidents.map(|(number, _)| format!("I2: no token waits for incident {number}")));
}

/// I5: a join that has a token on every flow has fired.
fn joins(process: &Process, instance: &Instance, broken: &mut Vec<String>) {
    let joins = process
        .nodes()
        .filter(|(_, node)| matches!(node.kind, NodeKind::Parallel) && node.incoming.len() > 1);
    for (ix, node) in joins {
        let at_join = |token: &&Token| token.node == ix && token.wait == Wait::Join;
        let waiting: Vec<&Token> = instance.tokens.values().filter(at_join).collect();
        let complete = node.incoming.iter().all(|flow| waiting.iter().any(|token| token.flow == Some(*flow)));
        if complete {
            broken.push(format!("I5: join `{}` has a token on every flow and has not fired", node.id));
        }
    }
}

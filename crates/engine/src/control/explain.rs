//! Why an instance stands where it stands: for every token what it waits for, since when, and what is missing.

use serde::Serialize;
use tyer_model::{NodeIx, Process};

use crate::words::*;

/// What one token waits for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The token.
    pub token: Number,
    /// The node where it stands.
    pub node: String,
    /// Since when.
    pub since: Timestamp,
    /// What must happen before it goes on, in a sentence.
    pub waits_for: String,
    /// What else can happen to it meanwhile: boundary events and the like.
    pub or: Vec<String>,
    /// Flows on which its join has no token yet.
    pub missing: Vec<String>,
}

/// Explains every live token, oldest first.
pub fn explain(process: &Process, instance: &Instance) -> Vec<Explanation> {
    instance.tokens.iter().map(|(number, token)| explain_token(process, instance, *number, token)).collect()
}

fn explain_token(process: &Process, instance: &Instance, number: Number, token: &Token) -> Explanation {
    let is_told = |source: &Number| Wait::Timer(*source) != token.wait;
    let sources: Vec<Number> = instance.sources(Owner::Token(number)).into_iter().filter(is_told).collect();
    let told: Vec<(NodeIx, String)> = sources.iter().map(|source| tell(instance, *source)).collect();
    let own = |node: NodeIx| {
        token.wait == Wait::Event
            && (node == token.node || process.node(token.node).boundary.iter().all(|b| *b != node))
    };
    let waited: Vec<&str> =
        told.iter().filter(|(node, _)| own(*node)).map(|(_, text)| text.as_str()).collect();
    let mut waits_for = match &token.wait {
        Wait::Nothing => "its instance to be resumed".to_owned(),
        Wait::Job(job) => format!("a worker for job {} of type `{}`", job.number, job.job_type),
        Wait::Task(task) => {
            let asked = &instance.tasks[task].asked;
            let whom = asked.assignee.as_ref().map_or_else(String::new, |who| format!(", assigned to {who}"));
            format!("a person to complete task {task}{whom}")
        }
        Wait::Timer(timer) => format!("its next try at {}", instance.timers[timer].due),
        Wait::Event => waited.join(" or "),
        Wait::Join if token.is_used() => "its gateway to be reset".to_owned(),
        Wait::Join => "the other flows of its join".to_owned(),
        Wait::Turn => "its sibling to be done".to_owned(),
        Wait::Scope => "what goes on inside it".to_owned(),
        Wait::Call(call) => format!("the process that call {call} started"),
        Wait::Saga(saga) => format!("saga {saga} to undo completed steps"),
        Wait::Incident(incident) => {
            format!("incident {incident} to be resolved: {}", instance.incidents[incident].message)
        }
    };
    if instance.status == Status::Paused && token.wait != Wait::Nothing {
        waits_for.push_str(", and its instance to be resumed");
    }
    let flows = process.node(token.node).incoming.iter();
    let empty = flows.filter(|flow| instance.first_arrival(token.scope, token.node, **flow).is_none());
    let missing = if token.wait == Wait::Join {
        empty.map(|flow| process.flow(*flow).id.clone()).collect()
    } else {
        Vec::new()
    };
    let or = told.iter().filter(|(node, _)| !own(*node));
    Explanation {
        token: number,
        node: process.node(token.node).id.clone(),
        since: token.since,
        waits_for,
        or: or.map(|(node, text)| format!("{}: {text}", process.node(*node).id)).collect(),
        missing,
    }
}

fn tell(instance: &Instance, source: Number) -> (NodeIx, String) {
    if let Some(timer) = instance.timers.get(&source) {
        return (timer.node, format!("timer {source} at {}", timer.due));
    }
    let subscription = &instance.subscriptions[&source];
    let text = match &subscription.wanted {
        Wanted::Message { name, key: Some(key) } => format!("message `{name}` with key `{key}`"),
        Wanted::Message { name, key: None } => format!("message `{name}`"),
        Wanted::Signal { name } => format!("signal `{name}`"),
        Wanted::Condition { .. } => "its condition to become true".to_owned(),
    };
    (subscription.node, text)
}

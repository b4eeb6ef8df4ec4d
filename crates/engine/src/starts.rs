//! What begins an instance without a caller: messages, signals and timers of start events.

use std::sync::Arc;

use tyer_feel::{Clock, Expression};
use tyer_model::{MessageSpec, NodeIx, NodeKind, Process, Text, Trigger};

use crate::nodes::text;
use crate::nodes::timer::{self, Due};
use crate::words::*;

/// A start event that waits, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartTrigger {
    /// The node where the instance begins.
    pub node: NodeIx,
    /// What begins it.
    pub wanted: StartWanted,
}

/// What begins an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the sentence of each says what its fields are")]
pub enum StartWanted {
    /// A message of this name.
    Message { name: Arc<str> },
    /// A signal of this name.
    Signal { name: Arc<str> },
    /// A moment, and what is left of its cycle then.
    Timer { due: Timestamp, cycle: Option<Arc<str>> },
}

/// What the start events of a process wait for, from this moment on. Texts are computed without variables.
///
/// # Errors
/// The node and the reason, if a text cannot be computed.
pub fn start_triggers(process: &Process, now: Timestamp) -> Result<Vec<StartTrigger>, (NodeIx, String)> {
    let mut triggers = Vec::new();
    for (node, spec) in process.nodes().filter(|(_, node)| node.parent.is_none()) {
        let mut add = |wanted: Result<StartWanted, String>| match wanted {
            Ok(wanted) => {
                triggers.push(StartTrigger { node, wanted });
                Ok(())
            }
            Err(reason) => Err((node, reason)),
        };
        if let NodeKind::Start(events) = &spec.kind {
            events.any.iter().try_for_each(|trigger| of(trigger, now).map_or(Ok(()), &mut add))?;
        } else if let NodeKind::Receive { message, instantiate } = &spec.kind {
            if *instantiate || begins(process, node) {
                add(of_message(message, now))?;
            }
        } else if let NodeKind::Catch(events) = &spec.kind
            && begins(process, node)
        {
            events.any.iter().try_for_each(|trigger| of(trigger, now).map_or(Ok(()), &mut add))?;
        }
    }
    Ok(triggers)
}

/// When a start timer is due again, and what is left of its cycle then.
///
/// # Errors
/// What is wrong with the cycle.
pub fn next_start(due: Timestamp, cycle: &str) -> Result<Option<Due>, String> {
    timer::next(due, cycle)
}

/// Does the node stand behind a gateway that begins the process?
fn begins(process: &Process, node: NodeIx) -> bool {
    let sources = process.node(node).incoming.iter().map(|flow| process.flow(*flow).source);
    sources
        .into_iter()
        .any(|source| matches!(process.node(source).kind, NodeKind::EventBased { instantiate: true, .. }))
}

fn of(trigger: &Trigger, now: Timestamp) -> Option<Result<StartWanted, String>> {
    match trigger {
        Trigger::Message(message) => Some(of_message(message, now)),
        Trigger::Signal(name) => Some(computed(name, now).map(|name| StartWanted::Signal { name })),
        Trigger::Timer(spec) => {
            let first = timer::first_of(spec, now, |text| computed(text, now));
            Some(first.map(|(due, cycle)| StartWanted::Timer { due, cycle }))
        }
        Trigger::Condition(_)
        | Trigger::Error(_)
        | Trigger::Escalation(_)
        | Trigger::Cancel
        | Trigger::Compensation => None,
    }
}

fn of_message(message: &MessageSpec, now: Timestamp) -> Result<StartWanted, String> {
    computed(&message.name, now).map(|name| StartWanted::Message { name })
}

fn computed(written: &Text, now: Timestamp) -> Result<Arc<str>, String> {
    let value = |expression: &Expression, clock: &Clock| {
        let evaluation = expression.evaluate(&Variables::default(), clock);
        serde_json::from_str::<String>(&evaluation.value.to_json())
            .map(Arc::from)
            .map_err(|_| text::complaint(expression, &evaluation, "a text that needs no variables"))
    };
    match written {
        Text::Literal(literal) => Ok(Arc::clone(literal)),
        Text::Expression(expression) => value(expression, &text::clock(now)),
    }
}

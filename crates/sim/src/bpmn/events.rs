//! Event definitions.
//!
//! **Invariant:** an event without trigger writes nothing; several triggers write one definition each.

use super::Xml;
use crate::blueprint::{Blueprint, ENDLESS, Throw, Trigger};

pub(super) fn write_trigger(file: &mut Xml, trigger: &Trigger) {
    match trigger {
        Trigger::None => {}
        Trigger::Message(name) => reference(file, "message", name),
        Trigger::Timer { seconds, times } => {
            file.open("<timerEventDefinition>");
            let (element, text) = time(*seconds, *times);
            file.line(&format!("<{element} xsi:type=\"tFormalExpression\">{text}</{element}>"));
            file.close("</timerEventDefinition>");
        }
        Trigger::Error(code) => coded(file, "error", code.as_deref()),
        Trigger::Escalation(code) => coded(file, "escalation", code.as_deref()),
        Trigger::Cancel => file.line("<cancelEventDefinition/>"),
        Trigger::Compensation => file.line("<compensateEventDefinition/>"),
        Trigger::Conditional(condition) => {
            file.open("<conditionalEventDefinition>");
            file.expression("condition", &condition.to_string());
            file.close("</conditionalEventDefinition>");
        }
        Trigger::Link(name) => file.line(&format!("<linkEventDefinition name=\"{name}\"/>")),
        Trigger::Signal(name) => reference(file, "signal", name),
        // Which of the two it is stands on the event, as the attribute `parallelMultiple`.
        Trigger::Multiple(parts) | Trigger::ParallelMultiple(parts) => {
            parts.iter().for_each(|part| write_trigger(file, part));
        }
    }
}

pub(super) fn write_throw(file: &mut Xml, process: &Blueprint, throw: &Throw) {
    match throw {
        Throw::None => {}
        Throw::Message(name) => reference(file, "message", name),
        Throw::Error(code) => coded(file, "error", Some(code)),
        Throw::Escalation(code) => coded(file, "escalation", Some(code)),
        Throw::Cancel => file.line("<cancelEventDefinition/>"),
        Throw::Compensation(None) => file.line("<compensateEventDefinition/>"),
        Throw::Compensation(Some(target)) => {
            file.line(&format!("<compensateEventDefinition activityRef=\"{}\"/>", process[*target].id));
        }
        Throw::Link(name) => file.line(&format!("<linkEventDefinition name=\"{name}\"/>")),
        Throw::Signal(name) => reference(file, "signal", name),
        Throw::Multiple(parts) => parts.iter().for_each(|part| write_throw(file, process, part)),
        Throw::Terminate => file.line("<terminateEventDefinition/>"),
    }
}

/// All ways to write a time occur: which one follows from the numbers.
fn time(seconds: u32, times: u32) -> (&'static str, String) {
    match (times, seconds) {
        // A simulated life begins at 00:16:40, so this is soon, and past for whoever comes late.
        (1, 7) => ("timeDate", "1970-01-01T00:16:59Z".to_owned()),
        (1, _) => ("timeDuration", format!("PT{seconds}S")),
        (ENDLESS, 1..=4) => ("timeCycle", format!("R/PT{seconds}S")),
        (ENDLESS, _) => ("timeCycle", format!("*/{seconds} * * * * *")),
        (_, _) => ("timeCycle", format!("R{times}/PT{seconds}S")),
    }
}

fn reference(file: &mut Xml, kind: &str, name: &str) {
    file.line(&format!("<{kind}EventDefinition {kind}Ref=\"{kind}-{name}\"/>"));
}

/// Without a code it catches everything.
fn coded(file: &mut Xml, kind: &str, code: Option<&str>) {
    match code {
        Some(code) => reference(file, kind, code),
        None => file.line(&format!("<{kind}EventDefinition/>")),
    }
}

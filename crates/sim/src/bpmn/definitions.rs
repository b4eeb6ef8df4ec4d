//! Messages, signals, errors and escalations: named once for the whole file.
//!
//! **Invariant:** everything that an event refers to is here, once.

use super::Xml;
use crate::blueprint::{Blueprint, Kind, Marker, Task, Throw, Trigger};
use std::collections::BTreeSet;

#[derive(Default)]
struct Names<'file> {
    messages: BTreeSet<&'file str>,
    signals: BTreeSet<&'file str>,
    errors: BTreeSet<&'file str>,
    escalations: BTreeSet<&'file str>,
    /// Activities that send a signal when their instances complete.
    telling: BTreeSet<&'file str>,
    has_global_task: bool,
}

pub(super) fn write<'file>(file: &mut Xml, processes: impl Iterator<Item = &'file Blueprint>) {
    let mut names = Names::default();
    for node in processes.flat_map(|process| &process.nodes) {
        if let Some(trigger) = node.kind.trigger() {
            names.of_trigger(trigger);
        }
        if let Some(throw) = node.kind.throws() {
            names.of_throw(throw);
        }
        if let Kind::Task(Task::Receive { .. }) = node.kind {
            names.messages.insert(&node.id);
        }
        if matches!(&node.marker, Marker::Multiple(multiple) if multiple.tells.is_some()) {
            names.telling.insert(&node.id);
        }
        names.has_global_task |= node.kind == Kind::Task(Task::Global);
    }
    for name in names.messages {
        file.open(&format!("<message id=\"message-{name}\" name=\"{name}\">"));
        file.open("<extensionElements>");
        // The driver sends every message with this key.
        file.line("<zeebe:subscription correlationKey=\"=&quot;key&quot;\"/>");
        file.close("</extensionElements>");
        file.close("</message>");
    }
    for name in names.signals {
        file.line(&format!("<signal id=\"signal-{name}\" name=\"{name}\"/>"));
    }
    for code in names.errors {
        file.line(&format!("<error id=\"error-{code}\" name=\"{code}\" errorCode=\"{code}\"/>"));
    }
    for code in names.escalations {
        file.line(&format!(
            "<escalation id=\"escalation-{code}\" name=\"{code}\" escalationCode=\"{code}\"/>"
        ));
    }
    for node in names.telling {
        file.line(&format!("<signal id=\"signal-of-{node}\" name=\"of_{node}\"/>"));
        file.line(&format!("<signalEventDefinition id=\"telling-{node}\" signalRef=\"signal-of-{node}\"/>"));
    }
    if names.has_global_task {
        file.line("<globalUserTask id=\"global\"/>");
    }
}

impl<'file> Names<'file> {
    fn of_trigger(&mut self, trigger: &'file Trigger) {
        match trigger {
            Trigger::Message(name) => _ = self.messages.insert(name),
            Trigger::Signal(name) => _ = self.signals.insert(name),
            Trigger::Error(Some(code)) => _ = self.errors.insert(code),
            Trigger::Escalation(Some(code)) => _ = self.escalations.insert(code),
            Trigger::Multiple(parts) | Trigger::ParallelMultiple(parts) => {
                parts.iter().for_each(|part| self.of_trigger(part));
            }
            Trigger::None
            | Trigger::Timer { .. }
            | Trigger::Error(None)
            | Trigger::Escalation(None)
            | Trigger::Cancel
            | Trigger::Compensation
            | Trigger::Conditional(_)
            | Trigger::Link(_) => {}
        }
    }

    fn of_throw(&mut self, throw: &'file Throw) {
        match throw {
            Throw::Message(name) => _ = self.messages.insert(name),
            Throw::Signal(name) => _ = self.signals.insert(name),
            Throw::Error(code) => _ = self.errors.insert(code),
            Throw::Escalation(code) => _ = self.escalations.insert(code),
            Throw::Multiple(parts) => parts.iter().for_each(|part| self.of_throw(part)),
            Throw::None | Throw::Cancel | Throw::Compensation(_) | Throw::Link(_) | Throw::Terminate => {}
        }
    }
}

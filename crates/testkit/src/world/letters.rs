//! What one instance says to another.

use std::sync::Arc;

use tyer_engine::{
    Answer, CallStarted, ChildOutcome, Command, EventKind, InstanceId, ItemId, Start, Variables,
};

use super::messages::Message;
use super::{THROWN_TTL_MS, World};

/// Something said by one instance to another.
pub(super) enum Letter {
    To(InstanceId, Command),
    Call { caller: InstanceId, call: Box<CallStarted> },
    Cancel(ItemId),
    Message { name: Arc<str>, key: Option<String>, variables: Variables },
    Signal { from: Option<InstanceId>, name: Arc<str>, variables: Variables },
}

impl World {
    pub(super) fn deliver(&mut self, letter: Letter) {
        match letter {
            // A receiver that no longer waits is no mistake: it has gone on meanwhile.
            Letter::To(id, command) => drop(self.turn(id, command)),
            Letter::Call { caller, call } => self.call(caller, *call),
            Letter::Cancel(call) => {
                if let Some(child) = self.children.get(&call).copied() {
                    let reason = Some("its caller does not wait any more".to_owned());
                    drop(self.turn(child, Command::Cancel { reason }));
                }
            }
            Letter::Message { name, key, variables } => {
                let until = self.now.plus_ms(THROWN_TTL_MS);
                self.correlate(Message { name, key, id: None, variables, until, taken_by: Vec::new() });
            }
            Letter::Signal { from, name, variables } => self.broadcast(from, &name, &variables),
        }
    }

    fn call(&mut self, caller: InstanceId, call: CallStarted) {
        let parent = ItemId { instance: caller, number: call.call };
        let failed =
            |reason: String| Command::ChildEnded { call: call.call, outcome: ChildOutcome::Failed(reason) };
        if !self.processes.contains_key(&*call.process) {
            let reason = format!("there is no process `{}`", call.process);
            return drop(self.turn(caller, failed(reason)));
        }
        let start = Start {
            business_key: call.business_key,
            priority: 50,
            variables: call.variables,
            parent: Some(parent),
            ..Start::default()
        };
        if let Err(rejection) = self.begin(&call.process, start) {
            drop(self.turn(caller, failed(rejection.to_string())));
        }
    }
}

/// What happens to the called processes too.
#[allow(clippy::wildcard_enum_match_arm, reason = "few events are for others")]
pub(super) fn for_children(kind: &EventKind) -> Option<Command> {
    match kind {
        EventKind::WorkflowPaused { reason } => Some(Command::Pause { reason: reason.clone() }),
        EventKind::WorkflowResumed => Some(Command::Resume),
        _ => None,
    }
}

/// What an event says to others.
#[allow(clippy::wildcard_enum_match_arm, reason = "few events are for others")]
pub(super) fn letter(id: InstanceId, kind: &EventKind) -> Option<Letter> {
    match kind {
        EventKind::CallStarted(call) => Some(Letter::Call { caller: id, call: call.clone() }),
        EventKind::CallCancelled { call } => Some(Letter::Cancel(ItemId { instance: id, number: *call })),
        EventKind::CallAnswered { instance, call, answer } => {
            Some(Letter::To(*instance, Command::ChildEnded { call: *call, outcome: outcome(answer) }))
        }
        EventKind::MessageSent { name, key, variables } => {
            Some(Letter::Message { name: Arc::clone(name), key: key.clone(), variables: variables.clone() })
        }
        EventKind::SignalSent { name, variables } => {
            Some(Letter::Signal { from: Some(id), name: Arc::clone(name), variables: variables.clone() })
        }
        _ => None,
    }
}

fn outcome(answer: &Answer) -> ChildOutcome {
    match answer.clone() {
        Answer::Completed { variables } => ChildOutcome::Completed(variables),
        Answer::Error { code, message } => ChildOutcome::Error { code, message },
        Answer::Failed { message } => ChildOutcome::Failed(message),
        Answer::Escalated { code } => ChildOutcome::Escalated { code },
    }
}

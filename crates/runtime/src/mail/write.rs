//! What a turn says to others, taken from its events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tyer_engine::{
    Answer, CallStarted, Event, EventKind, Instance, InstanceId, Number, Timestamp, Variables, Wait, Wanted,
};
use tyer_store::{Errand, Letter, Message, Signal, Tenant};

use super::Parcel;
use crate::error::Error;
use crate::own_transaction::Begin;
use crate::shared::Shared;

/// How long a message of an instance waits for its receiver.
const MESSAGE_MS: i64 = 3_600_000;
/// How long other nodes leave a letter to its writer.
const GRACE_MS: i64 = 5_000;

/// What is to be done with one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Said {
    /// Begin: the target is the new instance.
    Start {
        /// The definition of the caller.
        definition: i64,
        call: Box<CallStarted>,
    },
    /// Begin: the caller's own transaction has said so. The target is the new instance.
    Begin(Box<Begin>),
    /// The process that this call began is not wanted any more.
    Cancel { call: Number },
    /// The process that this call began is held too.
    Pause { call: Number, reason: Option<String> },
    /// And goes on.
    Resume { call: Number },
    /// A called process has ended, or calls for help.
    Answer { call: Number, answer: Answer },
    /// Somebody of this process waits for a message from now on.
    Look { tenant: String, process: String, name: Arc<str>, key: Option<String> },
}

impl Said {
    fn kind(&self) -> &'static str {
        match self {
            Said::Start { .. } => "start",
            Said::Begin(_) => "begin",
            Said::Cancel { .. } => "cancel",
            Said::Pause { .. } => "pause",
            Said::Resume { .. } => "resume",
            Said::Answer { .. } => "answer",
            Said::Look { .. } => "look",
        }
    }
}

/// Whose turn it is.
pub(crate) struct Sender<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) tenant: &'a Tenant,
    /// The BPMN id of its process.
    pub(crate) process: &'a str,
    /// The key of the message that began it.
    pub(crate) start_key: Option<&'a str>,
}

/// What the turn leaves in the store for others, and what is to be seen to after its commit.
pub(crate) fn letters(
    shared: &Shared,
    sender: &Sender<'_>,
    events: &[Event],
    counter: Number,
    now: Timestamp,
) -> Result<(Vec<Letter>, Vec<Parcel>), Error> {
    let Sender { instance, tenant, process, .. } = *sender;
    let (letters, parcels) = (Vec::new(), Vec::new());
    let mut writing = Writing { shared, instance, tenant, process, counter, now, letters, parcels };
    for event in events {
        writing.note(&event.kind)?;
    }
    if let Some(key) = sender.start_key.filter(|_| instance.status.is_ended()) {
        let (tenant, process, key) = (tenant.clone(), process.to_owned(), key.to_owned());
        writing.parcels.push(Parcel::Freed { tenant, process, key });
    }
    let left = writing.letters.iter().cloned().map(Parcel::Letter);
    let parcels = left.chain(writing.parcels).collect();
    Ok((writing.letters, parcels))
}

/// When somebody else than the writer shall look at a letter. Where there is nobody else: after the next start, at once.
pub(super) fn due(shared: &Shared, now: Timestamp) -> Timestamp {
    if shared.several_nodes { now.plus_ms(GRACE_MS) } else { now }
}

/// When somebody else than the writer shall look for receivers. Where there is nobody else the next life does.
pub(super) fn examine_at(shared: &Shared, now: Timestamp) -> Option<Timestamp> {
    shared.several_nodes.then(|| now.plus_ms(GRACE_MS))
}

struct Writing<'a> {
    shared: &'a Shared,
    instance: &'a Instance,
    tenant: &'a Tenant,
    process: &'a str,
    counter: Number,
    now: Timestamp,
    letters: Vec<Letter>,
    parcels: Vec<Parcel>,
}

impl Writing<'_> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "the other events say nothing to others")]
    fn note(&mut self, kind: &EventKind) -> Result<(), Error> {
        match kind {
            EventKind::CallStarted(call) => {
                let child = InstanceId(self.shared.ids.next(self.now)?);
                let definition = self.instance.definition;
                self.say(child, Said::Start { definition, call: call.clone() })
            }
            EventKind::CallCancelled { call } => self.say(self.instance.id, Said::Cancel { call: *call }),
            EventKind::CallAnswered { instance, call, answer } => {
                self.say(*instance, Said::Answer { call: *call, answer: answer.clone() })
            }
            EventKind::WorkflowPaused { reason } => {
                self.say_to_children(|call| Said::Pause { call, reason: reason.clone() })
            }
            EventKind::WorkflowResumed => self.say_to_children(|call| Said::Resume { call }),
            EventKind::MessageSent { name, key, variables } => self.send(name, key.clone(), variables),
            EventKind::SignalSent { name, variables } => self.signal(name, variables),
            EventKind::SubscriptionOpened { wanted: Wanted::Message { name, key }, .. } => {
                self.look(Arc::clone(name), key.clone())
            }
            _ => Ok(()),
        }
    }

    fn say(&mut self, target: InstanceId, said: Said) -> Result<(), Error> {
        let (id, due) = (self.shared.ids.next(self.now)?, due(self.shared, self.now));
        let body = serde_json::to_string(&said).expect("what is said is always JSON");
        let (sender, kind) = (self.instance.id, said.kind().to_owned());
        self.letters.push(Letter::Errand(Errand { id, target, sender, due, kind, body }));
        Ok(())
    }

    /// To every process that was called before this turn and has not answered.
    fn say_to_children(&mut self, said: impl Fn(Number) -> Said) -> Result<(), Error> {
        let open = |wait: &Wait| if let Wait::Call(call) = wait { Some(*call) } else { None };
        let calls = self.instance.tokens.values().filter_map(|token| open(&token.wait));
        let calls = calls.filter(|call| *call <= self.counter);
        for call in calls.collect::<Vec<_>>() {
            self.say(self.instance.id, said(call))?;
        }
        Ok(())
    }

    fn send(&mut self, name: &Arc<str>, key: Option<String>, variables: &Variables) -> Result<(), Error> {
        let (id, now) = (self.shared.ids.next(self.now)?, self.now);
        self.letters.push(Letter::Message(Message {
            id,
            tenant: self.tenant.clone(),
            name: Arc::clone(name),
            key,
            message_id: None,
            variables: variables.to_json(),
            published_at: now,
            expires_at: now.plus_ms(MESSAGE_MS),
            due: examine_at(self.shared, now),
        }));
        Ok(())
    }

    fn signal(&mut self, name: &Arc<str>, variables: &Variables) -> Result<(), Error> {
        let (id, now) = (self.shared.ids.next(self.now)?, self.now);
        self.letters.push(Letter::Signal(Signal {
            id,
            tenant: self.tenant.clone(),
            name: Arc::clone(name),
            variables: variables.to_json(),
            sender: Some(self.instance.id),
            published_at: now,
            cursor: (InstanceId(0), 0),
            due: due(self.shared, now),
        }));
        Ok(())
    }

    /// A node that dies before it has looked is not missed where the store has only one: its next life looks for all
    /// messages again. Elsewhere the others must know.
    fn look(&mut self, name: Arc<str>, key: Option<String>) -> Result<(), Error> {
        let (tenant, process) = (self.tenant.clone(), self.process.to_owned());
        if self.shared.several_nodes {
            let tenant = tenant.to_string();
            return self.say(self.instance.id, Said::Look { tenant, process, name, key });
        }
        self.parcels.push(Parcel::Look { tenant, name, key, process });
        Ok(())
    }
}

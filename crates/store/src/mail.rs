//! What goes between instances: errands, messages, signals, and the start events that wait for them.
//!
//! **Invariant:** what a turn says to others is written with it; what it was told is taken with it. So nothing is said
//! twice, heard twice or lost.

use std::sync::Arc;

use tyer_engine::{InstanceId, Number, StartWanted, Timestamp};

use crate::Answer;
use crate::tenant::Tenant;

/// What a turn takes from others, and what it leaves for them.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    /// What it answers: it must still be there.
    pub takes: Option<Take>,
    /// What it says.
    pub leaves: Vec<Letter>,
    /// Sinks that are to be told of it.
    pub tells: Option<Arc<[Arc<str>]>>,
}

/// What a turn answers. Whoever comes second is told that it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// An errand: gone when it is done.
    Errand {
        /// Whose it is.
        target: InstanceId,
        /// Which.
        id: i64,
    },
    /// A message: each taker has it once.
    Message {
        /// Which.
        id: i64,
        /// The process: one instance of it gets the message.
        taker: String,
    },
    /// A signal: each taker has it once.
    Signal {
        /// Which.
        id: i64,
        /// A subscription, or a process that it begins.
        taker: String,
    },
    /// The moment of a start event.
    StartTimer {
        /// Which event.
        event: StartEventKey,
        /// The moment that has come.
        due: Timestamp,
        /// The next one, and what is left of its cycle then.
        next: Option<(Timestamp, Option<Arc<str>>)>,
    },
}

/// What a turn says to others.
#[derive(Clone, Debug, PartialEq)]
pub enum Letter {
    /// To one instance.
    Errand(Errand),
    /// To whoever waits for it.
    Message(Message),
    /// To everybody.
    Signal(Signal),
}

/// `inbox`: something to be done with one instance, whatever becomes of the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// Its id.
    pub id: i64,
    /// Whose turn will take it.
    pub target: InstanceId,
    /// Who said it.
    pub sender: InstanceId,
    /// When somebody else than its writer shall see to it.
    pub due: Timestamp,
    /// What sort, for people.
    pub kind: String,
    /// What is to be done: the runtime's to read.
    pub body: String,
}

/// A message, until its time is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its id.
    pub id: i64,
    /// Whose it is: nobody else hears it.
    pub tenant: Tenant,
    /// Its name.
    pub name: Arc<str>,
    /// Whom it is for; none = its name is enough.
    pub key: Option<String>,
    /// What makes it the same message when it is published again.
    pub message_id: Option<String>,
    /// What comes with it, as a JSON object.
    pub variables: String,
    /// When it was published.
    pub published_at: Timestamp,
    /// It waits until this moment.
    pub expires_at: Timestamp,
    /// When somebody else than its publisher shall look for receivers; none = they have been looked for.
    pub due: Option<Timestamp>,
}

/// A signal, until everybody has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its id.
    pub id: i64,
    /// Whose it is: nobody else hears it.
    pub tenant: Tenant,
    /// Its name.
    pub name: Arc<str>,
    /// What comes with it, as a JSON object.
    pub variables: String,
    /// The instance that sent it: what waits in there has it already.
    pub sender: Option<InstanceId>,
    /// When it was sent: whoever waits from later on does not get it.
    pub published_at: Timestamp,
    /// The last subscription that has it.
    pub cursor: (InstanceId, Number),
    /// When somebody else than its sender shall see to it.
    pub due: Timestamp,
}

/// A start event of the newest version of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartEvent {
    /// Which.
    pub key: StartEventKey,
    /// Whose it is.
    pub tenant: Tenant,
    /// The BPMN id of the process.
    pub process: String,
    /// What it waits for.
    pub wanted: StartWanted,
}

/// Names a start event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StartEventKey {
    /// The definition it is in.
    pub definition: i64,
    /// The BPMN id of the node.
    pub node: String,
    /// Which of the things that the node waits for.
    pub position: u32,
}

/// Somebody who waits for a message or a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The instance.
    pub instance: InstanceId,
    /// The subscription.
    pub subscription: Number,
    /// The BPMN id of the instance's process.
    pub process: String,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Those who wait for this message and whose process does not have it yet.
    Message {
        /// Its id.
        id: i64,
        /// Whose it is.
        tenant: Tenant,
        /// Its name.
        name: Arc<str>,
        /// Whom it is for.
        key: Option<String>,
    },
    /// Those who waited for this signal when it was sent, after its cursor.
    Signal(Signal),
}

/// Something written that is not of a turn. Doing it again changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Post {
    /// A message from outside. Refused if one with its id waits already.
    Message(Message),
    /// A signal from outside.
    Signal(Signal),
    /// Receivers of a message have been looked for. One that is over by this moment is gone.
    Examined(i64, Timestamp),
    /// Everybody up to this subscription has the signal; none = everybody has it.
    Delivered(i64, Option<(InstanceId, Number)>),
    /// An errand that its target does not take.
    Dropped(InstanceId, i64),
}

/// What goes between instances and is not of a turn. Every method is atomic.
pub trait Mailbox: Send + Sync + 'static {
    /// Writes all of these in one transaction. False for a message whose id is known.
    fn post(&self, posts: Vec<Post>) -> Answer<'_, Vec<bool>>;

    /// Who waits for it, by instance and number, at most so many.
    fn waiting(&self, sought: Sought, limit: usize) -> Answer<'_, Vec<Waiting>>;

    /// Start events of a tenant that wait for a message (`message`) or a signal of this name, oldest definition first.
    fn start_events(&self, tenant: &Tenant, message: bool, name: &str) -> Answer<'_, Vec<StartEvent>>;

    /// Messages of a tenant and of this name that wait now and that the process does not have yet, oldest first. With a
    /// key: those that have it; without: all.
    fn buffered(
        &self,
        tenant: &Tenant,
        name: &str,
        key: Option<&str>,
        taker: &str,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>>;
}

impl Take {
    /// Equal for two that take the same thing.
    pub(crate) fn key(&self) -> (u8, i64, &str, u32) {
        match self {
            Take::Errand { id, .. } => (0, *id, "", 0),
            Take::Message { id, taker } => (1, *id, taker, 0),
            Take::Signal { id, taker } => (2, *id, taker, 0),
            Take::StartTimer { event, .. } => (3, event.definition, &event.node, event.position),
        }
    }
}

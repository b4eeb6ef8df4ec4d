//! The words of this room: what nearly every file speaks of.

pub(crate) use crate::accept::{Rejection, accept};
pub(crate) use crate::command::{
    ChildOutcome, Command, Effects, Holder, Migration, Modification, Rollback, Start, TaskAction,
};
pub(crate) use crate::event::{
    Answer, Born, CallStarted, Event, EventKind, Migrated, SagaCause, Started, TaskCreated, Thrown,
};
pub(crate) use crate::ids::{InstanceId, Number, Timestamp};
pub(crate) use crate::instance::{
    ITEMS, IncidentKind, Instance, Mode, OUTPUT, Owner, ROOT, Record, RecordStatus, Scope, ScopeKind, Status,
    Subscription, TimerKind, Token, Wait, Wanted,
};
pub(crate) use crate::turn::{Seen, Turn, no_flow, triggers_of};
pub(crate) use crate::variables::Variables;

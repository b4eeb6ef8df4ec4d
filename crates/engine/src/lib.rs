//! The token game. A command is offered to a pure function; it answers with events.
//!
//! **Invariant:** pure: no clock, no randomness, no IO, no threads; the same instance, command and moment give
//! the same events.
//! **Invariant:** state changes only in [`Instance::apply`], so `fold(history) == state`.

mod accept;
mod command;
mod control;
mod event;
mod history;
mod ids;
mod instance;
mod joins;
mod nodes;
mod progress;
mod starts;
mod turn;
mod variables;
mod words;

pub use accept::{Rejection, accept};
pub use command::{
    ChildOutcome, Command, Effects, Holder, Migration, Modification, Placement, Rollback, Start, TaskAction,
};
pub use control::explain::{Explanation, explain};
pub use event::{
    Answer, Born, CallStarted, Event, EventKind, Migrated, SagaCause, Started, TaskCreated, Thrown,
};
pub use history::{HistoryError, kind_of, pack, unpack};
pub use ids::{InstanceId, ItemId, MalformedId, Number, Timestamp};
pub use instance::{
    Incident, IncidentKind, Index, Instance, Job, Mode, ROOT, Record, RecordStatus, Rounds, Saga, Scope,
    ScopeKind, Status, Subscription, Task, Timer, TimerKind, Token, TokenStatus, Touched, Wait, Wanted,
};
pub use progress::{NodeProgress, Progress};
pub use starts::{StartTrigger, StartWanted, next_start, start_triggers};
pub use turn::{Limits, park, step, step_within};
pub use variables::{Variables, VariablesError};

//! The token game. A command is offered to a pure function; it answers with events.
//!
//! **Invariant:** pure: no clock, no randomness, no IO, no threads; the same instance, command and moment give
//! the same events.
//! **Invariant:** state changes only in [`Instance::apply`], so `fold(history) == state`.

mod accept;
mod command;
mod event;
mod history;
mod ids;
mod instance;
mod nodes;
mod progress;
mod step;
mod variables;

pub use accept::{Rejection, accept};
pub use command::{Command, Holder, Start};
pub use event::{Event, EventKind, Started, TaskCreated};
pub use history::{HistoryError, pack, unpack};
pub use ids::{InstanceId, ItemId, MalformedId, Number, Timestamp};
pub use instance::{
    Incident, IncidentKind, Instance, Job, Mode, Status, Task, Timer, TimerKind, Token, TokenStatus, Wait,
};
pub use progress::{NodeProgress, Progress};
pub use step::{park, step};
pub use variables::{Variables, VariablesError};

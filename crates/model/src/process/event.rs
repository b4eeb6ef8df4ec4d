//! Events: what wakes a catching one, and what a throwing one throws.

use std::sync::Arc;

use tyer_feel::Expression;

use super::NodeIx;
use super::activity::{JobSpec, Text};

/// What an event waits for.
#[derive(Debug, Default)]
pub struct Triggers {
    /// Any of these; none = it does not wait.
    pub any: Vec<Trigger>,
    /// All of them instead of any (parallel multiple).
    pub all: bool,
}

/// One thing to wait for.
#[derive(Debug)]
pub enum Trigger {
    /// A message by name and key.
    Message(MessageSpec),
    /// A moment.
    Timer(TimerSpec),
    /// A signal by name.
    Signal(Text),
    /// Variables that make a condition true.
    Condition(ConditionSpec),
    /// An error.
    Error(Caught),
    /// An escalation.
    Escalation(Caught),
    /// The cancel end of a transaction.
    Cancel,
    /// The step on whose border it stands must be undone.
    Compensation,
}

/// What a throwing event throws.
#[derive(Debug)]
pub enum Throw {
    /// A message to whoever waits for it.
    Message(MessageSpec),
    /// Work for a worker that sends it.
    Job(JobSpec),
    /// A signal to everybody.
    Signal(Text),
    /// An error to the nearest catcher.
    Error(Option<Text>),
    /// An escalation to the nearest catcher.
    Escalation(Option<Text>),
    /// Ends the transaction.
    Cancel,
    /// Undoes completed steps.
    Compensation {
        /// Only this one; none = all of the scope.
        activity: Option<NodeIx>,
        /// Goes on only when that is done.
        wait: bool,
    },
    /// Ends the scope.
    Terminate,
}

/// On the border of an activity.
#[derive(Debug)]
pub struct Boundary {
    /// The activity.
    pub host: NodeIx,
    /// Ends the activity.
    pub interrupting: bool,
    /// What it waits for.
    pub triggers: Triggers,
    /// It also catches jobs that have failed for good.
    pub catches_failures: bool,
}

/// Which errors or escalations are caught, and what is kept of them.
#[derive(Debug, Default)]
pub struct Caught {
    /// Only this code; none = any.
    pub code: Option<Arc<str>>,
    /// The variable that gets the code.
    pub code_variable: Option<Arc<str>>,
    /// The variable that gets the message.
    pub message_variable: Option<Arc<str>>,
}

/// A message.
#[derive(Debug)]
pub struct MessageSpec {
    /// Its name.
    pub name: Text,
    /// Which instance it is for; none = the name is enough.
    pub key: Option<Expression>,
}

/// When a timer is due.
#[derive(Debug)]
pub enum TimerSpec {
    /// An ISO 8601 duration after entering.
    Duration(Text),
    /// An RFC 3339 moment.
    Date(Text),
    /// An ISO 8601 repetition (`R3/PT10S`, `R/2026-01-01T00:00:00Z/P1D`) or a cron line.
    Cycle(Text),
}

/// A condition on variables.
#[derive(Debug)]
pub struct ConditionSpec {
    /// True when the event happens.
    pub condition: Expression,
    /// Looked at only when one of these changes; empty = when anything it reads changes.
    pub variables: Vec<Arc<str>>,
}

//! The right to execute one node.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tyer_model::{FlowIx, NodeIx};

use super::{IncidentKind, Instance, TimerKind};
use crate::ids::{Number, Timestamp};

/// The right to execute one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Where it stands.
    pub node: NodeIx,
    /// The flow by which it came to the node that it has not begun yet.
    pub flow: Option<FlowIx>,
    /// What must happen before it goes on.
    pub wait: Wait,
    /// Forward, or undoing.
    pub mode: Mode,
    /// The scope it runs in.
    pub scope: Number,
    /// The scope it has opened at its node: a body, rounds, or variables of its own.
    pub owns: Option<Number>,
    /// Variables of its branch of a fork.
    pub branch: Option<Number>,
    /// The token that was split to make it.
    pub parent: Option<Number>,
    /// The fork it was born in, shared by its siblings.
    pub group: Option<Number>,
    /// Nodes that have run for its wave.
    pub marks: Vec<NodeIx>,
    /// How often its present work has failed.
    pub attempt: u32,
    /// Tries that somebody has granted; none = what the model says.
    pub tries: Option<u32>,
    /// Since when it stands there.
    pub since: Timestamp,
}

/// What must happen before a token goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// Nothing: it stands before its node.
    Nothing,
    /// A worker's result.
    Job(Job),
    /// A person's result.
    Task(Number),
    /// A moment that is not of the diagram: a retry, a yield.
    Timer(Number),
    /// One of its timers and subscriptions.
    Event,
    /// The other flows of a join.
    Join,
    /// The end of a sibling.
    Turn,
    /// The end of the scope it owns.
    Scope,
    /// The end of the process it called.
    Call(Number),
    /// The end of an undoing.
    Saga(Number),
    /// A person who deals with the incident.
    Incident(Number),
}

/// Work for a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number: new for every try, so a late result is refused by construction.
    pub number: Number,
    /// The name workers ask for.
    pub job_type: Arc<str>,
}

/// Which way a token walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Towards the end.
    #[default]
    Forward,
    /// Finishing its step, no further: what it belongs to is being undone.
    Finishing,
    /// Undoing what was done.
    Compensation,
}

/// The state of a token, as the outside sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenStatus {
    /// Exists, not scheduled.
    Created,
    /// Has work that a worker may claim.
    Ready,
    /// Claimed by a worker.
    Executing,
    /// Blocked until something wakes it.
    Waiting,
    /// An incident is open on it.
    Failed,
}

impl Mode {
    /// Towards the end?
    pub fn is_forward(&self) -> bool {
        *self == Mode::Forward
    }
}

impl Token {
    /// Has it not begun what its node does? Then it was held up on its way, or has an incident.
    pub(crate) fn stands_before_its_node(&self, instance: &Instance) -> bool {
        use IncidentKind::{Expression, JoinStarved, Parked, Runaway, Validation};
        if let Wait::Incident(incident) = self.wait {
            let kind = instance.incidents[&incident].kind;
            matches!(kind, Expression | Validation | JoinStarved | Runaway | Parked)
        } else if let Wait::Timer(timer) = self.wait {
            matches!(instance.timers[&timer].kind, TimerKind::Yield { .. })
        } else {
            self.wait == Wait::Nothing
        }
    }

    /// Has a complex gateway fired with it? Then it only tells which flows this firing had, until the gateway is reset.
    pub(crate) fn is_used(&self) -> bool {
        self.wait == Wait::Join && self.marks.contains(&self.node)
    }

    /// The job it waits for.
    pub fn job(&self) -> Option<&Job> {
        if let Wait::Job(job) = &self.wait { Some(job) } else { None }
    }
}

//! What a driver can read off a history, and what the oracle says when it cannot be.
//!
//! **Invariant:** an observation names nodes, flows and scope numbers; never tokens, which have no identity here.

use crate::blueprint::{Blueprint, FlowId, NodeId, Value};
use std::fmt;

/// One thing that happened in an instance. Scope 0 is the process; other numbers are the driver's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A token entered a node. At a gateway that joins this is an arrival, and it fires when it completes; any other
    /// node with a joining merge mode starts when it fires.
    Started {
        /// The node.
        node: NodeId,
        /// The scope that it runs in.
        scope: u32,
        /// The flow it came by, if it is known.
        flow: Option<FlowId>,
    },
    /// A token waits before a node that joins. May be left out.
    Arrived {
        /// The node.
        node: NodeId,
        /// The scope.
        scope: u32,
        /// The flow it came by, if it is known.
        flow: Option<FlowId>,
    },
    /// The node finished and put a token on each of these flows.
    Completed {
        /// The node.
        node: NodeId,
        /// The scope.
        scope: u32,
        /// The flows, one entry per token.
        flows: Vec<FlowId>,
    },
    /// An active node was interrupted. May be told before its cause, in the same turn.
    Cancelled {
        /// The node.
        node: NodeId,
        /// The scope.
        scope: u32,
    },
    /// A boundary event or event sub-process fired; of any other event it is a remark.
    Triggered {
        /// The event, or the event sub-process.
        node: NodeId,
        /// The scope of the activity, or the one that the event sub-process stands in.
        scope: u32,
    },
    /// A token that came to a merge or a complex gateway was swallowed: told instead of `Started`.
    Absorbed {
        /// The node.
        node: NodeId,
        /// The scope.
        scope: u32,
    },
    /// A worker, or a called process, threw an error or escalation at a node.
    Thrown {
        /// The activity.
        node: NodeId,
        /// The scope.
        scope: u32,
        /// The code.
        code: String,
        /// An escalation, not an error.
        is_escalation: bool,
    },
    /// An incident was opened on a node.
    Incident {
        /// The node.
        node: NodeId,
        /// The scope.
        scope: u32,
        /// On a token that waits before it, not on one that is at work in it.
        is_before: bool,
    },
    /// Somebody says that the cause of an incident is gone.
    Resolved {
        /// The node.
        node: NodeId,
        /// The scope.
        scope: u32,
        /// Of a token that waits before it, not of one that is at work in it.
        is_before: bool,
    },
    /// An inner scope began: a sub-process, or one round of an activity with a marker.
    ScopeOpened {
        /// Its number, not used before.
        scope: u32,
        /// The scope of the activity.
        parent: u32,
        /// The activity.
        node: NodeId,
    },
    /// An inner scope ended.
    ScopeClosed {
        /// Its number.
        scope: u32,
    },
    /// A variable of the process got a value. Without it conditions may go either way.
    Set {
        /// The variable.
        variable: String,
        /// Its value from now on.
        value: Value,
    },
    /// The value of a variable is not known any more.
    Forgotten {
        /// The variable.
        variable: String,
    },
    /// The instance ended.
    Ended {
        /// How.
        status: Status,
    },
}

/// How an instance ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// By itself.
    Completed,
    /// By somebody's order, or by a failure that nothing caught: whatever was left is gone.
    Stopped,
}

/// A history that BPMN does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was observed; `None` at the end of a turn.
    pub observation: Option<String>,
    /// Why it cannot be.
    pub reason: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.observation {
            Some(observation) => write!(formatter, "{observation}: {}", self.reason),
            None => write!(formatter, "at the end of the turn: {}", self.reason),
        }
    }
}

impl std::error::Error for Violation {}

impl Observation {
    /// It may be told before the reason for it.
    pub(super) fn may_come_early(&self) -> bool {
        matches!(self, Observation::Cancelled { .. } | Observation::ScopeClosed { .. })
    }

    /// With the ids of the blueprint.
    pub fn describe(&self, blueprint: &Blueprint) -> String {
        let name = |node: &NodeId| blueprint[*node].id.clone();
        let by = |flow: &Option<FlowId>| match flow {
            Some(flow) => format!(" by {}", blueprint[*flow].id),
            None => String::new(),
        };
        match self {
            Observation::Started { node, scope, flow } => {
                format!("{} started in {scope}{}", name(node), by(flow))
            }
            Observation::Arrived { node, scope, flow } => {
                format!("a token arrived at {} in {scope}{}", name(node), by(flow))
            }
            Observation::Completed { node, scope, flows } => {
                let flows: Vec<&str> = flows.iter().map(|flow| blueprint[*flow].id.as_str()).collect();
                format!("{} completed in {scope} → [{}]", name(node), flows.join(", "))
            }
            Observation::Cancelled { node, scope } => format!("{} cancelled in {scope}", name(node)),
            Observation::Triggered { node, scope } => format!("{} triggered in {scope}", name(node)),
            Observation::Absorbed { node, scope } => format!("a token absorbed at {} in {scope}", name(node)),
            Observation::Thrown { node, scope, code, .. } => {
                format!("{} threw {code} in {scope}", name(node))
            }
            Observation::Incident { node, scope, .. } => format!("incident on {} in {scope}", name(node)),
            Observation::Resolved { node, scope, .. } => format!("{} resolved in {scope}", name(node)),
            Observation::ScopeOpened { scope, parent, node } => {
                format!("scope {scope} of {} opened in {parent}", name(node))
            }
            Observation::ScopeClosed { scope } => format!("scope {scope} closed"),
            Observation::Set { variable, value } => format!("{variable} = {value}"),
            Observation::Forgotten { variable } => format!("{variable} is not known any more"),
            Observation::Ended { status } => format!("instance ended: {status:?}"),
        }
    }
}

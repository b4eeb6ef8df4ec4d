//! Where every token may be: one marking of the net.
//!
//! Places are flows, entries and activities, once per scope instance. A token carries the marks of merge modes.
//!
//! **Invariant:** equal situations are equal values: tokens are kept sorted, and no token has an identity.

use crate::blueprint::{FlowId, NodeId};
use std::collections::BTreeMap;

/// The scope instance that every process instance begins with.
pub const ROOT: u32 = 0;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Marking {
    pub(super) scopes: BTreeMap<u32, Scope>,
    /// Scopes whose end followed from their activity's completion, and may still be told.
    pub(super) gone: Vec<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Scope {
    pub(super) parent: Option<u32>,
    /// The sub-process, or the activity of which this is one round.
    pub(super) owner: Option<NodeId>,
    pub(super) tokens: Vec<Token>,
    /// What completed here and can be undone, oldest first.
    pub(super) records: Vec<Record>,
    /// An event sub-process, a terminate or a cancel has taken over: no more event sub-processes.
    pub(super) is_interrupted: bool,
    /// Its activity was cancelled: what is in it ends with it.
    pub(super) is_stale: bool,
    /// Flows of a complex gateway whose token comes too late for its firing.
    pub(super) stragglers: Vec<(NodeId, FlowId)>,
    /// Joins with an open incident.
    pub(super) starved: Vec<NodeId>,
    /// Event sub-processes that fired, once per firing.
    pub(super) spent: Vec<NodeId>,
    /// Catchers that must fire.
    pub(super) owed: Vec<Owed>,
    /// An ad-hoc sub-process: an activity completed, and its condition holds.
    pub(super) has_begun: bool,
    pub(super) is_over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Token {
    pub(super) place: Place,
    pub(super) marks: Vec<NodeId>,
    pub(super) doom: Doom,
}

/// Whether a token still counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doom {
    /// It does.
    Lives,
    /// It is gone, and nobody needs to say so.
    May,
    /// It is gone, and its cancellation must be told.
    Must,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Flow { flow: FlowId, has_arrived: bool },
    Entry(NodeId),
    Active(NodeId, Work),
}

/// What a node that has begun knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Work {
    /// An incident is open on it.
    pub(super) is_stuck: bool,
    /// Its event has already come: it cannot wait.
    pub(super) has_fired: bool,
    /// A start of it may still be told: a boundary event that was triggered, a round that was opened.
    pub(super) is_unannounced: bool,
    /// Its incident was resolved: its start may be told once more.
    pub(super) tries_again: bool,
    /// One round of the activity that owns the scope.
    pub(super) is_round: bool,
    pub(super) is_handler: bool,
    /// Inner scopes that are open.
    pub(super) scopes: Vec<u32>,
    pub(super) opened: u32,
    pub(super) closed: u32,
    /// Whether a loop goes on, or several instances are enough; `None`: the variable is not known.
    pub(super) goes_on: Option<bool>,
    /// Enough instances, although some were left.
    pub(super) is_enough: bool,
    /// A transaction that was cancelled.
    pub(super) is_cancelled: bool,
    /// Boundary events that fired beside it, once per firing.
    pub(super) spent: Vec<NodeId>,
    /// What completed in inner scopes that have closed.
    pub(super) records: Vec<Record>,
    /// The compensation that it waits for.
    pub(super) run: Option<Run>,
}

/// Something that completed and can be undone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    pub(super) at: u32,
    pub(super) activity: NodeId,
    pub(super) handler: Option<NodeId>,
    pub(super) inner: Vec<Record>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    /// Handlers still to run, the next one first.
    pub(super) queue: Vec<NodeId>,
    pub(super) running: Option<NodeId>,
}

/// An event that must fire because something was thrown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Owed {
    pub(super) catcher: NodeId,
    /// The inner scope that it was thrown from; its activity is the one that is hit.
    pub(super) through: Option<u32>,
}

impl Run {
    pub(super) fn is_done(&self) -> bool {
        self.queue.is_empty() && self.running.is_none()
    }
}

impl Token {
    pub(super) fn new(place: Place, marks: Vec<NodeId>) -> Token {
        Token { place, marks, doom: Doom::Lives }
    }

    pub(super) fn lives(&self) -> bool {
        self.doom == Doom::Lives
    }

    /// The flow that it stands on.
    pub(super) fn flow(&self) -> Option<FlowId> {
        if let Place::Flow { flow, .. } = self.place { Some(flow) } else { None }
    }

    /// What it does, if it is at work in this node.
    pub(super) fn work_at(&self, node: NodeId) -> Option<&Work> {
        match &self.place {
            Place::Active(at, work) if *at == node => Some(work),
            Place::Active(..) | Place::Flow { .. } | Place::Entry(_) => None,
        }
    }

    pub(super) fn work(&self) -> Option<(NodeId, &Work)> {
        if let Place::Active(node, work) = &self.place { Some((*node, work)) } else { None }
    }

    pub(super) fn work_mut(&mut self) -> Option<&mut Work> {
        if let Place::Active(_, work) = &mut self.place { Some(work) } else { None }
    }
}

impl Scope {
    pub(super) fn living(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| token.lives())
    }

    /// Nothing here goes on, and nothing is left to tell.
    pub(super) fn is_finished(&self) -> bool {
        self.tokens.iter().all(|token| token.doom == Doom::May)
    }

    /// Places of tokens that satisfy the condition; of equal tokens one.
    pub(super) fn find(&self, wanted: impl Fn(&Token) -> bool) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for (place, token) in self.tokens.iter().enumerate() {
            if wanted(token) && !found.iter().any(|other| self.tokens[*other] == *token) {
                found.push(place);
            }
        }
        found
    }
}

impl Marking {
    pub(super) fn scope(&self, number: u32) -> Result<&Scope, String> {
        self.scopes.get(&number).ok_or_else(|| format!("scope {number} is not open"))
    }

    pub(super) fn scope_mut(&mut self, number: u32) -> &mut Scope {
        self.scopes.get_mut(&number).expect("the caller has seen the scope")
    }

    /// The same situation always looks the same.
    pub(super) fn sorted(mut self) -> Marking {
        for scope in self.scopes.values_mut() {
            scope.tokens.sort();
            scope.stragglers.sort();
            scope.starved.sort();
            scope.starved.dedup();
            scope.spent.sort();
            scope.owed.sort();
            for token in &mut scope.tokens {
                token.marks.sort();
                token.marks.dedup();
                if let Some(work) = token.work_mut() {
                    work.scopes.sort_unstable();
                    work.spent.sort();
                }
            }
        }
        self
    }

    /// The token in the parent whose inner scope this is, by its place.
    pub(super) fn owner_of(&self, number: u32) -> Option<(u32, usize)> {
        let parent = self.scopes.get(&number)?.parent?;
        let tokens = &self.scopes.get(&parent)?.tokens;
        let owns = |token: &Token| token.work().is_some_and(|(_, work)| work.scopes.contains(&number));
        tokens.iter().position(owns).map(|place| (parent, place))
    }
}

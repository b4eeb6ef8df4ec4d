//! One turn: a command goes in, tokens run until each waits, is ready or is gone, events come out.
//!
//! **Invariant:** no recursion along the graph: what may go on stands in a queue.
//! **Invariant:** a turn visits at most [`Limits::visits_per_turn`] nodes; what is left goes on in the next turn.

mod command;
mod flow;
mod scope;
mod source;
mod variables;

use std::collections::VecDeque;
use std::sync::Arc;

use tyer_model::{FlowIx, Node, NodeIx, Process};

pub(crate) use flow::no_flow;
pub(crate) use source::triggers_of;
pub(crate) use variables::Seen;

use crate::words::*;
use crate::{joins, nodes};

/// How long tokens may run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes one turn may visit before it makes room for others.
    pub visits_per_turn: u64,
    /// Nodes a token may visit without any wait before it is stopped as a runaway.
    pub visits_without_wait: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { visits_per_turn: 10_000, visits_without_wait: 10_000_000 }
    }
}

/// Offers a command to an instance. After `accept`, what cannot go on is an incident, not an `Err`.
pub fn step(
    process: &Process,
    instance: &mut Instance,
    command: Command,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    step_within(process, instance, command, now, &Limits::default())
}

/// As [`step`], with other limits.
///
/// # Errors
/// As [`step`].
pub fn step_within(
    process: &Process,
    instance: &mut Instance,
    command: Command,
    now: Timestamp,
    limits: &Limits,
) -> Result<Vec<Event>, Rejection> {
    accept(process, instance, &command, now)?;
    instance.touched.clear();
    let mut turn = Turn::new(process, instance, now);
    turn.limits = *limits;
    turn.take(command);
    turn.run();
    Ok(turn.events)
}

/// Sets an instance aside after the engine failed on it: no node is entered, nothing is lost.
pub fn park(process: &Process, instance: &mut Instance, message: String, now: Timestamp) -> Vec<Event> {
    instance.touched.clear();
    let mut turn = Turn::new(process, instance, now);
    turn.open_incident(None, IncidentKind::Parked, message);
    if turn.instance.status == Status::Running {
        turn.emit(EventKind::WorkflowPaused {
            reason: Some("parked after a failure of the engine".to_owned()),
        });
    }
    turn.events
}

/// What a turn works on.
pub(crate) struct Turn<'a> {
    pub(crate) process: &'a Process,
    pub(crate) instance: &'a mut Instance,
    pub(crate) now: Timestamp,
    events: Vec<Event>,
    queue: VecDeque<Work>,
    /// Tokens on their way to throw a signal: they go when nobody else can, so that whoever can wait for it does.
    throwers: VecDeque<Work>,
    visits: u64,
    limits: Limits,
    /// The message of an error that nobody has caught: its caller gets it.
    pub(crate) thrown_message: Option<String>,
    /// Scopes in which tokens have moved: their joins are looked at when the queue is empty.
    pub(crate) moved: Vec<Number>,
    /// Names of variables that have changed: conditions that read them are looked at when the queue is empty.
    pub(crate) changed: Vec<Arc<str>>,
    /// Conditional events that have just been armed.
    pub(crate) armed_conditions: Vec<Number>,
    /// Conditional events that have been looked at, and how many variables had changed by then.
    pub(crate) seen_conditions: Vec<(Number, usize)>,
}

/// Something that can go on.
pub(crate) enum Work {
    /// A token on its way into a node.
    Arrive { token: Number, node: NodeIx, flow: Option<FlowIx> },
    /// A token of this scope has ended: it may have been the last.
    Check(Number),
}

impl<'a> Turn<'a> {
    fn new(process: &'a Process, instance: &'a mut Instance, now: Timestamp) -> Turn<'a> {
        Turn {
            process,
            instance,
            now,
            events: Vec::with_capacity(8),
            queue: VecDeque::with_capacity(8),
            throwers: VecDeque::new(),
            visits: 0,
            limits: Limits::default(),
            thrown_message: None,
            moved: Vec::new(),
            changed: Vec::new(),
            armed_conditions: Vec::new(),
            seen_conditions: Vec::new(),
        }
    }

    /// Lets everything run until each token waits, is ready or is gone.
    fn run(&mut self) {
        let limit = self.visits + self.limits.visits_per_turn;
        loop {
            while let Some(work) = self.queue.pop_front().or_else(|| self.throwers.pop_front()) {
                self.work(work, limit);
            }
            if self.instance.status != Status::Running {
                return;
            }
            let goes_on = nodes::condition::check(self) || joins::settle(self);
            if !goes_on && self.queue.is_empty() && self.throwers.is_empty() {
                return;
            }
        }
    }

    fn work(&mut self, work: Work, limit: u64) {
        match work {
            Work::Check(scope) => self.check_now(scope),
            Work::Arrive { token, node, flow } => {
                if self.lives(token) {
                    self.arrive(token, node, flow, limit);
                }
            }
        }
    }

    fn check_now(&mut self, scope: Number) {
        if !self.instance.scopes.contains_key(&scope) || self.instance.status.is_ended() {
            return;
        }
        if self.instance.members(scope).next().is_none() {
            if !nodes::in_flight::left(self, scope) {
                self.scope_done(scope);
            }
            return;
        }
        nodes::in_flight::ended(self, scope);
        // The saga that waited for it may have left the scope.
        if self.instance.scopes.contains_key(&scope) {
            nodes::ad_hoc::go_on(self, scope);
        }
    }

    fn arrive(&mut self, token: Number, node: NodeIx, flow: Option<FlowIx>, limit: u64) {
        if self.instance.status == Status::Paused {
            self.emit_on(token, node, flow, EventKind::TokenMoved);
        } else if self.visits >= self.limits.visits_without_wait {
            self.emit_on(token, node, flow, EventKind::TokenMoved);
            let message = format!("{} nodes visited without a wait: does this loop ever end?", self.visits);
            self.open_incident(Some(token), IncidentKind::Runaway, message);
        } else if self.visits >= limit {
            self.emit_on(token, node, flow, EventKind::TokenMoved);
            self.wait_until(token, self.now, TimerKind::Yield { visits: self.visits });
        } else {
            self.visits += 1;
            nodes::enter(self, token, node, flow);
        }
    }

    /// Something happened to the instance as a whole.
    pub(crate) fn emit(&mut self, kind: EventKind) {
        self.push(Event { token: None, node: None, flow: None, kind });
    }

    /// Something happened to a token where it stands.
    pub(crate) fn emit_at(&mut self, token: Number, kind: EventKind) {
        let node = self.instance.tokens[&token].node;
        self.push(Event { token: Some(token), node: Some(node), flow: None, kind });
    }

    /// Something happened to a token at another node than where it stood.
    pub(crate) fn emit_on(&mut self, token: Number, node: NodeIx, flow: Option<FlowIx>, kind: EventKind) {
        self.push(Event { token: Some(token), node: Some(node), flow, kind });
    }

    /// Something happened at a node, to a scope and no token of it.
    pub(crate) fn emit_of(&mut self, token: Option<Number>, node: NodeIx, kind: EventKind) {
        self.push(Event { token, node: Some(node), flow: None, kind });
    }

    fn push(&mut self, event: Event) {
        self.instance.apply(&event, self.now);
        self.events.push(event);
    }

    /// What stood in the queue does not go on.
    pub(crate) fn forget_work(&mut self) {
        self.queue.clear();
        self.throwers.clear();
    }

    pub(crate) fn later(&mut self, work: Work) {
        match work {
            Work::Arrive { node, .. } if nodes::throw::is_signal(&self.process.node(node).kind) => {
                self.throwers.push_back(work);
            }
            Work::Arrive { .. } | Work::Check(_) => self.queue.push_back(work),
        }
    }

    /// Where tokens in the queue are going.
    pub(crate) fn on_the_way(&self) -> impl Iterator<Item = (Number, NodeIx, Option<FlowIx>)> {
        self.queue.iter().chain(&self.throwers).filter_map(|work| match work {
            Work::Arrive { token, node, flow } => Some((*token, *node, *flow)),
            Work::Check(_) => None,
        })
    }

    /// The number that the next thing inside the instance gets.
    pub(crate) fn next_number(&self) -> Number {
        self.instance.counter.checked_add(1).expect("an instance numbers fewer than 2^32 things")
    }

    pub(crate) fn token(&self, token: Number) -> &Token {
        &self.instance.tokens[&token]
    }

    /// The node where a token stands.
    pub(crate) fn node_of(&self, token: Number) -> &'a Node {
        self.process.node(self.instance.tokens[&token].node)
    }

    /// Does the token still live? What it did may have ended it.
    pub(crate) fn lives(&self, token: Number) -> bool {
        self.instance.tokens.contains_key(&token)
    }

    pub(crate) fn note_moved(&mut self, scope: Number) {
        if self.moved.last() != Some(&scope) {
            self.moved.push(scope);
        }
    }

    pub(crate) fn open_incident(&mut self, token: Option<Number>, kind: IncidentKind, message: String) {
        let incident = self.next_number();
        let opened = EventKind::IncidentOpened { incident, kind, message };
        match token {
            Some(token) => {
                self.emit_at(token, EventKind::TokenFailed);
                self.emit_at(token, opened);
            }
            None => self.emit(opened),
        }
    }

    /// An expression of a node cannot be used: `what` names it.
    pub(crate) fn complain(&mut self, token: Number, what: &str, reason: &str) {
        let message = format!("{what} of `{}`: {reason}", self.node_of(token).id);
        self.open_incident(Some(token), IncidentKind::Expression, message);
    }

    /// The instance is over: whatever is left in it goes.
    pub(crate) fn end_instance(&mut self, how: EventKind) {
        self.clear_scope(ROOT);
        self.disarm_scope(ROOT);
        let left: Vec<Number> = self.instance.incidents.keys().copied().collect();
        for incident in left {
            self.emit(EventKind::IncidentResolved { incident });
        }
        self.forget_work();
        nodes::call::answer(self, &how);
        self.emit(how);
    }
}

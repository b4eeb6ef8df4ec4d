//! One turn: a command goes in, tokens run until each waits, is ready or is gone, events come out.
//!
//! **Invariant:** no recursion along the graph: tokens that may go on stand in a queue.
//! **Invariant:** a turn visits at most [`VISITS_PER_TURN`] nodes; what is left goes on in the next turn.

use std::collections::VecDeque;

use tyer_model::{FlowIx, Node, NodeIx, Process};

use crate::accept::{Rejection, accept};
use crate::command::{Command, Start};
use crate::event::{Event, EventKind, Started};
use crate::ids::{Number, Timestamp};
use crate::instance::{IncidentKind, Instance, Status, TimerKind, Wait};
use crate::nodes;
use crate::variables::Variables;

/// Nodes one turn may visit before it makes room for others.
const VISITS_PER_TURN: u64 = 10_000;
/// Nodes a token may visit without any wait before it is stopped as a runaway.
const VISITS_WITHOUT_WAIT: u64 = 10_000_000;

/// Offers a command to an instance. After `accept`, what cannot go on is an incident, not an `Err`.
pub fn step(
    process: &Process,
    instance: &mut Instance,
    command: Command,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    accept(process, instance, &command, now)?;
    let mut turn =
        Turn { process, instance, now, events: Vec::with_capacity(8), queue: VecDeque::new(), visits: 0 };
    turn.take(command);
    turn.run();
    nodes::parallel::report_starved(&mut turn);
    turn.finish();
    Ok(turn.events)
}

/// Sets an instance aside after the engine failed on it: no node is entered, nothing is lost.
pub fn park(process: &Process, instance: &mut Instance, message: String, now: Timestamp) -> Vec<Event> {
    let mut turn = Turn { process, instance, now, events: Vec::new(), queue: VecDeque::new(), visits: 0 };
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
    queue: VecDeque<Arrival>,
    visits: u64,
}

/// A token on its way into the node where it is about to stand.
struct Arrival {
    token: Number,
    node: NodeIx,
    flow: Option<FlowIx>,
}

impl<'a> Turn<'a> {
    fn take(&mut self, command: Command) {
        match command {
            Command::Start(start) => self.start(*start),
            Command::CompleteJob { job, holder, variables } => {
                nodes::job::complete(self, job, holder, variables)
            }
            Command::FailJob { job, holder, error, retries, backoff_ms } => {
                nodes::job::fail(self, job, holder, error, retries, backoff_ms);
            }
            Command::CompleteTask { task, by, variables } => nodes::user::complete(self, task, by, variables),
            Command::TimerDue { timer } => self.timer_due(timer),
            Command::Pause { reason } => self.emit(EventKind::WorkflowPaused { reason }),
            Command::Resume => self.resume(),
            Command::Cancel { reason } => self.cancel(reason),
            Command::Resolve { incident } => self.resolve(incident),
        }
    }

    fn start(&mut self, start: Start) {
        let Start { definition, version, business_key, started_by, priority, variables } = start;
        let process = self.process.id.clone();
        self.emit(EventKind::WorkflowStarted(Box::new(Started {
            definition,
            process,
            version,
            business_key,
            started_by,
            priority,
        })));
        self.set_variables(0, variables);
        self.create_token(self.process.start(), None, None);
    }

    fn timer_due(&mut self, number: Number) {
        let timer = self.instance.timers[&number];
        self.emit_at(timer.token, EventKind::TimerFired { timer: number });
        match timer.kind {
            TimerKind::Catch => self.leave(timer.token),
            TimerKind::Retry => nodes::job::offer(self, timer.token),
            TimerKind::Yield { visits } => {
                self.visits = visits;
                self.re_enter(timer.token);
            }
        }
    }

    fn resume(&mut self) {
        self.emit(EventKind::WorkflowResumed);
        let standing: Vec<Number> = self
            .instance
            .tokens
            .iter()
            .filter(|(_, token)| token.wait == Wait::Nothing)
            .map(|(number, _)| *number)
            .collect();
        for token in standing {
            self.re_enter(token);
        }
    }

    fn cancel(&mut self, reason: Option<String>) {
        let live: Vec<Number> = self.instance.tokens.keys().copied().collect();
        for token in live {
            self.terminate(token);
        }
        let left: Vec<Number> = self.instance.incidents.keys().copied().collect();
        for incident in left {
            self.emit(EventKind::IncidentResolved { incident });
        }
        self.emit(EventKind::WorkflowCancelled { reason });
    }

    fn resolve(&mut self, number: Number) {
        let incident = &self.instance.incidents[&number];
        let (kind, token) = (incident.kind, incident.token);
        let resolved = EventKind::IncidentResolved { incident: number };
        let Some(token) = token else {
            return self.emit(resolved);
        };
        self.emit_at(token, resolved);
        match kind {
            IncidentKind::JobFailed => nodes::job::offer(self, token),
            IncidentKind::JoinStarved => nodes::parallel::fire_with_what_has_arrived(self, token),
            IncidentKind::NoFlow
            | IncidentKind::Expression
            | IncidentKind::Runaway
            | IncidentKind::Parked => {
                self.re_enter(token);
            }
        }
    }

    /// Lets every queued token run until it waits, is ready or is gone.
    fn run(&mut self) {
        let paused = self.instance.status == Status::Paused;
        let limit = self.visits + VISITS_PER_TURN;
        while let Some(arrival) = self.queue.pop_front() {
            if paused {
                self.emit_on(arrival.token, arrival.node, arrival.flow, EventKind::TokenMoved);
            } else if self.visits >= VISITS_WITHOUT_WAIT {
                self.emit_on(arrival.token, arrival.node, arrival.flow, EventKind::TokenMoved);
                let message =
                    format!("{} nodes visited without a wait: does this loop ever end?", self.visits);
                self.open_incident(Some(arrival.token), IncidentKind::Runaway, message);
            } else if self.visits >= limit {
                self.emit_on(arrival.token, arrival.node, arrival.flow, EventKind::TokenMoved);
                self.arm(arrival.token, self.now, TimerKind::Yield { visits: self.visits });
            } else {
                self.visits += 1;
                nodes::enter(self, arrival.token, arrival.node, arrival.flow);
            }
        }
    }

    /// An instance completes when no token lives.
    fn finish(&mut self) {
        if self.instance.tokens.is_empty() && !self.instance.status.is_ended() {
            let left: Vec<Number> = self.instance.incidents.keys().copied().collect();
            for incident in left {
                self.emit(EventKind::IncidentResolved { incident });
            }
            self.emit(EventKind::WorkflowCompleted);
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

    fn push(&mut self, event: Event) {
        self.instance.apply(&event, self.now);
        self.events.push(event);
    }

    /// The number that the next thing inside the instance gets.
    pub(crate) fn next_number(&self) -> Number {
        self.instance.counter.checked_add(1).expect("an instance numbers fewer than 2^32 things")
    }

    /// The node where a token stands.
    pub(crate) fn node_of(&self, token: Number) -> &'a Node {
        self.process.node(self.instance.tokens[&token].node)
    }

    /// The variables a token sees.
    pub(crate) fn variables_of(&self, token: Number) -> &Variables {
        &self.instance.scopes[&self.instance.tokens[&token].scope]
    }

    /// A new token before a node; it enters when its turn in the queue comes.
    pub(crate) fn create_token(
        &mut self,
        node: NodeIx,
        flow: Option<FlowIx>,
        parent: Option<Number>,
    ) -> Number {
        let token = self.next_number();
        self.emit_on(token, node, flow, EventKind::TokenCreated { scope: 0, parent, group: parent });
        self.queue.push_back(Arrival { token, node, flow: None });
        token
    }

    /// The node of this token did its work: go on along its flows.
    pub(crate) fn leave(&mut self, token: Number) {
        self.emit_at(token, EventKind::NodeCompleted);
        match self.node_of(token).outgoing[..] {
            [] => self.emit_at(token, EventKind::TokenCompleted),
            [only] => self.follow(token, only),
            ref several => self.split(token, several),
        }
    }

    /// The token goes along one flow.
    pub(crate) fn follow(&mut self, token: Number, flow: FlowIx) {
        self.queue.push_back(Arrival { token, node: self.process.flow(flow).target, flow: Some(flow) });
    }

    /// The token ends, and one child goes along each flow.
    fn split(&mut self, token: Number, flows: &[FlowIx]) {
        for &flow in flows {
            self.create_token(self.process.flow(flow).target, Some(flow), Some(token));
        }
        self.emit_at(token, EventKind::TokenCompleted);
    }

    /// Takes a token away, with whatever it waits for.
    fn terminate(&mut self, token: Number) {
        match self.instance.tokens[&token].wait {
            Wait::Task(task) => self.emit_at(token, EventKind::TaskCancelled { task }),
            Wait::Timer(timer) => self.emit_at(token, EventKind::TimerCancelled { timer }),
            Wait::Incident(incident) => self.emit_at(token, EventKind::IncidentResolved { incident }),
            Wait::Nothing | Wait::Job(_) | Wait::Join => {}
        }
        self.emit_at(token, EventKind::TokenTerminated);
    }

    /// The token enters again the node where it stands.
    fn re_enter(&mut self, token: Number) {
        let node = self.instance.tokens[&token].node;
        self.queue.push_back(Arrival { token, node, flow: None });
    }

    pub(crate) fn set_variables(&mut self, scope: Number, values: Variables) {
        if !values.is_empty() {
            self.emit(EventKind::VariableUpdated { scope, values });
        }
    }

    pub(crate) fn arm(&mut self, token: Number, due: Timestamp, kind: TimerKind) {
        let timer = self.next_number();
        self.emit_at(token, EventKind::TimerCreated { timer, due, kind });
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
}

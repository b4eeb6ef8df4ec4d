//! What the oracle is told of a history: events of the engine as observations.
//!
//! **Invariant:** nothing is told that the history does not say; where it says too little, the oracle is left out from there on.

use std::collections::{BTreeMap, BTreeSet};

use tyer_engine::{Event, EventKind, IncidentKind, Number, SagaCause, ScopeKind, Status, Thrown, TimerKind};
use tyer_model::{FlowIx, NodeIx, NodeKind, Process};

use crate::blueprint::{Blueprint, FlowId, Kind, NodeId, Value};
use crate::oracle::{self, Observation, Oracle};
use crate::world::Member;

/// A history longer than this goes in circles, and the oracle, which searches anew each time, would take minutes.
const MOST_TOLD: usize = 4_000;

/// Tells the oracle what happens to one instance.
pub(super) struct Witness<'b> {
    blueprint: &'b Blueprint,
    oracle: Option<Oracle>,
    nodes: BTreeMap<String, NodeId>,
    flows: BTreeMap<String, FlowId>,
    /// The scope each engine scope stands for.
    scopes: BTreeMap<Number, Place>,
    tokens: BTreeMap<Number, Token>,
    seen: usize,
    /// Observations so far.
    told: usize,
    /// Timers by which a long turn goes on in the next one: until they fire, it has not ended.
    yields: BTreeSet<Number>,
    /// Open incidents of tokens that wait before a join.
    starved: BTreeSet<Number>,
    /// Variables of the process that some inner scope has too.
    shadowed: BTreeSet<String>,
    /// Turns that were judged.
    pub(super) judged: u64,
}

/// What an engine scope is to the oracle.
#[derive(Clone, Copy)]
struct Place {
    /// The number that the oracle knows.
    told: u32,
    /// It was told as a scope of its own.
    own: bool,
    /// The round of a repeated sub-process: its body is told in its place.
    round_of_sub_process: bool,
}

struct Token {
    scope: Number,
    /// It has entered its node and not left it.
    active: bool,
    joined: bool,
    /// A join has fired with it: what becomes of it later is nobody's business.
    is_consumed: bool,
}

impl<'b> Witness<'b> {
    pub(super) fn new(blueprint: &'b Blueprint) -> Witness<'b> {
        let nodes = (0..).map(NodeId).zip(&blueprint.nodes).map(|(id, node)| (node.id.clone(), id)).collect();
        let flows = (0..).map(FlowId).zip(&blueprint.flows).map(|(id, flow)| (flow.id.clone(), id)).collect();
        let root = Place { told: oracle::ROOT, own: false, round_of_sub_process: false };
        Witness {
            blueprint,
            oracle: Some(Oracle::new(blueprint)),
            nodes,
            flows,
            scopes: BTreeMap::from([(tyer_engine::ROOT, root)]),
            tokens: BTreeMap::new(),
            seen: 0,
            told: 0,
            yields: BTreeSet::new(),
            starved: BTreeSet::new(),
            shadowed: BTreeSet::new(),
            judged: 0,
        }
    }

    /// Something happens now that the oracle does not know of.
    pub(super) fn leave(&mut self) {
        self.oracle = None;
    }

    /// Tells what is new.
    pub(super) fn tell(&mut self, member: &Member) -> Result<(), String> {
        let turns = &member.turns[self.seen..];
        self.seen = member.turns.len();
        for turn in turns {
            for (at, event) in turn.events.iter().enumerate() {
                self.note_yield(&event.kind);
                let told = self.observations(&member.process, event, &turn.events[at + 1..]);
                self.told += told.len();
                if self.told > MOST_TOLD {
                    self.leave();
                }
                let Some(oracle) = &mut self.oracle else { return Ok(()) };
                for observation in told {
                    oracle.observe(observation).map_err(|violation| format!("the oracle: {violation}"))?;
                }
            }
            if member.instance.status == Status::Running
                && self.yields.is_empty()
                && let Some(oracle) = &mut self.oracle
            {
                oracle.settled().map_err(|violation| format!("the oracle: {violation}"))?;
                self.judged += 1;
            }
        }
        Ok(())
    }

    fn note_yield(&mut self, event: &EventKind) {
        if let EventKind::TimerCreated { timer, kind: TimerKind::Yield { .. }, .. } = event {
            self.yields.insert(*timer);
        } else if let EventKind::TimerFired { timer } | EventKind::TimerCancelled { timer } = event {
            self.yields.remove(timer);
        }
    }

    fn observations(&mut self, process: &Process, event: &Event, later: &[Event]) -> Vec<Observation> {
        let node = event.node.and_then(|ix| self.nodes.get(&process.node(ix).id).copied());
        let scope = event.token.and_then(|token| self.tokens.get(&token)).map(|token| token.scope);
        let told = scope.and_then(|scope| self.scopes.get(&scope)).copied();
        match (&event.kind, event.token, node) {
            (EventKind::TokenCreated(born), Some(token), _) => {
                let joined = !born.joins.is_empty();
                let new = Token { scope: born.scope, active: false, joined, is_consumed: false };
                self.tokens.insert(token, new);
                for consumed in &born.joins {
                    if let Some(token) = self.tokens.get_mut(consumed) {
                        token.is_consumed = true;
                    }
                }
                Vec::new()
            }
            (EventKind::NodeStarted, Some(_), Some(node)) if self.undoes_its_scope(node) => {
                self.leave();
                Vec::new()
            }
            (EventKind::NodeStarted, Some(token), Some(node)) => {
                self.started(token, node, event.flow, process)
            }
            (EventKind::TokenWaiting, Some(_), Some(node)) => {
                let (Some(place), flow) = (told, self.flow(process, event.flow)) else { return Vec::new() };
                let scope = place.told;
                let is_gateway = matches!(self.blueprint[node].kind, Kind::Gateway(_));
                vec![if is_gateway {
                    Observation::Started { node, scope, flow }
                } else {
                    Observation::Arrived { node, scope, flow }
                }]
            }
            (EventKind::NodeCompleted, Some(token), Some(node)) => {
                self.completed(token, node, event.node.expect("it was found"), process, later)
            }
            (EventKind::TokenTerminated, Some(token), Some(node)) => {
                let gone = self.tokens.remove(&token);
                let silent = told.is_none_or(|place| place.round_of_sub_process);
                match (gone, told) {
                    (Some(gone), Some(place)) if gone.active && !silent => {
                        vec![Observation::Cancelled { node, scope: place.told }]
                    }
                    _ => Vec::new(),
                }
            }
            (EventKind::TokenAbsorbed, Some(token), Some(node)) => {
                // A complex gateway keeps what it has fired with until it is reset.
                let is_consumed = self.tokens.remove(&token).is_some_and(|token| token.is_consumed);
                let absorbed = told.map(|place| Observation::Absorbed { node, scope: place.told });
                absorbed.filter(|_| !is_consumed).into_iter().collect()
            }
            (EventKind::TokenCompleted, Some(token), _) => {
                self.tokens.remove(&token);
                Vec::new()
            }
            (EventKind::EventThrown { thrown, code, .. }, Some(_), Some(node)) => {
                let from_work = matches!(self.blueprint[node].kind, Kind::Task(_) | Kind::Call(_));
                let is_escalation = *thrown == Thrown::Escalation;
                let known = matches!(thrown, Thrown::Error | Thrown::Escalation);
                match (told, code) {
                    (Some(place), Some(code)) if from_work && known => {
                        vec![Observation::Thrown {
                            node,
                            scope: place.told,
                            code: code.clone(),
                            is_escalation,
                        }]
                    }
                    _ => Vec::new(),
                }
            }
            // A bound of the engine's: BPMN lets a token go round for ever.
            (EventKind::IncidentOpened { kind: IncidentKind::Runaway, .. }, ..) => {
                self.leave();
                Vec::new()
            }
            (EventKind::IncidentOpened { kind, incident, .. }, Some(_), Some(node)) => {
                let is_before = *kind == IncidentKind::JoinStarved;
                self.starved.extend(is_before.then_some(*incident));
                told.map(|place| Observation::Incident { node, scope: place.told, is_before })
                    .into_iter()
                    .collect()
            }
            (EventKind::IncidentResolved { incident }, Some(_), Some(node)) => {
                let is_before = self.starved.remove(incident);
                told.map(|place| Observation::Resolved { node, scope: place.told, is_before })
                    .into_iter()
                    .collect()
            }
            (EventKind::ScopeOpened { scope, parent: _, kind }, Some(owner), Some(node)) => {
                self.opened(*scope, owner, node, *kind)
            }
            (EventKind::ScopeClosed { scope, .. }, ..) => {
                let closed = self.scopes.remove(scope).filter(|place| place.own);
                closed.map(|place| Observation::ScopeClosed { scope: place.told }).into_iter().collect()
            }
            (EventKind::VariableUpdated { scope, values }, ..) => {
                self.set(*scope == tyer_engine::ROOT, values)
            }
            (EventKind::WorkflowCompleted, ..) => {
                vec![Observation::Ended { status: oracle::Status::Completed }]
            }
            (EventKind::WorkflowCancelled { .. } | EventKind::WorkflowFailed { .. }, ..) => {
                vec![Observation::Ended { status: oracle::Status::Stopped }]
            }
            (EventKind::SagaStarted { cause, .. }, ..)
                if !matches!(cause, SagaCause::Throw | SagaCause::Cancel) =>
            {
                self.leave();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn started(
        &mut self,
        token: Number,
        node: NodeId,
        flow: Option<FlowIx>,
        process: &Process,
    ) -> Vec<Observation> {
        let flow = self.flow(process, flow);
        let Some(known) = self.tokens.get_mut(&token) else { return Vec::new() };
        known.active = true;
        let joined = std::mem::take(&mut known.joined);
        let Some(place) = self.scopes.get(&known.scope) else { return Vec::new() };
        if place.round_of_sub_process {
            return Vec::new();
        }
        let scope = place.told;
        let kind = &self.blueprint[node].kind;
        if joined && matches!(kind, Kind::Gateway(_)) {
            return Vec::new();
        }
        let is_event = matches!(kind, Kind::SubProcess(crate::blueprint::SubProcess::Event));
        vec![if is_event || matches!(kind, Kind::Boundary { .. }) {
            Observation::Triggered { node, scope }
        } else {
            Observation::Started { node, scope, flow }
        }]
    }

    fn completed(
        &mut self,
        token: Number,
        node: NodeId,
        ix: NodeIx,
        process: &Process,
        later: &[Event],
    ) -> Vec<Observation> {
        let Some(known) = self.tokens.get_mut(&token) else { return Vec::new() };
        known.active = false;
        let Some(place) = self.scopes.get(&known.scope).copied() else { return Vec::new() };
        if place.round_of_sub_process {
            return Vec::new();
        }
        let Some(flows) = taken(token, ix, process, later) else {
            self.leave();
            return Vec::new();
        };
        let flows = flows.iter().filter_map(|flow| self.flow(process, Some(*flow))).collect();
        vec![Observation::Completed { node, scope: place.told, flows }]
    }

    /// A compensation event sub-process, which the oracle does not know.
    fn undoes_its_scope(&self, node: NodeId) -> bool {
        let start = self.blueprint.starts(Some(node)).next();
        let trigger = start.and_then(|start| self.blueprint[start].kind.trigger());
        trigger == Some(&crate::blueprint::Trigger::Compensation)
    }

    fn opened(&mut self, scope: Number, owner: Number, node: NodeId, kind: ScopeKind) -> Vec<Observation> {
        let Some(around) = self.tokens.get(&owner).and_then(|token| self.scopes.get(&token.scope)).copied()
        else {
            return Vec::new();
        };
        let is_sub_process = matches!(self.blueprint[node].kind, Kind::SubProcess(_));
        let (own, round_of_sub_process) = match kind {
            ScopeKind::Body => (true, false),
            ScopeKind::Round { .. } => (!is_sub_process, is_sub_process),
            ScopeKind::Undo { .. } | ScopeKind::Local | ScopeKind::Branch | ScopeKind::Rounds { .. } => {
                (false, false)
            }
        };
        let told = if own { scope } else { around.told };
        self.scopes.insert(scope, Place { told, own, round_of_sub_process });
        if own { vec![Observation::ScopeOpened { scope, parent: around.told, node }] } else { Vec::new() }
    }

    /// A variable that an inner scope has too says different things to different nodes: nothing is told of it any more.
    fn set(&mut self, is_global: bool, values: &tyer_engine::Variables) -> Vec<Observation> {
        let mut told = Vec::new();
        for (name, json) in values.iter().filter(|(name, _)| self.blueprint.variables.contains_key(*name)) {
            if !is_global && self.shadowed.insert(name.to_owned()) {
                told.push(Observation::Forgotten { variable: name.to_owned() });
            }
            let value = match json {
                "true" => Some(Value::Flag(true)),
                "false" => Some(Value::Flag(false)),
                number => number.parse().ok().map(Value::Number),
            };
            if let Some(value) = value.filter(|_| !self.shadowed.contains(name)) {
                told.push(Observation::Set { variable: name.to_owned(), value });
            }
        }
        told
    }

    fn flow(&self, process: &Process, flow: Option<FlowIx>) -> Option<FlowId> {
        flow.and_then(|flow| self.flows.get(&process.flow(flow).id).copied())
    }
}

/// The flows that a token took from a node, read off what happened afterwards; none if that does not say.
fn taken(token: Number, node: NodeIx, process: &Process, later: &[Event]) -> Option<Vec<FlowIx>> {
    let outgoing = &process.node(node).outgoing;
    if outgoing.is_empty() || matches!(process.node(node).kind, NodeKind::Link(_)) {
        return Some(Vec::new());
    }
    let leaves = |flow: Option<FlowIx>| flow.filter(|flow| process.flow(*flow).source == node);
    let mut flows = Vec::new();
    for event in later {
        match (&event.kind, event.token == Some(token)) {
            (EventKind::TokenCreated(born), _) if born.parent == Some(token) => {
                flows.extend(leaves(event.flow));
            }
            (EventKind::TokenCompleted, true) => return Some(flows),
            (
                EventKind::NodeStarted
                | EventKind::TokenMoved
                | EventKind::TokenWaiting
                | EventKind::TokenAbsorbed,
                true,
            ) => {
                flows.push(leaves(event.flow)?);
                return Some(flows);
            }
            (EventKind::TokenTerminated, true) => {
                return if let [only] = outgoing[..] { Some(vec![only]) } else { None };
            }
            _ => {}
        }
    }
    None
}

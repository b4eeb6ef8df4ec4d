//! How far each node of an instance is: a fold of its history.
//!
//! **Invariant:** a node that was never entered is `pending` while a live token can still come to it, else `skipped`.

use serde::Serialize;
use tyer_engine::{
    Event, EventKind, Instance, Migrated, Number, ROOT, Rejection, Timestamp, TokenStatus, Variables,
};
use tyer_map::{Map, Set};
use tyer_model::{NodeIx, NodeKind, Process, SubProcessKind};

use crate::error::Error;
use crate::handle::{Handle, mask};
use crate::past::Past;

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeStatus {
    /// Not entered yet.
    Pending,
    /// A token is at it.
    Running,
    /// It did its work, the last time it was entered.
    Completed,
    /// It could not do its work, or was taken from it.
    Failed,
    /// Never entered, and nobody can come to it any more.
    Skipped,
}

/// What has become of one node; of its last visit where it was entered more than once.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeState {
    /// Its BPMN id.
    pub node: String,
    /// How far it is.
    pub status: NodeStatus,
    /// How often it was entered.
    pub visits: u32,
    /// When it was entered.
    pub started_at: Option<Timestamp>,
    /// When it had done its work.
    pub completed_at: Option<Timestamp>,
    /// The variables that it saw when it was entered.
    pub input: Option<Variables>,
    /// The variables that it set.
    pub output: Option<Variables>,
    /// What went wrong.
    pub error: Option<String>,
    /// How often its work was tried again.
    pub retries: u32,
}

/// The last visit of a node.
#[derive(Default)]
struct Visit {
    visits: u32,
    started_at: Timestamp,
    completed_at: Option<Timestamp>,
    input: Variables,
    output: Variables,
    error: Option<String>,
    tries: u32,
}

#[derive(Default)]
struct Visits {
    nodes: Map<NodeIx, Visit>,
    /// Where the turn was last at work: variables that are set now are set by this node.
    at_work: Option<NodeIx>,
}

impl Handle {
    /// Every node of its process, in document order, with what has become of it.
    ///
    /// ```no_run
    /// # async fn example(order: tyer_runtime::Handle) -> Result<(), tyer_runtime::Error> {
    /// for node in order.nodes().await? {
    ///     println!("{}: {:?}, {} retries", node.node, node.status, node.retries);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn nodes(&self) -> Result<Vec<NodeState>, Error> {
        let mut instance = Instance::blank(self.id());
        let (mut visits, mut compiled) = (Visits::default(), None);
        self.fold(|past| {
            instance.apply(past.event, past.at);
            visits.see(&instance, &past);
            compiled = Some(std::sync::Arc::clone(past.compiled));
        })
        .await?;
        let compiled = compiled.ok_or(Rejection::InstanceUnknown { id: self.id() })?;
        Ok(visits.told(&compiled.process, &instance))
    }
}

impl Visits {
    fn see(&mut self, instance: &Instance, past: &Past<'_>) {
        if past.begins {
            self.at_work = None;
        }
        if let EventKind::WorkflowMigrated(migrated) = &past.event.kind {
            self.rename(migrated);
        } else if let EventKind::VariableUpdated { scope, values } = &past.event.kind {
            self.output(instance, *scope, values);
        }
        let Some(node) = past.event.node else { return };
        self.at_work = Some(node);
        if past.event.kind == EventKind::NodeStarted {
            let token = past.event.token.and_then(|token| instance.tokens.get(&token));
            let scope = token.map_or(ROOT, |token| instance.reading_scope(token));
            let visit = self.nodes.entry(node).or_default();
            let visits = visit.visits + 1;
            let (started_at, input) = (past.at, instance.visible(scope));
            *visit = Visit { visits, started_at, input, ..Visit::default() };
        } else if let Some(visit) = self.nodes.get_mut(&node) {
            visit.note(past.event, past.at);
        }
    }

    /// What a node sets in its own scope is input for its work; what it sets around it is its output.
    fn output(&mut self, instance: &Instance, scope: Number, values: &Variables) {
        let Some(visit) = self.at_work.and_then(|node| self.nodes.get_mut(&node)) else { return };
        let owner = instance.scopes.get(&scope).and_then(|scope| instance.tokens.get(&scope.owner?));
        if scope != ROOT && owner.is_some_and(|token| Some(token.node) == self.at_work) {
            visit.input.merge(values);
        } else {
            visit.output.merge(values);
        }
    }

    fn rename(&mut self, migrated: &Migrated) {
        let renamed: Map<u32, u32> = migrated.nodes.iter().copied().collect();
        let old = std::mem::take(&mut self.nodes);
        self.nodes =
            old.into_iter().filter_map(|(ix, visit)| Some((NodeIx(*renamed.get(&ix.0)?), visit))).collect();
    }

    fn told(mut self, process: &Process, instance: &Instance) -> Vec<NodeState> {
        let open = can_be_entered(process, instance);
        let standing = standing(instance);
        let masked = &process.body(None).masked;
        let told = process.nodes().map(|(ix, node)| {
            let visit = self.nodes.remove(&ix);
            let status = match (&visit, standing.get(&ix)) {
                (_, Some(true)) => NodeStatus::Failed,
                (Some(_), Some(false)) => NodeStatus::Running,
                (Some(visit), None) if visit.completed_at.is_some() => NodeStatus::Completed,
                (Some(_), None) => NodeStatus::Failed,
                (None, _) if open.contains(&ix) => NodeStatus::Pending,
                (None, _) => NodeStatus::Skipped,
            };
            state(node.id.clone(), status, visit, masked)
        });
        told.collect()
    }
}

impl Visit {
    fn note(&mut self, event: &Event, at: Timestamp) {
        if let EventKind::NodeCompleted = event.kind {
            self.completed_at = Some(at);
        } else if let EventKind::JobCreated { .. } = event.kind {
            self.tries += 1;
        } else if let EventKind::JobFailed { error, .. } = &event.kind {
            self.error = Some(error.clone());
        } else if let EventKind::IncidentOpened { message, .. } = &event.kind {
            self.error = Some(message.clone());
        } else if let EventKind::EventThrown { message: Some(message), .. } = &event.kind {
            self.error = Some(message.clone());
        } else if let EventKind::TokenTerminated = event.kind
            && self.completed_at.is_none()
        {
            self.error.get_or_insert_with(|| "it was taken away before it was done".to_owned());
        }
    }
}

fn state(
    node: String,
    status: NodeStatus,
    visit: Option<Visit>,
    masked: &[std::sync::Arc<str>],
) -> NodeState {
    let Some(mut visit) = visit else {
        let (started_at, completed_at, input, output, error) = (None, None, None, None, None);
        return NodeState {
            node,
            status,
            visits: 0,
            started_at,
            completed_at,
            input,
            output,
            error,
            retries: 0,
        };
    };
    mask(&mut visit.input, masked);
    mask(&mut visit.output, masked);
    NodeState {
        node,
        status,
        visits: visit.visits,
        started_at: Some(visit.started_at),
        completed_at: visit.completed_at,
        input: Some(visit.input),
        output: Some(visit.output),
        // What was tried again and went well is no error.
        error: visit.error.filter(|_| status != NodeStatus::Completed),
        retries: visit.tries.saturating_sub(1),
    }
}

/// Nodes where tokens stand; true where one of them cannot go on by itself.
fn standing(instance: &Instance) -> Map<NodeIx, bool> {
    let mut standing: Map<NodeIx, bool> = Map::new();
    for token in instance.tokens.values() {
        *standing.entry(token.node).or_default() |= instance.token_status(token) == TokenStatus::Failed;
    }
    standing
}

/// Nodes that a live token stands at or may still come to.
fn can_be_entered(process: &Process, instance: &Instance) -> Set<NodeIx> {
    let mut open: Set<NodeIx> = Set::new();
    let mut todo: Vec<NodeIx> = instance.tokens.values().map(|token| token.node).collect();
    if !instance.tokens.is_empty() {
        todo.extend(&process.body(None).events);
        todo.extend(instance.records.values().filter_map(|record| process.node(record.node).handler));
    }
    while let Some(ix) = todo.pop() {
        if open.insert(ix) {
            todo.extend(next(process, ix));
        }
    }
    open
}

/// Where it goes on from a node: by its flows, its border, its inside, its link, its handler.
fn next(process: &Process, ix: NodeIx) -> Vec<NodeIx> {
    let node = process.node(ix);
    let mut next: Vec<NodeIx> = node.outgoing.iter().map(|flow| process.flow(*flow).target).collect();
    next.extend(&node.boundary);
    next.extend(node.handler);
    if let NodeKind::Link(target) = &node.kind {
        next.push(*target);
    } else if let NodeKind::SubProcess(sub) = &node.kind {
        next.extend(&sub.body.starts);
        next.extend(&sub.body.events);
        if let SubProcessKind::Event { start, .. } = &sub.kind {
            next.push(*start);
        }
    }
    next
}
